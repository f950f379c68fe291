"""Bounds of nDCG over the completions of a run's labels; see metrics.core.measures.bounds."""

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.completions import UnjudgedDocuments, unjudged_documents
from metrics.core.measures.ranking import (
    LARGEST_GRADE,
    PerQuery,
    rank_in_query,
    refuse_large_grades,
    share,
    total_by_query,
)


def ends(
    rankings: RankedGrades,
    *,
    k: int | None,
    best_grade: float,
    dcg: str,
    elsewhere: NDArray[np.int64],
) -> tuple[PerQuery, PerQuery]:
    """(Q,) least and most of nDCG or nDCG@k, 0 <= least <= most <= 1.

    The least: DCG is linear in the gains and the ideal convex, so their ratio is smallest where
    each unjudged document has grade 0 or the best grade, and where the s of the best grade rank
    last. Documents elsewhere, by which no list gains, have the best grade in the ideal. Attained
    where no label lies between; else the ideal is overstated by the loss of labels below the best
    grade as they move down. The most: with s positives among the first k, DCG is at most the gain
    of the first s with the best grade, and the ideal at least that of the labels followed by s
    documents of grade 1, with documents elsewhere at 0. Attained if the best grade is 1.

    elsewhere : (Q,) unjudged documents that the lists do not hold
    """
    refuse_large_grades(rankings, LARGEST_GRADE if dcg == "exp-log2" else np.inf)
    new, n_queries = unjudged_documents(rankings), len(rankings.depth)
    n_labels = np.bincount(rankings.label_query, minlength=n_queries)
    deepest = int((rankings.depth + elsewhere + n_labels).max(initial=0))
    weight = 1 / np.log2(np.arange(2, deepest + 3))  # the discount of each rank from 1 on
    weight[deepest if k is None else min(k, deepest) :] = 0  # beyond k, and beyond the deepest
    best, smallest = _gain(np.array([best_grade, min(1, best_grade)]), dcg)
    run_gains = _gain(rankings.grade, dcg) * weight[rankings.rank - 1]
    gain_of_run = total_by_query(rankings.query, n_queries, run_gains)
    rank_in_ideal = rank_in_query(rankings.label_query, n_queries)
    gain = _gain(rankings.label_grade, dcg)
    labels = _IdealOrder(rankings.label_query, rank_in_ideal, gain, weight, n_queries)
    from_above = np.cumsum(weight[new.rank - 1])
    top = best * _within(from_above, new, weight)
    all_best = total_by_query(new.query, n_queries, best * weight[new.rank - 1])
    bottom = all_best[new.query] - top + best * weight[new.rank - 1]
    ideal = labels.value
    most = np.minimum(share(gain_of_run, ideal), 1)
    least = share(gain_of_run, labels.value_with(elsewhere, best))
    n_below = new.n[new.query] - new.nth + 1 + elsewhere[new.query]
    at_least = (
        ideal[new.query] + labels.discounts_after(new.query, labels.n_above(0), new.nth) * smallest
    )
    at_most = np.minimum(
        ideal[new.query] + labels.discounts_after(new.query, labels.n_above(best), n_below) * best,
        labels.value_with(new.n + elsewhere, best)[new.query],
    )
    np.maximum.at(most, new.query, np.minimum(share(gain_of_run[new.query] + top, at_least), 1))
    np.minimum.at(least, new.query, share(gain_of_run[new.query] + bottom, at_most))
    return least, most


def _gain(grade: NDArray[np.float64], dcg: str) -> NDArray[np.float64]:
    above = np.maximum(grade, 0).astype(np.float64)
    return np.exp2(above) - 1 if dcg == "exp-log2" else above


def _within(
    running: NDArray[np.float64], new: UnjudgedDocuments, weight: NDArray[np.float64]
) -> PerQuery:
    """(U,) the running sum of the discounts within each query."""
    first = np.flatnonzero(new.nth == 1)
    before = running[first] - weight[new.rank[first] - 1]
    return running - np.repeat(before, new.n[new.n > 0])


class _IdealOrder:
    """The ideal order of the labels: gains fall inside a query; with the discounts of ranks."""

    def __init__(
        self,
        query: NDArray[np.int64],
        rank: NDArray[np.int64],
        gain: NDArray[np.float64],
        weight: NDArray[np.float64],
        n_queries: int,
    ) -> None:
        self._query, self._rank, self._gain = query, rank, gain
        self._weight, self._n = weight, n_queries
        self._running = np.concatenate([[0.0], np.cumsum(weight)])
        self.value = total_by_query(query, n_queries, gain * weight[rank - 1])

    def n_above(self, gain: float) -> NDArray[np.int64]:
        """(Q,) number of labels that gain as much or more; for 0, of those that gain anything."""
        keep = self._gain >= gain if gain > 0 else self._gain > 0
        return np.bincount(self._query[keep], minlength=self._n)

    def discounts_after(
        self, query: NDArray[np.int64], after: NDArray[np.int64], n: NDArray[np.int64]
    ) -> PerQuery:
        """(U,) sum of the discounts of the n ranks after the first labels."""
        start = after[query]
        discounts: PerQuery = self._running[start + n] - self._running[start]
        return discounts

    def value_with(self, n: NDArray[np.int64], gain: float) -> PerQuery:
        """(Q,) ideal DCG of the labels together with n documents of one gain."""
        shifted_rank = self._rank + np.where(self._gain >= gain, 0, n[self._query])
        labels = total_by_query(self._query, self._n, self._gain * self._weight[shifted_rank - 1])
        return labels + gain * self.discounts_after(np.arange(self._n), self.n_above(gain), n)
