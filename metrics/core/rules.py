"""Other ways from several people's grades to one, for files that do not follow the collection's policy.

A new rule is a function and one entry in RULES.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.label_sources import Column, Grades


class Given(NamedTuple):
    """Labels by pair: those of pair p are rows starts[p] to starts[p + 1] of `ascending` and of `in_order`.

    starts : (P + 1,)
    ascending : (n,) the grades, each pair's from the smallest
    in_order : (n,) the same grades, each pair's in the order of its seats
    """

    starts: Column
    ascending: Column
    in_order: Column


Rule = Callable[[Given], tuple[Column, NDArray[np.bool_]]]  # a grade a pair, and whether it has one


def majority(given: Given) -> tuple[Column, NDArray[np.bool_]]:
    """The grade that more than half of a pair's labels name; without one the pair has none."""
    middle = given.ascending[(given.starts[:-1] + given.starts[1:] - 1) // 2]  # a majority's grade is in the middle
    n_labels = np.diff(given.starts)
    named = np.add.reduceat(given.ascending == np.repeat(middle, n_labels), given.starts[:-1])
    return middle, 2 * named > n_labels


def median(given: Given) -> tuple[Column, NDArray[np.bool_]]:
    """The middle grade; of an even number of labels the lower one of the two in the middle."""
    return _all(given.ascending[(given.starts[:-1] + given.starts[1:] - 1) // 2])


def first(given: Given) -> tuple[Column, NDArray[np.bool_]]:
    """The label of the first seat, as if every pair had been judged once."""
    return _all(given.in_order[given.starts[:-1]])


def largest(given: Given) -> tuple[Column, NDArray[np.bool_]]:
    """The largest grade that anybody gave."""
    return _all(given.ascending[given.starts[1:] - 1])


def smallest(given: Given) -> tuple[Column, NDArray[np.bool_]]:
    """The smallest grade that anybody gave."""
    return _all(given.ascending[given.starts[:-1]])


RULES: dict[str, Rule] = {
    "majority": majority,
    "median": median,
    "first": first,
    "largest": largest,
    "smallest": smallest,
}


def resolved(rows: NDArray[np.int64], rule: str) -> Grades:
    """A grade for each pair that the rule decides, from an (n, 4) table of source, target, seat number and grade."""
    if not len(rows):
        return Grades(*np.zeros((3, 0), dtype=np.int64))
    source, target, number, grade = rows.T
    by_seat = np.lexsort((number, target, source))
    by_grade = np.lexsort((grade, target, source))
    source, target = source[by_seat], target[by_seat]
    begins = np.append(True, (source[1:] != source[:-1]) | (target[1:] != target[:-1]))
    starts = np.append(np.flatnonzero(begins), len(rows))
    value, has_one = RULES[rule](Given(starts, grade[by_grade], grade[by_seat]))
    at = starts[:-1][has_one]
    return Grades(source[at], target[at], value[has_one])


def _all(values: Column) -> tuple[Column, NDArray[np.bool_]]:
    return values, np.ones(len(values), dtype=bool)
