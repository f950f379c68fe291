"""Label sources: people, any number of reference sets, or both; each source has a key.

`over:cxc,original` is people's grades over those of the sets "cxc" and "original", of which the
larger grade counts.
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

from annotate.core.number_sets import is_first, pair_keys

Column = NDArray[np.int64]


class Grades(NamedTuple):
    """Grades of pairs, no pair twice, ascending by source and target.

    source, target, grade : (n,) int64; which item is the source depends on the direction of the
        runs
    """

    source: Column
    target: Column
    grade: Column


class People(StrEnum):
    """The ways to combine people's grades with those of reference sets."""

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
    """No label source has such a key; the message says what is wrong with it."""


class UnknownPart(UnknownLabelSource):
    """The source is of no part of people's labels; available : what is one, in words."""

    def __init__(self, text: str, available: str) -> None:
        super().__init__(f'"{text[:60]}" says no part of people\'s labels: {available}.')
        self.text = text


class NoReferenceSet(UnknownLabelSource):
    """The source needs a reference set, and none is named."""

    def __init__(self, people: People, available: str = "") -> None:
        super().__init__(
            f'"{people}" needs a reference set, as in {people}:NAME{available}; or take "only".'
        )
        self.people = people


@dataclass(frozen=True)
class LabelSource:
    """People's grades, those of reference sets by name, or both; equal sources have one key.

    Made by `of` or `parse`.
    over : where people gave a pair a grade theirs counts, else the reference's
    union : the larger of the two, as FIRE did (Rodriguez et al. 2022)
    only, none : people's alone, the reference's alone
    Among several reference sets the larger grade counts: so ECCV Caption joins its own positives
    with CxC's (Chun et al. 2022, section 3.4).
    """

    people: People
    sets: tuple[str, ...] = ()

    @classmethod
    def of(cls, people: People | str, sets: Sequence[str] = ()) -> "LabelSource":
        """Make the source of these parts; `only` leaves sets out. Raises UnknownLabelSource."""
        try:
            kind = People(people)
        except ValueError as error:
            raise UnknownPart(people, f"one of {', '.join(People)}") from error
        names = () if kind == People.ONLY else tuple(sorted(set(sets)))
        if kind != People.ONLY and not names:
            raise NoReferenceSet(kind)
        return cls(kind, names)

    @classmethod
    def parse(cls, key: str) -> "LabelSource":
        """Return the source of a key. Raises UnknownLabelSource."""
        people, colon, names = key.strip().partition(":")
        if people == People.ONLY and colon:
            message = (
                '"only" is people\'s labels alone and takes no reference set: leave out '
                f'":{names[:60]}".'
            )
            raise UnknownLabelSource(message)
        return cls.of(people, _names(names))

    @property
    def key(self) -> str:
        """`only`, or `over`, `union` or `none` with the names of its sets, percent-quoted."""
        return (
            f"{self.people}:{','.join(map(quote_name, self.sets))}"
            if self.sets
            else str(self.people)
        )

    @property
    def has_people(self) -> bool:
        """True if people's grades count."""
        return self.people != People.NONE

    @property
    def reference(self) -> "LabelSource | None":
        """The source of its reference sets alone; None where it has none."""
        return LabelSource(People.NONE, self.sets) if self.sets else None

    @property
    def with_reference(self) -> list[str]:
        """Its key, and that of its reference sets alone where they differ."""
        return list(dict.fromkeys(source.key for source in (self, self.reference) if source))

    @property
    def sets_text(self) -> str:
        """Its reference sets in words: "reference “a”", or "references “a”, “b”".

        "" without any.
        """
        names = ", ".join(f"“{name}”" for name in self.sets)
        return f"reference{'s' if len(self.sets) > 1 else ''} {names}" if names else ""

    @property
    def label(self) -> str:
        """The source in words: "people over reference “original”"."""
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
        """Combine the grades. references : those of each of its sets, in any order."""
        if self.people == People.ONLY:
            return people
        reference = larger_grades(references)
        if self.people == People.NONE:
            return reference
        return _merge(people, reference, by_grade=self.people == People.UNION)


