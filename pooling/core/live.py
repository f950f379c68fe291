"""Live orders: which pair to judge next, given the judgments so far.

Pooling as a bandit: for each source item every run is an arm, and to pull it is to judge its next target. These orders
find relevant targets early, and for that favour what the runs at hand find: labels that stop half-way are biased toward
them (Voorhees 2018, doi:10.1145/3269206.3271766). A new order is a function and an entry in ORDERS.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.selections import Integers, Pairs, RankedPairs, grouped, is_in, of_items, union

TOP_PRIORITY = 100.0
Worth = NDArray[np.float64]


class Knowledge(NamedTuple):
    """What is known of each source item's arms, (Q, S) each.

    relevant, other : targets of the run that were judged so, whoever brought them up
    failed : targets brought up by this run that were not relevant
    asked_last : whether the run was asked last
    """

    relevant: Worth
    other: Worth
    failed: Worth
    asked_last: NDArray[np.bool_]


class Order(NamedTuple):
    """A live order: what each arm is worth now, and whether it depends on who brought up which target, and when."""

    worth: Callable[[Knowledge, np.random.Generator], Worth]
    has_history: bool = False


def maxmean(known: Knowledge, rng: np.random.Generator) -> Worth:
    """The mean of Beta(1 + relevant, 1 + other). Losada, Parapar & Barreiro 2016, doi:10.1145/2851613.2851692."""
    return (1 + known.relevant) / (2 + known.relevant + known.other)


def thompson(known: Knowledge, rng: np.random.Generator) -> Worth:
    """A draw from Beta(1 + relevant, 1 + other). Losada, Parapar & Barreiro 2016."""
    return rng.beta(1 + known.relevant, 1 + known.other)


def move_to_front(known: Knowledge, rng: np.random.Generator) -> Worth:
    """100, less one for each failure; staying with a run while it finds. Cormack, Palmer & Clarke 1998,
    doi:10.1145/290941.291009, with the constants of Losada, Parapar & Barreiro 2016."""
    return TOP_PRIORITY - known.failed + known.asked_last / 2


ORDERS: dict[str, Order] = {
    "move-to-front": Order(move_to_front, has_history=True),
    "maxmean": Order(maxmean),
    "thompson": Order(thompson),
}


def next_pairs(
    order: str, runs: Sequence[RankedPairs], judged: Pairs, relevant: NDArray[np.bool_], *, ahead: int,
    rng: np.random.Generator,
) -> Pairs:  # fmt: skip
    """The first `ahead` unjudged pairs of each source item in a live order, by source and target.

    runs : the rows of the pool, at least one; unknown targets are passed over
    judged : in any order, with `relevant` beside it; pairs of no run do no harm

    A pure function of its arguments. Move to front is played from its beginning with the answers that are there; an
    unjudged pair counts as a failure, so that what is handed out at once comes from several runs. The others know what
    was judged, and learn nothing from a pair that is only handed out.
    """
    race = _Race(ORDERS[order], [of_items(run) for run in runs], rng)
    known = race.learn(judged, relevant)
    if not race.order.has_history:
        race.seen |= known >= 0
    wanted = np.zeros(len(race.seen), dtype=bool)
    n_wanted = np.zeros(race.n_sources, dtype=np.int64)
    while len(turn := race.turn(n_wanted < ahead)):
        race.failed[turn.source, turn.arm] += known[turn.pair] != 1
        fresh = known[turn.pair] < 0
        wanted[turn.pair[fresh]] = True
        n_wanted[turn.source[fresh]] += 1
    return Pairs(*(column[wanted] for column in race.pairs))


def replay(
    order: str, runs: Sequence[RankedPairs], relevant: Pairs, *, rng: np.random.Generator
) -> tuple[Pairs, Integers]:
    """When one judge who gives every answer at once would be asked about each pair of the runs.

    relevant : the pairs that are, others are not
    Returns the pairs by source and target, and the place (from 1) of each among its source item's.
    """
    race = _Race(ORDERS[order], runs, rng)
    truth = is_in(*race.pairs, relevant)
    place = np.zeros(len(truth), dtype=np.int64)
    everywhere = np.ones(race.n_sources, dtype=bool)
    step = 0
    while len(turn := race.turn(everywhere)):
        step += 1
        place[turn.pair] = step
        race.failed[turn.source, turn.arm] += ~truth[turn.pair]
        race.tell(turn.pair, truth[turn.pair])
    return race.pairs, place


class _Turn(NamedTuple):
    """Who was asked, and what they brought up: one row a source item."""

    source: Integers
    arm: Integers
    pair: Integers

    def __len__(self) -> int:
        return len(self.source)


class _Race:
    """All source items side by side: Q of them, S arms each, and the M pairs that the arms hold in their orders."""

    def __init__(self, order: Order, runs: Sequence[RankedPairs], rng: np.random.Generator) -> None:
        self.order, self._rng = order, rng
        pooled = union(runs)
        self.pairs = Pairs(pooled.source, pooled.target)
        sources, of_pair = np.unique(pooled.source, return_inverse=True)
        self.n_sources, n_arms = len(sources), len(runs)
        rows, starts = grouped(runs)
        pair = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
        rank = np.concatenate([run.rank for run in runs])[rows]
        arm = np.repeat(np.arange(n_arms), [len(run.rank) for run in runs])[rows]
        self._cell = of_pair[pair] * n_arms + arm  # by pair, so that a pair's arms are neighbours
        self._starts = np.append(starts, len(rows))
        listed = np.lexsort((rank, self._cell))
        self._listed = pair[listed]
        shape = (self.n_sources, n_arms)
        ends = np.cumsum(np.bincount(self._cell, minlength=self.n_sources * n_arms))
        self._end = ends.reshape(shape)
        self._next = np.append(0, ends[:-1])[: ends.size].reshape(shape).copy()
        self.seen = np.zeros(len(starts), dtype=bool)
        self.relevant, self.other, self.failed = (np.zeros(shape) for _ in range(3))
        self._asked = rng.random(shape)  # how often, and by chance who comes first of those asked as often
        self._asked_last = np.zeros(shape, dtype=bool)

    def learn(self, judged: Pairs, relevant: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Count what is judged, and return it by pair: 1 relevant, 0 not, -1 unjudged."""
        known = np.full(len(self.seen), -1, dtype=np.int8)
        for grade in (0, 1):
            of_grade = Pairs(*(column[relevant == bool(grade)] for column in judged))
            known[is_in(*self.pairs, of_grade)] = grade
        self.relevant += self._counted(known == 1)
        self.other += self._counted(known == 0)
        return known

    def tell(self, pair: Integers, relevant: NDArray[np.bool_]) -> None:
        """Count these answers for every arm that holds the pair."""
        n_rows = self._starts[pair + 1] - self._starts[pair]
        first = np.repeat(self._starts[pair], n_rows)
        cells = self._cell[first + np.arange(len(first)) - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)]
        good = np.repeat(relevant, n_rows)
        self.relevant.reshape(-1)[cells] += good  # a pair is in an arm once: no cell comes twice
        self.other.reshape(-1)[cells] += ~good

    def _counted(self, pairs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(Q, S) how many of these pairs each arm holds."""
        cells = self._cell[np.repeat(pairs, np.diff(self._starts))]
        return np.bincount(cells, minlength=self._end.size).reshape(self._end.shape)

    def turn(self, wants: NDArray[np.bool_]) -> _Turn:
        """Ask the worthiest arm of each source item that wants a pair; those that have none left are left out.

        Of arms worth the same, the one asked least often.
        """
        todo = np.flatnonzero(wants)
        known = Knowledge(self.relevant[todo], self.other[todo], self.failed[todo], self._asked_last[todo])
        worth = self.order.worth(known, self._rng)
        arms, pairs = np.full(len(todo), -1), np.full(len(todo), -1)
        rows = np.arange(len(todo))
        while len(rows):
            source = todo[rows]
            alive = self._next[source] < self._end[source]
            rows, source, alive = (column[alive.any(axis=1)] for column in (rows, source, alive))
            here = np.where(alive, worth[rows], -np.inf)
            is_best = here >= here.max(axis=1, initial=-np.inf, keepdims=True)
            arm = np.where(is_best, self._asked[source], np.inf).argmin(axis=1)
            pair = self._listed[self._next[source, arm]]
            self._next[source, arm] += 1
            new = ~self.seen[pair]
            arms[rows[new]], pairs[rows[new]] = arm[new], pair[new]
            rows = rows[~new]
        found = pairs >= 0
        turn = _Turn(todo[found], arms[found], pairs[found])
        self.seen[turn.pair] = True
        self._asked[turn.source, turn.arm] += 1
        self._asked_last[turn.source] = False
        self._asked_last[turn.source, turn.arm] = True
        return turn
