"""Figures of pools: their pairs and seats by state."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Q

from annotate.core.consequences import Consequences
from annotate.core.labels.pair_states import StateCounts
from annotate.core.phrases import counted
from annotate.models import Collection, RoundPairState, Seat
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import Pool
from pooling.services.pools.queue_order import LIVE_STRATEGIES


class PoolFigures(NamedTuple):
    """A pool's pairs and seats, by state; is_retried : its last work failed."""

    states: StateCounts
    n_free: int
    n_held: int
    n_done: int
    is_retried: bool = False

    @property
    def closing(self) -> Consequences:
        """The consequences of closing the pool."""
        n_untouched, n_some = self.states["untouched"], self.states["some_labels"]
        without_label = f"{_staying(n_untouched)} without a label"
        with_fewer = f"{_staying(n_some)} with fewer labels than the policy wants"
        sentences = ["Nothing more is handed out; judgments stay and count."]
        if n_untouched:
            sentences.append(f"{without_label}.")
        if n_some:
            sentences.append(f"{with_fewer}.")
        if not self.states.n_waiting:
            sentences.append("No pair of it waits for labels.")
        if self.n_held:
            sentences.append(f"What people hold, {counted(self.n_held, 'pair')}, they may finish.")
        outcome = without_label if n_untouched else with_fewer if n_some else ""
        return Consequences(
            act="close",
            title="Try again" if self.is_retried else "Close pool",
            button=f"Close the pool: {outcome}" if outcome else "Close the pool",
            sentences=tuple(sentences),
            way_back="Once that is done, it can be opened again here: the missing labels are then "
            "asked for.",
            n=self.states.n_waiting,
            is_danger=False,
        )

    @property
    def reopening(self) -> Consequences:
        """The consequences of opening the closed pool again."""
        n_waiting = self.states.n_waiting
        pairs = counted(n_waiting, "pair")
        sentence = (
            f"The missing labels of {pairs} would be asked for again, by the policy of the pool."
            if n_waiting
            else "No pair of it waits for labels."
        )
        return Consequences(
            act="reopen",
            title="Try again" if self.is_retried else "Open again",
            button=f"Open the pool again, with {pairs}" if n_waiting else "Open the pool again",
            sentences=(sentence, "Judgments stay and count."),
            way_back="Once that is done, it can be closed here again.",
            n=n_waiting,
            is_danger=False,
        )


class PoolRow(NamedTuple):
    """A line of the list of pools."""

    pool: Pool
    n_runs: int
    states: StateCounts

    @property
    def strategy(self) -> str:
        """The strategy's name for people."""
        strategy = STRATEGIES.get(self.pool.strategy)
        return strategy.label if strategy else self.pool.strategy

    @property
    def is_biased(self) -> bool:
        """True if its order follows the labels, so that labels before its end favour its runs."""
        return self.pool.strategy in LIVE_STRATEGIES


def pool_figures(*, pool: Pool) -> PoolFigures:
    """Count the figures of one pool; two queries."""
    seats = Seat.objects.filter(round=pool.round_id, purpose=Seat.Purpose.LABEL).aggregate(
        **{f"n_{state}": Count("pk", filter=Q(state=state)) for state in ("free", "held", "done")}
    )
    is_retried = bool(pool.work and pool.work.error)
    return PoolFigures(states_of(pools=[pool])[pool.pk], **seats, is_retried=is_retried)


def _staying(n: int) -> str:
    return f"{counted(n, 'pair')} {'stays' if n == 1 else 'stay'}"


def states_of(*, pools: Sequence[Pool]) -> dict[int, StateCounts]:
    """Count the pairs of each pool by state; none for one that was never opened. One query."""
    counts = pair_counts(rounds=[pool.round_id for pool in pools if pool.round_id is not None])
    return {
        pool.pk: StateCounts(
            {} if pool.round_id is None else counts[pool.round_id],
            is_open=pool.phase == Pool.Phase.OPEN,
        )
        for pool in pools
    }


def pair_counts(*, rounds: Sequence[int]) -> dict[int, dict[str, int]]:
    """Count the pairs of each round by state; rounds : their keys. One query."""
    state_rows = RoundPairState.objects.filter(round__in=rounds).values_list("round", "state")
    counts: dict[int, dict[str, int]] = {round_: {} for round_ in rounds}
    for round_, state, n in state_rows.annotate(n=Count("pk")):
        counts[round_][state] = n
    return counts


def seat_counts(*, rounds: Sequence[int]) -> dict[int, dict[str, int]]:
    """Count the seats for labels of each round by state; rounds : their keys. One query."""
    seats = Seat.objects.filter(round__in=rounds, purpose__in=Seat.FOR_LABELS)
    counts = {round_: dict.fromkeys(Seat.State.values, 0) for round_ in rounds}
    for round_, state, n in seats.values_list("round", "state").annotate(n=Count("pk")):
        counts[round_][state] = n
    return counts


def pool_rows(*, collection: Collection) -> list[PoolRow]:
    """The collection's pools, newest first; two queries."""
    pools = Pool.objects.filter(collection=collection).annotate(n_runs=Count("runs"))
    rows = list(pools.select_related("created_by", "work").order_by("-pk"))
    states = states_of(pools=rows)
    return [PoolRow(pool, pool.n_runs, states[pool.pk]) for pool in rows]
