"""Queries whose pool ends among positives, from the database."""

import numpy as np

from annotate.services.collection.duplicates import originals_of
from annotate.services.storage.number_arrays import copied_columns
from metrics.charts.analyses.pool.edges import SaturatedQuery, edges_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.edges import STEP, pairs_to_deepen, pool_edges
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import nouns_of, with_sample_note
from metrics.services.analysis.labels.item_contents import item_summaries
from metrics.services.analysis.pool.brought import BroughtLabels, brought_labels
from metrics.services.scores.labels import Ids, ends
from pooling.core.strategies.selections import RankedPairs
from pooling.services.pools.previews import pace
from pooling.services.runs.rankings import left_out_keys, load_top

# labelled, though perhaps without a grade, or left out by a lead
_SETTLED = """
    SELECT pair.query_id::bigint, pair.document_id::bigint FROM annotate_pair pair
    WHERE pair.collection_id = %s AND (
        EXISTS (SELECT FROM annotate_countingjudgment label WHERE label.pair_id = pair.id)
        OR EXISTS (SELECT FROM annotate_pairexclusion exclusion WHERE exclusion.pair_id = pair.id))
"""
LEAST = 0.5  # share of positives at the edge of a query that is listed


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
    is_saturated = (edges.n_edge > 0) & (edges.n_positive >= LEAST * edges.n_edge)
    deepest = int(edges.depth[is_saturated].max(initial=0))
    n_added, n_pool = _n_added(
        request,
        brought,
        rows,
        [np.where(is_saturated, depth, 0) for depth in (edges.depth, deepest)],
    )
    sources = inputs.scope.sources
    order = np.flatnonzero(is_saturated)
    order = order[np.lexsort((order, -edges.n_positive[order]))]
    seconds, is_measured = pace(collection=request.collection)
    items = item_summaries(sources[order].tolist())
    result = edges_result(
        [
            SaturatedQuery(
                items[int(sources[row])],
                *(int(column[row]) for column in (*edges[:8], n_added)),
            )
            for row in order
        ],
        (edges.whole, edges.single, edges.several, edges.all_single),
        n_with_edge=int(np.count_nonzero(edges.n_edge)),
        n_pool=int(n_pool.sum()),
        seconds_a_label=seconds,
        is_measured=is_measured,
        nouns=with_sample_note(nouns_of(inputs), inputs),
    )
    if not is_saturated.any():
        return result
    parameters = {
        "only": ["\n".join(items[int(sources[row])].id for row in order)],
        "strategy": ["depth-k"],
        "depth": [str(deepest + STEP)],
        "query_set": [str(inputs.query_set.pk)],
        "runs": [str(brought.runs[row].pk) for row in rows],
    }
    return result._replace(next_parameters=parameters)


def _n_added(
    request: AnalysisRequest, brought: BroughtLabels, rows: list[int], depths: list[Ids]
) -> list[Ids]:
    """(Q,) pairs without a label within each depth and 10 ranks more; 0 where the depth is 0.

    depths : (Q,) each
    """
    inputs, sources = brought.inputs, brought.inputs.scope.sources
    originals = originals_of(collection=request.collection)
    left_out = left_out_keys(collection=request.collection)
    tops = []
    for row in rows:
        top = load_top(
            run=brought.runs[row],
            depth=int(np.max(depths, initial=0)) + STEP,
            query_set=inputs.query_set,
            leave_out=left_out,
        )
        tops.append(top._replace(target=originals.of(top.target)))
    has_grade = ~np.isnan(brought.labels.people)
    settled = copied_columns(_SETTLED, ("query", "document"), [request.collection.pk])
    first, second = ends(inputs.scope.direction)
    source = np.concatenate([sources[brought.labels.query[has_grade]], settled[first]])
    target = np.concatenate([brought.labels.doc[has_grade], settled[second]])
    graded = RankedPairs(source, originals.of(target), np.ones(len(target), dtype=np.int64))
    return [pairs_to_deepen(tops, depth, sources=sources, graded=graded) for depth in depths]
