"""Runs that are taken out of use, and back: nothing is deleted, only what nobody else wants is no longer asked.

A pool goes on wanting a pair while any run of it that is in use holds the pair as far down as the pool looks. Pairs
that only retired runs hold are dropped from its round: their free seats go, their judgments stay and count. A lead's
exclusions drop pairs too.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from numpy.typing import NDArray

from annotate.models import Pair, ReviewWork, RoundPair, User
from annotate.services import seating
from pooling.core.strategies import STRATEGIES, depth_of
from pooling.models import Pool, PoolPair, Run, RunEvent
from pooling.services.choosing import as_pairs, pair_codes
from pooling.services.rankings import left_out, load_top

CHUNK = 20_000


class RunState(Exception):
    """The run is in a state in which this cannot be done; nothing was changed."""


class Marks(NamedTuple):
    """Pairs of a pool's round whose mark is wrong: to be dropped, to be wanted again."""

    to_drop: list[int]
    to_want: list[int]


@transaction.atomic
def retire_run(*, run: Run, by: User | None) -> None:
    """Take a run out of use. Its pools are gone through in the background by `settle_marks`. Raises RunState."""
    _turn(run, RunEvent.Kind.RETIRED, by, retired_at=Now())


@transaction.atomic
def restore_run(*, run: Run, by: User | None) -> None:
    """Bring a retired run back; pairs that only it holds are wanted again. Raises RunState."""
    _turn(run, RunEvent.Kind.RESTORED, by, retired_at=None)


def _turn(run: Run, kind: RunEvent.Kind, by: User | None, **fields: object) -> None:
    is_retiring = kind == RunEvent.Kind.RETIRED
    right = Run.objects.filter(pk=run.pk, state=Run.State.READY, retired_at__isnull=is_retiring)
    if not right.update(marks_due=True, **fields):
        raise RunState(f'Run "{run}" is not {"in use" if is_retiring else "retired"}.')
    RunEvent.objects.create(run=run, kind=kind, by=by)
    seating.note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()


@transaction.atomic
def settle_marks(*, run: Run) -> int:
    """Drop and want again what a retired or restored run decides; returns how many pairs changed. Safe to run twice."""
    # The rows are the locks. A pool that is being opened is not waited for: it looks for retired runs at its end.
    locked = Run.objects.select_for_update().get(pk=run.pk)
    if not locked.marks_due:
        return 0
    pools = Pool.objects.select_for_update(of=("self",), no_key=True).filter(runs=run).order_by("pk")
    n_changed = sum(_settle(pool) for pool in list(pools) if pool.round_id)
    Run.objects.filter(pk=run.pk).update(marks_due=False)
    seating.note_changes(collection_id=run.collection_id, pair_ids=[None])
    run.refresh_from_db()
    return n_changed


def recall_marks(*, round_ids: Sequence[int]) -> list[int]:
    """Let the pools of these rounds be gone through again for their retired runs; returns the runs."""
    runs = Run.objects.filter(pools__round__in=round_ids, retired_at__isnull=False).distinct()
    found = list(runs.order_by("pk").values_list("pk", flat=True))
    Run.objects.filter(pk__in=found).update(marks_due=True)
    return found


def recall_retired(*, pool: Pool) -> None:
    """Let a pool whose pairs were chosen be gone through for the runs that were retired meanwhile.

    To be called before the pool's row is locked: `settle_marks` locks a run, then its pools.
    """
    runs = Run.objects.select_for_update(of=("self",), no_key=True).filter(pools=pool).order_by("pk")
    retired = [run.pk for run in runs if run.retired_at is not None]
    Run.objects.filter(pk__in=retired).update(marks_due=True)


def due() -> list[int]:
    """Runs whose pools wait to be gone through."""
    return list(Run.objects.filter(marks_due=True).order_by("pk").values_list("pk", flat=True))


