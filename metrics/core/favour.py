"""Scores of runs when people had labelled only a part of what they did: the ground of every bias of a pool.

metrics/core/bias.py holds two runs or five in memory and takes labels away; here a run is aligned once with all labels,
and any number of parts of people's labels are tried on it, so that a pool of a hundred runs is gone through run by run.
Where people's label is taken away, a reference's comes back: it was known before anybody pooled.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import Labels, RankedGrades
from metrics.core.measures import Measure, evaluate

Mask = NDArray[np.bool_]
ALL_SUBSETS_UP_TO = 5  # runs; beyond that subsets are drawn


class KnownLabels(NamedTuple):
    """Pairs that carry a label, no pair twice.

    query : (L,) index of the query; doc : (L,) id of the target
    people, reference : (L,) grades as float64, NaN where people, or the reference, gave none
    """

    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    people: NDArray[np.float64]
    reference: NDArray[np.float64]

    def as_labels(self) -> Labels:
        """All of them, people's grade over the reference's."""
        return Labels(self.query, self.doc, self.grades(np.ones(len(self.query), dtype=bool)))

    def grades(self, keep: Mask) -> NDArray[np.float64]:
        """(L,) grades when only the kept labels of people are there; NaN where nothing is left."""
        return np.where(keep & ~np.isnan(self.people), self.people, self.reference)


def relabelled(ranked: RankedGrades, grades: NDArray[np.float64]) -> RankedGrades:
    """The same run with other grades of the same labels; those that are NaN are no labels.

    grades : (L,) by the rows of the labels that `ranked` was aligned with
    """
    there = ~np.isnan(grades)
    hit, listed = there[ranked.label], there[ranked.label_row]
    rows, query = ranked.label_row[listed], ranked.label_query[listed]
    order = np.lexsort((-grades[rows], query))
    label = ranked.label[hit]
    return ranked._replace(
        query=ranked.query[hit],
        rank=ranked.rank[hit],
        grade=grades[label],
        label=label,
        label_query=query[order],
        label_grade=grades[rows][order],
        label_row=rows[order],
    )


def values_under(
    ranked: RankedGrades, known: KnownLabels, keep: Mask, measures: Sequence[Measure], threshold: float
) -> NDArray[np.float64]:
    """(M, Q) values of a run when only the kept labels of people are there."""
    found = evaluate(measures, relabelled(ranked, known.grades(keep)), threshold)
    return np.array([found[measure.name] for measure in measures])


def unique_to(bring: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(S, L) which labels only that run brought."""
    return bring & (bring.sum(axis=0) == 1)


class Subset(NamedTuple):
    """Some of the runs: how many, and which."""

    size: int
    members: Mask


def subsets(n_runs: int, *, n_a_size: int, rng: np.random.Generator) -> list[Subset]:
    """Every subset of up to 5 runs; of more runs, at most `n_a_size` subsets drawn for each of some sizes.

    Sizes grow by half until all runs are in: 1, 2, 3, 5, 8, ... A size with fewer subsets than wanted has all of them.
    """
    if n_runs <= ALL_SUBSETS_UP_TO:
        chosen = [each for size in range(1, n_runs + 1) for each in combinations(range(n_runs), size)]
    else:
        chosen = [each for size in _sizes(n_runs) for each in _drawn(n_runs, size, n_a_size, rng)]
    return [Subset(len(each), np.isin(np.arange(n_runs), each)) for each in chosen]


def _sizes(n_runs: int) -> Iterator[int]:
    size = 1
    while size < n_runs:
        yield size
        size = max(size + 1, size * 8 // 5)
    yield n_runs


def _drawn(n_runs: int, size: int, n: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    if comb(n_runs, size) <= n:
        return list(combinations(range(n_runs), size))
    return sorted({tuple(sorted(rng.choice(n_runs, size, replace=False).tolist())) for _ in range(n)})
