"""Estimates of runs from a stratified pool: unbiased sums over pairs, inferred AP and nDCG."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import LabelledPairs
from metrics.core.label_sources import Grades, sorted_grades
from metrics.core.sample_totals import (
    MeanEstimate,
    estimated_dcg,
    estimated_mean,
    estimated_positives,
    estimated_precision,
    estimated_rbp,
)
from metrics.core.sampled import WeightedSample, extended_inferred_ap, extended_inferred_ndcg
from metrics.services.pool_study import DirectionStudy, ranked_of
from metrics.services.sample_estimates import strata_of, without_judged
from pooling.core.strategies import depth_of
from pooling.models import Pool
from pooling.services.strata import SAMPLED, StrataUnknown

DEEPEST = 1_000  # ranks that count, as in TREC's sample_eval
K = 10  # ranks of P@k and DCG@k
PATIENCE = 0.8  # of RBP's reader
Columns = NDArray[np.int64]


def estimate_runs(*, pool: Pool, study: DirectionStudy) -> dict[str, Any] | None:
    """Estimate each run of a stratified pool by people's labels alone; None for other pools.

    P@k, DCG@k, RBP and the number of positives are unbiased, with the standard error of the draw;
    xinfAP and infNDCG are approximate, and None while some query has a stratum without a judgment,
    which they would take for empty. k is 10, or the pool's depth if less; P@k and DCG@k rest on the
    strata among the run's first k ranks, so they do not wait for judgments of the others. `tail` is
    the most that the ranks below the pool could add to RBP.
    A drawn pair without a grade counts as not drawn: right as long as people get the pairs in random
    order. {"why": the reason} if the strata are unknown, and before the first positive.
    """
    if pool.strategy != SAMPLED:
        return None
    try:
        rows = _rows(pool, study)
    except StrataUnknown as error:
        return {"why": str(error)}
    query, target, stratum, grade, is_drawn = rows
    threshold = pool.collection.positive_from
    summary = {"n_pooled": len(query), "n_drawn": int(is_drawn.sum()), "n_judged": int(np.count_nonzero(grade >= 0))}
    if not np.any(grade >= max(threshold, 0)):
        return summary | {"why": "no pair that was drawn is positive yet."}
    cell = query * (int(stratum.max()) + 1) + stratum
    n_pooled, n_drawn = np.bincount(cell), np.bincount(cell, weights=is_drawn)
    drawn_rows = is_drawn == 1
    chance = (n_drawn / np.maximum(n_pooled, 1))[cell[drawn_rows]]
    k, scores, positives = min(K, depth_of(pool.strategy, pool.parameters)), [], MeanEstimate(None, None)
    for run in study.runs:
        ranked = ranked_of(study, run, LabelledPairs(query, target, grade))._replace(stratum=stratum)
        has_unjudged_stratum = bool(without_judged(ranked, stratum).any())
        sample = WeightedSample(ranked_of(study, run, LabelledPairs(query[drawn_rows], target[drawn_rows], grade[drawn_rows])), chance, stratum[drawn_rows])
        first = drawn_rows & np.isin(stratum, stratum[ranked.label[ranked.rank <= k]])
        first_ranked = ranked_of(study, run, LabelledPairs(query[first], target[first], grade[first]))
        top = WeightedSample(first_ranked, chance[first[drawn_rows]], stratum[first])
        positives = estimated_mean(estimated_positives(sample, threshold=threshold))
        scores.append(
            {
                "run": run.pk,
                "xinfAP": None if has_unjudged_stratum else float(extended_inferred_ap(ranked, threshold=threshold, k=DEEPEST).mean()),
                "infNDCG": None if has_unjudged_stratum else float(extended_inferred_ndcg(ranked, k=DEEPEST).mean()),
                "P": estimated_mean(estimated_precision(top, k=k, threshold=threshold))._asdict(),
                "DCG": estimated_mean(estimated_dcg(top, k=k))._asdict(),
                "RBP": estimated_mean(estimated_rbp(sample, p=PATIENCE, threshold=threshold))._asdict(),
            }
        )
    summary["tail"] = PATIENCE ** depth_of(pool.strategy, pool.parameters)
    return summary | {"n_queries": len(study.sources), "k": k, "positives": positives._asdict(), "runs": scores}


def _rows(pool: Pool, study: DirectionStudy) -> Columns:
    """(5, N) by source and target: source's position, target, stratum from 0, grade, 1 if drawn."""
    labels = _people_grades(study)
    strata = strata_of(pool=pool, scope=study.scope, labelled=labels)
    width = 1 + int(max(labels.target.max(initial=0), strata.target.max(initial=0)))
    label_codes, codes = labels.source * width + labels.target, strata.source * width + strata.target
    is_labelled = np.isin(codes, label_codes) & strata.is_drawn
    grade = np.full(len(codes), -1)
    grade[is_labelled] = labels.grade[np.searchsorted(label_codes, codes[is_labelled])]
    stratum = np.unique(strata.stratum, return_inverse=True)[1].ravel()
    return np.stack([np.searchsorted(study.sources, strata.source), strata.target, stratum, grade, strata.is_drawn])


def _people_grades(study: DirectionStudy) -> Grades:
    """Return people's grades of the study's pairs."""
    has_grade = ~np.isnan(study.labels.people)
    rows = [study.sources[study.labels.query], study.labels.doc, study.labels.people]
    return sorted_grades(np.stack([row[has_grade] for row in rows], axis=1).astype(np.int64))
