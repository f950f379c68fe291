"""Estimates of runs from a stratified pool: unbiased sums over pairs, inferred AP and nDCG."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.labels.label_sources import sorted_grades
from metrics.core.measures.alignment import LabelledPairs
from metrics.core.measures.inferred_measures import (
    WeightedSample,
    extended_inferred_ap,
    extended_inferred_ndcg,
)
from metrics.core.pools.sample_totals import (
    MeanEstimate,
    estimated_dcg,
    estimated_mean,
    estimated_positives,
    estimated_precision,
    estimated_rbp,
)
from metrics.services.pool_bias.inputs import DirectionStudy, ranked_of
from metrics.services.samples.estimates import has_unjudged_cell
from metrics.services.samples.pairs import strata_of
from metrics.services.scores.labels import Ids
from pooling.core.strategies.strategies import depth_of
from pooling.models import Pool, Run
from pooling.services.pools.strata import SAMPLED, StrataUnknown

DEEPEST = 1_000  # ranks that count, as in TREC's sample_eval
K = 10  # ranks of P@k and DCG@k
PATIENCE = 0.8  # of RBP's reader


def estimate_runs(*, pool: Pool, study: DirectionStudy) -> dict[str, Any] | None:
    """Estimate each run of a stratified pool by people's labels alone; None for other pools.

    P@k, DCG@k, RBP and the number of positives are unbiased, with the standard error of the draw;
    xinfAP and infNDCG are approximate, and None while some query has a stratum without a judgment,
    which they would take for empty. k is 10, or the pool's depth if less; P@k and DCG@k rest on the
    strata among the run's first k ranks, so they do not wait for judgments of the others. `tail` is
    the most that the ranks below the pool could add to RBP.
    A drawn pair without a grade counts as not drawn: right as long as people get the pairs in
    random order. {"why": the reason} if the strata are unknown, and before the first positive.
    """
    if pool.strategy != SAMPLED:
        return None
    try:
        rows = _rows(pool, study)
    except StrataUnknown as error:
        return {"why": str(error)}
    threshold = pool.collection.positive_from
    summary: dict[str, Any] = {
        "n_pooled": len(rows.query),
        "n_drawn": int(rows.is_drawn.sum()),
        "n_judged": int(np.count_nonzero(rows.grade >= 0)),
    }
    if not np.any(rows.grade >= max(threshold, 0)):
        return summary | {"why": "no pair that was drawn is positive yet."}
    depth = depth_of(pool.strategy, pool.parameters)
    k, scores, positives = min(K, depth), [], MeanEstimate(None, None)
    for run in study.runs:
        sample = _weighted_sample(study, run, rows, rows.is_drawn)
        positives = estimated_mean(estimated_positives(sample, threshold=threshold))
        scores.append(_run_scores(study, run, rows, sample, k=k, threshold=threshold))
    return summary | {
        "tail": PATIENCE**depth,
        "n_queries": len(study.sources),
        "k": k,
        "positives": positives._asdict(),
        "runs": scores,
    }


class _StratumPairs(NamedTuple):
    """The pairs of a pool's strata, by source and target.

    query : (N,) position of the source; stratum : (N,) from 0; grade : (N,) -1 without one
    chance : (N,) share of the pairs of the query and stratum that were drawn
    """

    query: Ids
    target: Ids
    stratum: Ids
    grade: Ids
    is_drawn: NDArray[np.bool_]
    chance: NDArray[np.float64]


def _weighted_sample(
    study: DirectionStudy, run: Run, rows: _StratumPairs, mask: NDArray[np.bool_]
) -> WeightedSample:
    """The drawn pairs of a mask as a sample, ranked by a run."""
    pairs = LabelledPairs(rows.query[mask], rows.target[mask], rows.grade[mask])
    return WeightedSample(ranked_of(study, run, pairs), rows.chance[mask], rows.stratum[mask])


def _run_scores(
    study: DirectionStudy,
    run: Run,
    rows: _StratumPairs,
    sample: WeightedSample,
    *,
    k: int,
    threshold: int,
) -> dict[str, Any]:
    """One run's estimates as JSON.

    sample : all drawn pairs
    """
    pairs = LabelledPairs(rows.query, rows.target, rows.grade)
    rankings = ranked_of(study, run, pairs)._replace(stratum=rows.stratum)
    is_in_top = np.isin(rows.stratum, rows.stratum[rankings.label[rankings.rank <= k]])
    top = _weighted_sample(study, run, rows, rows.is_drawn & is_in_top)
    inferred_ap = inferred_ndcg = None
    if not has_unjudged_cell(rankings, rows.stratum).any():
        inferred_ap = float(extended_inferred_ap(rankings, threshold=threshold, k=DEEPEST).mean())
        inferred_ndcg = float(extended_inferred_ndcg(rankings, k=DEEPEST).mean())
    rbp = estimated_rbp(sample, p=PATIENCE, threshold=threshold)
    return {
        "run": run.pk,
        "xinfAP": inferred_ap,
        "infNDCG": inferred_ndcg,
        "P": estimated_mean(estimated_precision(top, k=k, threshold=threshold))._asdict(),
        "DCG": estimated_mean(estimated_dcg(top, k=k))._asdict(),
        "RBP": estimated_mean(rbp)._asdict(),
    }


def _rows(pool: Pool, study: DirectionStudy) -> _StratumPairs:
    has_grade = ~np.isnan(study.labels.people)
    columns = [study.sources[study.labels.query], study.labels.doc, study.labels.people]
    people_rows = np.stack([column[has_grade] for column in columns], axis=1).astype(np.int64)
    labels = sorted_grades(people_rows)
    strata = strata_of(pool=pool, scope=study.scope, labels=labels)
    width = 1 + int(max(labels.target.max(initial=0), strata.target.max(initial=0)))
    label_codes = labels.source * width + labels.target
    codes = strata.source * width + strata.target
    is_labelled = np.isin(codes, label_codes) & strata.is_drawn
    grade = np.full(len(codes), -1)
    grade[is_labelled] = labels.grade[np.searchsorted(label_codes, codes[is_labelled])]
    query = np.searchsorted(study.sources, strata.source)
    stratum = np.unique(strata.stratum, return_inverse=True)[1].ravel()
    cell = query * (int(stratum.max(initial=0)) + 1) + stratum
    n_pooled, n_drawn = np.bincount(cell), np.bincount(cell, weights=strata.is_drawn)
    chance = (n_drawn / np.maximum(n_pooled, 1))[cell]
    return _StratumPairs(query, strata.target, stratum, grade, strata.is_drawn, chance)
