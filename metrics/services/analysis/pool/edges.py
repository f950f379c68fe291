"""Queries whose pool ends among positives, from the database."""

from collections.abc import Sequence

import numpy as np

from annotate.services.collection.duplicates import originals_of
from metrics.charts.analyses.pool.edges import (
    Deepening,
    PooledRuns,
    SaturatedQuery,
    edges_result,
)
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.edges import STEP, pairs_to_deepen, pool_edges
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import nouns_of, with_draw_note
from metrics.services.analysis.labels.item_contents import item_summaries
from metrics.services.analysis.planner.judging_costs import pace_of
from metrics.services.analysis.pool.brought import BroughtLabels, brought_labels
from metrics.services.scores.labels import Ids
from pooling.core.strategies.selections import RankedPairs
from pooling.services.pools.label_counts import old_pairs
from pooling.services.runs.rankings import left_out_keys, load_top

LEAST = 0.5  # share of positives at the edge of a query that is listed
LONGEST_LIST = 100_000  # characters of ids in the page, for the form of a pool


def saturated_queries(request: AnalysisRequest) -> AnalysisResult:
    """The queries half of whose deepest graded pairs, or more, are positive."""
    brought = brought_labels(request, least=1)
    inputs, labels = brought.inputs, brought.labels
    rows = [row for row in brought.chosen_rows if brought.is_pooled[row]]
    if not rows:
        raise NotDefined("None of these runs is in an opened pool: choose a run that is.")
    ranks = np.where(brought.is_own, brought.ranks[rows], 0)
    edges = pool_edges(
        ranks, labels.query, labels.people >= inputs.spec.threshold, groups=inputs.groups
    )
    if not edges.whole.n:
        raise NotDefined("No pair that these runs brought to a pool has a grade by people yet.")
    order = np.flatnonzero((edges.n_edge > 0) & (edges.n_positive >= LEAST * edges.n_edge))
    order = order[np.lexsort((order, -edges.n_positive[order]))]
    sources = inputs.scope.sources
    items = item_summaries(sources[order].tolist())
    ids = [items[key].id for key in sources[order].tolist()]
    n_listed = number_that_fits(ids)
    deepest = int(edges.depth[order[:n_listed]].max(initial=0))
    own_depths, pool_depths = np.zeros((2, len(sources)), dtype=np.int64)
    own_depths[order], pool_depths[order[:n_listed]] = edges.depth[order], deepest
    n_added, n_pool, n_unlabelled = _n_added(request, brought, rows, own_depths, pool_depths)
    numbers = np.stack([*edges[:8], n_added])[:, order].T.tolist()
    result = edges_result(
        [
            SaturatedQuery(items[key], *row)
            for key, row in zip(sources[order].tolist(), numbers, strict=True)
        ],
        (edges.whole, edges.single, edges.several, edges.all_single),
        runs=PooledRuns(len(rows), brought.n_pooled),
        n_with_edge=int(np.count_nonzero(edges.n_edge)),
        deepening=Deepening(
            n_listed,
            int(n_pool.sum()),
            int((n_unlabelled - n_pool).sum()),
            pace_of(request.collection),
        ),
        nouns=with_draw_note(nouns_of(inputs), inputs),
    )
    parameters = {
        "only": ["\n".join(ids[:n_listed])],
        "strategy": ["depth-k"],
        "depth": [str(deepest + STEP)],
        "query_set": [str(inputs.query_set.pk)],
        "runs": [str(brought.runs[row].pk) for row in rows],
    }
    return result._replace(next_parameters=parameters) if n_pool.any() else result


def number_that_fits(ids: Sequence[str]) -> int:
    """The number of first ids that the page holds for the form of a pool."""
    lengths = np.cumsum([len(id) + 1 for id in ids], dtype=np.int64)
    return int(np.count_nonzero(lengths <= LONGEST_LIST))


def _n_added(
    request: AnalysisRequest,
    brought: BroughtLabels,
    rows: list[int],
    own_depths: Ids,
    pool_depths: Ids,
) -> list[Ids]:
    """(Q,) pairs without a label within a depth and 10 ranks more; 0 where the depth is 0.

    own_depths, pool_depths : (Q,)
    Those to the own depths that wait in no open pool, the same to the pool's, and those to the
    pool's that may wait.
    """
    inputs, sources = brought.inputs, brought.inputs.scope.sources
    originals = originals_of(collection=request.collection)
    left_out = left_out_keys(collection=request.collection)
    tops = []
    for row in rows:
        top = load_top(
            run=brought.runs[row],
            depth=int(np.max([own_depths, pool_depths], initial=0)) + STEP,
            query_set=inputs.query_set,
            leave_out=left_out,
        )
        tops.append(top._replace(target=originals.of(top.target)))
    has_grade = ~np.isnan(brought.labels.people)
    old = old_pairs(collection=request.collection, direction=inputs.scope.direction)
    source = np.concatenate(
        [
            sources[brought.labels.query[has_grade]],
            old.settled_pairs.source,
            old.waiting_pairs.source,
        ]
    )
    target = np.concatenate(
        [brought.labels.doc[has_grade], old.settled_pairs.target, old.waiting_pairs.target]
    )
    all_pairs = RankedPairs(source, originals.of(target), np.ones(len(target), dtype=np.int64))
    end = len(target) - len(old.waiting_pairs.source)
    settled_pairs = RankedPairs(source[:end], all_pairs.target[:end], all_pairs.rank[:end])
    return [
        pairs_to_deepen(tops, depth, sources=sources, graded=pairs)
        for depth, pairs in (
            (own_depths, all_pairs),
            (pool_depths, all_pairs),
            (pool_depths, settled_pairs),
        )
    ]
