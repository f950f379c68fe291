"""The other sessions of a test's database, observed through the locks that they hold or await.

pg_locks is current at any moment; a transaction sees one snapshot of pg_stat_activity.
"""

from collections.abc import Callable

from django.db import connection

from config.up.processes import wait_until

# In this database: other tests run beside this one on the same server.
_HERE = (
    "SELECT pid FROM pg_locks WHERE database = (SELECT oid FROM pg_database "
    "WHERE datname = current_database())"
)
_WAITING = f"SELECT pid FROM pg_locks WHERE NOT granted AND pid IN ({_HERE})"
_AT_A_JOB = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid IN ({_HERE})"


def waiting_session(*, unless: Callable[[], bool]) -> int:
    """PID of another session that waits for a lock, once there is one.

    unless : whether the expected waiter has ended without waiting
    """
    pids: list[int] = []

    def has_waiter() -> bool:
        pids.extend(row[0] for row in _rows(_WAITING))
        return bool(pids) or unless()

    assert wait_until(has_waiter, seconds=240) and pids, "nobody waited"
    return pids[0]


def no_job_is_locked() -> bool:
    """Whether no session holds the lock of a job (annotate.services.background.workers)."""
    return not _rows(_AT_A_JOB)


def _rows(statement: str) -> list[tuple[int]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()
