"""How far pools are."""

from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from annotate.models import Collection, Resolution, Seat
from pooling.models import Pool, PoolPair


class PoolFigures(NamedTuple):
    """Pairs of a pool, its seats by state, and its pairs that have a grade or are disputed."""

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


def pool_figures(*, pool: Pool) -> PoolFigures:
    """The figures of one pool, counted now; two queries."""
    graded = Resolution.objects.filter(pair=OuterRef("pair"), grade__isnull=False)
    stuck = Resolution.objects.filter(pair=OuterRef("pair"), grade__isnull=True)
    pairs = pool.pool_pairs.aggregate(
        pairs=Count("pk"), resolved=Count("pk", filter=Exists(graded)), disputed=Count("pk", filter=Exists(stuck))
    )
    seats = Seat.objects.filter(round=pool.round_id, purpose=Seat.Purpose.LABEL).aggregate(
        **{state: Count("pk", filter=Q(state=state)) for state in ("free", "held", "done")}
    )
    return PoolFigures(**pairs, **seats)


def pool_rows(*, collection: Collection) -> list[PoolRow]:
    """The collection's pools, newest first; one query."""
    pairs = PoolPair.objects.filter(pool=OuterRef("pk")).order_by().values("pool")
    graded = pairs.filter(pair__resolution__grade__isnull=False)
    pools = Pool.objects.filter(collection=collection).annotate(
        n_runs=Count("runs"),
        n_pairs=Coalesce(Subquery(pairs.values(n=Count("pk"))), 0),
        n_resolved=Coalesce(Subquery(graded.values(n=Count("pk"))), 0),
    )
    rows = pools.select_related("created_by").order_by("-pk")
    return [PoolRow(pool, pool.n_runs, pool.n_pairs, pool.n_resolved) for pool in rows]
