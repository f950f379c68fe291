"""What a score is computed with: people's grades, a reference's, or both. A new rule is a function and a line below."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]


class Grades(NamedTuple):
    """Grades of pairs, no pair twice, ascending by source and target.

    source, target, grade : (n,) int64; which item is the source depends on the direction of the runs
    """

    source: Column
    target: Column
    grade: Column


def ordered(rows: NDArray[np.int64]) -> Grades:
    """Grades of an (n, 3) table of source, target and grade in any order; ValueError where a pair stands twice."""
    source, target, grade = rows.reshape(-1, 3).T
    order = np.lexsort((target, source))
    sorted_ = Grades(source[order], target[order], grade[order])
    if np.any(_repeats(sorted_.source, sorted_.target)):
        raise ValueError("A pair carries two labels; resolve it to one grade first.")
    return sorted_


def people_over_reference(people: Grades, reference: Grades) -> Grades:
    """Where people gave a pair a grade theirs stands, else the reference's."""
    return _merged(people, reference, by_grade=False)


def union(people: Grades, reference: Grades) -> Grades:
    """The larger of the two grades, as FIRE did (Rodriguez et al. 2022)."""
    return _merged(people, reference, by_grade=True)


def people_only(people: Grades, reference: Grades) -> Grades:
    """People's grades alone."""
    return people


def reference_only(people: Grades, reference: Grades) -> Grades:
    """The reference's grades alone."""
    return reference


LABEL_SOURCES: dict[str, Callable[[Grades, Grades], Grades]] = {
    "people_over_reference": people_over_reference,
    "union": union,
    "people": people_only,
    "reference": reference_only,
}


def _merged(people: Grades, reference: Grades, *, by_grade: bool) -> Grades:
    source, target, grade = _sorted_together(people, reference, by_grade=by_grade)
    keep = np.ones(len(source), dtype=bool)
    keep[1:] = ~_repeats(source, target)
    return Grades(source[keep], target[keep], grade[keep])


def _sorted_together(people: Grades, reference: Grades, *, by_grade: bool) -> Grades:
    """Both tables by pair; of one pair's two rows people's first, or the larger grade first."""
    source, target, grade = (np.concatenate(both) for both in zip(people, reference, strict=True))
    origin = np.repeat([0, 1], [len(people.source), len(reference.source)])
    order = np.lexsort((origin, -grade if by_grade else origin, target, source))
    return Grades(source[order], target[order], grade[order])


def _repeats(source: Column, target: Column) -> NDArray[np.bool_]:
    """(n - 1,) whether each pair is followed by itself."""
    return (source[1:] == source[:-1]) & (target[1:] == target[:-1])
