"""Estimates from a sampled pool: xinfAP by strata, and estimates from each label's inclusion probability."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades
from metrics.core.incomplete import EPSILON, count_above
from metrics.core.ranking import PerQuery, share, total_by_query


def stratified_inferred_ap(
    ranked: RankedGrades, stratum: NDArray[np.int64], *, threshold: float = 1, k: int | None = None
) -> PerQuery:
    """xinfAP: AP inferred from a sample whose rate differs from stratum to stratum of the pool. Range [0, 1].

    stratum : (L,) for each row of the Labels that were aligned, 0, 1, ...; a pooled target that was not sampled
        carries a negative grade
    k : ranks beyond it are ignored (sample_eval.pl: 1000)

    Within stratum s of a query N_s targets are pooled, n_s judged, r_s positive; R_s = r_s N_s / n_s. Precision at a
    positive of rank i is (1 + sum_s m_s (r_s above + e) / (n_s above + 3e)) / i with m_s pooled above, and the value
    is sum_s (R_s / R) * mean of the precisions in s, positives not retrieved counting 0. Yilmaz, Kanoulas & Aslam
    2008, doi:10.1145/1390334.1390437; constants of TREC's sample_eval.pl (3e, where infAP has 2e).
    """
    if k is not None:
        ranked = _cut(ranked, k)
    n_queries, n_strata = len(ranked.depth), int(stratum.max(initial=0)) + 1
    here = stratum[ranked.label]
    judged, positive = ranked.grade >= 0, ranked.grade >= max(threshold, 0)
    expected = np.ones(len(here))
    for one in range(n_strata):
        inside = here == one
        pooled_above = count_above(ranked.query, inside, n_queries)
        judged_above = count_above(ranked.query, inside & judged, n_queries)
        positive_above = count_above(ranked.query, inside & positive, n_queries)
        expected += pooled_above * (positive_above + EPSILON) / (judged_above + 3 * EPSILON)
    cell = ranked.query * n_strata + here
    summed = np.bincount(cell[positive], weights=(expected / ranked.rank)[positive], minlength=n_queries * n_strata)
    per_positive, estimated = _strata_weights(ranked, stratum, n_queries, n_strata, threshold)
    return share((summed.reshape(n_queries, n_strata) * per_positive).sum(axis=1), estimated)


def extended_inferred_ap(ranked: RankedGrades, *, threshold: float = 1, k: int | None = None) -> PerQuery:
    """xinfAP with the strata that the labels came with; labels without strata are one stratum."""
    stratum = ranked.stratum
    if stratum is None:
        n_rows = 1 + max(int(ranked.label.max(initial=0)), int(ranked.label_row.max(initial=0)))
        stratum = np.zeros(n_rows, dtype=np.int64)
    return stratified_inferred_ap(ranked, stratum, threshold=threshold, k=k)


def _strata_weights(
    ranked: RankedGrades, stratum: NDArray[np.int64], n_queries: int, n_strata: int, threshold: float
) -> tuple[NDArray[np.float64], PerQuery]:
    """(Q, S) R_s / r_s = N_s / n_s where anything was judged, and (Q,) the estimated number of positives."""
    cell = ranked.label_query * n_strata + stratum[ranked.label_row]
    shape, size = (n_queries, n_strata), n_queries * n_strata
    pooled = np.bincount(cell, minlength=size).reshape(shape)
    judged = np.bincount(cell[ranked.label_grade >= 0], minlength=size).reshape(shape)
    positive = np.bincount(cell[ranked.label_grade >= max(threshold, 0)], minlength=size).reshape(shape)
    weight = np.divide(pooled, judged, out=np.zeros(shape), where=judged > 0)
    return weight, (positive * weight).sum(axis=1)


class Weighted:
    """Positives of a sampled pool, each standing for 1 / its inclusion probability (Horvitz & Thompson 1952)."""

    def __init__(self, ranked: RankedGrades, inclusion: NDArray[np.float64], threshold: float = 1) -> None:
        """inclusion : (L,) probability in (0, 1] with which each row of the aligned Labels was chosen for judging."""
        level = max(threshold, 0)
        keep = ranked.grade >= level
        labelled = ranked.label_grade >= level
        chance = inclusion[ranked.label_row[labelled]]
        if not np.all((chance > 0) & (chance <= 1)):
            raise ValueError("A judged label's inclusion probability is not above 0 and at most 1.")
        self.query, self.rank = ranked.query[keep], ranked.rank[keep]
        self.weight = 1 / inclusion[ranked.label[keep]]
        self.n_queries = len(ranked.depth)
        total = 1 / inclusion[ranked.label_row[labelled]]
        self.total = total_by_query(ranked.label_query[labelled], self.n_queries, total)

    def found(self, k: int) -> PerQuery:
        """Estimated number of positives among the first k."""
        inside = self.rank <= k
        return total_by_query(self.query[inside], self.n_queries, self.weight[inside])


def estimated_precision(sample: Weighted, *, k: int) -> PerQuery:
    """Unbiased estimate of P@k; single queries may exceed 1."""
    return sample.found(k) / k


def estimated_recall(sample: Weighted, *, k: int) -> PerQuery:
    """Ratio estimate of R@k: both the positives found and all positives are estimated. Range [0, 1]."""
    return share(sample.found(k), sample.total)


def estimated_ap(sample: Weighted, *, k: int | None = None) -> PerQuery:
    """Ratio estimate of AP, statAP of Aslam & Pavlu 2007 with targets drawn independently of one another.

    (1 / R) sum_i w_i (1 + sum of w_j of positives above i) / rank_i with w = 1 / inclusion probability.
    """
    running = np.cumsum(sample.weight) - sample.weight
    starts = np.searchsorted(sample.query, np.arange(sample.n_queries))
    above = running - np.append(running, 0.0)[starts][sample.query]
    value = sample.weight * (1 + above) / sample.rank
    if k is not None:
        value = np.where(sample.rank <= k, value, 0.0)
    return share(total_by_query(sample.query, sample.n_queries, value), sample.total)


def estimated_rbp(sample: Weighted, *, p: float = 0.8) -> PerQuery:
    """Unbiased estimate of RBP(p)."""
    value = sample.weight * (1 - p) * np.power(p, sample.rank - 1.0)
    return total_by_query(sample.query, sample.n_queries, value)


ESTIMATES: dict[str, Callable[..., PerQuery]] = {
    "P": estimated_precision,
    "R": estimated_recall,
    "AP": estimated_ap,
    "RBP": estimated_rbp,
}


def _cut(ranked: RankedGrades, k: int) -> RankedGrades:
    keep = ranked.rank <= k
    return ranked._replace(
        query=ranked.query[keep],
        rank=ranked.rank[keep],
        grade=ranked.grade[keep],
        label=ranked.label[keep],
        depth=np.minimum(ranked.depth, k),
    )
