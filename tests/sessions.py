"""The other sessions of a test's database, from whose locks a test learns what they are at.

pg_locks tells at any moment; of pg_stat_activity a transaction keeps what it saw first.
"""

from collections.abc import Callable

from django.db import connection

from config.up.processes import wait_until

# In this database: other tests run beside this one on the same server.
_HERE = "SELECT pid FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())"
_WAITING = f"SELECT pid FROM pg_locks WHERE NOT granted AND pid IN ({_HERE})"
_AT_A_JOB = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid IN ({_HERE})"


def waiting_session(*, unless: Callable[[], bool]) -> int:
    """The database's process of another session that waits for a lock, once there is one.

    unless : whether who is to wait has come to its end without
    """
    found: list[int] = []

    def is_known() -> bool:
        found.extend(row[0] for row in _rows(_WAITING))
        return bool(found) or unless()

    assert wait_until(is_known, seconds=240) and found, "nobody waited"
    return found[0]


def nobody_is_at_a_job() -> bool:
    """Whether no session holds the lock of a job (annotate.services.background.workers)."""
    return not _rows(_AT_A_JOB)


def _rows(question: str) -> list[tuple[int]]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchall()