class RequestedSource(NamedTuple):
    """A label source as a request names it.

    word : a key, or people's part with the names of reference sets in `sets`; "" is people over
    sets : names of reference sets
    """

    word: str
    sets: tuple[str, ...] = ()

    @property
    def people(self) -> str:
        """The requested part of people; it may not exist."""
        return self.word.strip().partition(":")[0] or People.OVER

    @property
    def names(self) -> list[str]:
        """All requested reference sets, those of the key and of `sets`."""
        return [*_names(self.word.partition(":")[2]), *self.sets]

    def source(self) -> LabelSource:
        """Return the source, whether or not its sets exist. Raises UnknownLabelSource."""
        if not self.sets:
            return LabelSource.parse(self.word)
        if ":" in self.word:
            message = (
                f'"{self.word[:60]}" names its reference sets itself: leave out "sets", or name '
                "all there."
            )
            raise UnknownLabelSource(message)
        return LabelSource.of(self.people, self.sets)

    def among(self, names: Sequence[str]) -> LabelSource:
        """Return the source, if its sets are among these names. Raises UnknownLabelSource."""
        try:
            source = self.source()
        except NoReferenceSet as error:
            raise NoReferenceSet(error.people, f"; {_available_sets(names)}") from error
        except UnknownPart as error:
            raise UnknownPart(error.text, _available_keys(names)) from error
        missing_sets = [name for name in source.sets if name not in names]
        if missing_sets:
            raise UnknownLabelSource(
                f'The collection has no reference set "{missing_sets[0][:60]}"; '
                f"{_available_sets(names)}."
            )
        return source


def usual_source(names: Sequence[str]) -> LabelSource:
    """The default source of scores: people over the first (oldest) of these reference sets."""
    return LabelSource.of(People.OVER if names else People.ONLY, names[:1])


def kept_sources(names: Sequence[str]) -> list[LabelSource]:
    """Sources of stored scores: people over each reference set and each set alone.

    Without sets people alone.
    """
    kinds = (People.OVER, People.NONE)
    return [LabelSource.of(people, [name]) for name in names for people in kinds] or [
        usual_source(names)
    ]


def kept_with_people(names: Sequence[str]) -> list[LabelSource]:
    """Sources of stored scores in which people's grades count."""
    return [source for source in kept_sources(names) if source.has_people]


def people_parts(names: Sequence[str]) -> list[tuple[People, str]]:
    """The parts that people's grades can have beside these reference sets, and their names."""
    return [(part, PEOPLE_NAMES[part]) for part in (People if names else [People.ONLY])]


def sorted_grades(rows: NDArray[np.int64]) -> Grades:
    """Sort an (n, 3) table of source, target and grade; ValueError where a pair occurs twice."""
    source, target, grade = rows.reshape(-1, 3).T
    keys = pair_keys(source, target)
    order = np.argsort(keys)
    if not is_first(keys[order]).all():
        raise ValueError("A pair carries two labels; resolve it to one grade first.")
    return Grades(source[order], target[order], grade[order])


def larger_grades(tables: Sequence[Grades]) -> Grades:
    """The larger grade of each pair of several tables; no pair without tables."""
    return (
        reduce(lambda table, next_table: _merge(table, next_table, by_grade=True), tables)
        if tables
        else no_grades()
    )


def no_grades() -> Grades:
    """Grades of no pair."""
    return Grades(*np.zeros((3, 0), dtype=np.int64))


def quote_name(name: str) -> str:
    """Quote a reference set's name for keys, so that nothing ends it there or in a URL."""
    return re.sub(r"[^\w.:~()-]", lambda match: quote(match[0]), name)


def _names(text: str) -> list[str]:
    """The names of a key's reference sets; blanks between them belong to no name."""
    return [unquote(name) for name in map(str.strip, text.split(",")) if name]


def _available_keys(names: Sequence[str]) -> str:
    """The keys of the sources of one of these reference sets in words, and that of people only."""
    if not names:
        return f'there is "{People.ONLY}", as the collection has no reference set'
    parts = (People.OVER, People.UNION, People.NONE)
    keys = [LabelSource.of(part, names[:1]).key for part in parts]
    sets = f"; as reference sets {_available_sets(names)}" if len(names) > 1 else ""
    return f"one of {', '.join([*keys, People.ONLY])}{sets}"


def _available_sets(names: Sequence[str]) -> str:
    """The available reference sets in words, as keys name them."""
    if not names:
        return "it has none"
    keys = [quote_name(name) for name in names]
    as_keys = "" if keys == list(names) else ", as keys write them,"
    return f"it has{as_keys} {', '.join(keys)}"


def _merge(people: Grades, reference: Grades, *, by_grade: bool) -> Grades:
    """Both tables, of a pair's two grades the larger one, or people's."""
    source, target, grade = (np.concatenate(both) for both in zip(people, reference, strict=True))
    keys = pair_keys(source, target)
    order = np.argsort(keys, kind="stable")  # of a pair's two rows people's first
    (first,) = np.nonzero(is_first(keys[order]))
    grade = grade[order]
    grade = np.maximum.reduceat(grade, first) if by_grade and len(first) else grade[first]
    return Grades(source[order[first]], target[order[first]], grade)
