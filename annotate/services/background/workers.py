"""Workers: whether one is running, and locks that keep two from the same work."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, models
from django.db.models.functions import Now

from annotate.models import Collection, WorkerHeartbeat

SEEN_WITHIN = timedelta(seconds=60)
LOCKS = {
    "run": 2,
    "pool": 3,
    "import": 4,
    "download": 5,
    "round": 6,
    "reviewwork": 7,
    "kept": 8,
    "collection": 9,
    "plan": 10,
    "loading": 11,
    "golds": 12,
    "matrices": 13,
    "refresh": 14,
    "repeats": 15,
    "duplicates": 16,
    "shared": 17,
    "release": 18,
    "hook": 19,
    "preview": 20,
    "campaign": 21,
    "guards": 22,
    "raster": 23,
}
# 1 is one person's tabs; "collection" is for inspecting its media


def worker_is_missing(*, queue: str = "short") -> bool:
    """True if no worker of this queue has reported for a minute, by the database's clock.

    queue : short, long or webhook
    """
    return not WorkerHeartbeat.objects.filter(
        at__gt=Now() - SEEN_WITHIN, queues__contains=[queue]
    ).exists()


@contextmanager
def try_lock(subject: models.Model) -> Iterator[bool]:
    """Lock this run, pool, round... until the block ends; False if somebody else has it locked."""
    with try_lock_subject(subject._meta.model_name or "", subject.pk) as is_ours:
        yield is_ours


@contextmanager
def try_lock_subject(subject: str, pk: int) -> Iterator[bool]:
    """Lock the subject of a kind of work as `try_lock` does: "run", "pool"... and its key.

    A row lock would end with the transaction that counts the attempt, and whatever interrupts the
    work would count too. The database drops the lock by itself when the connection of a killed
    worker ends.
    """
    key = [LOCKS[subject], pk % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        is_ours = cursor.fetchone()[0]
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def lock_task(task: str, *, collection: Collection) -> None:
    """Lock a task of the collection, such as "loading" (`LOCKS`), until the transaction ends.

    Waits for whoever has it. The collection's own row is locked for moments alone, as every request
    that claims a name or joins waits for it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCKS[task], collection.pk % 2**31])
