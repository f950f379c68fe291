"""Pools: made, and in the background opened, closed, opened again.

What a pool waits for is its state; a worker finds it there, whatever became of the message. Opening writes everything
new in one transaction: killed or cancelled, it leaves nothing. The rest is gone through in blocks, each committed by
itself, so that nobody who is judging waits for it; killed, it goes through them again.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet, User
from annotate.services import seating
from annotate.services.background import progress
from annotate.services.background.workers import alone_with
from pooling.models import Pool, Run
from pooling.services import opening
from pooling.services.choosing import PoolError, check
from pooling.services.runs import BadName, check_name

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
WORN_OUT = f"This was begun {MAX_ATTEMPTS} times and never came to its end; the worker's log says why."


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
    if hidden := [run for run in runs if run.is_hidden]:
        raise PoolError("runs", f'Run "{hidden[0]}" is hidden; publish it before you pool it.')
    values = check(collection=collection, strategy=strategy, parameters=parameters, runs=runs, query_set=query_set,
                   seed=seed)  # fmt: skip
    # Their rows are locked: one that is being deleted is waited for, and missed.
    if len(Run.objects.select_for_update(no_key=True).filter(pk__in=[run.pk for run in runs])) < len(set(runs)):
        raise PoolError("runs", "A run was deleted meanwhile; choose again.")
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
    progress.forget(job=job_of(pool))
    pool.refresh_from_db()


@transaction.atomic
def request_closing(*, pool: Pool) -> None:
    """Hand out nothing more of an open pool from now on; its free seats are withdrawn in the background.

    Raises PoolState.
    """
    locked = _turn(pool, Pool.State.OPEN, Pool.State.CLOSING)
    seating.begin_closing(round_=locked.round)


@transaction.atomic
def request_reopening(*, pool: Pool) -> None:
    """Note that the missing labels of a closed pool are wanted again; they are handed out when all seats are back.

    Raises PoolState.
    """
    locked = _turn(pool, Pool.State.CLOSED, Pool.State.REOPENING)
    seating.begin_reopening(round_=locked.round)


def cancel_opening(*, pool: Pool, by: User | None = None) -> None:
    """Let a pool that is being opened be a draft again: at once, or when its worker comes to ask. Raises PoolState."""
    with alone_with(pool) as nobody_is_at_it:
        if nobody_is_at_it and _take_back(pool):
            progress.forget(job=job_of(pool))
            return
    pool.refresh_from_db()
    if pool.state != Pool.State.OPENING or pool.round_id is not None:
        raise PoolState(f'Pool "{pool}" has its pairs already, or is not being opened; close it instead.')
    progress.cancel(job=job_of(pool), collection=pool.collection, by=by)


def open_pool(*, pool: Pool) -> None:
    """Make a pool's pairs, its round and its seats: open, failed with the reason, or cancelled and a draft again.

    Safe to run twice, also at once: who comes second finds it taken or done. After MAX_ATTEMPTS workers died of it the
    pool has failed, and may be asked for again.
    """
    with alone_with(pool) as is_ours:
        if is_ours and _begin(pool, Pool.State.DRAFT, Pool.State.OPENING):
            _open_or_fail(pool)
    pool.refresh_from_db()


def finish_pool(*, pool: Pool) -> None:
    """Carry out what a pool that is being closed, or opened again, waits for; safe to run twice, also at once."""
    with alone_with(pool) as is_ours:
        if is_ours and _begin(pool, Pool.State.CLOSING):
            _settle(pool, seating.finish_closing)
            Pool.objects.filter(pk=pool.pk).update(state=Pool.State.CLOSED)
        elif is_ours and _begin(pool, Pool.State.REOPENING):
            _settle(pool, seating.finish_opening)
            Pool.objects.filter(pk=pool.pk).update(state=Pool.State.OPEN)
    pool.refresh_from_db()


def close_pool(*, pool: Pool) -> None:
    """Withdraw the pool's free seats; held ones are left to finish, judgments stay. Raises PoolState."""
    request_closing(pool=pool)
    finish_pool(pool=pool)


