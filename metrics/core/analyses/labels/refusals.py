"""Positives of reference sets that people refused: their grade is below the threshold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.labels.label_sources import Grades
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class NamedGrades(NamedTuple):
    """The grades of a reference set."""

    name: str
    grades: Grades


class Refusals(NamedTuple):
    """The positives of a reference set that people refused.

    n_positive, n_graded : its positives, and those of them with a grade by people
    source, target : (R,) of the refused pairs, ascending; reference_grade, grade : (R,) by the set
        and by people
    share, interval : of the graded ones, and at 95 %; None without any
    """

    name: str
    n_positive: int
    n_graded: int
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    reference_grade: NDArray[np.int64]
    grade: NDArray[np.int64]
    share: float | None
    interval: Interval


def refused_positives(
    people: Grades,
    references: Sequence[NamedGrades],
    *,
    sources: NDArray[np.int64],
    threshold: int,
    groups: Groups,
) -> list[Refusals]:
    """Compare people's grades with the positives of each reference set.

    sources : (Q,) ascending keys of the queries; all labels are of theirs
    threshold : the smallest grade of a positive, of people and of the sets
    groups : of the Q queries; shares have their weights, and intervals are by them
    As ECCV Caption (Chun et al. 2022), appendix C.1, looked for wrong captions.
    """
    refusals = []
    for name, grades in references:
        is_positive = grades.grade >= threshold
        positives = Grades(*(column[is_positive] for column in grades))
        # both tables have a pair once, so that equal neighbours are the pairs of both
        source, target = (
            np.concatenate(columns) for columns in list(zip(positives, people, strict=True))[:2]
        )
        order = np.lexsort((target, source))
        source, target = source[order], target[order]
        first = np.flatnonzero((source[1:] == source[:-1]) & (target[1:] == target[:-1]))
        of_set, of_people = order[first], order[first + 1] - len(positives.grade)
        grade = people.grade[of_people]
        is_refused = grade < threshold
        share, interval = None, NO_INTERVAL
        if len(grade):
            query = np.searchsorted(sources, people.source[of_people])
            of_pair = pair_groups(groups, query)
            refused = is_refused.astype(np.float64)
            share = float(of_pair.mean(refused))
            (interval,) = mean_intervals(refused[None, :], are_shares=True, groups=of_pair)
        refusals.append(
            Refusals(
                name,
                len(positives.grade),
                len(grade),
                people.source[of_people][is_refused],
                people.target[of_people][is_refused],
                positives.grade[of_set][is_refused],
                grade[is_refused],
                share,
                interval,
            )
        )
    return refusals
