"""Retirement of runs and their return: only pairs no other run holds are dropped, none deleted.

A pool goes on wanting a pair while any run of it that is in use holds the pair as far down as the
pool looks. Pairs that only retired runs hold are dropped from its round: their free seats go, their
judgments stay and count. A lead's exclusions drop pairs too, and so do her marks of duplicates,
where the same pair of the originals is in the round.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.core.consequences import require_told, require_unchanged
from annotate.core.labels.pair_states import PairState
from annotate.models import (
    ClockTimestamp,
    Duplicate,
    Pair,
    ReviewWork,
    Round,
    RoundPair,
    RoundPairState,
    User,
)
from annotate.services import seating
from annotate.services.background.workers import lock_task
from annotate.services.collection.duplicates import originals_of
from annotate.services.collection.lifecycle.archive import lock_unarchived
from pooling.core.strategies.options import is_repeat_of
from pooling.core.strategies.selections import Pairs
from pooling.core.strategies.strategies import STRATEGIES, depth_of
from pooling.models import Pool, PoolPair, Run, RunEvent
from pooling.services.pools.pair_choice import as_pairs, pair_codes
from pooling.services.pools.strata import SAMPLED
from pooling.services.runs.rankings import left_out_keys, load_top

CHUNK = 20_000
_HAS_DUPLICATES = Exists(Duplicate.objects.filter(collection=OuterRef("collection")))


class WrongRunState(Exception):
    """The run is in a state in which this cannot be done; nothing was changed."""


class Marks(NamedTuple):
    """Pairs of a pool's round whose mark is wrong: those to be dropped, and to be wanted again."""

    to_drop: list[int]
    to_restore: list[int]


@transaction.atomic
def retire_run(*, run: Run, by: User | None, expected: int | None = None) -> None:
    """Take a run out of use. Its pools are updated in the background by `settle_marks`.

    Raises WrongRunState, CountChanged.

    expected : number of pairs that wait for labels that was told, no more than which may be
    """
    if expected is not None:
        Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        require_told(n_waiting_pairs(run=run), expected=expected, noun="pair")
    _set_retirement(run, RunEvent.Kind.RETIRED, by, retired_at=ClockTimestamp())


@transaction.atomic
def restore_run(*, run: Run, by: User | None, done_at: datetime | None = None) -> None:
    """Bring a retired run back; pairs that only it holds are wanted again.

    Raises WrongRunState, CollectionArchived, ActChanged.

    done_at : moment of the retirement that is taken back, None for any
    """
    lock_unarchived(collection_id=run.collection_id)
    since = Run.objects.select_for_update(no_key=True).get(pk=run.pk).retired_at
    if since is not None:
        require_unchanged(since, done_at=done_at)
    _set_retirement(run, RunEvent.Kind.RESTORED, by, retired_at=None)


def _set_retirement(run: Run, kind: RunEvent.Kind, by: User | None, **fields: object) -> None:
    is_retiring = kind == RunEvent.Kind.RETIRED
    runs = Run.objects.filter(pk=run.pk, state=Run.State.READY, retired_at__isnull=is_retiring)
    if not runs.update(marks_due=True, **fields):
        raise WrongRunState(f'Run "{run}" is not {"in use" if is_retiring else "retired"}.')
    RunEvent.objects.create(run=run, kind=kind, by=by)
    seating.note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()


@transaction.atomic
def settle_marks(*, run: Run) -> int:
    """Drop or restore the pairs that a retired or restored run decides; returns their number.

    Safe to run twice.
    """
    lock_task("repeats", collection=run.collection)
    # The rows are the locks. A pool that is being opened is not waited for: it looks for retired
    # runs at its end.
    locked_run = Run.objects.select_for_update().get(pk=run.pk)
    if not locked_run.marks_due:
        return 0
    pools = (
        Pool.objects.select_for_update(of=("self",), no_key=True).filter(runs=run).order_by("pk")
    )
    n_changed = sum(_settle(pool) for pool in list(pools) if pool.round_id)
    Run.objects.filter(pk=run.pk).update(marks_due=False)
    seating.note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()
    return n_changed


def mark_retired_runs_due(*, round_ids: Sequence[int]) -> list[int]:
    """Note that pools of these rounds must be updated for their retired runs; returns the runs."""
    runs = Run.objects.filter(pools__round__in=round_ids, retired_at__isnull=False).distinct()
    run_ids = list(runs.order_by("pk").values_list("pk", flat=True))
    Run.objects.filter(pk__in=run_ids).update(marks_due=True)
    return run_ids


