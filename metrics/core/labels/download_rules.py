"""Rules that resolve several people's grades to one, for files that do not follow the policy.

A new rule is a function and one entry in RULES.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.labels.label_sources import Column, Grades


class PairLabels(NamedTuple):
    """Labels by pair: pair p has rows starts[p] to starts[p + 1] of `ascending` and `in_order`.

    starts : (P + 1,)
    ascending : (n,) the grades, each pair's from the smallest
    in_order : (n,) the same grades, each pair's in the order of its seats
    """

    starts: Column
    ascending: Column
    in_order: Column


# a grade a pair, and whether it has one
Rule = Callable[[PairLabels], tuple[Column, NDArray[np.bool_]]]


def majority(labels: PairLabels) -> tuple[Column, NDArray[np.bool_]]:
    """The grade of more than half of a pair's labels.

    Without such a grade the pair is not resolved.
    """
    # a majority's grade is in the middle
    middle = labels.ascending[(labels.starts[:-1] + labels.starts[1:] - 1) // 2]
    n_labels = np.diff(labels.starts)
    n_agreeing = np.add.reduceat(
        labels.ascending == np.repeat(middle, n_labels), labels.starts[:-1]
    )
    return middle, 2 * n_agreeing > n_labels


def median(labels: PairLabels) -> tuple[Column, NDArray[np.bool_]]:
    """The middle grade; of an even number of labels the lower one of the two in the middle."""
    return _all_resolved(labels.ascending[(labels.starts[:-1] + labels.starts[1:] - 1) // 2])


def first(labels: PairLabels) -> tuple[Column, NDArray[np.bool_]]:
    """The label of the first seat, as if every pair had been judged once."""
    return _all_resolved(labels.in_order[labels.starts[:-1]])


def largest(labels: PairLabels) -> tuple[Column, NDArray[np.bool_]]:
    """The largest grade of a pair's labels."""
    return _all_resolved(labels.ascending[labels.starts[1:] - 1])


def smallest(labels: PairLabels) -> tuple[Column, NDArray[np.bool_]]:
    """The smallest grade of a pair's labels."""
    return _all_resolved(labels.ascending[labels.starts[:-1]])


RULES: dict[str, Rule] = {
    "majority": majority,
    "median": median,
    "first": first,
    "largest": largest,
    "smallest": smallest,
}


def resolve_pairs(rows: NDArray[np.int64], rule: str) -> Grades:
    """Grades of the pairs that the rule decides.

    rows : (n, 4) source, target, seat number, grade
    """
    if not len(rows):
        return Grades(*np.zeros((3, 0), dtype=np.int64))
    source, target, number, grade = rows.T
    by_seat = np.lexsort((number, target, source))
    by_grade = np.lexsort((grade, target, source))
    source, target = source[by_seat], target[by_seat]
    is_first_of_pair = np.append(True, (source[1:] != source[:-1]) | (target[1:] != target[:-1]))
    starts = np.append(np.flatnonzero(is_first_of_pair), len(rows))
    value, is_resolved = RULES[rule](PairLabels(starts, grade[by_grade], grade[by_seat]))
    first_rows = starts[:-1][is_resolved]
    return Grades(source[first_rows], target[first_rows], value[is_resolved])


def _all_resolved(values: Column) -> tuple[Column, NDArray[np.bool_]]:
    return values, np.ones(len(values), dtype=bool)