def reopen_pool(*, pool: Pool) -> None:
    """Want the missing labels of a closed pool again. Raises PoolState."""
    request_reopening(pool=pool)
    finish_pool(pool=pool)


def job_of(pool: Pool) -> progress.Job:
    """The pool's piece of background work."""
    return progress.Job("pool", pool.pk)


@transaction.atomic
def _begin(pool: Pool, *states: Pool.State) -> bool:
    """Count an attempt, committed before any work, so that one which kills its worker is counted too."""
    waiting = Pool.objects.filter(pk=pool.pk, state__in=states)
    worn_out = waiting.filter(attempts__gte=MAX_ATTEMPTS)
    worn_out.update(error=WORN_OUT)
    worn_out.filter(state=Pool.State.OPENING).update(state=Pool.State.FAILED)
    return waiting.filter(attempts__lt=MAX_ATTEMPTS).update(attempts=F("attempts") + 1) == 1


def _open_or_fail(pool: Pool) -> None:
    try:
        _open(pool)
    except (PoolError, seating.RoundExists) as error:
        Pool.objects.filter(pk=pool.pk).update(state=Pool.State.FAILED, error=str(error)[:300])
    except progress.Cancelled:
        _take_back(pool)
    progress.forget(job=job_of(pool))


def _open(pool: Pool) -> None:
    tell, rest = partial(progress.advance, job=job_of(pool)), None
    pool.refresh_from_db()
    if pool.round_id is None:
        rest = _make_contents(pool, tell)
    opening.add_golds(pool=pool)
    n_rest = pool.pool_pairs.count() if rest is None else len(rest)
    told = opening.counter(tell, n_rest, unit="pairs known before")
    seating.finish_opening(round_=pool.round, pairs=rest, told=told)
    Pool.objects.filter(pk=pool.pk).update(state=Pool.State.OPEN, opened_at=Now(), error="")
    log.info("Pool %s of %s is open", pool, pool.collection)


def _make_contents(pool: Pool, tell: progress.Tell) -> NDArray[np.int64]:
    """All that is new, in one transaction; returns the pairs that others may be at."""
    with transaction.atomic():
        of_it = Pool.objects.select_related("collection", "query_set")
        locked = of_it.select_for_update(of=("self",)).get(pk=pool.pk)
        wanted = opening.make_contents(pool=locked, tell=tell)
        Pool.objects.filter(pk=pool.pk).update(round=wanted.round)
    pool.round = wanted.round
    return wanted.rest


def _settle(pool: Pool, finish: Callable[..., None]) -> None:
    pool.refresh_from_db()
    tell = partial(progress.advance, job=job_of(pool))
    finish(round_=pool.round, told=opening.counter(tell, pool.pool_pairs.count()))
    progress.forget(job=job_of(pool))


def _take_back(pool: Pool) -> bool:
    """Let a pool whose opening has stored nothing be a draft again; whether there was something to take back."""
    unopened = Pool.objects.filter(pk=pool.pk, state=Pool.State.OPENING, round=None)
    return unopened.update(state=Pool.State.DRAFT, attempts=0) == 1


def _turn(pool: Pool, before: Pool.State, after: Pool.State) -> Pool:
    """Let the pool be in another state, or ask once more for what was given up; the pool, locked. Raises PoolState."""
    locked = Pool.objects.select_for_update(of=("self",)).select_related("round").get(pk=pool.pk)
    was_given_up = locked.state == after and locked.error
    if locked.state != before and not was_given_up:
        raise PoolState(f'Pool "{pool}" is {locked.get_state_display().lower()}, not {before.label.lower()}.')
    Pool.objects.filter(pk=pool.pk).update(state=after, attempts=0, error="")
    pool.refresh_from_db()
    return locked