def mark_repeats_due(*, pools: QuerySet[Pool]) -> list[int]:
    """Note that pools must be gone through for pairs of duplicates; returns their keys.

    A pool that is being opened is among them, and is gone through once it has a round.
    """
    pool_ids = sorted(pools.values_list("pk", flat=True))
    Pool.objects.filter(pk__in=pool_ids).update(repeats_due_at=ClockTimestamp())
    return pool_ids


def pools_due() -> list[int]:
    """Keys of the pools that wait to be gone through for pairs of duplicates."""
    due_pools = Pool.objects.filter(repeats_due_at__isnull=False, round__isnull=False)
    return list(due_pools.order_by("pk").values_list("pk", flat=True))


def with_duplicates(pools: QuerySet[Pool]) -> QuerySet[Pool]:
    """The pools of collections that have duplicates."""
    return pools.filter(_HAS_DUPLICATES)


@transaction.atomic
def settle_repeats(*, pool: Pool) -> int:
    """Drop the pairs of duplicates that repeat others of a pool, restore those that no longer do.

    Returns their number; safe to run twice. Pairs are locked before the pool's row, as whoever
    excludes a pair locks them.
    """
    lock_task("repeats", collection=pool.collection)
    due_pool = Pool.objects.get(pk=pool.pk)
    if due_pool.repeats_due_at is None or due_pool.round_id is None:
        return 0
    n_changed = _settle(due_pool)
    same_pool = Pool.objects.filter(pk=pool.pk, repeats_due_at=due_pool.repeats_due_at)
    same_pool.update(repeats_due_at=None)
    if n_changed:
        seating.note_changes(collection_id=pool.collection_id, pair_ids=[None])
    return n_changed


def mark_pool_runs_due(*, pool: Pool) -> None:
    """Note that a pool with its pairs must be updated for runs that were retired meanwhile.

    Call it before the pool's row is locked: `settle_marks` locks a run, then its pools.
    """
    runs = (
        Run.objects.select_for_update(of=("self",), no_key=True).filter(pools=pool).order_by("pk")
    )
    retired_ids = [run.pk for run in runs if run.retired_at is not None]
    Run.objects.filter(pk__in=retired_ids).update(marks_due=True)


def runs_due() -> list[int]:
    """Keys of the runs whose pools wait to be updated."""
    return list(Run.objects.filter(marks_due=True).order_by("pk").values_list("pk", flat=True))


def wrong_marks(*, pool: Pool) -> Marks:
    """Find the pairs of an opened pool that are dropped and should not be, or vice versa."""
    marks = RoundPair.objects.filter(round=pool.round_id).order_by("pair_id")
    rows = marks.values_list("pair_id", "pair__query_id", "pair__document_id", "dropped_at")
    mark_rows = list(rows.iterator(chunk_size=CHUNK))
    pair, query, document = (
        np.array([row[at] for row in mark_rows], dtype=np.int64) for at in range(3)
    )
    is_dropped = np.array([row[3] is not None for row in mark_rows], dtype=bool)
    left_out_pairs = (
        Pair.objects.left_out()
        .filter(round_pairs__round=pool.round_id)
        .values_list("pk", flat=True)
    )
    should_drop = orphan_mask(pool, query, document) | np.isin(pair, list(left_out_pairs))
    is_repeat = repeat_mask(pool, query, document, is_wanted=~should_drop)
    # a closed round drops nothing more
    may_drop = should_drop | (is_repeat & (pool.own_round().state in Round.WANTING))
    return Marks(
        pair[may_drop & ~is_dropped].tolist(),
        pair[is_dropped & ~should_drop & ~is_repeat].tolist(),
    )


def differences_of_marks() -> Iterator[str]:
    """Yield pairs that are dropped, or wanted, against what runs and leads say.

    Dropped though a run in use holds them and no lead left them out, or wanted though only retired
    runs hold them, or the same pair of the originals is in the round.
    """
    dropped_rows = RoundPair.objects.filter(round=OuterRef("round"), dropped_at__isnull=False)
    retired_runs = Run.objects.filter(pools=OuterRef("pk"), retired_at__isnull=False)
    settled_pools = Pool.objects.exclude(round=None).exclude(
        runs__in=Run.objects.filter(marks_due=True)
    )
    settled_pools = settled_pools.filter(repeats_due_at=None)
    # Pairs of an item that a lead left out follow in the background.
    unfinished_work = ReviewWork.objects.not_done().filter(action__item__isnull=False)
    settled_pools = settled_pools.exclude(
        collection__in=unfinished_work.values("action__collection")
    )
    may_drop = Exists(dropped_rows) | Exists(retired_runs) | _HAS_DUPLICATES
    for pool in settled_pools.filter(may_drop).order_by("pk"):
        marks = wrong_marks(pool=pool)
        yield from (f"pool {pool.pk}, pair {pair} should be dropped" for pair in marks.to_drop)
        yield from (f"pool {pool.pk}, pair {pair} should be wanted" for pair in marks.to_restore)


