"""Where a pair comes from: the runs that retrieved it, the pools that asked about it."""

from django.db.models import BigIntegerField, Case, F, Func, IntegerField, Q, QuerySet, Value, When

from annotate.models import Direction, Pair
from pooling.models import PoolPair, Ranking, Run


def rankings_with(*, pair: Pair) -> QuerySet[Ranking]:
    """The rankings that hold a pair, in either direction, each with `rank`; best first.

    Answered from the arrays themselves: by the index on sources one row a run is read, however large the runs.
    """
    other_end = Case(
        When(run__direction=Direction.FORWARD, then=Value(pair.document_id)),
        default=Value(pair.query_id),
        output_field=BigIntegerField(),
    )
    from_it = Q(run__direction=Direction.FORWARD, source=pair.query_id)
    to_it = Q(run__direction=Direction.REVERSE, source=pair.document_id)
    rank = Func(F("targets"), other_end, function="array_position", output_field=IntegerField())
    found = Ranking.objects.filter(from_it | to_it, run__state=Run.State.READY).annotate(rank=rank)
    return (
        found.filter(rank__isnull=False).select_related("run").defer("targets", "scores").order_by("rank", "run__name")
    )


def pools_with(*, pair: Pair) -> QuerySet[PoolPair]:
    """How a pair came into each of its pools, oldest first."""
    return PoolPair.objects.filter(pair=pair).select_related("pool").order_by("pool_id")


def sentence(*, pair: Pair) -> str:
    """Both in words: 'in runs A rank 3, C rank 17; pooled in "first" (depth-k), best rank 3'."""
    runs = ", ".join(f"{name} rank {rank}" for name, rank in rankings_with(pair=pair).values_list("run__name", "rank"))
    pools = ", ".join(
        f'"{row.pool.name}" ({row.pool.strategy}), best rank {row.best_rank}' for row in pools_with(pair=pair)
    )
    return "; ".join(filter(None, [f"in runs {runs}" if runs else "", f"pooled in {pools}" if pools else ""]))
