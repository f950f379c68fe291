"""Pools: made, opened in the background, closed, opened again."""

import logging
from collections.abc import Mapping, Sequence

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from annotate.models import (
    Collection,
    Direction,
    Gold,
    Policy,
    QuerySet,
    QuerySetItem,
    Round,
    User,
)
from annotate.services import seating
from pooling.models import Pool, Run
from pooling.services.choosing import Choice, PoolError, check, choose_pairs
from pooling.services.golds import make_golds
from pooling.services.pairing import ensure_pairs
from pooling.services.runs import BadName, check_name
from pooling.services.solitude import alone_with

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
N_GOLDS = 200  # of each kind: more than anybody meets twice
WORN_OUT = f"Opening was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why."
_POOL_PAIRS = """
    INSERT INTO pooling_poolpair (pool_id, pair_id, best_rank, stratum, inclusion_probability)
    SELECT %s, chosen.* FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::float8[]) AS chosen
"""


class PoolState(Exception):
    """The pool is in a state in which this cannot be done; nothing was changed."""


@transaction.atomic
def create_pool(
    *,
    collection: Collection,
    name: str,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None = None,
    seed: int = 0,
    by: User | None = None,
) -> Pool:
    """Make a draft: what to pool and how, frozen; no pairs yet. Raises PoolError."""
    name = name.strip()
    try:
        check_name(name)
    except BadName as error:
        raise PoolError("name", str(error)) from error
    values = check(collection=collection, strategy=strategy, parameters=parameters, runs=runs, query_set=query_set,
                   seed=seed)  # fmt: skip
    pool, is_new = Pool.objects.get_or_create(
        collection=collection,
        name=name,
        defaults={
            "strategy": strategy,
            "parameters": values,
            "query_set": query_set,
            "seed": seed,
            "created_by": by,
        },
    )
    if not is_new:
        raise PoolError("name", f'Pool "{name}" already exists in this collection; choose another name.')
    pool.runs.set(runs)
    return pool


def request_opening(*, pool: Pool) -> None:
    """Note that a draft, or a pool that could not be opened, is to be opened in the background.

    Raises PoolState for any other.
    """
    waiting = Pool.objects.filter(pk=pool.pk, state__in=[Pool.State.DRAFT, Pool.State.FAILED])
    if not waiting.update(state=Pool.State.OPENING, attempts=0, error=""):
        raise PoolState(f'Pool "{pool}" is opening or was opened before.')
    pool.refresh_from_db()


def open_pool(*, pool: Pool) -> None:
    """Make a pool's pairs, its round and its seats, all or nothing: open, or failed with the reason.

    Safe to run twice, also at once: who comes second finds it taken or done. A worker that dies leaves no pair
    behind; after MAX_ATTEMPTS such deaths the pool has failed, and may be asked for again.
    """
    with alone_with(pool) as is_ours:
        if is_ours and _begin(pool):
            _open_or_fail(pool)
    pool.refresh_from_db()


@transaction.atomic
def _begin(pool: Pool) -> bool:
    """Count an attempt, committed before any work, so that one which kills its worker is counted too."""
    waiting = Pool.objects.filter(pk=pool.pk, state__in=[Pool.State.DRAFT, Pool.State.OPENING])
    waiting.filter(attempts__gte=MAX_ATTEMPTS).update(state=Pool.State.FAILED, error=WORN_OUT)
    return waiting.update(attempts=F("attempts") + 1) == 1


def _open_or_fail(pool: Pool) -> None:
    try:
        with transaction.atomic():
            of_it = Pool.objects.select_related("collection", "query_set")
            _open(of_it.select_for_update(of=("self",)).get(pk=pool.pk))
    except (PoolError, seating.RoundExists) as error:
        Pool.objects.filter(pk=pool.pk).update(state=Pool.State.FAILED, error=str(error)[:300])


def _open(pool: Pool) -> None:
    collection = pool.collection
    choice = choose_pairs(
        collection=collection,
        strategy=pool.strategy,
        parameters=pool.parameters,
        runs=list(pool.runs.all()),
        query_set=pool.query_set,
        seed=pool.seed,
    )
    if not len(choice.query):
        raise PoolError("runs", "The strategy takes no pair of these runs; choose others, or another query set.")
    keys = ensure_pairs(collection=collection, query=choice.query, document=choice.document)
    with connection.cursor() as cursor:
        columns = (keys, choice.best_rank, choice.stratum, choice.probability)
        cursor.execute(_POOL_PAIRS, [pool.pk, *(column.tolist() for column in columns)])
    policy = Policy.objects.filter(collection=collection).latest("version")
    pool.round = seating.open_round(
        collection=collection, kind=Round.Kind.POOL, name=pool.name, policy=policy, pair_ids=keys.tolist()
    )
    _keep_sample(pool, choice)
    _add_golds(pool, policy)
    Pool.objects.filter(pk=pool.pk).update(state=Pool.State.OPEN, round=pool.round, opened_at=Now(), error="")
    log.info("Pool %s of %s is open with %d pairs", pool, collection, len(keys))


def _keep_sample(pool: Pool, choice: Choice) -> None:
    """Name the source items that were drawn as a query set: a pool on a sample is scored on that sample."""
    for direction, drawn in choice.drawn.items():
        sample, is_new = QuerySet.objects.get_or_create(
            collection=pool.collection, direction=Direction(direction), name=f"sample {pool.name}"[:60]
        )
        if is_new:
            QuerySetItem.objects.bulk_create(
                (QuerySetItem(query_set=sample, item_id=item) for item in drawn.tolist()), batch_size=5_000
            )


def _add_golds(pool: Pool, policy: Policy) -> None:
    """Let there be golds where the policy wants some and a reference set can give them."""
    reference = pool.collection.reference_sets.order_by("pk").first()
    has_curated = Gold.objects.filter(collection=pool.collection, origin=Gold.Origin.CURATED).exists()
    if reference is None or has_curated:
        return
    make_golds(
        collection=pool.collection,
        reference_set=reference,
        n_positive=N_GOLDS if policy.gold_positives else 0,
        n_negative=N_GOLDS if policy.gold_negatives else 0,
        seed=pool.seed,
    )


@transaction.atomic
def close_pool(*, pool: Pool) -> None:
    """Withdraw the pool's free seats; held ones are left to finish, judgments stay. Raises PoolState."""
    locked = _lock(pool, Pool.State.OPEN)
    seating.close_round(round_=locked.round)
    Pool.objects.filter(pk=pool.pk).update(state=Pool.State.CLOSED)
    pool.refresh_from_db()


@transaction.atomic
def reopen_pool(*, pool: Pool) -> None:
    """Want the missing labels of a closed pool again. Raises PoolState."""
    locked = _lock(pool, Pool.State.CLOSED)
    seating.reopen_round(round_=locked.round)
    Pool.objects.filter(pk=pool.pk).update(state=Pool.State.OPEN)
    pool.refresh_from_db()


def _lock(pool: Pool, state: Pool.State) -> Pool:
    locked = Pool.objects.select_for_update(of=("self",)).select_related("round").get(pk=pool.pk)
    if locked.state != state:
        raise PoolState(f'Pool "{pool}" is {locked.get_state_display().lower()}, not {state.label.lower()}.')
    return locked
