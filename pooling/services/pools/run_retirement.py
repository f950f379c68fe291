"""Retirement of runs and their return: only pairs no other run holds are dropped, none deleted.

A pool goes on wanting a pair while any run of it that is in use holds the pair as far down as the
pool looks. Pairs that only retired runs hold are dropped from its round: their free seats go, their
judgments stay and count. A lead's exclusions drop pairs too, and so do her marks of duplicates,
where the same pair of the originals is in the round.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, Min, OuterRef, QuerySet
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.core.labels.originals import Originals
from annotate.models import Duplicate, Pair, ReviewWork, RoundPair, User
from annotate.services import seating
from annotate.services.collection.duplicates import originals_of
from pooling.core.strategies.selections import Pairs, is_in
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
def retire_run(*, run: Run, by: User | None) -> None:
    """Take a run out of use. Its pools are updated in the background by `settle_marks`.

    Raises WrongRunState.
    """
    _set_retirement(run, RunEvent.Kind.RETIRED, by, retired_at=Now())


@transaction.atomic
def restore_run(*, run: Run, by: User | None) -> None:
    """Bring a retired run back; pairs that only it holds are wanted again. Raises WrongRunState."""
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


def mark_rounds_due(*, round_ids: Sequence[int]) -> list[int]:
    """Note that the pools of these rounds must be gone through, where a pair may be dropped again.

    Returns the runs that have them gone through.
    """
    pools = Pool.objects.filter(round__in=round_ids)
    runs = Run.objects.filter(pools__in=pools, retired_at__isnull=False).distinct()
    run_ids = {*runs.values_list("pk", flat=True)}
    run_ids |= _first_runs(pools.filter(_HAS_DUPLICATES))
    return _mark_due(run_ids)


def mark_duplicates_due(*, collection_id: int) -> list[int]:
    """Note that the pools of a collection must be gone through for its duplicates.

    Returns the runs that have them gone through.
    """
    return _mark_due(
        _first_runs(Pool.objects.filter(collection=collection_id, round__isnull=False))
    )


def _first_runs(pools: QuerySet[Pool]) -> set[int]:
    """One run of each pool that has some: each settles all marks of its pools."""
    rows = pools.values("pk").annotate(run=Min("runs")).values_list("run", flat=True)
    return {run for run in rows if run is not None}


def _mark_due(run_ids: Iterable[int]) -> list[int]:
    keys = sorted(run_ids)
    Run.objects.filter(pk__in=keys).update(marks_due=True)
    return keys


def mark_pool_runs_due(*, pool: Pool) -> None:
    """Note that a pool with its pairs must be updated for what changed while they were chosen.

    Runs may have been retired since, items marked as duplicates.

    Call it before the pool's row is locked: `settle_marks` locks a run, then its pools.
    """
    runs = (
        Run.objects.select_for_update(of=("self",), no_key=True).filter(pools=pool).order_by("pk")
    )
    retired_ids = {run.pk for run in runs if run.retired_at is not None}
    _mark_due(retired_ids | _first_runs(Pool.objects.filter(_HAS_DUPLICATES, pk=pool.pk)))


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
    should_drop |= repeat_mask(pool, query, document, is_wanted=~should_drop)
    return Marks(pair[should_drop & ~is_dropped].tolist(), pair[is_dropped & ~should_drop].tolist())


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
        for run_query, run_document in _own_and_original(as_pairs(run, top), originals):
            is_narrow = run_document < width
            is_held = np.isin(
                codes, pair_codes(run_query[is_narrow], run_document[is_narrow], width=width)
            )
            (by_retired if run.retired_at else by_used)[is_held] = True
    return by_retired & ~by_used


def _own_and_original(pairs: Pairs, originals: Originals) -> list[Pairs]:
    """The pairs of a run, and those of their originals, which pools hold in their place."""
    if not originals:
        return [pairs]
    return [pairs, Pairs(originals.of(pairs.source), originals.of(pairs.target))]


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
    originals = originals_of(collection=pool.collection)
    if not originals or pool.strategy == SAMPLED or not STRATEGIES[pool.strategy].needs_runs:
        return np.zeros(len(query), dtype=bool)
    original_query, original_document = originals.of(query), originals.of(document)
    is_duplicate = (original_query != query) | (original_document != document)
    wanted_pairs = Pairs(query[is_wanted], document[is_wanted])
    return is_duplicate & is_in(original_query, original_document, wanted_pairs)


def _settle(pool: Pool) -> int:
    marks = wrong_marks(pool=pool)
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
    pairs = RoundPair.objects.filter(round__in=rounds, dropped_at__isnull=False).values("pair")
    return PoolPair.objects.filter(pair__in=pairs, pool__runs=run).values("pair").distinct().count()
