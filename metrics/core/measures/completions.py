"""Completions of a run's labels: the best and worst ranks of new positives.

Everything is looked up in running sums over the ranks, so that all numbers of new positives cost a
few passes.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.ranking import PerQuery, rank_in_query


class UnjudgedDocuments(NamedTuple):
    """The (U,) unjudged documents that the run returned.

    query : ascending; rank : ascending inside a query
    nth : 1-based number among those of its query; n : (Q,) how many each query has
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    nth: NDArray[np.int64]
    n: NDArray[np.int64]

    @classmethod
    def none(cls, n_queries: int) -> Self:
        """No document of any query."""
        query, rank, nth = np.zeros((3, 0), dtype=np.int64)
        return cls(query, rank, nth, np.zeros(n_queries, dtype=np.int64))


class NewPositiveCounts(NamedTuple):
    """(N,) possible numbers of new positives of a query, and the rank at the edge.

    n_new : in the list; n_elsewhere : outside the list
    edge : rank of the last of the first `n_new`, or of the first of the last `n_new`; with no new
        positive 0, or one rank beyond the list
    """

    query: NDArray[np.int64]
    n_new: NDArray[np.int64]
    n_elsewhere: NDArray[np.int64]
    edge: NDArray[np.int64]


class CutoffHits(NamedTuple):
    """(N,) number of positives within a cut-off, and sum of the precisions at their ranks."""

    hits: PerQuery
    precisions: PerQuery


def unjudged_documents(rankings: RankedGrades) -> UnjudgedDocuments:
    """The documents returned without a label, or with a negative grade."""
    n_queries = len(rankings.depth)
    start = np.cumsum(rankings.depth) - rankings.depth
    is_open = np.ones(int(rankings.depth.sum()), dtype=bool)
    is_judged = rankings.grade >= 0
    is_open[start[rankings.query[is_judged]] + rankings.rank[is_judged] - 1] = False
    position = np.flatnonzero(is_open)
    query = np.repeat(np.arange(n_queries), rankings.depth)[position]
    return UnjudgedDocuments(
        query,
        position - start[query] + 1,
        rank_in_query(query, n_queries),
        np.bincount(query, minlength=n_queries),
    )


def with_elsewhere_as(
    rankings: RankedGrades, grade: float, elsewhere: NDArray[np.int64]
) -> RankedGrades:
    """The same rankings with (Q,) further labels of this grade on documents outside them.

    Rows -1.
    """
    new_query = np.repeat(np.arange(len(rankings.depth)), elsewhere)
    query = np.concatenate([rankings.label_query, new_query])
    grades = np.concatenate([rankings.label_grade, np.full(len(new_query), grade)])
    row = np.concatenate([rankings.label_row, np.full(len(new_query), -1)])
    order = np.lexsort((-grades, query))
    return rankings._replace(
        label_query=query[order], label_grade=grades[order], label_row=row[order]
    )


