"""What the stratified sample that a pool is says of its runs: unbiased sums over pairs, and inferred AP and nDCG."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import Labels
from metrics.core.label_sources import Grades, ordered
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
from metrics.services.sample_estimates import strata_of, without_judged
from pooling.core.strategies import depth_of
from pooling.models import Pool
from pooling.services.strata import SAMPLED, StrataUnknown

DEEPEST = 1_000  # ranks that count, as in TREC's sample_eval
K = 10  # ranks of P@k and DCG@k
PATIENCE = 0.8  # of RBP's reader
Columns = NDArray[np.int64]


def inferred(*, pool: Pool, side: Side) -> dict[str, Any] | None:
    """Estimates of each run of a stratified pool by people's labels alone, as JSON; None for other pools.

    P@k, DCG@k, RBP and the number of positives are unbiased and have the standard error of the draw; xinfAP and infNDCG
    are approximate, and None while some query has a stratum of which nothing is judged: they would take it for empty.
    k is 10, or the pool's depth if that is less; P@k and DCG@k rest on the strata that the run has among its first k
    ranks, as pairs of the others add nothing, so they stand before the others are judged.
    Of RBP, `tail` is what the ranks below the pool could add.

    A drawn pair without a grade counts as not drawn: right as long as people are given the pairs in random order.
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
        lacks = bool(without_judged(ranked, stratum).any())
        sample = Weighted(ranked_of(side, run, Labels(query[own], target[own], grade[own])), chance, stratum[own])
        first = own & np.isin(stratum, stratum[ranked.label[ranked.rank <= k]])
        of_first = ranked_of(side, run, Labels(query[first], target[first], grade[first]))
        top = Weighted(of_first, chance[first[own]], stratum[first])
        positives = estimated_mean(estimated_positives(sample, threshold=threshold))
        scores.append(
            {
                "run": run.pk,
                "xinfAP": None if lacks else float(extended_inferred_ap(ranked, threshold=threshold, k=DEEPEST).mean()),
                "infNDCG": None if lacks else float(extended_inferred_ndcg(ranked, k=DEEPEST).mean()),
                "P": estimated_mean(estimated_precision(top, k=k, threshold=threshold))._asdict(),
                "DCG": estimated_mean(estimated_dcg(top, k=k))._asdict(),
                "RBP": estimated_mean(estimated_rbp(sample, p=PATIENCE, threshold=threshold))._asdict(),
            }
        )
    said["tail"] = PATIENCE ** depth_of(pool.strategy, pool.parameters)
    return said | {"n_queries": len(side.sources), "k": k, "positives": positives._asdict(), "runs": scores}


def _rows(pool: Pool, side: Side) -> Columns:
    """(5, N) by source and target: place of the source in the side, target, stratum from 0, grade, whether drawn."""
    said = _said(side)
    found = strata_of(pool=pool, scope=side.scope, labelled=said)
    width = 1 + int(max(said.target.max(initial=0), found.target.max(initial=0)))
    known, wanted = said.source * width + said.target, found.source * width + found.target
    is_known = np.isin(wanted, known) & found.is_drawn
    grade = np.full(len(wanted), -1)
    grade[is_known] = said.grade[np.searchsorted(known, wanted[is_known])]
    stratum = np.unique(found.stratum, return_inverse=True)[1].ravel()
    return np.stack([np.searchsorted(side.sources, found.source), found.target, stratum, grade, found.is_drawn])


def _said(side: Side) -> Grades:
    """People's grades."""
    is_said = ~np.isnan(side.known.people)
    rows = [side.sources[side.known.query], side.known.doc, side.known.people]
    return ordered(np.stack([row[is_said] for row in rows], axis=1).astype(np.int64))
