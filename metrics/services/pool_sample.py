"""What the stratified sample that a pool is says of its runs: unbiased sums over pairs, and inferred AP and nDCG."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.models import Direction
from metrics.core.alignment import Labels
from metrics.core.sample_totals import (
    MeanEstimate,
    estimated_dcg,
    estimated_mean,
    estimated_positives,
    estimated_precision,
    estimated_rbp,
)
from metrics.core.sampled import Weighted, extended_inferred_ap, extended_inferred_ndcg
from metrics.services.pool_study import Side, ranked_of
from pooling.core.selections import Pairs, is_in
from pooling.core.strategies import depth_of
from pooling.models import Pool
from pooling.services.strata import SAMPLED, StrataUnknown, population_of

DEEPEST = 1_000  # ranks that count, as in TREC's sample_eval
K = 10  # ranks of P@k and DCG@k
PATIENCE = 0.8  # of RBP's reader
Columns = NDArray[np.int64]


def inferred(*, pool: Pool, side: Side) -> dict[str, Any] | None:
    """Estimates of each run of a stratified pool by people's labels alone, as JSON; None for other pools.

    P@k, DCG@k, RBP and the number of positives are unbiased and have the standard error of the draw; xinfAP and infNDCG
    are approximate. k is 10, or the pool's depth if that is less.

    A drawn pair without a grade counts as not drawn: right as long as people are given the pairs in random order. Pairs
    that only retired runs hold are given to nobody any more: unless all that were drawn of them have a grade, they are
    in no stratum, drawn or not.
    Undefined, with its reason under "why", where the strata cannot be told, and before the first positive.
    """
    if pool.strategy != SAMPLED:
        return None
    try:
        rows = _rows(pool, side)
    except StrataUnknown as error:
        return {"why": str(error)}
    query, target, stratum, grade, is_drawn = rows
    threshold = pool.collection.positive_from
    said = {"n_pooled": len(query), "n_drawn": int(is_drawn.sum()), "n_judged": int(np.count_nonzero(grade >= 0))}
    if not np.any(grade >= max(threshold, 0)):
        return said | {"why": "no pair that was drawn is positive yet."}
    cell = query * (int(stratum.max()) + 1) + stratum
    n_pooled, n_drawn = np.bincount(cell), np.bincount(cell, weights=is_drawn)
    own = is_drawn == 1
    chance = (n_drawn / np.maximum(n_pooled, 1))[cell[own]]
    k, scores, positives = min(K, depth_of(pool.strategy, pool.parameters)), [], MeanEstimate(None, None)
    for run in side.runs:
        ranked = ranked_of(side, run, Labels(query, target, grade))._replace(stratum=stratum)
        sample = Weighted(ranked_of(side, run, Labels(query[own], target[own], grade[own])), chance, stratum[own])
        positives = estimated_mean(estimated_positives(sample, threshold=threshold))
        scores.append(
            {
                "run": run.pk,
                "xinfAP": float(extended_inferred_ap(ranked, threshold=threshold, k=DEEPEST).mean()),
                "infNDCG": float(extended_inferred_ndcg(ranked, k=DEEPEST).mean()),
                "P": estimated_mean(estimated_precision(sample, k=k, threshold=threshold))._asdict(),
                "DCG": estimated_mean(estimated_dcg(sample, k=k))._asdict(),
                "RBP": estimated_mean(estimated_rbp(sample, p=PATIENCE, threshold=threshold))._asdict(),
            }
        )
    return said | {"n_queries": len(side.sources), "k": k, "positives": positives._asdict(), "runs": scores}


def _rows(pool: Pool, side: Side) -> Columns:
    """(5, N) by source and target: place of the source in the side, target, stratum from 0, grade, whether drawn."""
    query, document, stratum, is_drawn = population_of(pool=pool)
    source, target = (query, document) if side.direction == Direction.FORWARD else (document, query)
    counts = side.scope.counts(target)  # an item that was excluded since is in no stratum
    source, target, stratum, is_drawn = source[counts], target[counts], stratum[counts], is_drawn[counts]
    is_asked = np.isin(source, side.sources)  # the others are only retired runs' too, or were excluded
    place = np.searchsorted(side.sources, source)
    grade = np.where(is_drawn & is_asked, _grades(side, place, target), -1)
    held = Pairs(*(np.concatenate([getattr(top, end) for top in side.tops]) for end in ("source", "target")))
    stays = is_in(source, target, held)
    if not np.any(is_drawn & ~stays & (grade < 0)):
        stays = is_asked
    rows = np.stack([place, target, np.unique(stratum, return_inverse=True)[1], grade, is_drawn])[:, stays]
    return rows[:, np.lexsort((rows[1], rows[0]))]


def _grades(side: Side, place: Columns, target: Columns) -> Columns:
    """People's grade of each pair, -1 without one."""
    said = ~np.isnan(side.known.people)
    if not said.any():
        return np.full(len(place), -1)
    width = int(max(side.known.doc.max(initial=0), target.max(initial=0))) + 1
    known = side.known.query[said] * width + side.known.doc[said]
    order = np.argsort(known)
    wanted = place * width + target
    at = np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)
    return np.where(known[order][at] == wanted, side.known.people[said][order][at], -1).astype(np.int64)
