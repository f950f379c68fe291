"""The pairs of a pool, a page at a time, each with where it comes from and how far it is."""

from typing import NamedTuple

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Exists, F, Func, IntegerField, OuterRef, QuerySet, Subquery, Value

from annotate.core.pair_states import PairState, StateCount
from annotate.models import Direction, Resolution, RoundPairState, User
from pooling.core.strategies import depth_of
from pooling.http import WantedPairs
from pooling.models import Pool, PoolPair, Ranking, Run
from pooling.services.provenance import Origin, origins
from pooling.services.rankings import excluded

PAGE_SIZE = 50


class PairLine(NamedTuple):
    """One pair of a pool. `resolution` is None while it has no label."""

    row: PoolPair
    origin: Origin
    resolution: Resolution | None
    state: PairState
    is_open: bool

    @property
    def state_text(self) -> str:
        """What the page calls its state."""
        return StateCount(self.state, 1, self.is_open).label

    @property
    def grade_text(self) -> str:
        """Its grade and how it came about; "" while it has none."""
        if self.resolution is None or self.resolution.grade is None:
            return ""
        return f"grade {self.resolution.grade}, {self.resolution.get_status_display().lower()}"


class PairPage(NamedTuple):
    """Some pairs of a pool; `next` is where the page after it begins, 0 when there is none."""

    lines: list[PairLine]
    next: int


def pairs_of(*, pool: Pool, wanted: WantedPairs, viewer: User | None) -> PairPage:
    """A page of a pool's pairs in the order of their keys; five queries, however many pairs and runs."""
    rows = list(_filtered(pool, wanted)[: PAGE_SIZE + 1])
    shown = rows[:PAGE_SIZE]
    found = origins(pairs=[row.pair for row in shown], viewer=viewer)
    is_open = pool.phase == Pool.Phase.OPEN
    lines = [
        PairLine(row, found[row.pair_id], getattr(row.pair, "resolution", None), PairState(row.state), is_open)
        for row in shown
    ]
    return PairPage(lines, shown[-1].pair_id if len(rows) > PAGE_SIZE else 0)


def _filtered(pool: Pool, wanted: WantedPairs) -> QuerySet[PoolPair]:
    standing = RoundPairState.objects.filter(round=pool.round_id, pair=OuterRef("pair")).values("state")
    rows = PoolPair.objects.filter(pool=pool, pair__gt=wanted.after).annotate(state=Subquery(standing))
    if wanted.state:
        rows = rows.filter(state=wanted.state)
    if wanted.query:
        rows = rows.filter(pair__query__external_id=wanted.query)
    if wanted.run is not None:
        rows = rows.filter(Exists(_rankings_with_it(pool, wanted.run)))
    named = rows.select_related("pair__query", "pair__document", "pair__resolution")
    return named.prefetch_related("pair__query__parts", "pair__document__parts").order_by("pair")


def _rankings_with_it(pool: Pool, run: Run) -> QuerySet[Ranking]:
    """The run's ranking that holds a pair as far down as the pool looks."""
    reach = depth_of(pool.strategy, pool.parameters)
    ends = (
        ("pair__query", "pair__document") if run.direction == Direction.FORWARD else ("pair__document", "pair__query")
    )
    left_out = Value(excluded(collection_id=pool.collection_id), output_field=ArrayField(BigIntegerField()))
    rank = Func(F("targets"), OuterRef(ends[1]), left_out, function="pooling_rank", output_field=IntegerField())
    return Ranking.objects.filter(run=run, source=OuterRef(ends[0])).annotate(rank=rank).filter(rank__lte=reach)
