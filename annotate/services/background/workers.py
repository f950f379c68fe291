"""Whether anybody does the background work, and one worker at a time on one thing."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, models
from django.db.models.functions import Now

from annotate.models import Collection, WorkerHeartbeat

SEEN_WITHIN = timedelta(seconds=60)
LOCKS = {
    "run": 2, "pool": 3, "import": 4, "download": 5, "round": 6, "reviewwork": 7, "collection": 9, "plan": 10,
    "loading": 11, "golds": 12, "matrices": 13,
}  # fmt: skip
# 1 is one person's tabs, 8 the views of leaderboards; a collection's is for looking into its media


def worker_is_missing(*, queue: str = "short") -> bool:
    """Whether no worker of this queue, short or long, has been seen for a minute, by the database's clock."""
    return not WorkerHeartbeat.objects.filter(at__gt=Now() - SEEN_WITHIN, queues__contains=[queue]).exists()


@contextmanager
def alone_with(thing: models.Model) -> Iterator[bool]:
    """Whether nobody else is at this run, pool, round...; if so, nobody will be until the block ends."""
    with alone_at(thing._meta.model_name or "", thing.pk) as is_ours:
        yield is_ours


@contextmanager
def alone_at(subject: str, pk: int) -> Iterator[bool]:
    """The same of what a kind of work is about: "run", "pool"... and its key.

    A row lock would end with the transaction that counts the attempt, and what comes in between would count too.
    The database drops the lock by itself when the connection of a killed worker ends.
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


def take_turn(what: str, *, collection: Collection) -> None:
    """Wait until nobody else is at this in the collection: "loading", "golds" or "matrices"; to the transaction's end.

    The collection's own row is locked for moments alone, as every request that claims a name or joins waits for it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCKS[what], collection.pk % 2**31])
