"""Set and rank measures of binary relevance: precision, recall, F, ranks, the curve.

All take `PositiveRanks` and return (Q,) float64 like metrics.core.measures.ranking.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.ranking import PerQuery, PositiveRanks, hits, share, total_by_query

RECALL_POINTS = tuple(point / 10 for point in range(11))


def precision(positive_ranks: PositiveRanks, *, k: int) -> PerQuery:
    """P@k: positives among the first k, over k, also where fewer were retrieved. Range [0, 1].

    Equals trec_eval P_k.
    """
    return hits(positive_ranks, k) / k


def recall(positive_ranks: PositiveRanks, *, k: int) -> PerQuery:
    """R@k: positives among the first k, over all positives. Range [0, 1].

    Equals trec_eval recall_k.
    The cross-modal papers' "Recall@K" is C@k; the two are equal only where each query has one
    positive.
    """
    return share(hits(positive_ranks, k), positive_ranks.total)


def f_measure(positive_ranks: PositiveRanks, *, k: int, beta: float = 1.0) -> PerQuery:
    """F(beta)@k: (1 + beta^2) P R / (beta^2 P + R) of P@k and R@k; 0 where both are 0.

    Range [0, 1].
    van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    p, r = precision(positive_ranks, k=k), recall(positive_ranks, k=k)
    return share((1 + beta**2) * p * r, beta**2 * p + r)


def r_precision(positive_ranks: PositiveRanks, *, cap: int | None = None) -> PerQuery:
    """Rprec: positives among the first R, over R; with cap, R is min(R, cap); None or 0 is no cap.

    Range [0, 1].
    Divides by R also where fewer were retrieved. Equals trec_eval Rprec; eccv_caption divides by
    the number retrieved, which is the same for rankings of at least R targets. With cap = 50 and
    the matches of zeta = 0 it is the PMRP of ECCV Caption's paper; PCME's is the mean over zeta in
    metrics.core.measures.plausible_matches.
    """
    depth = np.minimum(positive_ranks.total, cap) if cap else positive_ranks.total
    is_within_depth = positive_ranks.rank <= depth[positive_ranks.query]
    return share(
        total_by_query(positive_ranks.query[is_within_depth], len(positive_ranks.depth)), depth
    )


def reciprocal_rank(positive_ranks: PositiveRanks, *, k: int | None = None) -> PerQuery:
    """RR: 1 over the rank of the first positive, 0 where there is none (within k). Range [0, 1].

    Equals trec_eval recip_rank.
    """
    is_first = (
        positive_ranks.nth == 1
        if k is None
        else (positive_ranks.nth == 1) & (positive_ranks.rank <= k)
    )
    return total_by_query(
        positive_ranks.query[is_first], len(positive_ranks.depth), 1 / positive_ranks.rank[is_first]
    )


def first_rank(positive_ranks: PositiveRanks) -> PerQuery:
    """Rank of the first positive; MedR is its median and MeanR its mean.

    Range [1, inf]; smaller is better.
    Infinite where the query has positives and none was retrieved: its rank lies somewhere beyond
    the end of the list. NaN for a query without a positive, which has no such rank.
    """
    rank = np.where(positive_ranks.total > 0, np.inf, np.nan)
    is_first = positive_ranks.nth == 1
    rank[positive_ranks.query[is_first]] = positive_ranks.rank[is_first]
    return rank


def mean_rank(ranks: PerQuery, *, weight: PerQuery | None = None) -> float:
    """Mean over the queries that have a positive.

    Infinite where one was missed, NaN where no query has any.
    weight : (Q,) how many queries each represents
    """
    is_defined = ~np.isnan(ranks)
    defined_ranks = ranks[is_defined]
    return (
        float(np.average(defined_ranks, weights=None if weight is None else weight[is_defined]))
        if len(defined_ranks)
        else np.nan
    )


def median_rank(ranks: PerQuery, *, weight: PerQuery | None = None) -> float:
    """Median over the queries that have a positive.

    Infinite where half were missed, NaN as for the mean.
    weight : (Q,) how many queries each represents: the rank that half of their total does not
        exceed
    """
    if weight is not None:
        is_defined = ~np.isnan(ranks)
        order = np.argsort(ranks[is_defined], kind="stable")
        running_weight = np.cumsum(weight[is_defined][order])
        if not len(order):
            return np.nan
        return float(
            ranks[is_defined][order][np.searchsorted(running_weight, running_weight[-1] / 2)]
        )
    defined_ranks = np.sort(ranks[~np.isnan(ranks)])
    if not len(defined_ranks):
        return np.nan
    low, high = defined_ranks[(len(defined_ranks) - 1) // 2], defined_ranks[len(defined_ranks) // 2]
    return float(low if low == high else (low + high) / 2)


def interpolated_precision(positive_ranks: PositiveRanks, *, recall: float) -> PerQuery:
    """IPrec@r: the largest precision at any depth that reaches recall r. Range [0, 1].

    Equals trec_eval iprec_at_recall_r. Recall r is reached with int(r * R + .9) positives,
    trec_eval 9's rounding (version 10 rounds otherwise); 0 where the run never gets there.
    """
    best = _best_precision_from(positive_ranks)
    n_required = np.maximum((recall * positive_ranks.total + 0.9).astype(np.int64), 1)
    is_reached = positive_ranks.nth == n_required[positive_ranks.query]
    value = np.zeros(len(positive_ranks.depth))
    value[positive_ranks.query[is_reached]] = best[is_reached]
    return value


def eleven_point_average(positive_ranks: PositiveRanks) -> PerQuery:
    """IPrec11: mean of the interpolated precision at recall 0, .1, ..., 1. Range [0, 1].

    Equals trec_eval 11pt_avg.
    """
    return precision_recall_curve(positive_ranks).mean(axis=1)


def precision_recall_curve(positive_ranks: PositiveRanks) -> NDArray[np.float64]:
    """(Q, 11) interpolated precision at recall 0, .1, ..., 1.

    The mean over queries is the usual curve.
    """
    return np.stack(
        [interpolated_precision(positive_ranks, recall=point) for point in RECALL_POINTS], axis=1
    )


def _best_precision_from(positive_ranks: PositiveRanks) -> NDArray[np.float64]:
    """(H,) the largest precision at this positive or a later one of the same query.

    A running maximum from the back over all queries at once: precisions become their positions in
    sorted order, and each query is lifted by a whole multiple so that a later query can never
    exceed an earlier one. Exact, as it is done in integers.
    """
    values, precision_code = np.unique(
        positive_ranks.nth / positive_ranks.rank, return_inverse=True
    )
    lift = (len(positive_ranks.depth) - positive_ranks.query) * len(values)
    best: NDArray[np.int64] = np.maximum.accumulate((precision_code + lift)[::-1])[::-1] - lift
    result: NDArray[np.float64] = values[best]
    return result
