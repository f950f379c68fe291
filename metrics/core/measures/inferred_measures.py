"""Sampled pools: AP and nDCG inferred from strata, and pairs with their chances of being drawn.

Unbiased estimates with standard errors are made from those chances in `sample_totals`.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.incomplete import EPSILON, count_above
from metrics.core.measures.ranking import PerQuery, share


def stratified_inferred_ap(
    rankings: RankedGrades,
    stratum: NDArray[np.int64],
    *,
    threshold: float = 1,
    k: int | None = None,
) -> PerQuery:
    """xinfAP: AP inferred from a sample whose rate differs from stratum to stratum of the pool.

    Range [0, 1].
    stratum : (L,) for each row of the Labels that were aligned, 0, 1, ...; a pooled target that was
        not sampled carries a negative grade
    k : ranks beyond it are ignored (sample_eval.pl: 1000)

    Within stratum s of a query N_s targets are pooled, n_s judged, r_s positive; R_s = r_s N_s /
    n_s. Precision at a positive of rank i is (1 + sum_s m_s (r_s above + e) / (n_s above + 3e)) / i
    with m_s pooled above, and the value is sum_s (R_s / R) * mean of the precisions in s, positives
    not retrieved counting 0. Yilmaz, Kanoulas & Aslam 2008, doi:10.1145/1390334.1390437; constants
    of TREC's sample_eval.pl (3e, where infAP has 2e).
    """
    if k is not None:
        rankings = _cut_at(rankings, k)
    n_queries, n_strata = len(rankings.depth), int(stratum.max(initial=0)) + 1
    stratum_of_target = stratum[rankings.label]
    is_judged, is_positive = rankings.grade >= 0, rankings.grade >= max(threshold, 0)
    expected = np.ones(len(stratum_of_target))
    for s in range(n_strata):
        is_in_stratum = stratum_of_target == s
        pooled_above = count_above(rankings.query, is_in_stratum, n_queries)
        judged_above = count_above(rankings.query, is_in_stratum & is_judged, n_queries)
        positive_above = count_above(rankings.query, is_in_stratum & is_positive, n_queries)
        expected += pooled_above * (positive_above + EPSILON) / (judged_above + 3 * EPSILON)
    cell = rankings.query * n_strata + stratum_of_target
    sums = np.bincount(
        cell[is_positive],
        weights=(expected / rankings.rank)[is_positive],
        minlength=n_queries * n_strata,
    )
    per_positive, estimated_positives = _strata_weights(
        rankings, stratum, n_queries, n_strata, threshold
    )
    return share(
        (sums.reshape(n_queries, n_strata) * per_positive).sum(axis=1), estimated_positives
    )


def extended_inferred_ap(
    rankings: RankedGrades, *, threshold: float = 1, k: int | None = None
) -> PerQuery:
    """xinfAP with the strata of the labels; labels without strata are one stratum."""
    return stratified_inferred_ap(rankings, _strata_of(rankings), threshold=threshold, k=k)


def inferred_ndcg(
    rankings: RankedGrades, stratum: NDArray[np.int64], *, k: int | None = None
) -> PerQuery:
    """infNDCG: nDCG inferred from a sample whose rate differs from stratum to stratum of the pool.

    At least 0.
    stratum : (L,) for each row of the Labels that were aligned, 0, 1, ...; a pooled target that was
        not sampled carries a negative grade
    k : ranks beyond it are ignored, in the ideal too (sample_eval.pl: 1000)

    Of stratum s of a query m_s pooled targets are retrieved, n_s of them judged, whose grade /
    log2(rank + 1) adds up to g_s: DCG is sum_s m_s g_s / n_s, a stratum with n_s = 0 adding
    nothing. The ideal ranks the estimated number of targets of each grade above 0, rounded half up,
    the largest grade first. 0 where that is no target; above 1 where a lucky draw favoured the
    retrieved ones. No threshold applies. Yilmaz, Kanoulas & Aslam 2008,
    doi:10.1145/1390334.1390437. Equals TREC's sample_eval.pl at k = 1000, which lets a grade that
    begins beyond rank 1000 of the ideal add one target there.
    """
    if k is not None:
        rankings = _cut_at(rankings, k)
    shape = len(rankings.depth), int(stratum.max(initial=0)) + 1
    cell = rankings.query * shape[1] + stratum[rankings.label]
    gain = np.maximum(rankings.grade, 0) / np.log2(rankings.rank + 1)
    gains = np.bincount(cell, weights=gain, minlength=shape[0] * shape[1]).reshape(shape)
    dcg = (_pooled_per_judged(cell, rankings.grade >= 0, shape) * gains).sum(axis=1)
    return share(dcg, _estimated_ideal(rankings, stratum, shape, k))


def extended_inferred_ndcg(rankings: RankedGrades, *, k: int | None = None) -> PerQuery:
    """infNDCG with the strata of the labels; labels without strata are one stratum."""
    return inferred_ndcg(rankings, _strata_of(rankings), k=k)


def _strata_of(rankings: RankedGrades) -> NDArray[np.int64]:
    """(L,) stratum of each row of the aligned LabelledPairs.

    All 0 where the labels have no strata.
    """
    if rankings.stratum is not None:
        return rankings.stratum
    n_rows = 1 + max(int(rankings.label.max(initial=0)), int(rankings.label_row.max(initial=0)))
    return np.zeros(n_rows, dtype=np.int64)


def _strata_weights(
    rankings: RankedGrades,
    stratum: NDArray[np.int64],
    n_queries: int,
    n_strata: int,
    threshold: float,
) -> tuple[NDArray[np.float64], PerQuery]:
    """(Q, S) R_s / r_s = N_s / n_s where anything was judged, and (Q,) estimated positives."""
    shape = n_queries, n_strata
    cell = rankings.label_query * n_strata + stratum[rankings.label_row]
    weight = _pooled_per_judged(cell, rankings.label_grade >= 0, shape)
    is_positive = rankings.label_grade >= max(threshold, 0)
    positive = np.bincount(cell[is_positive], minlength=n_queries * n_strata).reshape(shape)
    return weight, (positive * weight).sum(axis=1)


def _pooled_per_judged(
    cell: NDArray[np.int64], is_judged: NDArray[np.bool_], shape: tuple[int, int]
) -> NDArray[np.float64]:
    """(Q, S) targets of a stratum for each judged one, 0 where none is judged.

    cell : query * S + stratum.
    """
    n_pooled = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    n_judged = np.bincount(cell[is_judged], minlength=shape[0] * shape[1]).reshape(shape)
    return np.divide(n_pooled, n_judged, out=np.zeros(shape), where=n_judged > 0)


def _estimated_ideal(
    rankings: RankedGrades, stratum: NDArray[np.int64], shape: tuple[int, int], k: int | None
) -> PerQuery:
    """DCG of the ideal order of the estimated number of targets of each grade."""
    n_queries, n_strata = shape
    in_stratum = stratum[rankings.label_row]
    weight = _pooled_per_judged(
        rankings.label_query * n_strata + in_stratum, rankings.label_grade >= 0, shape
    )
    ideal, end = np.zeros(n_queries), np.zeros(n_queries, dtype=np.int64)
    for grade in np.unique(rankings.label_grade[rankings.label_grade > 0])[::-1]:
        n_estimated = np.zeros(n_queries)
        # added one by one, as sample_eval.pl does: a half may be rounded up or down
        for s in range(n_strata):
            is_counted = (rankings.label_grade == grade) & (in_stratum == s)
            n_estimated += (
                np.bincount(rankings.label_query[is_counted], minlength=n_queries) * weight[:, s]
            )
        start, end = end, end + np.floor(n_estimated + 0.5).astype(np.int64)
        last = int(end.max(initial=0)) if k is None else min(int(end.max(initial=0)), k)
        discounts = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(1, last + 1) + 1))])
        ideal += float(grade) * (
            discounts[np.minimum(end, last)] - discounts[np.minimum(start, last)]
        )
    return ideal


class WeightedSample:
    """Pairs that were drawn for judging, each with its chance and its cell.

    A query's chance is one in a cell.
    query : (L,) index of the query; n_queries : Q
    rank : (L,) of the run that was aligned, infinite where it did not retrieve the target
    grade : (L,) negative where the pair was drawn and is not judged
    chance : (L,) with which it was drawn; cell : (L,) 0, 1, ...
    """

    def __init__(
        self,
        rankings: RankedGrades,
        inclusion: NDArray[np.float64],
        cell: NDArray[np.int64] | None = None,
    ) -> None:
        """The labels of `rankings` are all pairs that were drawn, judged or not.

        inclusion : (L,) chance in (0, 1] of each row of the aligned LabelledPairs to be drawn
        cell : (L,) a whole number from 0 up for each row: pairs of one query and one cell had the
            same chance, and pairs of one cell share the rate at which drawn pairs are judged; None
            makes a cell of each chance
        Raises ValueError where a chance is outside (0, 1], or differs within a query and cell.
        """
        if not np.all((inclusion > 0) & (inclusion <= 1)):
            raise ValueError("A pair's chance to be drawn is not above 0 and at most 1.")
        if cell is None:
            cell = np.unique(inclusion, return_inverse=True)[1]
        rank = np.full(len(inclusion), np.inf)
        rank[rankings.label] = rankings.rank
        row = rankings.label_row
        self.query, self.grade, self.n_queries = (
            rankings.label_query,
            rankings.label_grade,
            len(rankings.depth),
        )
        self.rank, self.chance, self.cell = rank[row], inclusion[row], cell[row]
        order = np.lexsort((self.cell, self.query))
        query, cell, chance = self.query[order], self.cell[order], self.chance[order]
        is_next = (query[1:] == query[:-1]) & (cell[1:] == cell[:-1])
        if np.any(is_next & ~np.isclose(chance[1:], chance[:-1], rtol=1e-9, atol=0)):
            raise ValueError(
                "Two pairs of one query and one cell had different chances to be drawn."
            )


def _cut_at(rankings: RankedGrades, k: int) -> RankedGrades:
    is_kept = rankings.rank <= k
    return rankings._replace(
        query=rankings.query[is_kept],
        rank=rankings.rank[is_kept],
        grade=rankings.grade[is_kept],
        label=rankings.label[is_kept],
        depth=np.minimum(rankings.depth, k),
    )