class Completions:
    """The lists with their labelled positives and the unjudged documents, if these may be positive.

    elsewhere : (Q,) number of unjudged documents outside the list
    total : (Q,) labelled positives, retrieved or not
    """

    def __init__(
        self, rankings: RankedGrades, level: float, *, is_open: bool, elsewhere: NDArray[np.int64]
    ) -> None:
        n_queries = len(rankings.depth)
        self._query_elsewhere = np.repeat(np.arange(n_queries), elsewhere if is_open else 0)
        self.total = np.bincount(
            rankings.label_query[rankings.label_grade >= level], minlength=n_queries
        )
        self._depth, self._start = rankings.depth, np.cumsum(rankings.depth) - rankings.depth
        self._unjudged = (
            unjudged_documents(rankings) if is_open else UnjudgedDocuments.none(len(self.total))
        )
        size, is_positive = int(rankings.depth.sum()), rankings.grade >= level
        is_labelled = np.zeros(size, dtype=np.int64)
        is_labelled[self._start[rankings.query[is_positive]] + rankings.rank[is_positive] - 1] = 1
        is_unjudged = np.zeros(size, dtype=np.int64)
        is_unjudged[self._start[self._unjudged.query] + self._unjudged.rank - 1] = 1
        query = np.repeat(np.arange(n_queries), rankings.depth)
        per_rank = 1 / (np.arange(size) - self._start[query] + 1)
        self._n_labelled, self._n_any = _running(is_labelled), _running(is_labelled + is_unjudged)
        labelled_per_rank = is_labelled * per_rank
        any_per_rank = (is_labelled + is_unjudged) * per_rank
        self._per_labelled, self._per_any = _running(labelled_per_rank), _running(any_per_rank)
        before = self._start[query]
        self._precision_labelled = _running(
            labelled_per_rank * (self._n_labelled[1:] - self._n_labelled[before])
        )
        self._precision_any = _running(any_per_rank * (self._n_any[1:] - self._n_any[before]))

    def first(self) -> NewPositiveCounts:
        """All numbers of new positives, as many in the list as fit: the first unjudged."""
        unjudged, zeros = self._unjudged, np.zeros_like(self._depth)
        last = zeros.copy()
        last[unjudged.query] = unjudged.rank  # they ascend, and the last one stays
        return self._numbers(
            NewPositiveCounts(np.arange(len(zeros)), zeros, zeros, zeros),
            NewPositiveCounts(unjudged.query, unjudged.nth, zeros[unjudged.query], unjudged.rank),
            NewPositiveCounts(
                self._query_elsewhere,
                unjudged.n[self._query_elsewhere],
                self._nth_elsewhere(),
                last[self._query_elsewhere],
            ),
        )

    def last(self) -> NewPositiveCounts:
        """All numbers of new positives, as few in the list as possible: the last unjudged."""
        unjudged, zeros, beyond = self._unjudged, np.zeros_like(self._depth), self._depth + 1
        n_elsewhere = np.bincount(self._query_elsewhere, minlength=len(zeros))
        return self._numbers(
            NewPositiveCounts(np.arange(len(zeros)), zeros, zeros, beyond),
            NewPositiveCounts(
                self._query_elsewhere,
                zeros[self._query_elsewhere],
                self._nth_elsewhere(),
                beyond[self._query_elsewhere],
            ),
            NewPositiveCounts(
                unjudged.query,
                unjudged.n[unjudged.query] - unjudged.nth + 1,
                n_elsewhere[unjudged.query],
                unjudged.rank,
            ),
        )

    def _nth_elsewhere(self) -> NDArray[np.int64]:
        return rank_in_query(self._query_elsewhere, len(self._depth))

    def _numbers(self, *parts: NewPositiveCounts) -> NewPositiveCounts:
        return NewPositiveCounts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def highest(self, numbers: NewPositiveCounts, cutoff: PerQuery) -> CutoffHits:
        """Hits if the first unjudged are positive: all of them down to the edge, none below it."""
        query, n_new = numbers.query, numbers.n_new
        end = np.minimum(cutoff, self._depth[query]).astype(np.int64)
        edge = np.minimum(numbers.edge, end)
        n_labelled = self._within(self._n_labelled, query, 0, end)
        n_any = self._within(self._n_any, query, 0, end)
        labelled_below = self._within(self._precision_labelled, query, edge, end)
        precisions = self._within(self._precision_any, query, 0, edge) + labelled_below
        return CutoffHits(
            n_labelled + np.minimum(n_any - n_labelled, n_new),
            precisions + n_new * self._within(self._per_labelled, query, edge, end),
        )

    def lowest(self, numbers: NewPositiveCounts, cutoff: PerQuery) -> CutoffHits:
        """Hits if the last unjudged are positive: none of them above the edge, all from it on."""
        query, n_new = numbers.query, numbers.n_new
        end = np.minimum(cutoff, self._depth[query]).astype(np.int64)
        edge, n_not_new = np.minimum(numbers.edge - 1, end), self._unjudged.n[query] - n_new
        n_labelled = self._within(self._n_labelled, query, 0, end)
        n_any = self._within(self._n_any, query, 0, end)
        labelled_above = self._within(self._precision_labelled, query, 0, edge)
        precisions = labelled_above + self._within(self._precision_any, query, edge, end)
        return CutoffHits(
            n_labelled + np.maximum(n_any - n_labelled - n_not_new, 0),
            precisions - n_not_new * self._within(self._per_any, query, edge, end),
        )

    def _within(
        self,
        running: NDArray[np.float64],
        query: NDArray[np.int64],
        after: NDArray[np.int64] | int,
        to: NDArray[np.int64],
    ) -> PerQuery:
        """(N,) sums over the ranks from the one after `after` up to `to`."""
        start = self._start[query]
        total: PerQuery = running[start + to] - running[start + after]
        return total


def _running(values: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """(N + 1,) sums of the first 0, 1, ..., N values."""
    return np.concatenate([[0.0], np.cumsum(values)])
