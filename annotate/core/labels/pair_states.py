"""The states of a pool's pairs, by which every page counts them."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class PairState(StrEnum):
    """State of a pair: the first that applies, in this order.

    All but the first sum to the pool's pairs.

    The database decides, in the view annotate_pairstate, so that a page, a count and a file say the
    same.
    """

    LEFT_OUT = "left_out"
    DISPUTED = "disputed"
    ESCALATED = "escalated"
    CANNOT_JUDGE = "cannot_judge"
    COMPLETE = "complete"
    SOME_LABELS = "some_labels"
    UNTOUCHED = "untouched"

    @property
    def page_name(self) -> str:
        """The state's name on pages."""
        return LABELS[self]

    @property
    def help(self) -> str:
        """The condition of the state, for people."""
        return HELP[self]

    @property
    def is_wanted(self) -> bool:
        """True if the pool counts the pair among its own."""
        return self != PairState.LEFT_OUT

    @property
    def waits_for_labels(self) -> bool:
        """True if annotators are asked for labels of the pair while the pool is open."""
        return self in (PairState.SOME_LABELS, PairState.UNTOUCHED)


LABELS = {
    PairState.LEFT_OUT: "Left out",
    PairState.DISPUTED: "Disputed",
    PairState.ESCALATED: "Escalated",
    PairState.CANNOT_JUDGE: "Cannot be judged",
    PairState.COMPLETE: "Complete",
    PairState.SOME_LABELS: "Some labels",
    PairState.UNTOUCHED: "Untouched",
}
HELP = {
    PairState.LEFT_OUT: "excluded by a lead, held by retired runs alone, or judged elsewhere",
    PairState.DISPUTED: "people's labels decide nothing, and no more are asked for",
    PairState.ESCALATED: "waits for a lead",
    PairState.CANNOT_JUDGE: "somebody could not judge it, and no lead has settled that",
    PairState.COMPLETE: "has all the labels that the policy wants",
    PairState.SOME_LABELS: "has some of the labels that the policy wants",
    PairState.UNTOUCHED: "has no label",
}
NO_LONGER_ASKED = "no longer asked for"  # of pairs that wait for labels, once their pool is closed


class StateCount(NamedTuple):
    """Number of pairs in a state.

    is_asked : whether annotators are still asked for missing labels.
    """

    state: PairState
    n: int
    is_asked: bool = True

    @property
    def label(self) -> str:
        """The state for people, while its pool is open and after."""
        if self.state.waits_for_labels and not self.is_asked:
            return f"{self.state.page_name}, {NO_LONGER_ASKED}"
        return self.state.page_name


class StateCounts:
    """Numbers of pairs by state.

    counts : by the states' names; a missing state counts 0. is_open : whether labels are asked for
    """

    def __init__(self, counts: Mapping[str, int], *, is_open: bool = True) -> None:
        self._counts, self.is_open = counts, is_open

    def __getitem__(self, state: str) -> int:
        return self._counts.get(PairState(state), 0)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that are not left out."""
        return sum(self[state] for state in PairState if state.is_wanted)

    @property
    def n_complete(self) -> int:
        """Number of pairs with all the labels that the policy wants."""
        return self[PairState.COMPLETE]

    @property
    def n_waiting(self) -> int:
        """Number of pairs of which labels are missing that people are asked for."""
        return sum(self[state] for state in PairState if state.waits_for_labels)

    @property
    def rows(self) -> list[StateCount]:
        """The counts of all states, in the order in which they apply, left-out pairs last."""
        states = [*(state for state in PairState if state.is_wanted), PairState.LEFT_OUT]
        return [StateCount(state, self[state], self.is_open) for state in states]
