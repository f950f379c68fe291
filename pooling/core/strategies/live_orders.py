"""Live orders: which pair to judge next, given the judgments so far.

Pooling as a bandit: for each source item every run is an arm, and to pull it is to judge its next
target. These orders find relevant targets early, and so favour the targets of the runs at hand:
labels that stop half-way are biased toward them (Voorhees 2018, doi:10.1145/3269206.3271766). A new
order is a function and an entry in ORDERS.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.strategies.selections import (
    Integers,
    Pairs,
    RankedPairs,
    group_by_pair,
    is_in,
    known_rows,
    union,
)

TOP_PRIORITY = 100.0
Worth = NDArray[np.float64]


class ArmCounts(NamedTuple):
    """Counts of targets per source item and arm, (Q, S) each; an arm is a run.

    relevant, other : targets of the run judged relevant and not, whichever run brought them up
    irrelevant : targets that this run brought up and that were not relevant
    was_asked_last : whether the run was the last one asked
    """

    relevant: Worth
    other: Worth
    irrelevant: Worth
    was_asked_last: NDArray[np.bool_]


class LiveOrder(NamedTuple):
    """A live order: the worth of each arm now.

    It says whether that depends on which run brought up a target, and when.
    """

    worth: Callable[[ArmCounts, np.random.Generator], Worth]
    has_history: bool = False


def maxmean(counts: ArmCounts, rng: np.random.Generator) -> Worth:
    """The mean of Beta(1 + relevant, 1 + other).

    Losada, Parapar & Barreiro 2016, doi:10.1145/2851613.2851692.
    """
    return (1 + counts.relevant) / (2 + counts.relevant + counts.other)


def thompson(counts: ArmCounts, rng: np.random.Generator) -> Worth:
    """A draw from Beta(1 + relevant, 1 + other). Losada, Parapar & Barreiro 2016."""
    return rng.beta(1 + counts.relevant, 1 + counts.other)


def move_to_front(counts: ArmCounts, rng: np.random.Generator) -> Worth:
    """100, less one for each failure; staying with a run while it finds.

    Cormack, Palmer & Clarke 1998, doi:10.1145/290941.291009, with the constants of Losada, Parapar
    & Barreiro 2016.
    """
    return TOP_PRIORITY - counts.irrelevant + counts.was_asked_last / 2


ORDERS: dict[str, LiveOrder] = {
    "move-to-front": LiveOrder(move_to_front, has_history=True),
    "maxmean": LiveOrder(maxmean),
    "thompson": LiveOrder(thompson),
}


def next_pairs(
    order: str,
    runs: Sequence[RankedPairs],
    judged_pairs: Pairs,
    relevant: NDArray[np.bool_],
    *,
    ahead: int,
    rng: np.random.Generator,
) -> Pairs:
    """The first `ahead` unjudged pairs of each source item in a live order, by source and target.

    runs : the rows of the pool, at least one; unknown targets are passed over
    judged_pairs : in any order, with `relevant` beside it; pairs of no run do no harm

    A pure function of its arguments. Move to front is played from its beginning with the answers
    that are there; an unjudged pair counts as a failure, so that pairs handed out at once come from
    several runs. The other orders use the judgments, and learn nothing from a pair that is only
    handed out.
    """
    race = _Race(ORDERS[order], [known_rows(run) for run in runs], rng)
    label = race.learn(judged_pairs, relevant)
    if not race.order.has_history:
        race.is_asked |= label >= 0
    is_next = np.zeros(len(race.is_asked), dtype=bool)
    n_next = np.zeros(race.n_sources, dtype=np.int64)
    while len(turn := race.turn(n_next < ahead)):
        race.failed[turn.source, turn.arm] += label[turn.pair] != 1
        is_unjudged = label[turn.pair] < 0
        is_next[turn.pair[is_unjudged]] = True
        n_next[turn.source[is_unjudged]] += 1
    return Pairs(*(column[is_next] for column in race.pairs))


def replay(
    order: str, runs: Sequence[RankedPairs], relevant: Pairs, *, rng: np.random.Generator
) -> tuple[Pairs, Integers]:
    """Play an order with one judge who gives every answer at once.

    relevant : the relevant pairs; all others are not relevant
    Returns the pairs of the runs by source and target, and the position (from 1) at which each is
    judged among those of its source item.
    """
    race = _Race(ORDERS[order], runs, rng)
    is_relevant = is_in(*race.pairs, relevant)
    position = np.zeros(len(is_relevant), dtype=np.int64)
    everywhere = np.ones(race.n_sources, dtype=bool)
    step = 0
    while len(turn := race.turn(everywhere)):
        step += 1
        position[turn.pair] = step
        race.failed[turn.source, turn.arm] += ~is_relevant[turn.pair]
        race.count(turn.pair, is_relevant[turn.pair])
    return race.pairs, position


class _Turn(NamedTuple):
    """The arms asked, and the pairs they brought up: one row a source item."""

    source: Integers
    arm: Integers
    pair: Integers

    def __len__(self) -> int:
        return len(self.source)


class _Race:
    """All source items side by side: Q of them, S arms each, and the M pairs in their orders."""

    def __init__(
        self, order: LiveOrder, runs: Sequence[RankedPairs], rng: np.random.Generator
    ) -> None:
        self.order, self._rng = order, rng
        union_pairs = union(runs)
        self.pairs = Pairs(union_pairs.source, union_pairs.target)
        sources, of_pair = np.unique(union_pairs.source, return_inverse=True)
        self.n_sources, n_arms = len(sources), len(runs)
        rows, starts = group_by_pair(runs)
        pair = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
        rank = np.concatenate([run.rank for run in runs])[rows]
        arm = np.repeat(np.arange(n_arms), [len(run.rank) for run in runs])[rows]
        self._cell = of_pair[pair] * n_arms + arm  # by pair, so that a pair's arms are neighbours
        self._starts = np.append(starts, len(rows))
        order_of_rows = np.lexsort((rank, self._cell))
        self._listed = pair[order_of_rows]
        shape = (self.n_sources, n_arms)
        ends = np.cumsum(np.bincount(self._cell, minlength=self.n_sources * n_arms))
        self._end = ends.reshape(shape)
        self._next = np.append(0, ends[:-1])[: ends.size].reshape(shape).copy()
        self.is_asked = np.zeros(len(starts), dtype=bool)
        self.relevant, self.other, self.failed = (np.zeros(shape) for _ in range(3))
        # how often, plus a random fraction that orders arms asked as often
        self._asked = rng.random(shape)
        self._asked_last = np.zeros(shape, dtype=bool)

    def learn(self, judged_pairs: Pairs, relevant: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Count the judged pairs, and return the label of each pair.

        1 means relevant, 0 not, -1 unjudged.
        """
        label = np.full(len(self.is_asked), -1, dtype=np.int8)
        for grade in (0, 1):
            of_grade = Pairs(*(column[relevant == bool(grade)] for column in judged_pairs))
            label[is_in(*self.pairs, of_grade)] = grade
        self.relevant += self._count_by_arm(label == 1)
        self.other += self._count_by_arm(label == 0)
        return label

    def count(self, pair: Integers, relevant: NDArray[np.bool_]) -> None:
        """Count these answers for every arm that holds the pair."""
        n_rows = self._starts[pair + 1] - self._starts[pair]
        first = np.repeat(self._starts[pair], n_rows)
        cells = self._cell[
            first + np.arange(len(first)) - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
        ]
        is_relevant = np.repeat(relevant, n_rows)
        # a pair is in an arm once: no cell comes twice
        self.relevant.reshape(-1)[cells] += is_relevant
        self.other.reshape(-1)[cells] += ~is_relevant

    def _count_by_arm(self, pairs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count how many of these pairs each arm holds, (Q, S)."""
        cells = self._cell[np.repeat(pairs, np.diff(self._starts))]
        return np.bincount(cells, minlength=self._end.size).reshape(self._end.shape)

    def turn(self, needs_pair: NDArray[np.bool_]) -> _Turn:
        """Ask the worthiest arm of each source item that needs a pair.

        Items without pairs are left out. Of arms worth the same, the one asked least often.
        """
        sources = np.flatnonzero(needs_pair)
        counts = ArmCounts(
            self.relevant[sources],
            self.other[sources],
            self.failed[sources],
            self._asked_last[sources],
        )
        worth = self.order.worth(counts, self._rng)
        arms, pairs = np.full(len(sources), -1), np.full(len(sources), -1)
        rows = np.arange(len(sources))
        while len(rows):
            source = sources[rows]
            has_more = self._next[source] < self._end[source]
            is_left = has_more.any(axis=1)
            rows, source, has_more = rows[is_left], source[is_left], has_more[is_left]
            usable_worth = np.where(has_more, worth[rows], -np.inf)
            is_best = usable_worth >= usable_worth.max(axis=1, initial=-np.inf, keepdims=True)
            arm = np.where(is_best, self._asked[source], np.inf).argmin(axis=1)
            pair = self._listed[self._next[source, arm]]
            self._next[source, arm] += 1
            is_new = ~self.is_asked[pair]
            arms[rows[is_new]], pairs[rows[is_new]] = arm[is_new], pair[is_new]
            rows = rows[~is_new]
        has_pair = pairs >= 0
        turn = _Turn(sources[has_pair], arms[has_pair], pairs[has_pair])
        self.is_asked[turn.pair] = True
        self._asked[turn.source, turn.arm] += 1
        self._asked_last[turn.source] = False
        self._asked_last[turn.source, turn.arm] = True
        return turn
