"""Progress of a collection: its pairs by state, and the labels that are left."""

from typing import NamedTuple

from annotate.core.labels.pair_states import NO_LONGER_ASKED, PairState, StateCounts
from annotate.core.phrases import counted
from metrics.services.dashboard.dashboard import PoolTotals

BAR_WIDTH = 1000  # of the drawing, in units of its own
# every state of a pair that a pool counts, in the order of the bar
PART_STATES = {
    "complete": (PairState.COMPLETE,),
    "some-labels": (PairState.SOME_LABELS,),
    "disputed": (PairState.DISPUTED,),
    "set-aside": (PairState.CANNOT_JUDGE, PairState.ESCALATED),
    "untouched": (PairState.UNTOUCHED,),
}
PART_NAMES = {
    "complete": "complete",
    "some-labels": "some labels",
    "disputed": "disputed",
    "set-aside": "cannot be judged or escalated",
    "untouched": "untouched",
}


class BarPart(NamedTuple):
    """Pairs in one state, as a part of the bar; `key` names its colour."""

    key: str
    name: str
    n: int
    start: float
    width: float


class HowFar(NamedTuple):
    """The pairs of all pools by state, each pair once."""

    states: StateCounts
    n_pools: int
    n_left: int

    @property
    def percent_text(self) -> str:
        """The share of complete pairs in whole per cent, rounded down: 100 is all of them."""
        n_pairs = self.states.n_pairs
        return f"{100 * self.states.n_complete // n_pairs} %" if n_pairs else ""

    @property
    def complete_text(self) -> str:
        """The number of complete pairs, of how many."""
        if not self.states.n_pairs:
            return "No pair is asked for yet: a researcher opens a pool from the runs."
        pools = f", in {self.n_pools:,} pools" if self.n_pools > 1 else ""
        return (
            f"{self.states.n_complete:,} of {counted(self.states.n_pairs, 'pair')} complete{pools}"
        )

    @property
    def parts(self) -> list[BarPart]:
        """The parts of the bar, which sum to all pairs; states without a pair are left out."""
        parts: list[BarPart] = []
        start = 0.0
        for key, states in PART_STATES.items():
            n = sum(self.states[state] for state in states)
            if n:
                width = BAR_WIDTH * n / self.states.n_pairs
                parts.append(BarPart(key, self._name_of(key, states), n, start, width))
                start += width
        return parts

    def _name_of(self, key: str, states: tuple[PairState, ...]) -> str:
        is_dropped = states[0].waits_for_labels and not self.states.is_open
        return f"{PART_NAMES[key]}, {NO_LONGER_ASKED}" if is_dropped else PART_NAMES[key]

    @property
    def left_text(self) -> str:
        """The labels that are left to give."""
        return f"{counted(self.n_left, 'label')} left"


def how_far(*, totals: PoolTotals, n_pools: int) -> HowFar:
    """The progress of all pools together."""
    return HowFar(totals.states, n_pools, totals.n_left)
