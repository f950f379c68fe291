"""Positives at the deepest ranks judged, query by query: where the pool ends among them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import difference
from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals
from pooling.core.strategies.selections import RankedPairs

Integers = NDArray[np.int64]
STEP = 10  # ranks by which a pool is deepened


class EdgeShare(NamedTuple):
    """Some pairs, the positive ones, their share with its 95 % interval; None for none."""

    n: int
    n_positive: int
    share: float | None
    interval: Interval


class PoolEdges(NamedTuple):
    """The edge of each of Q queries, and of all together.

    depth : (Q,) the deepest of the best ranks of its graded pairs; 0 without one
    n_edge, n_positive : (Q,) graded pairs at the edge, and the positive ones
    n_single : (Q,) pairs at the edge that one run alone brought
    n_graded, n_all_positive : (Q,) graded pairs that a run brought, and the positive ones
    n_all_single, n_single_positive : (Q,) of these the pairs that one run alone brought, at the
        edge or not, and the positive ones
    whole, single, several : of all pairs at the edge, of those of one run, of those of several
    all_single : of all pairs that one run alone brought, at the edge or not
    """

    depth: Integers
    n_edge: Integers
    n_positive: Integers
    n_single: Integers
    n_graded: Integers
    n_all_positive: Integers
    n_all_single: Integers
    n_single_positive: Integers
    whole: EdgeShare
    single: EdgeShare
    several: EdgeShare
    all_single: EdgeShare


def pool_edges(
    ranks: NDArray[np.int32], query: Integers, is_positive: NDArray[np.bool_], *, groups: Groups
) -> PoolEdges:
    """Count the graded pairs whose best rank is in the last quarter of their query's depth.

    ranks : (S, L) of each graded pair in each run that brought it, 0 elsewhere
    query : (L,) of Q; groups : of the Q queries
    Of a depth of 10 ranks 8 to 10 are the edge, of 4 and fewer the last one. A pair that a run has
    higher up is not at the edge. Intervals are those of a share by groups (`mean_intervals`).
    """
    n_queries = groups.n_queries
    n_runs = np.count_nonzero(ranks, axis=0)
    best = np.min(np.where(ranks > 0, ranks, np.iinfo(np.int32).max), axis=0)
    is_brought = n_runs > 0
    # of best ranks: in a deeper pool that nobody judged yet graded pairs have deep ranks too
    depth = np.zeros(n_queries, dtype=np.int64)
    np.maximum.at(depth, query, np.where(is_brought, best, 0))
    is_edge = is_brought & (best >= (3 * depth // 4 + 1)[query])

    def by_query(mask: NDArray[np.bool_]) -> Integers:
        return np.bincount(query[mask], minlength=n_queries)

    def share_of(mask: NDArray[np.bool_]) -> EdgeShare:
        if not mask.any():
            return EdgeShare(0, 0, None, NO_INTERVAL)
        of_pairs = pair_groups(groups, query[mask])
        values = is_positive[mask].astype(np.float64)
        (interval,) = mean_intervals(values[None, :], are_shares=True, groups=of_pairs)
        return EdgeShare(len(values), int(values.sum()), float(of_pairs.mean(values)), interval)

    return PoolEdges(
        depth=depth,
        n_edge=by_query(is_edge),
        n_positive=by_query(is_edge & is_positive),
        n_single=by_query(is_edge & (n_runs == 1)),
        n_graded=by_query(is_brought),
        n_all_positive=by_query(is_brought & is_positive),
        n_all_single=by_query(n_runs == 1),
        n_single_positive=by_query((n_runs == 1) & is_positive),
        whole=share_of(is_edge),
        single=share_of(is_edge & (n_runs == 1)),
        several=share_of(is_edge & (n_runs > 1)),
        all_single=share_of(n_runs == 1),
    )


def pairs_to_deepen(
    tops: Sequence[RankedPairs],
    depth: Integers,
    *,
    sources: Integers,
    graded: RankedPairs,
) -> Integers:
    """(Q,) pairs within the first `depth` + 10 ranks of a run that are not settled yet.

    tops : rows of these sources and others; depth : (Q,), 0 where nothing is to be deepened
    sources : (Q,) ascending keys, one or more; graded : pairs that are
    """
    codes, width = [], 1 + max(int(pairs.target.max(initial=0)) for pairs in (*tops, graded))
    low = min(int(pairs.target.min(initial=0)) for pairs in (*tops, graded))
    for number, pairs in enumerate((*tops, graded)):
        row = np.minimum(np.searchsorted(sources, pairs.source), len(sources) - 1)
        is_near = (sources[row] == pairs.source) & (depth[row] > 0)
        if number < len(tops):
            is_near &= pairs.rank <= depth[row] + STEP
        codes.append(row[is_near] * (width - low) + pairs.target[is_near] - low)
    added = difference(np.concatenate([np.zeros(0, dtype=np.int64), *codes[:-1]]), codes[-1])
    return np.bincount(added // (width - low), minlength=len(sources))
