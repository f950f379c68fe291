"""Origin of pairs: the runs that retrieved them, the pools that asked about them.

Answered from the rankings' arrays themselves: by the index on sources one row a run is read,
however large the runs. A rank counts unknown targets, which keep theirs, and not the items that are
left out, as scores and pools do.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from annotate.models import Pair, User
from pooling.models import Pool, PoolPair, Run
from pooling.services.runs.rankings import excluded_keys

# One part a direction: with OR or CASE around the source the planner would not use its index.
_RUN_RANKS = """
    SELECT requested.pair, ranking.run_id,
           pooling_rank(ranking.targets, requested.document, %(left_out)s::bigint[]) AS rank
    FROM unnest(%(pair)s::bigint[], %(query)s::bigint[], %(document)s::bigint[])
         AS requested(pair, query, document)
    JOIN pooling_ranking ranking
         ON ranking.source_id = requested.query AND ranking.run_id = ANY(%(forward)s::bigint[])
    WHERE requested.document = ANY(ranking.targets)
      AND NOT ARRAY[requested.query, requested.document] && %(left_out)s::bigint[]
    UNION ALL
    SELECT requested.pair, ranking.run_id,
           pooling_rank(ranking.targets, requested.query, %(left_out)s::bigint[])
    FROM unnest(%(pair)s::bigint[], %(query)s::bigint[], %(document)s::bigint[])
         AS requested(pair, query, document)
    JOIN pooling_ranking ranking
         ON ranking.source_id = requested.document AND ranking.run_id = ANY(%(reverse)s::bigint[])
    WHERE requested.query = ANY(ranking.targets)
      AND NOT ARRAY[requested.query, requested.document] && %(left_out)s::bigint[]
"""


class RunRank(NamedTuple):
    """A run that holds a pair, and the pair's rank in it."""

    run: Run
    rank: int


class Origin(NamedTuple):
    """Origin of a pair: its ranks in runs, best first, and its pools, oldest first."""

    run_ranks: list[RunRank]
    pools: list[PoolPair]


def origins(*, pairs: Sequence[Pair], viewer: User | None) -> dict[int, Origin]:
    """Return the origins of pairs of one collection, by their keys.

    They name only runs that the viewer may see. Four queries.
    """
    if not pairs:
        return {}
    run_ranks = _run_ranks(pairs, viewer)
    pools: dict[int, list[PoolPair]] = defaultdict(list)
    for row in (
        PoolPair.objects.filter(pair__in=[pair.pk for pair in pairs])
        .select_related("pool")
        .order_by("pool_id")
    ):
        pools[row.pair_id].append(row)
    return {pair.pk: Origin(run_ranks[pair.pk], pools[pair.pk]) for pair in pairs}


def origin(*, pair: Pair, viewer: User | None) -> Origin:
    """Return the origin of one pair."""
    return origins(pairs=[pair], viewer=viewer)[pair.pk]


def sentence(pair_origin: Origin) -> str:
    """Write an origin in words.

    'in runs A rank 3, C rank 17; pooled in "first" (depth-k, depth 10), best rank 3'.
    """
    runs = ", ".join(
        f"{run_rank.run.name} rank {run_rank.rank}" for run_rank in pair_origin.run_ranks
    )
    pools = ", ".join(
        f'"{row.pool.name}" ({recipe(row.pool)}), {rank_text(row)}' for row in pair_origin.pools
    )
    return "; ".join(
        filter(None, [f"in runs {runs}" if runs else "", f"pooled in {pools}" if pools else ""])
    )


def rank_text(row: PoolPair) -> str:
    """Write a pair's best rank in words: 'best rank 3', or 'in no run'."""
    return "in no run" if row.best_rank is None else f"best rank {row.best_rank}"


def recipe(pool: Pool) -> str:
    """A pool's strategy and parameters in words: 'depth-k, depth 10'."""
    return ", ".join(
        [
            pool.strategy,
            *(f"{name} {value}" for name, value in sorted(pool.parameters.items()) if value),
        ]
    )


def _run_ranks(pairs: Sequence[Pair], viewer: User | None) -> dict[int, list[RunRank]]:
    ready = Run.objects.visible_to(viewer).filter(
        collection=pairs[0].collection_id, state=Run.State.READY
    )
    runs = {run.pk: run for run in ready}
    columns = {
        "pair": [pair.pk for pair in pairs],
        "query": [pair.query_id for pair in pairs],
        "document": [pair.document_id for pair in pairs],
        "left_out": excluded_keys(collection_id=pairs[0].collection_id),
        **{
            direction: [run.pk for run in runs.values() if run.direction == direction]
            for direction in ("forward", "reverse")
        },
    }
    ranks_by_pair: dict[int, list[RunRank]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_RUN_RANKS, columns)
        for pair, run, rank in cursor.fetchall():
            ranks_by_pair[pair].append(RunRank(runs[run], rank))
    for run_ranks in ranks_by_pair.values():
        run_ranks.sort(key=lambda run_rank: (run_rank.rank, run_rank.run.name))
    return ranks_by_pair
