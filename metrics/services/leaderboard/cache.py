"""Leaderboards on demand: computed in the background, cached, served though old, and deleted.

A view rests on a version of the labels. A reader of a view that rests on an older version sees it
with its age, and the view is computed again, once for all readers.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection
from django.db.models import Max
from django.db.models.functions import Now
from django.utils import timezone

from annotate.models import Collection, QuerySet
from annotate.services.background import progress
from metrics.models import BoardView, Score, Snapshot
from metrics.services.leaderboard import comparison as comparing
from metrics.services.leaderboard import measuring
from metrics.services.leaderboard.choices.choices import LeaderboardSpec, is_stored
from metrics.services.leaderboard.scores import StoredScores
from metrics.services.samples.pools import has_samples
from metrics.services.scores.transactions import repeatable_read
from pooling.models import Run

RULES = "12"  # changes when the same labels and rankings would give other numbers
# seconds after which a waiting reader requests the view again: the task may be lost
RETRY_AFTER = 30
# after which a view is computed again even though its version did not change
REFRESH_AFTER = timedelta(minutes=10)
MAX_AGE = timedelta(days=1)
# of advisory locks; see annotate.services.background.workers and metrics.services.numbers.refresh
# for the others
LOCK = 8
MAX_VIEWS = 200  # views of a collection; the oldest are deleted


def version_of(*, collection: Collection) -> str:
    """Return a hash that changes whenever labels, rankings or rules gave other numbers.

    Two queries.
    It stays the same through changes that leave every number of the collection as it was;
    REFRESH_AFTER is for those.
    """
    kinds = (
        Snapshot.objects.filter(collection=collection)
        .exclude(kind__startswith="favour")
        .order_by("kind")
    )
    newest = Score.objects.filter(run__collection=collection).aggregate(at=Max("computed_at"))["at"]
    hashes = list(kinds.values_list("kind", "inputs_sha256"))
    facts = [RULES, collection.positive_from, str(newest), hashes]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


class ViewLookup(NamedTuple):
    """The view, if there is one, the present version of the labels, and whether to compute anew."""

    view: BoardView | None
    version: str
    should_compute: bool


def look_up(*, collection: Collection, spec: LeaderboardSpec) -> ViewLookup:
    """Find the last view; one of all readers of a missing or old one has it computed.

    Three queries.
    """
    view, version = find_view(collection=collection, spec=spec), version_of(collection=collection)
    is_fresh = not spec.runs or _is_fresh(view, version)
    should_compute = not is_fresh and bool(
        cache.add(_request_key(collection, spec), 1, timeout=RETRY_AFTER)
    )
    return ViewLookup(view, version, should_compute)


def _request_key(collection: Collection, spec: LeaderboardSpec) -> str:
    """Cache key that marks a view as requested."""
    return f"board-{collection.pk}-{spec.key}"


def delete_views(*, collection: Collection) -> None:
    """Delete all views of a collection; the next reader requests new ones."""
    BoardView.objects.filter(collection=collection).delete()


def find_view(*, collection: Collection, spec: LeaderboardSpec) -> BoardView | None:
    """Return the view as it was last computed."""
    return BoardView.objects.filter(collection=collection, key=spec.key).first()


def _is_fresh(view: BoardView | None, version: str) -> bool:
    return (
        view is not None
        and view.version == version
        and view.computed_at > timezone.now() - REFRESH_AFTER
    )


def job_of(spec: LeaderboardSpec) -> progress.Job:
    """The background job of a leaderboard; its number stands for the key."""
    return progress.Job("leaderboard", int(spec.key[:15], 16))


def compute(*, collection: Collection, spec: LeaderboardSpec) -> bool:
    """Compute and store a view; False if it is fresh or another worker computes it.

    Safe to run twice and at once.
    """
    with _exclusive(spec) as is_ours:
        is_new = is_ours and _compute(collection, spec)
    # a reader who finds it old by now may request it again
    cache.delete(_request_key(collection, spec))
    return is_new


@contextmanager
def _exclusive(spec: LeaderboardSpec) -> Iterator[bool]:
    """Hold an advisory lock on this view; yields False if another worker holds it."""
    key = [LOCK, int(spec.key[:7], 16)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _compute(collection: Collection, spec: LeaderboardSpec) -> bool:
    with repeatable_read():
        version = version_of(collection=collection)
        if _is_fresh(find_view(collection=collection, spec=spec), version):
            return False
        value = _value(collection, spec)
        fields = {
            "wanted": spec.as_json(),
            "value": value,
            "version": version,
            "computed_at": Now(),
        }
        BoardView.objects.update_or_create(collection=collection, key=spec.key, defaults=fields)
    progress.forget(job=job_of(spec))
    delete_old_views(collection=collection)
    return True


def delete_old_views(*, collection: Collection) -> None:
    """Delete views of any collection that are a day old, and all but the newest of this one."""
    BoardView.objects.filter(computed_at__lt=timezone.now() - MAX_AGE).delete()
    newest = (
        BoardView.objects.filter(collection=collection)
        .order_by("-computed_at", "-pk")
        .values_list("pk", flat=True)
    )
    BoardView.objects.filter(pk__in=list(newest[MAX_VIEWS:])).delete()


def _value(collection: Collection, spec: LeaderboardSpec) -> dict[str, Any]:
    runs = list(
        Run.objects.in_use().filter(collection=collection, pk__in=spec.runs).order_by("name", "pk")
    )
    if spec.kind == "comparison":
        runs_in_order = [run for pk in spec.runs for run in runs if run.pk == pk]
        return comparing.summary(collection=collection, spec=spec, runs=runs_in_order)
    n_done, directions, has_stored_scores = 0, [], is_stored(collection=collection, spec=spec)
    for query_set in QuerySet.objects.filter(collection=collection, name=spec.query_set).order_by(
        "pk"
    ):
        direction_runs = [run for run in runs if run.direction == query_set.direction]
        n_before = n_done

        def report_progress(n_runs: int, n_before: int = n_before) -> None:
            progress.advance(
                job=job_of(spec), n_done=n_before + n_runs, total=len(runs), unit="runs"
            )

        if direction_runs and has_stored_scores and not has_samples(collection=collection):
            stored = StoredScores(
                collection=collection, spec=spec, query_set=query_set, runs=direction_runs
            )
            directions.append(stored.summary())
        elif direction_runs:
            inputs = measuring.direction_inputs(
                collection=collection, spec=spec, query_set=query_set
            )
            directions.append(
                measuring.summary(
                    inputs=inputs, runs=direction_runs, report_progress=report_progress
                )
            )
        n_done += len(direction_runs)
    conflicts = Snapshot.objects.filter(collection=collection, kind="conflicts").first()
    return {"directions": directions, "conflicts": conflicts.value if conflicts else None}
