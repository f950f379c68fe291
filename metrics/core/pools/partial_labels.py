"""Scores of runs under a part of people's labels, from which every kind of pool bias is computed.

A run is aligned once with all labels, and any number of parts of people's labels are tried on it,
so that a pool of a hundred runs is processed run by run. Where people's label is taken away, a
reference's comes back: it existed before the pool.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from metrics.core.labels.label_sources import Grades
from metrics.core.measures.alignment import LabelledPairs, RankedGrades
from metrics.core.measures.measures import Measure, evaluate

Mask = NDArray[np.bool_]
ALL_SUBSETS_UP_TO = 5  # runs; beyond that subsets are drawn


class LabelsByOrigin(NamedTuple):
    """Labelled pairs with the grade of each origin, no pair twice.

    query : (L,) index of the query; doc : (L,) id of the target
    people, reference : (L,) grades as float64, NaN where people, or the reference, gave none
    """

    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    people: NDArray[np.float64]
    reference: NDArray[np.float64]

    def as_labels(self) -> LabelledPairs:
        """All labels, people's grade over the reference's."""
        return LabelledPairs(
            self.query, self.doc, self.grades(np.ones(len(self.query), dtype=bool))
        )

    def grades(self, is_kept: Mask) -> NDArray[np.float64]:
        """(L,) grades with only the kept labels of people; NaN where no label is left."""
        return np.where(is_kept & ~np.isnan(self.people), self.people, self.reference)


def labels_by_origin(
    people: Grades, reference: Grades, sources: NDArray[np.int64]
) -> LabelsByOrigin:
    """Join people's grades with a reference's, both of these ascending source items.

    The pairs are by source and target, ascending.
    """
    width = int(max(people.target.max(initial=0), reference.target.max(initial=0))) + 1
    codes = [grades.source * width + grades.target for grades in (people, reference)]
    pairs = distinct(np.concatenate(codes))
    columns = []
    for code, grades in zip(codes, (people, reference), strict=True):
        column = np.full(len(pairs), np.nan)
        column[np.searchsorted(pairs, code)] = grades.grade
        columns.append(column)
    return LabelsByOrigin(np.searchsorted(sources, pairs // width), pairs % width, *columns)


def relabel(rankings: RankedGrades, grades: NDArray[np.float64]) -> RankedGrades:
    """Give the labels of a run other grades; those that are NaN are no labels any more.

    grades : (L,) by the rows of the labels that `rankings` were aligned with
    """
    is_labelled = ~np.isnan(grades)
    is_hit, is_listed = is_labelled[rankings.label], is_labelled[rankings.label_row]
    rows, query = rankings.label_row[is_listed], rankings.label_query[is_listed]
    order = np.lexsort((-grades[rows], query))
    label = rankings.label[is_hit]
    return rankings._replace(
        query=rankings.query[is_hit],
        rank=rankings.rank[is_hit],
        grade=grades[label],
        label=label,
        label_query=query[order],
        label_grade=grades[rows][order],
        label_row=rows[order],
    )


def values_with_labels(
    rankings: RankedGrades,
    labels: LabelsByOrigin,
    is_kept: Mask,
    measures: Sequence[Measure],
    threshold: float,
) -> NDArray[np.float64]:
    """(M, Q) values of a run with only the kept labels of people."""
    values = evaluate(measures, relabel(rankings, labels.grades(is_kept)), threshold)
    return np.array([values[measure.name] for measure in measures])


def unique_contributions(contributions: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(S, L) whether each run alone contributed each label."""
    return contributions & (contributions.sum(axis=0) == 1)


class Subset(NamedTuple):
    """Some of the runs: their number, and a mask over all runs."""

    size: int
    members: Mask


def subsets(n_runs: int, *, n_a_size: int, rng: np.random.Generator) -> list[Subset]:
    """Every subset of up to 5 runs.

    Of more runs, at most `n_a_size` subsets drawn for each of some sizes.
    Sizes grow by half until all runs are in: 1, 2, 3, 5, 8, ... A size that has no more than
    `n_a_size` subsets has all of them.
    """
    if n_runs <= ALL_SUBSETS_UP_TO:
        subsets_of_runs = [
            members
            for size in range(1, n_runs + 1)
            for members in combinations(range(n_runs), size)
        ]
    else:
        subsets_of_runs = []
        for size in _sizes(n_runs):
            if comb(n_runs, size) <= n_a_size:
                subsets_of_runs += combinations(range(n_runs), size)
            else:
                samples = {
                    tuple(sorted(rng.choice(n_runs, size, replace=False).tolist()))
                    for _ in range(n_a_size)
                }
                subsets_of_runs += sorted(samples)
    return [
        Subset(len(members), np.isin(np.arange(n_runs), members)) for members in subsets_of_runs
    ]


def _sizes(n_runs: int) -> Iterator[int]:
    size = 1
    while size < n_runs:
        yield size
        size = max(size + 1, size * 8 // 5)
    yield n_runs
