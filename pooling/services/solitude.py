"""One worker at a time on one thing, for longer than a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, models

_KINDS = {"run": 2, "pool": 3}  # 1 is annotate's: one person's tabs


@contextmanager
def alone_with(thing: models.Model) -> Iterator[bool]:
    """Whether nobody else is at this run or pool; if so, nobody will be until the block ends.

    A row lock would end with the transaction that counts the attempt, and what comes in between would count too.
    The database drops the lock by itself when the connection of a killed worker ends.
    """
    key = [_KINDS[thing._meta.model_name or ""], thing.pk % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        is_ours = cursor.fetchone()[0]
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)
