"""Label sets in words: what sets them apart from the chosen one, and those that are the same."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from annotate.core.phrases import count_of
from metrics.core.analyses.pool.label_sets import GradeMoves

NO_MOVES = GradeMoves(0, 0, 0)


class SetKind(StrEnum):
    """A way in which a label set differs from the chosen one."""

    PERSON = "without one annotator"
    THRESHOLD = "other threshold"
    SOURCE = "other labels"
    UNLABELLED = "unlabelled targets"
    EARLIER = "earlier labels"


class MeasureWords(NamedTuple):
    """A measure by its name.

    is_two_valued : whether scores are 0 or 1, for which the test has to be named
    """

    name: str
    is_two_valued: bool = False

    @property
    def decision(self) -> str:
        """The way in which two runs differ, after "differ"."""
        return f"in {self.name} by Tukey's HSD" if self.is_two_valued else f"by {self.name}"


class SetWords(NamedTuple):
    """A label set in words.

    n_left_out : labels of the annotator who is left out, or the last ones; None for other sets
    moves : pairs of other grades than the chosen labels; None for bounds
    has_base_scores : whether bounds are no others than the scores
    """

    kind: SetKind
    name: str
    n_left_out: int | None = None
    moves: GradeMoves | None = None
    has_base_scores: bool = False

    @property
    def title(self) -> str:
        """The label set on an axis."""
        return f"without {self.name}" if self.kind == SetKind.PERSON else self.name

    @property
    def is_same(self) -> bool:
        """True if it is the chosen labels again, or bounds that are no others than the scores."""
        if self.moves is None:
            return self.has_base_scores
        return self.moves.are_none

    @property
    def is_mostly_loss(self) -> bool:
        """True if more pairs lost their grade by people than have another one, or a first one."""
        if self.moves is None or self.moves.n_lost is None:
            return False
        return self.moves.n_lost > self.moves.n_moved + (self.moves.n_gained or 0)


def sameness_notes(sets: Sequence[SetWords]) -> list[str]:
    """A sentence that names the label sets that are the chosen one again; or none."""
    names = [row.title for row in sets if row.is_same]
    if not names:
        return []
    return [f"The same labels or scores as the chosen, and not counted above: {', '.join(names)}."]


def loss_notes(sets: Sequence[SetWords]) -> list[str]:
    """A sentence on annotators without whom pairs lose their grades, and few have others; or none.

    Those without whom nothing differs and no grade is lost are not part of it.
    """
    of_people = [row.moves or NO_MOVES for row in sets if row.kind == SetKind.PERSON]
    moves = [move for move in of_people if move.n_lost or not move.are_none]
    n_lost = [move.n_lost or 0 for move in moves]
    n_other = [move.n_moved + (move.n_gained or 0) for move in moves]
    if sum(n_lost) <= sum(n_other):
        return []
    verb = "has" if max(n_lost) == 1 else "have"
    return [
        f"Without one annotator {spread_of(n_lost, 'pairs')} {verb} no grade by people any "
        f"more, as the labels that are left decide none, and {spread_of(n_other)} "
        f"{'has' if max(n_other) == 1 else 'have'} another or a first one: what changes then tells "
        "what missing labels do, rather than whose labels matter."
    ]


def spread_of(numbers: Sequence[int], nouns: str = "") -> str:
    """The least and the greatest of some numbers, or the one that all are, with a plural noun."""
    least, most = min(numbers), max(numbers)
    text = count_of(most, nouns) if nouns else f"{most:,}"
    return text if least == most else f"{least:,} to {text}"
