"""How far pools are."""

from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from annotate.models import Collection, Resolution, RoundPair, Seat
from pooling.core.strategies import STRATEGIES
from pooling.models import Pool, PoolPair
from pooling.services.ordering import LIVE

STUCK = (Resolution.Status.DISPUTED, Resolution.Status.ESCALATED)


class PoolFigures(NamedTuple):
    """Pairs that a pool wants, its seats by state, and those pairs that have a grade or wait for a lead's.

    A pair that only retired runs hold is not wanted, whether somebody judged it or not (see retiring.py).
    """

    pairs: int
    free: int
    held: int
    done: int
    resolved: int
    disputed: int


class PoolRow(NamedTuple):
    """A line of the list of pools."""

    pool: Pool
    n_runs: int
    n_pairs: int
    n_resolved: int

    @property
    def strategy(self) -> str:
        """The strategy's name for people."""
        known = STRATEGIES.get(self.pool.strategy)
        return known.label if known else self.pool.strategy

    @property
    def is_biased(self) -> bool:
        """Whether its order follows the labels, so that labels before its end favour its runs."""
        return self.pool.strategy in LIVE


_DROPPED = Exists(
    RoundPair.objects.filter(round=OuterRef("pool__round"), pair=OuterRef("pair"), dropped_at__isnull=False)
)


def pool_figures(*, pool: Pool) -> PoolFigures:
    """The figures of one pool, counted now; two queries."""
    graded = Resolution.objects.filter(pair=OuterRef("pair"), grade__isnull=False)
    stuck = Resolution.objects.filter(pair=OuterRef("pair"), status__in=STUCK)
    pairs = pool.pool_pairs.filter(~_DROPPED).aggregate(
        pairs=Count("pk"), resolved=Count("pk", filter=Exists(graded)), disputed=Count("pk", filter=Exists(stuck))
    )
    seats = Seat.objects.filter(round=pool.round_id, purpose=Seat.Purpose.LABEL).aggregate(
        **{state: Count("pk", filter=Q(state=state)) for state in ("free", "held", "done")}
    )
    return PoolFigures(**pairs, **seats)


def pool_rows(*, collection: Collection) -> list[PoolRow]:
    """The collection's pools, newest first; one query."""
    pairs = PoolPair.objects.filter(~_DROPPED, pool=OuterRef("pk")).order_by().values("pool")
    graded = pairs.filter(pair__resolution__grade__isnull=False)
    pools = Pool.objects.filter(collection=collection).annotate(
        n_runs=Count("runs"),
        n_pairs=Coalesce(Subquery(pairs.values(n=Count("pk"))), 0),
        n_resolved=Coalesce(Subquery(graded.values(n=Count("pk"))), 0),
    )
    rows = pools.select_related("created_by").order_by("-pk")
    return [PoolRow(pool, pool.n_runs, pool.n_pairs, pool.n_resolved) for pool in rows]