def orphan_mask(
    pool: Pool, query: NDArray[np.int64], document: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(M,) mask of the pairs within reach of a retired run of the pool and of no run in use."""
    runs = list(pool.runs.order_by("pk"))
    no_pairs = np.zeros(len(query), dtype=bool)
    if not STRATEGIES[pool.strategy].needs_runs or not any(run.retired_at for run in runs):
        return no_pairs  # a strategy without runs wants every pair, whether a run holds it or not
    width = int(document.max(initial=0)) + 1
    codes = pair_codes(query, document, width=width)
    by_retired, by_used = no_pairs.copy(), no_pairs.copy()
    left_out, depth = (
        left_out_keys(collection=pool.collection),
        depth_of(pool.strategy, pool.parameters),
    )
    originals = originals_of(collection=pool.collection)
    for run in runs:
        top = load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=left_out)
        run_pairs = as_pairs(run, top)
        # pools hold the pairs of originals in the place of their duplicates'
        original_pairs = Pairs(originals.of(run_pairs.source), originals.of(run_pairs.target))
        for run_query, run_document in (run_pairs, original_pairs):
            is_narrow = run_document < width
            is_held = np.isin(
                codes, pair_codes(run_query[is_narrow], run_document[is_narrow], width=width)
            )
            (by_retired if run.retired_at else by_used)[is_held] = True
    return by_retired & ~by_used


def repeat_mask(
    pool: Pool,
    query: NDArray[np.int64],
    document: NDArray[np.int64],
    *,
    is_wanted: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """(M,) mask of the pairs of duplicates whose pair of originals the round has and wants.

    is_wanted : (M,) whether nothing else drops a pair
    No pair of a sample repeats another: each stands for those that were not drawn.
    """
    if pool.strategy == SAMPLED:
        return np.zeros(len(query), dtype=bool)
    originals = originals_of(collection=pool.collection)
    wanted_pairs = Pairs(query[is_wanted], document[is_wanted])
    return is_repeat_of(Pairs(query, document), wanted_pairs, originals)


def _settle(pool: Pool) -> int:
    marks = wrong_marks(pool=pool)
    pairs_to_lock = Pair.objects.filter(pk__in=[*marks.to_drop, *marks.to_restore]).order_by("pk")
    locked_pairs = set(pairs_to_lock.select_for_update(no_key=True).values_list("pk", flat=True))
    if locked_pairs:  # somebody may have excluded one meanwhile, or labelled it
        marks = Marks(
            *([pair for pair in pairs if pair in locked_pairs] for pairs in wrong_marks(pool=pool))
        )
    for pairs, dropped_at in ((marks.to_drop, Now()), (marks.to_restore, None)):
        for start in range(0, len(pairs), CHUNK):
            rows = RoundPair.objects.filter(
                round=pool.round_id, pair__in=pairs[start : start + CHUNK]
            )
            rows.update(dropped_at=dropped_at)
    changed_pairs = [*marks.to_drop, *marks.to_restore]
    seating.reconcile_pairs(pair_ids=changed_pairs)
    return len(changed_pairs)


def n_unique_pairs(*, run: Run) -> int:
    """Number of pairs of opened pools that were dropped with this run; 0 while it is in use."""
    if not run.retired_at:
        return 0
    rounds = run.pools.exclude(round=None).values("round")
    duplicates = Duplicate.objects.filter(collection=run.collection).values("item")
    pairs = (
        RoundPair.objects.filter(round__in=rounds, dropped_at__isnull=False)
        .exclude(pair__query__in=duplicates)
        .exclude(pair__document__in=duplicates)
        .values("pair")
    )
    return PoolPair.objects.filter(pair__in=pairs, pool__runs=run).values("pair").distinct().count()


def n_waiting_pairs(*, run: Run) -> int:
    """Number of pairs that wait for labels in the open pools of a run; one query."""
    rounds = run.pools.filter(round__state__in=Round.WANTING).values("round")
    states = [state for state in PairState if state.waits_for_labels]
    pair_states = RoundPairState.objects.filter(round__in=rounds, state__in=states)
    return pair_states.values("pair").distinct().count()
