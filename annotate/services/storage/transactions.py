"""Transactions that read one moment of the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction


@contextmanager
def repeatable_read() -> Iterator[None]:
    """A transaction in which every query sees the database at one moment.

    So numbers belong together. Inside a transaction of the caller, that transaction's isolation
    level holds.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                # half a million labels are sorted and hashed without files
                cursor.execute("SET LOCAL work_mem = '16MB'")
        yield


@contextmanager
def read_only_moment() -> Iterator[datetime]:
    """A read-only transaction that sees one moment of the database; yields its time."""
    with repeatable_read():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("SELECT transaction_timestamp()")
            (as_of,) = cursor.fetchone()
        yield as_of
