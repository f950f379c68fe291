"""Pools: creating them, and in the background opening, closing and reopening them.

Opening writes everything new in one transaction: killed or cancelled, it leaves nothing. The
remaining pairs are updated in blocks, each committed by itself, so that no annotator waits for it;
killed, it updates them again. A pool's own row is locked only for moments, at the end of each part.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from django.db import transaction
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.access import LEADERS
from annotate.core.consequences import require_told
from annotate.core.labels.pair_states import PairState
from annotate.models import Collection, QuerySet, RoundPairState, User, Work
from annotate.services import seating
from annotate.services.background import works
from annotate.services.collection.lifecycle.archive import (
    CollectionArchived,
    lock_unarchived,
    require_unarchived,
)
from pooling.models import Pool, Run
from pooling.services.pools import opening, run_retirement
from pooling.services.pools.checks import PoolError, check_parameters
from pooling.services.pools.query_lists import listed_query_set
from pooling.services.runs.runs import BadName, check_name

WAITING = [state for state in PairState if state.waits_for_labels]


class WrongPoolState(Exception):
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
    only: Sequence[int] = (),
    by: User | None = None,
) -> Pool:
    """Make a draft: what to pool and how, frozen; no pairs yet.

    Raises PoolError, CollectionArchived.

    only : keys of source items, which become a query set of this name; empty for all
    """
    lock_unarchived(collection_id=collection.pk)
    name = name.strip()
    try:
        check_name(name)
    except BadName as error:
        raise PoolError("name", str(error)) from error
    if hidden_runs := [run for run in runs if run.is_hidden]:
        raise PoolError("runs", f'Run "{hidden_runs[0]}" is hidden; publish it before you pool it.')
    if only:
        query_set = listed_query_set(collection, name, runs, query_set, only)
    values = check_parameters(
        collection=collection,
        strategy=strategy,
        parameters=parameters,
        runs=runs,
        query_set=query_set,
        seed=seed,
    )
    # Their rows are locked: one that is being deleted is waited for, and missed.
    locked_runs = Run.objects.select_for_update(no_key=True).filter(pk__in=[run.pk for run in runs])
    if len(locked_runs) < len(set(runs)):
        raise PoolError("runs", "A run was deleted meanwhile; choose again.")
    choice = {"strategy": strategy, "parameters": values, "query_set": query_set, "seed": seed}
    pool, is_new = Pool.objects.get_or_create(
        collection=collection, name=name, defaults=choice | {"created_by": by}
    )
    if not is_new:
        raise PoolError(
            "name", f'Pool "{name}" already exists in this collection; choose another name.'
        )
    pool.runs.set(runs)
    return pool


@transaction.atomic
def request_opening(*, pool: Pool, by: User | None, is_done_here: bool = False) -> None:
    """Have a draft, or a pool that could not be opened, opened in the background.

    Raises WrongPoolState for any other, CollectionArchived.
    """
    lock_unarchived(collection_id=pool.collection_id)
    locked_pool = _lock(pool)
    if locked_pool.state != Pool.State.DRAFT or locked_pool.is_at_work:
        raise WrongPoolState(f'Pool "{pool}" is opening or was opened before.')
    _ask(pool, Pool.Transition.OPENING, by, is_done_here=is_done_here)


@transaction.atomic
def request_closing(
    *, pool: Pool, by: User | None, is_done_here: bool = False, expected: int | None = None
) -> None:
    """Hand out nothing more of an open pool from now on.

    Its free seats are withdrawn in the background. Raises WrongPoolState, CountChanged.

    expected : number of pairs without all their labels that was told, no more than which may be
    """
    locked_pool = _lock(pool)
    _require(locked_pool, Pool.State.OPEN)
    _require_told(locked_pool, expected)
    seating.begin_closing(round_=locked_pool.own_round())
    _ask(pool, Pool.Transition.CLOSING, by, is_done_here=is_done_here)


@transaction.atomic
def request_reopening(
    *, pool: Pool, by: User | None, is_done_here: bool = False, expected: int | None = None
) -> None:
    """Note that the missing labels of a closed pool are wanted again.

    They are handed out when all seats are back. Raises WrongPoolState, CollectionArchived,
    CountChanged.

    expected : number of pairs without all their labels that was told, no more than which may be
    """
    lock_unarchived(collection_id=pool.collection_id)
    locked_pool = _lock(pool)
    _require(locked_pool, Pool.State.CLOSED)
    _require_told(locked_pool, expected)
    seating.begin_reopening(round_=locked_pool.own_round())
    _note_repeats(locked_pool)
    _ask(pool, Pool.Transition.REOPENING, by, is_done_here=is_done_here)


def _require_told(pool: Pool, expected: int | None) -> None:
    """Raise CountChanged where more pairs lack labels than the number that was told, if any was."""
    if expected is not None:
        pairs = RoundPairState.objects.filter(round=pool.round_id, state__in=WAITING)
        require_told(pairs.count(), expected=expected, noun="pair")


def cancel_opening(*, pool: Pool, by: User | None) -> None:
    """Make a pool that is being opened a draft again: at once, or when its worker next looks.

    Raises WrongPoolState once its pairs are stored; a request in that very moment has no effect.
    """
    pool.refresh_from_db()
    if pool.work is None or pool.phase != Pool.Phase.OPENING or pool.round_id is not None:
        raise WrongPoolState(
            f'Pool "{pool}" has its pairs already, or is not being opened; close it instead.'
        )
    works.cancel(work=pool.work, by=by)
    pool.refresh_from_db()


def open_pool(*, pool: Pool, by: User | None = None) -> None:
    """Open a draft here and now: open, or failed with the reason in its work.

    Raises WrongPoolState.
    """
    request_opening(pool=pool, by=by, is_done_here=True)
    _perform(pool)


def close_pool(*, pool: Pool, by: User | None = None) -> None:
    """Withdraw the pool's free seats here and now; held ones are left to finish, judgments stay.

    Raises WrongPoolState.
    """
    request_closing(pool=pool, by=by, is_done_here=True)
    _perform(pool)


def reopen_pool(*, pool: Pool, by: User | None = None) -> None:
    """Want the missing labels of a closed pool again, here and now. Raises WrongPoolState."""
    request_reopening(pool=pool, by=by, is_done_here=True)
    _perform(pool)


@works.performs(
    Pool.Transition.OPENING,
    subject="pool",
    # as long as nothing is stored
    may_cancel=lambda work: Pool.objects.filter(pk=work.subject, round=None).exists(),
    readers=LEADERS,
)
def make_and_open(work: Work) -> None:
    """Make a pool's pairs, its round and its seats, and let them be handed out.

    If it is cancelled, or the collection was archived since it was asked for, it is a draft again.
    """
    pool = Pool.objects.select_related("collection", "query_set", "round").get(pk=work.subject)
    # those that other rounds may be working on
    pairs_without_seats: NDArray[np.int64] | None = None
    try:
        if pool.round is None:
            if pool.collection.archived_at is not None:
                require_unarchived(collection_id=pool.collection_id)
            with transaction.atomic():
                contents = opening.make_contents(
                    pool=pool, on_progress=works.progress_callback(work)
                )
                run_retirement.mark_pool_runs_due(pool=pool)
                Pool.objects.filter(pk=pool.pk).update(round=contents.round)
                _note_repeats(pool)
            pool.round, pairs_without_seats = contents.round, contents.pairs_without_seats
        run_retirement.settle_repeats(pool=pool)
        opening.add_golds(pool=pool)
    except (PoolError, CollectionArchived, seating.RoundExists) as error:
        raise works.Failed("unfit", str(error)) from error
    n_pairs = pool.pool_pairs.count() if pairs_without_seats is None else len(pairs_without_seats)
    seating.finish_opening(
        round_=pool.own_round(),
        pairs=pairs_without_seats,
        on_rows=_rows_callback(work, n_pairs, unit="pairs known before"),
    )
    _end(work, state=Pool.State.OPEN, opened_at=Now())


@works.performs(Pool.Transition.CLOSING, subject="pool", may_cancel=works.never, readers=LEADERS)
def withdraw_seats(work: Work) -> None:
    """Withdraw the free seats of a pool that is being closed, after which it is closed."""
    _go_through(work, seating.finish_closing)
    _end(work, state=Pool.State.CLOSED)


@works.performs(Pool.Transition.REOPENING, subject="pool", may_cancel=works.never, readers=LEADERS)
def bring_seats_back(work: Work) -> None:
    """Bring back the seats of a pool that is being opened again, after which it is open."""
    pool = Pool.objects.select_related("collection").get(pk=work.subject)
    run_retirement.settle_repeats(pool=pool)
    _go_through(work, seating.finish_opening)
    _end(work, state=Pool.State.OPEN)


def _note_repeats(pool: Pool) -> None:
    """Have a pool gone through for pairs of duplicates, where its collection has some."""
    pools = run_retirement.with_duplicates(Pool.objects.filter(pk=pool.pk))
    run_retirement.mark_repeats_due(pools=pools)


def _lock(pool: Pool) -> Pool:
    """The pool as it is, locked; not its key, to which new rows of an opening under way refer."""
    return Pool.objects.select_for_update(no_key=True).get(pk=pool.pk)


def _require(locked_pool: Pool, state: Pool.State) -> None:
    """Raise WrongPoolState unless the pool is in this state and no work at it is unfinished.

    Failed work may be retried.
    """
    if locked_pool.state != state or locked_pool.is_at_work:
        raise WrongPoolState(
            f'Pool "{locked_pool}" is {locked_pool.phase.label.lower()}, not {state.label.lower()}.'
        )


def _ask(pool: Pool, kind: Pool.Transition, by: User | None, *, is_done_here: bool) -> None:
    work = works.ask(
        kind=kind, collection=pool.collection, subject=pool.pk, by=by, is_done_here=is_done_here
    )
    Pool.objects.filter(pk=pool.pk).update(work=work)
    pool.refresh_from_db()


def _perform(pool: Pool) -> None:
    """Perform the work just requested for a pool here and now, as a worker would."""
    assert pool.work is not None, "just requested"  # noqa: S101
    works.perform(work=pool.work)
    pool.refresh_from_db()


def _go_through(work: Work, finish: Callable[..., None]) -> None:
    pool = Pool.objects.select_related("round").get(pk=work.subject)
    finish(round_=pool.own_round(), on_rows=_rows_callback(work, pool.pool_pairs.count()))


def _rows_callback(work: Work, n_pairs: int, *, unit: str = "pairs") -> Callable[[int], None]:
    """Make a callback for rows of work that can no longer be cancelled.

    A block it reports need not be done again.
    """
    count = opening.pair_counter(
        works.progress_callback(work, can_be_undone=False), n_pairs, unit=unit
    )

    def on_rows(n: int) -> None:
        count(n)
        works.reset_attempts(work=work)

    return on_rows


@transaction.atomic
def _end(work: Work, **fields: object) -> None:
    """Store the pool's new state, and finish the work."""
    Pool.objects.filter(pk=work.subject).update(**fields)
    works.finish(work=work)
