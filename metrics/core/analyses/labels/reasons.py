"""The reasons that annotators gave with their labels, for the labels of some pairs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals


class GivenReasons(NamedTuple):
    """N labels, and the reasons that they name.

    query, grade : (N,) index of the query of the label's pair, and the label's grade
    label, reason : (R,) a row for each reason of each label, no row twice: the index of the label,
        and that of the reason among `names`
    """

    query: NDArray[np.int64]
    grade: NDArray[np.int64]
    label: NDArray[np.int64]
    reason: NDArray[np.int64]
    names: list[str]


class ReasonShare(NamedTuple):
    """The n labels that name a reason, their share of the labels, and its 95 % interval.

    part : its share of all reasons that the labels name, so that those of a level add up to 1
    """

    name: str
    n: int
    share: float
    interval: Interval
    part: float | None


class LevelReasons(NamedTuple):
    """The reasons of the labels of one grade: of n labels, of which so many name one or more.

    by_reason : for each of the names; None without labels
    """

    grade: int
    n: int
    n_with_reason: int
    by_reason: list[ReasonShare] | None


def reasons_given(
    reasons: GivenReasons,
    selections: Sequence[NDArray[np.bool_]],
    *,
    grades: Sequence[int],
    groups: Groups,
) -> list[list[LevelReasons]]:
    """Count the reasons of each selection of labels, a list for each with an entry a grade.

    selections : (N,) masks of labels, which may overlap: a pair is of each run that returns it
    groups : of the Q queries; shares have their weights, and intervals are by them
    ECCV Caption (Chun et al. 2022), Table B.3, whose percentages are `part`.
    """
    return [
        [
            _level_reasons(reasons, selection & (reasons.grade == grade), grade, groups)
            for grade in grades
        ]
        for selection in selections
    ]


def _level_reasons(
    reasons: GivenReasons, is_counted: NDArray[np.bool_], grade: int, groups: Groups
) -> LevelReasons:
    """The reasons of some labels, all of this grade; those of one group resemble one another."""
    n = int(np.count_nonzero(is_counted))
    if not n:
        return LevelReasons(grade, 0, 0, None)
    label_groups = pair_groups(groups, reasons.query[is_counted])
    position = np.cumsum(is_counted) - 1  # among the counted labels
    is_of_label = is_counted[reasons.label]
    label, reason = position[reasons.label[is_of_label]], reasons.reason[is_of_label]
    weight = np.ones(n) if label_groups.weight is None else label_groups.weight
    mass = np.bincount(reason, weights=weight[label], minlength=len(reasons.names))
    by_reason = []
    for number, name in enumerate(reasons.names):
        names_it = np.zeros(n)
        names_it[label[reason == number]] = 1
        # one at a time: of half a million labels each row takes 30 MiB
        (interval,) = mean_intervals(names_it[None, :], are_shares=True, groups=label_groups)
        by_reason.append(
            ReasonShare(
                name,
                int(names_it.sum()),
                float(label_groups.mean(names_it)),
                interval,
                float(mass[number] / mass.sum()) if len(label) else None,
            )
        )
    return LevelReasons(grade, n, len(np.unique(label)), by_reason)
