"""Checks of the stored rows, and running several on one moment of the database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from django.db import connection, transaction

SHOWN = 20  # violations a check names; the rest is counted


class Check(NamedTuple):
    """One sentence that must be true of all rows.

    name : "application.what"
    rule : the sentence
    find : returns a line for each row that violates it
    notice : a violation is worth a look, but nothing is broken
    """

    name: str
    rule: str
    find: Callable[[], Iterable[str]]
    notice: bool = False


class Finding(NamedTuple):
    """A check that failed, with a line for each violation."""

    check: Check
    lines: list[str]


def query(sql: str) -> Callable[[], list[str]]:
    """Return a search by one SQL statement whose only column describes a violation."""

    def find() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return [row[0] for row in cursor.fetchall()]

    return find


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything inside as of one moment; nothing can be written."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def run(checks: Sequence[Check]) -> list[Finding]:
    """Run checks and return those that fail."""
    lines_by_check = ((check, list(check.find())) for check in checks)
    return [Finding(check, lines) for check, lines in lines_by_check if lines]
