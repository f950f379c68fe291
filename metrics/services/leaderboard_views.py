"""Leaderboards on demand: computed in the background when somebody looks, kept, served though old, and forgotten.

A view rests on a version of the labels. Whoever looks at one that rests on an older version sees it with its age, and
has it computed again, once for all who look.
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
from metrics.services import leaderboard_comparison as comparing
from metrics.services import leaderboard_measuring as measuring
from metrics.services.leaderboard_stored import Stored
from metrics.services.leaderboard_wanted import Wanted, is_stored
from metrics.services.moments import one_moment
from metrics.services.sampled_pools import has_samples
from pooling.models import Run

RULES = "12"  # changes when the same labels and rankings would give other numbers
ASK_AGAIN = 30  # seconds after which somebody who still waits asks once more: the task may be lost
AGE = timedelta(minutes=10)  # after which a view is computed again even though its version did not change
KEPT = timedelta(days=1)
LOCK = 8  # of advisory locks; see annotate.services.background.workers and metrics.services.refresh for the others
MOST = 200  # views of a collection; the oldest are forgotten


def version_of(*, collection: Collection) -> str:
    """What changes whenever a refresh finds that labels, rankings or rules gave other numbers. Two queries.

    Two changes that leave every number of the collection as it was leave it too; AGE is for those.
    """
    kinds = Snapshot.objects.filter(collection=collection).exclude(kind__startswith="favour").order_by("kind")
    newest = Score.objects.filter(run__collection=collection).aggregate(at=Max("computed_at"))["at"]
    hashes = list(kinds.values_list("kind", "inputs_sha256"))
    facts = [RULES, collection.positive_from, str(newest), hashes]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


class Looked(NamedTuple):
    """What somebody finds who looks: the view, if there is one, the version of the labels, whether to have it made."""

    view: BoardView | None
    version: str
    should_ask: bool


def look(*, collection: Collection, wanted: Wanted) -> Looked:
    """The view as it was last computed; one that is missing or old is asked for once by all who look. Three queries."""
    view, version = find(collection=collection, wanted=wanted), version_of(collection=collection)
    is_fresh = not wanted.runs or _is_fresh(view, version)
    should_ask = not is_fresh and bool(cache.add(_asked(collection, wanted), 1, timeout=ASK_AGAIN))
    return Looked(view, version, should_ask)


def _asked(collection: Collection, wanted: Wanted) -> str:
    """Where it stands in the cache that somebody had a view computed."""
    return f"board-{collection.pk}-{wanted.key}"


def forget(*, collection: Collection) -> None:
    """Forget what was computed; whoever looks next has it computed again."""
    BoardView.objects.filter(collection=collection).delete()


def find(*, collection: Collection, wanted: Wanted) -> BoardView | None:
    """The view as it was last computed."""
    return BoardView.objects.filter(collection=collection, key=wanted.key).first()


def _is_fresh(view: BoardView | None, version: str) -> bool:
    return view is not None and view.version == version and view.computed_at > timezone.now() - AGE


def job_of(wanted: Wanted) -> progress.Job:
    """The background work on it; its number stands for the key."""
    return progress.Job("leaderboard", int(wanted.key[:15], 16))


def compute(*, collection: Collection, wanted: Wanted) -> bool:
    """Compute a view and keep it; False where it is fresh, or somebody is at it. Safe to run twice and at once."""
    with _alone(wanted) as is_ours:
        is_new = is_ours and _compute(collection, wanted)
    cache.delete(_asked(collection, wanted))  # whoever finds it old by now has it computed once more
    return is_new


@contextmanager
def _alone(wanted: Wanted) -> Iterator[bool]:
    """Whether nobody else computes this view meanwhile."""
    key = [LOCK, int(wanted.key[:7], 16)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _compute(collection: Collection, wanted: Wanted) -> bool:
    with one_moment():
        version = version_of(collection=collection)
        if _is_fresh(find(collection=collection, wanted=wanted), version):
            return False
        value = _value(collection, wanted)
        fields = {"wanted": wanted.as_json(), "value": value, "version": version, "computed_at": Now()}
        BoardView.objects.update_or_create(collection=collection, key=wanted.key, defaults=fields)
    progress.forget(job=job_of(wanted))
    forget_old(collection=collection)
    return True


def forget_old(*, collection: Collection) -> None:
    """Drop views that were last computed a day ago, of any collection, and all but the newest of this one."""
    BoardView.objects.filter(computed_at__lt=timezone.now() - KEPT).delete()
    newest = (
        BoardView.objects.filter(collection=collection).order_by("-computed_at", "-pk").values_list("pk", flat=True)
    )
    BoardView.objects.filter(pk__in=list(newest[MOST:])).delete()


def _value(collection: Collection, wanted: Wanted) -> dict[str, Any]:
    runs = list(Run.objects.in_use().filter(collection=collection, pk__in=wanted.runs).order_by("name", "pk"))
    if wanted.kind == "comparison":
        named = [run for pk in wanted.runs for run in runs if run.pk == pk]
        return comparing.summary(collection=collection, wanted=wanted, runs=named)
    done, directions, is_kept = 0, [], is_stored(collection=collection, wanted=wanted)
    for query_set in QuerySet.objects.filter(collection=collection, name=wanted.query_set).order_by("pk"):
        own = [run for run in runs if run.direction == query_set.direction]
        begun = done

        def tell(n: int, begun: int = begun) -> None:
            progress.advance(job=job_of(wanted), done=begun + n, total=len(runs), unit="runs")

        if own and is_kept and not has_samples(collection=collection):
            stored = Stored(collection=collection, wanted=wanted, query_set=query_set, runs=own)
            directions.append(stored.summary())
        elif own:
            asked = measuring.asked_of(collection=collection, wanted=wanted, query_set=query_set)
            directions.append(measuring.summary(asked=asked, runs=own, tell=tell))
        done += len(own)
    conflicts = Snapshot.objects.filter(collection=collection, kind="conflicts").first()
    return {"directions": directions, "conflicts": conflicts.value if conflicts else None}
