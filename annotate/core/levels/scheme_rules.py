"""The rules that the levels of a scheme keep to, and the level of it that breaks one."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.levels import level_reasons

MIN_LEVELS, MAX_LEVELS = 2, 7


class BadScheme(Exception):
    """The levels cannot be a scheme; nothing was changed.

    field : what the message is about, the levels or their threshold
    n_level, cell : the level among those that were sent, counted from 0, and which of its words or
        numbers; None and "" where no level is more at fault than the others
    """

    def __init__(
        self,
        message: str,
        *,
        field: str = "levels",
        n_level: int | None = None,
        cell: str = "",
    ) -> None:
        super().__init__(message)
        self.field, self.n_level, self.cell = field, n_level, cell


class LevelSpec(NamedTuple):
    """A level to be made; without a key its key is the first digit of its grade.

    colour : "" where the level has none of its own: it goes by its grade
    reasons : as annotate.core.levels.level_reasons keeps them
    """

    grade: int
    name: str
    sentence: str = ""
    key: str = ""
    colour: str = ""
    reasons: Sequence[level_reasons.Stored] = ()


def key_of(level: LevelSpec) -> str:
    """Return the keyboard key of this level."""
    return level.key or str(level.grade)[:1]


def check_scheme(*, levels: Sequence[LevelSpec], positive_from: int) -> None:
    """Raise BadScheme, with the reason, unless these levels can be a scheme."""
    grades = [level.grade for level in levels]
    if not MIN_LEVELS <= len(levels) <= MAX_LEVELS:
        raise BadScheme(
            f"A scheme has {MIN_LEVELS} to {MAX_LEVELS} levels, this one has {len(levels)}."
        )
    _check_different(grades, cell="grade", word="grade")
    if any(not 0 <= grade <= 100 for grade in grades):
        raise BadScheme("A grade lies between 0 and 100.")
    # a key goes by its grade, which is what people type
    _check_different([key_of(level) for level in levels], cell="grade", word="key")
    check_names([level.name for level in levels])
    for n_level, level in enumerate(levels):
        check_reasons(level.name, level.reasons, n_level=n_level)
    if positive_from not in grades or positive_from == min(grades):
        raise BadScheme(
            f"Relevant from grade {positive_from}: choose one of the grades above the lowest.",
            field="positive_from",
        )


def check_names(names: Sequence[str]) -> None:
    """Raise BadScheme where two levels have one name: people could not tell them apart."""
    _check_different([name.strip().casefold() for name in names], cell="name", word="name")


def check_reasons(
    name: str, reasons: Sequence[level_reasons.Stored], *, n_level: int | None = None
) -> None:
    """Raise BadScheme for reasons of a level that cannot be offered."""
    if fault := level_reasons.fault(level_reasons.from_stored(reasons)):
        raise BadScheme(f'Level "{name}" {fault}.', n_level=n_level, cell="reasons")


def _check_different(values: Sequence[int | str], *, cell: str, word: str) -> None:
    """Raise BadScheme for the first level that has what a level before it has."""
    for n_level, value in enumerate(values):
        if value in values[:n_level]:
            raise BadScheme(
                f"Two levels have the same {word}; every level needs its own.",
                n_level=n_level,
                cell=cell,
            )
