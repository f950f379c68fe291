"""The pairs of a pool, a page at a time, each with where it comes from and how far it is."""

from typing import NamedTuple

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Now

from annotate.models import Direction, Resolution, RoundPair, User
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
    is_dropped: bool

    @property
    def state(self) -> str:
        """What the page calls its state."""
        if self.resolution is None:
            return "no label yet"
        status = self.resolution.get_status_display().lower()
        return status if self.resolution.grade is None else f"grade {self.resolution.grade}, {status}"


class PairPage(NamedTuple):
    """Some pairs of a pool; `next` is where the page after it begins, 0 when there is none."""

    lines: list[PairLine]
    next: int


def pairs_of(*, pool: Pool, wanted: WantedPairs, viewer: User | None) -> PairPage:
    """A page of a pool's pairs in the order of their keys; five queries, however many pairs and runs."""
    rows = list(_filtered(pool, wanted)[: PAGE_SIZE + 1])
    shown = rows[:PAGE_SIZE]
    found = origins(pairs=[row.pair for row in shown], viewer=viewer)
    lines = [PairLine(row, found[row.pair_id], getattr(row.pair, "resolution", None), row.is_dropped) for row in shown]
    return PairPage(lines, shown[-1].pair_id if len(rows) > PAGE_SIZE else 0)


def _filtered(pool: Pool, wanted: WantedPairs) -> QuerySet[PoolPair]:
    dropped = RoundPair.objects.filter(round=pool.round_id, pair=OuterRef("pair"), dropped_at__lte=Now())
    rows = PoolPair.objects.filter(pool=pool, pair__gt=wanted.after).annotate(is_dropped=Exists(dropped))
    conditions = {
        "": Q(),
        "unjudged": Q(pair__resolution=None),
        "judged": Q(pair__resolution__isnull=False),
        "undecided": Q(pair__resolution__isnull=False, pair__resolution__grade=None),
        "dropped": Q(is_dropped=True),
    }
    rows = rows.filter(conditions[wanted.state])
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
