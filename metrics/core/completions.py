"""The completions of a run's labels: the unjudged documents, and where new positives stand best and worst.

All is looked up in running sums over the ranks, so that all numbers of new positives cost a few passes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades
from metrics.core.ranking import PerQuery, place_in_query


class Unjudged(NamedTuple):
    """The (U,) unjudged documents that the run returned: query (ascending), rank (ascending inside a query), and place.

    nth : 1-based among those of its query; n : (Q,) how many each query has
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    nth: NDArray[np.int64]
    n: NDArray[np.int64]


class Numbers(NamedTuple):
    """(N,) how many new positives a query may have, each from none to all, and the rank of the one at the edge.

    n_new : in the list; n_elsewhere : beside it
    edge : the last of the first `n_new`, or the first of the last; where none is new 0, or a rank behind the list
    """

    query: NDArray[np.int64]
    n_new: NDArray[np.int64]
    n_elsewhere: NDArray[np.int64]
    edge: NDArray[np.int64]


class Placed(NamedTuple):
    """(N,) of the positives within a cut-off: their number, and the sum of the precisions at their ranks."""

    hits: PerQuery
    precisions: PerQuery


def unjudged_of(ranked: RankedGrades) -> Unjudged:
    """The documents returned without a label, or with a negative grade."""
    n_queries = len(ranked.depth)
    start = np.cumsum(ranked.depth) - ranked.depth
    is_open = np.ones(int(ranked.depth.sum()), dtype=bool)
    judged = ranked.grade >= 0
    is_open[start[ranked.query[judged]] + ranked.rank[judged] - 1] = False
    place = np.flatnonzero(is_open)
    query = np.repeat(np.arange(n_queries), ranked.depth)[place]
    return Unjudged(
        query, place - start[query] + 1, place_in_query(query, n_queries), np.bincount(query, minlength=n_queries)
    )


def with_elsewhere_as(ranked: RankedGrades, grade: float, elsewhere: NDArray[np.int64]) -> RankedGrades:
    """The same rankings with (Q,) further labels of this grade, of documents that they do not hold: rows -1."""
    new = np.repeat(np.arange(len(ranked.depth)), elsewhere)
    query = np.concatenate([ranked.label_query, new])
    grades = np.concatenate([ranked.label_grade, np.full(len(new), grade)])
    row = np.concatenate([ranked.label_row, np.full(len(new), -1)])
    order = np.lexsort((-grades, query))
    return ranked._replace(label_query=query[order], label_grade=grades[order], label_row=row[order])


class Completions:
    """The lists with their labelled positives and, if they can become positive, the unjudged documents.

    elsewhere : (Q,) how many of these the list does not hold
    total : (Q,) labelled positives, retrieved or not
    """

    def __init__(self, ranked: RankedGrades, level: float, *, is_open: bool, elsewhere: NDArray[np.int64]) -> None:
        n_queries = len(ranked.depth)
        self._beside = np.repeat(np.arange(n_queries), elsewhere if is_open else 0)
        self.total = np.bincount(ranked.label_query[ranked.label_grade >= level], minlength=n_queries)
        self._depth, self._start = ranked.depth, np.cumsum(ranked.depth) - ranked.depth
        self._new = unjudged_of(ranked) if is_open else Unjudged(*np.zeros((3, 0), dtype=np.int64), 0 * self.total)
        size, keep = int(ranked.depth.sum()), ranked.grade >= level
        old = np.zeros(size, dtype=np.int64)
        old[self._start[ranked.query[keep]] + ranked.rank[keep] - 1] = 1
        new = np.zeros(size, dtype=np.int64)
        new[self._start[self._new.query] + self._new.rank - 1] = 1
        query = np.repeat(np.arange(n_queries), ranked.depth)
        per_rank = 1 / (np.arange(size) - self._start[query] + 1)
        self._old, self._all = _running(old), _running(old + new)
        is_old, is_any = old * per_rank, (old + new) * per_rank
        self._per_old, self._per_any = _running(is_old), _running(is_any)
        before = self._start[query]
        self._precision_old = _running(is_old * (self._old[1:] - self._old[before]))
        self._precision_any = _running(is_any * (self._all[1:] - self._all[before]))

    def first(self) -> Numbers:
        """Every number of positives, as many of them as can be in the list, where they are the first unjudged."""
        new, nothing = self._new, np.zeros_like(self._depth)
        last = nothing.copy()
        last[new.query] = new.rank  # they ascend, and the last one stays
        return self._numbers(
            Numbers(np.arange(len(nothing)), nothing, nothing, nothing),
            Numbers(new.query, new.nth, nothing[new.query], new.rank),
            Numbers(self._beside, new.n[self._beside], self._nth_beside(), last[self._beside]),
        )

    def last(self) -> Numbers:
        """Every number of positives, as few of them as can be in the list, where they are the last unjudged."""
        new, nothing, behind = self._new, np.zeros_like(self._depth), self._depth + 1
        n_beside = np.bincount(self._beside, minlength=len(nothing))
        return self._numbers(
            Numbers(np.arange(len(nothing)), nothing, nothing, behind),
            Numbers(self._beside, nothing[self._beside], self._nth_beside(), behind[self._beside]),
            Numbers(new.query, new.n[new.query] - new.nth + 1, n_beside[new.query], new.rank),
        )

    def _nth_beside(self) -> NDArray[np.int64]:
        return place_in_query(self._beside, len(self._depth))

    def _numbers(self, *parts: Numbers) -> Numbers:
        return Numbers(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def highest(self, numbers: Numbers, cutoff: PerQuery) -> Placed:
        """The first unjudged are positive: down to the edge all are, below it the labelled have all those above."""
        query, n_new = numbers.query, numbers.n_new
        end = np.minimum(cutoff, self._depth[query]).astype(np.int64)
        edge = np.minimum(numbers.edge, end)
        old, every = self._within(self._old, query, 0, end), self._within(self._all, query, 0, end)
        below = self._within(self._precision_old, query, edge, end)
        precisions = self._within(self._precision_any, query, 0, edge) + below
        return Placed(
            old + np.minimum(every - old, n_new), precisions + n_new * self._within(self._per_old, query, edge, end)
        )

    def lowest(self, numbers: Numbers, cutoff: PerQuery) -> Placed:
        """The last unjudged are positive: above the edge are the labelled alone, from it on all but the rest."""
        query, n_new = numbers.query, numbers.n_new
        end = np.minimum(cutoff, self._depth[query]).astype(np.int64)
        edge, rest = np.minimum(numbers.edge - 1, end), self._new.n[query] - n_new
        old, every = self._within(self._old, query, 0, end), self._within(self._all, query, 0, end)
        above = self._within(self._precision_old, query, 0, edge)
        precisions = above + self._within(self._precision_any, query, edge, end)
        return Placed(
            old + np.maximum(every - old - rest, 0), precisions - rest * self._within(self._per_any, query, edge, end)
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
    """(N + 1,) sums of the first 0, 1, ..., N."""
    return np.concatenate([[0.0], np.cumsum(values)])
