"""What a score is computed with: people's grades, any number of reference sets, or both; each such source has a key.

`over:cxc,original` is people's grades over those of the sets "cxc" and "original", whose larger grade stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import NamedTuple
from urllib.parse import quote, unquote

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


class People(StrEnum):
    """Which part people's grades have."""

    OVER = "over"
    UNION = "union"
    ONLY = "only"
    NONE = "none"


PEOPLE_NAMES = {
    People.OVER: "People over reference",
    People.UNION: "Union, larger grade",
    People.ONLY: "People only",
    People.NONE: "Reference only",
}


class UnknownLabelSource(ValueError):
    """No label source is called so; the message says what is wrong with the key."""


class NoReferenceSet(UnknownLabelSource):
    """People's part of a source that needs a reference set, without one."""

    def __init__(self, people: People, there: str = "") -> None:
        super().__init__(f'"{people}" needs a reference set, as in {people}:NAME{there}; or take "only".')
        self.people = people


@dataclass(frozen=True)
class LabelSource:
    """People's grades and those of reference sets, by name; equal ones have one key. Made by `of` or `parse`.

    over : where people gave a pair a grade theirs stands, else the reference's
    union : the larger of the two, as FIRE did (Rodriguez et al. 2022)
    only, none : people's alone, the reference's alone
    Among several reference sets the larger grade stands: so ECCV Caption joins its own positives with CxC's (Chun et
    al. 2022, section 3.4).
    """

    people: People
    sets: tuple[str, ...] = ()

    @classmethod
    def of(cls, people: People | str, sets: Sequence[str] = ()) -> "LabelSource":
        """A source as its key says it; people alone leave sets out. Raises UnknownLabelSource."""
        try:
            kind = People(people)
        except ValueError as error:
            message = f'"{str(people)[:60]}" says no part of people\'s labels: one of {", ".join(People)}.'
            raise UnknownLabelSource(message) from error
        names = () if kind == People.ONLY else tuple(sorted(set(sets)))
        if kind != People.ONLY and not names:
            raise NoReferenceSet(kind)
        return cls(kind, names)

    @classmethod
    def parse(cls, key: str) -> "LabelSource":
        """The source of a key. Raises UnknownLabelSource."""
        people, colon, names = key.strip().partition(":")
        if people == People.ONLY and colon:
            message = f'"only" is people\'s labels alone and takes no reference set: leave out ":{names[:60]}".'
            raise UnknownLabelSource(message)
        return cls.of(people, _names(names))

    @property
    def key(self) -> str:
        """`only`, or `over`, `union` or `none` with the names of its sets, percent-quoted."""
        return f"{self.people}:{','.join(map(quoted, self.sets))}" if self.sets else str(self.people)

    @property
    def has_people(self) -> bool:
        """Whether people's grades count."""
        return self.people != People.NONE

    @property
    def reference(self) -> "LabelSource | None":
        """Its reference sets alone; None where it has none."""
        return LabelSource(People.NONE, self.sets) if self.sets else None

    @property
    def with_reference(self) -> list[str]:
        """Its key, and that of its reference sets alone where that is another one."""
        return list(dict.fromkeys(source.key for source in (self, self.reference) if source))

    @property
    def sets_text(self) -> str:
        """Its reference sets for people: "reference “a”", or "references “a”, “b”"; "" without any."""
        names = ", ".join(f"“{name}”" for name in self.sets)
        return f"reference{'s' if len(self.sets) > 1 else ''} {names}" if names else ""

    @property
    def label(self) -> str:
        """The source for people: "people over reference “original”"."""
        words = {
            People.OVER: f"people over {self.sets_text}",
            People.UNION: f"the larger grade of people and {self.sets_text}",
            People.ONLY: "people only",
            People.NONE: f"{self.sets_text} only",
        }
        return words[self.people]

    def __str__(self) -> str:
        return self.key

    def grades(self, people: Grades, references: Sequence[Grades]) -> Grades:
        """The grades that count. references : those of each of its sets, in any order."""
        if self.people == People.ONLY:
            return people
        reference = larger(references)
        if self.people == People.NONE:
            return reference
        return _merged(people, reference, by_grade=self.people == People.UNION)


