"""The pools of a release: how their pairs were chosen, by which runs, and how many were judged.

A hidden run is counted and never named, whoever asks.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection

from annotate.models import Collection, Direction
from annotate.statements import SqlValue
from metrics.core.releases.manifest import PoolEntry
from metrics.services.releases.manifest.numbers import ReleaseNumbers
from metrics.services.releases.manifest.people_facts import day_of
from pooling.models import Pool, Run

BOTH = "both"  # the direction of a pool with runs of both
PRICES = frozenset({"rate", "currency"})  # parameters of a pool's form that choose no pair
_DEPTHS = """
    SELECT pool.id, max(pool_pair.best_rank)
    FROM pooling_pool pool JOIN pooling_poolpair pool_pair ON pool_pair.pool_id = pool.id
    WHERE pool.collection_id = %s GROUP BY pool.id
"""
_JUDGED = """
    SELECT pool.id, count(*)
    FROM pooling_pool pool
    JOIN annotate_pairstate pair_state ON pair_state.round_id = pool.round_id
    JOIN (SELECT DISTINCT pair_id FROM annotate_countingjudgment
          WHERE collection_id = %(collection)s AND is_label) judged
        ON judged.pair_id = pair_state.pair_id
    WHERE pool.collection_id = %(collection)s AND pair_state.collection_id = %(collection)s
        AND pair_state.state <> 'left_out'
    GROUP BY pool.id
"""


class RunOfPool(NamedTuple):
    """A run of a pool by its key."""

    pk: int
    direction: str
    is_hidden: bool


def pool_entries(
    *, collection: Collection, numbers: ReleaseNumbers, aliases: Mapping[int, str]
) -> tuple[PoolEntry, ...]:
    """The pools that were opened, in that order; four queries.

    aliases : by the key of every run of the collection that is not hidden, retired ones among them
    Pairs that are left out, as the dashboard says, are not counted.
    """
    pools = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    depths = _counts(_DEPTHS, [collection.pk])
    n_judged = _counts(_JUDGED, {"collection": collection.pk})
    runs_by_pool = _pooled_runs(collection)
    n_pairs = {
        row["pool"]: row["n_pairs"] for row in numbers.values["progress"]["rounds"] if row["pool"]
    }
    entries = []
    for pool in pools.select_related("round__policy", "query_set").order_by("opened_at", "pk"):
        runs = runs_by_pool.get(pool.pk, [])
        visible_runs = [run for run in runs if not run.is_hidden]
        entries.append(
            PoolEntry(
                name=pool.name,
                direction=_direction(pool, visible_runs or runs),
                strategy=pool.strategy,
                parameters={
                    name: value for name, value in pool.parameters.items() if name not in PRICES
                },
                seed=str(pool.seed),
                state=pool.state,
                opened_on=day_of(pool.opened_at),
                closed_on=day_of(pool.own_round().closed_at),
                runs=tuple(sorted(aliases[run.pk] for run in visible_runs)),
                n_hidden_runs=len(runs) - len(visible_runs),
                depth=None if len(visible_runs) < len(runs) else depths.get(pool.pk),
                n_pairs=n_pairs[pool.pk],
                n_judged=n_judged.get(pool.pk, 0),
                policy_version=pool.own_round().policy.version,
            )
        )
    return tuple(entries)


def _pooled_runs(collection: Collection) -> dict[int, list[RunOfPool]]:
    """The runs of each opened pool, by its key."""
    rows = Run.objects.filter(collection=collection, pools__opened_at__isnull=False)
    runs: dict[int, list[RunOfPool]] = {}
    columns = rows.order_by("pk").values_list("pools", "pk", "direction", "is_hidden")
    for pool, pk, direction, is_hidden in columns:
        runs.setdefault(pool, []).append(RunOfPool(pk, direction, is_hidden))
    return runs


def _direction(pool: Pool, runs: Sequence[RunOfPool]) -> str:
    """The direction of the runs, or else of the query set; "both" where runs are of both."""
    directions = {run.direction for run in runs}
    if len(directions) > 1:
        return BOTH
    if directions:
        return directions.pop()
    return pool.query_set.direction if pool.query_set else str(Direction.FORWARD)


def _counts(
    statement: str, parameters: Sequence[SqlValue] | Mapping[str, SqlValue]
) -> dict[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return dict(cursor.fetchall())
