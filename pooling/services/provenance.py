"""Where a pair comes from: the runs that retrieved it, the pools that asked about it.

Answered from the rankings' arrays themselves: by the index on sources one row a run is read, however large the runs.
A rank counts unknown targets, which keep theirs, and not the items that are left out, as scores and pools do.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from annotate.models import Pair, User
from pooling.models import Pool, PoolPair, Run
from pooling.services.rankings import excluded

# One part a direction: with OR or CASE around the source the planner would not use its index.
_PLACES = """
    SELECT wanted.pair, ranking.run_id, pooling_rank(ranking.targets, wanted.document, %(left_out)s::bigint[]) AS rank
    FROM unnest(%(pair)s::bigint[], %(query)s::bigint[], %(document)s::bigint[]) AS wanted(pair, query, document)
    JOIN pooling_ranking ranking ON ranking.source_id = wanted.query AND ranking.run_id = ANY(%(forward)s::bigint[])
    WHERE wanted.document = ANY(ranking.targets) AND NOT ARRAY[wanted.query, wanted.document] && %(left_out)s::bigint[]
    UNION ALL
    SELECT wanted.pair, ranking.run_id, pooling_rank(ranking.targets, wanted.query, %(left_out)s::bigint[])
    FROM unnest(%(pair)s::bigint[], %(query)s::bigint[], %(document)s::bigint[]) AS wanted(pair, query, document)
    JOIN pooling_ranking ranking ON ranking.source_id = wanted.document AND ranking.run_id = ANY(%(reverse)s::bigint[])
    WHERE wanted.query = ANY(ranking.targets) AND NOT ARRAY[wanted.query, wanted.document] && %(left_out)s::bigint[]
"""


class Place(NamedTuple):
    """That a run holds a pair, at this rank."""

    run: Run
    rank: int


class Origin(NamedTuple):
    """Where a pair comes from: its places in runs, best rank first, and its pools, oldest first."""

    places: list[Place]
    pools: list[PoolPair]


def origins(*, pairs: Sequence[Pair], viewer: User | None) -> dict[int, Origin]:
    """Where these pairs of one collection come from, by their keys; runs that the viewer may know of. Four queries."""
    if not pairs:
        return {}
    places = _places(pairs, viewer)
    pools: dict[int, list[PoolPair]] = defaultdict(list)
    for row in PoolPair.objects.filter(pair__in=[pair.pk for pair in pairs]).select_related("pool").order_by("pool_id"):
        pools[row.pair_id].append(row)
    return {pair.pk: Origin(places[pair.pk], pools[pair.pk]) for pair in pairs}


def origin(*, pair: Pair, viewer: User | None) -> Origin:
    """Where one pair comes from."""
    return origins(pairs=[pair], viewer=viewer)[pair.pk]


def sentence(found: Origin) -> str:
    """In words: 'in runs A rank 3, C rank 17; pooled in "first" (depth-k, depth 10), best rank 3'."""
    runs = ", ".join(f"{place.run.name} rank {place.rank}" for place in found.places)
    pools = ", ".join(f'"{row.pool.name}" ({recipe(row.pool)}), {rank(row)}' for row in found.pools)
    return "; ".join(filter(None, [f"in runs {runs}" if runs else "", f"pooled in {pools}" if pools else ""]))


def rank(row: PoolPair) -> str:
    """The best rank a pair had, or that it had none: 'best rank 3'."""
    return "in no run" if row.best_rank is None else f"best rank {row.best_rank}"


def recipe(pool: Pool) -> str:
    """A pool's strategy and parameters in words: 'depth-k, depth 10'."""
    return ", ".join([pool.strategy, *(f"{name} {value}" for name, value in sorted(pool.parameters.items()) if value)])


def _places(pairs: Sequence[Pair], viewer: User | None) -> dict[int, list[Place]]:
    ready = Run.objects.visible_to(viewer).filter(collection=pairs[0].collection_id, state=Run.State.READY)
    runs = {run.pk: run for run in ready}
    columns = {
        "pair": [pair.pk for pair in pairs],
        "query": [pair.query_id for pair in pairs],
        "document": [pair.document_id for pair in pairs],
        "left_out": excluded(collection_id=pairs[0].collection_id),
        **{way: [run.pk for run in runs.values() if run.direction == way] for way in ("forward", "reverse")},
    }
    found: dict[int, list[Place]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_PLACES, columns)
        for pair, run, rank in cursor.fetchall():
            found[pair].append(Place(runs[run], rank))
    for places in found.values():
        places.sort(key=lambda place: (place.rank, place.run.name))
    return found