class AskedSource(NamedTuple):
    """A label source as somebody asks for it.

    word : a key, or people's part with the names of reference sets beside it; "" is people over
    sets : names of reference sets
    """

    word: str
    sets: tuple[str, ...] = ()

    @property
    def people(self) -> str:
        """The part that is asked for, if there is one of that name."""
        return self.word.strip().partition(":")[0] or People.OVER

    @property
    def names(self) -> list[str]:
        """All reference sets that are asked for, of the key and beside it."""
        return [*_names(self.word.partition(":")[2]), *self.sets]

    def source(self) -> LabelSource:
        """The source, of whatever sets. Raises UnknownLabelSource."""
        if not self.sets:
            return LabelSource.parse(self.word)
        if ":" in self.word:
            message = f'"{self.word[:60]}" names its reference sets itself: leave out "sets", or name all there.'
            raise UnknownLabelSource(message)
        return LabelSource.of(self.people, self.sets)

    def among(self, names: Sequence[str]) -> LabelSource:
        """The source, of these reference sets. Raises UnknownLabelSource."""
        try:
            source = self.source()
        except NoReferenceSet as error:
            raise NoReferenceSet(error.people, f"; {_there(names)}") from error
        missing = [name for name in source.sets if name not in names]
        if missing:
            raise UnknownLabelSource(f'The collection has no reference set "{missing[0][:60]}"; {_there(names)}.')
        return source


def usual_source(names: Sequence[str]) -> LabelSource:
    """What scores are computed with where nothing else is said: people over the oldest of these reference sets."""
    return LabelSource.of(People.OVER if names else People.ONLY, names[:1])


def kept_sources(names: Sequence[str]) -> list[LabelSource]:
    """What scores are kept for: people over each reference set and each alone; people alone where there is no set."""
    kinds = (People.OVER, People.NONE)
    return [LabelSource.of(people, [name]) for name in names for people in kinds] or [usual_source(names)]


def kept_with_people(names: Sequence[str]) -> list[LabelSource]:
    """Those of them in which people's grades count."""
    return [source for source in kept_sources(names) if source.has_people]


def people_parts(names: Sequence[str]) -> list[tuple[People, str]]:
    """Which part people's grades can have beside these reference sets, and its name; without any they stand alone."""
    return [(part, PEOPLE_NAMES[part]) for part in (People if names else [People.ONLY])]


def ordered(rows: NDArray[np.int64]) -> Grades:
    """Grades of an (n, 3) table of source, target and grade in any order; ValueError where a pair stands twice."""
    source, target, grade = rows.reshape(-1, 3).T
    order = np.lexsort((target, source))
    sorted_ = Grades(source[order], target[order], grade[order])
    if np.any(_repeats(sorted_.source, sorted_.target)):
        raise ValueError("A pair carries two labels; resolve it to one grade first.")
    return sorted_


def larger(tables: Sequence[Grades]) -> Grades:
    """The larger grade of each pair of several tables; of none no pair."""
    return reduce(lambda one, other: _merged(one, other, by_grade=True), tables) if tables else no_grades()


def no_grades() -> Grades:
    """Grades of no pair."""
    return Grades(*np.zeros((3, 0), dtype=np.int64))


def quoted(name: str) -> str:
    """A reference set's name as keys write it: without what would end it there or in an address."""
    return re.sub(r"[^\w.:~()-]", lambda found: quote(found[0]), name)


def _names(text: str) -> list[str]:
    """The names of a key's reference sets; a blank between them is no part of a name."""
    return [unquote(name) for name in map(str.strip, text.split(",")) if name]


def _there(names: Sequence[str]) -> str:
    """Which reference sets there are, as a key names them."""
    if not names:
        return "it has none"
    keys = [quoted(name) for name in names]
    as_keys = "" if keys == list(names) else ", as keys write them,"
    return f"it has{as_keys} {', '.join(keys)}"


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
