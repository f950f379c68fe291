"""What a check is, and how many are asked of one moment of the database."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from django.db import connection, transaction

SHOWN = 20  # violations a check names; the rest is counted


class Check(NamedTuple):
    """One sentence that must be true of all rows.

    name : "application.what"
    rule : the sentence
    find : gives a line for each row of which it is not true
    notice : worth a look, but nothing is broken
    """

    name: str
    rule: str
    find: Callable[[], Iterable[str]]
    notice: bool = False


class Finding(NamedTuple):
    """A check that is not fulfilled, and by what."""

    check: Check
    lines: list[str]


def query(sql: str) -> Callable[[], list[str]]:
    """A search by one SQL statement whose only column says what it found."""

    def find() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return [row[0] for row in cursor.fetchall()]

    return find


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read inside is of one moment, and nothing can be written."""
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def run(checks: Sequence[Check]) -> list[Finding]:
    """The checks that are not fulfilled."""
    found = ((check, list(check.find())) for check in checks)
    return [Finding(check, lines) for check, lines in found if lines]