def wrong_marks(*, pool: Pool) -> Marks:
    """The pairs of an opened pool that are dropped and should not be, or the other way round."""
    marks = RoundPair.objects.filter(round=pool.round_id).order_by("pair_id")
    rows = marks.values_list("pair_id", "pair__query_id", "pair__document_id", "dropped_at")
    found = list(rows.iterator(chunk_size=CHUNK))
    pair, query, document = (np.array([row[at] for row in found], dtype=np.int64) for at in range(3))
    is_dropped = np.array([row[3] is not None for row in found], dtype=bool)
    left_out = Pair.objects.left_out().filter(round_pairs__round=pool.round_id).values_list("pk", flat=True)
    should = orphaned(pool, query, document) | np.isin(pair, list(left_out))
    return Marks(pair[should & ~is_dropped].tolist(), pair[is_dropped & ~should].tolist())


def differences_of_marks() -> Iterator[str]:
    """Pairs dropped though a run in use holds them and no lead excluded them, or wanted though only retired runs do."""
    marked = RoundPair.objects.filter(round=OuterRef("round"), dropped_at__isnull=False)
    retired = Run.objects.filter(pools=OuterRef("pk"), retired_at__isnull=False)
    settled = Pool.objects.exclude(round=None).exclude(runs__in=Run.objects.filter(marks_due=True))
    # Pairs of an item that a lead left out follow in the background.
    following = ReviewWork.objects.not_done().filter(action__item__isnull=False)
    settled = settled.exclude(collection__in=following.values("action__collection"))
    for pool in settled.filter(Exists(marked) | Exists(retired)).order_by("pk"):
        marks = wrong_marks(pool=pool)
        yield from (f"pool {pool.pk}, pair {pair} should be dropped" for pair in marks.to_drop)
        yield from (f"pool {pool.pk}, pair {pair} should be wanted" for pair in marks.to_want)


def orphaned(pool: Pool, query: NDArray[np.int64], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(M,) which pairs some retired run of the pool holds within its reach and no run in use does."""
    runs = list(pool.runs.order_by("pk"))
    nothing = np.zeros(len(query), dtype=bool)
    if not STRATEGIES[pool.strategy].needs_runs or not any(run.retired_at for run in runs):
        return nothing  # without need of runs every pair is wanted, whoever holds it
    width = int(document.max(initial=0)) + 1
    codes = pair_codes(query, document, width=width)
    by_retired, by_used = nothing.copy(), nothing.copy()
    absent, depth = left_out(collection=pool.collection), depth_of(pool.strategy, pool.parameters)
    for run in runs:
        top = load_top(run=run, depth=depth, query_set=pool.query_set, leave_out=absent)
        held_query, held_document = as_pairs(run, top)
        known = held_document < width
        held = np.isin(codes, pair_codes(held_query[known], held_document[known], width=width))
        (by_retired if run.retired_at else by_used)[held] = True
    return by_retired & ~by_used


def _settle(pool: Pool) -> int:
    marks = wrong_marks(pool=pool)
    for pairs, dropped_at in ((marks.to_drop, Now()), (marks.to_want, None)):
        for start in range(0, len(pairs), CHUNK):
            rows = RoundPair.objects.filter(round=pool.round_id, pair__in=pairs[start : start + CHUNK])
            rows.update(dropped_at=dropped_at)
    changed = [*marks.to_drop, *marks.to_want]
    seating.reconcile_pairs(pair_ids=changed)
    return len(changed)


def dropped_pairs(*, pool: Pool) -> int:
    """How many pairs of a pool are no longer wanted, since only retired runs hold them."""
    return RoundPair.objects.filter(round=pool.round_id, dropped_at__isnull=False).count() if pool.round_id else 0


def unique_pairs(*, run: Run) -> int:
    """How many pairs of opened pools were dropped with this run; 0 while it is in use."""
    if not run.retired_at:
        return 0
    rounds = run.pools.exclude(round=None).values("round")
    pairs = RoundPair.objects.filter(round__in=rounds, dropped_at__isnull=False).values("pair")
    return PoolPair.objects.filter(pair__in=pairs, pool__runs=run).values("pair").distinct().count()
