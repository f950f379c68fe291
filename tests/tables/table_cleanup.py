"""Rows that outlast a test: those shared by a module's tests, and the removal of committed ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread

from django.core.signals import request_finished, request_started
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from config.up.processes import wait_until
from tests.seeding import MODULE_KEYS, restart_numbers

MAY_TRUNCATE = "SET LOCAL assayer.truncate = 'tests'"  # without it tables that only grow refuse
OF_MIGRATIONS = {"django_migrations", "django_content_type", "auth_permission"}
LARGE = 256 * 1024  # bytes; an emptied table slows readers, as no autovacuum runs in tests

request_threads: set[Thread] = set()
request_started.connect(lambda **_: request_threads.add(current_thread()), weak=False)
request_finished.connect(lambda **_: request_threads.discard(current_thread()), weak=False)


@contextmanager
def module_rows(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Transaction around a module's fixture: each test is a savepoint in it, and is rolled back.

    A test should load the objects anew: those of the fixture would carry one test's changes to the
    next. For the database the whole module is one moment, as a test always is; a test that waits
    for time to pass needs rows of its own.
    """
    with blocker.unblock(), transaction.atomic():
        restart_numbers(MODULE_KEYS)
        yield
        transaction.set_rollback(True)


def empty_tables() -> None:
    """Remove every committed row but those that migrations make.

    Django's flush, which truncates every table and makes the rows of its migrations anew, takes
    twenty times as long. A request of a closed browser may still be under way, and would leave its
    rows to the next test.
    """
    assert wait_until(no_request_is_running, seconds=240), "a request comes to no end"
    filled = filled_tables()
    with connection.cursor() as cursor:
        if filled:
            # no trigger refuses, no foreign key is followed
            cursor.execute("SET session_replication_role = replica")
            cursor.execute("; ".join(f"DELETE FROM {name}" for name in filled))
            cursor.execute("RESET session_replication_role")
        sizes = (
            "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND pg_relation_size(oid) > %s"
        )
        cursor.execute(sizes, [filled, LARGE])
        for (name,) in cursor.fetchall():
            cursor.execute(f"VACUUM {name}")


def filled_tables() -> list[str]:
    """The names of the tables that hold any row but those that migrations make."""
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in tables_of_tests()
            )
        )
        return [name for (name,) in cursor.fetchall()]


def tables_of_tests() -> list[str]:
    """The names of all tables but those whose rows migrations make."""
    return sorted(
        set(connection.introspection.django_table_names(only_existing=True)) - OF_MIGRATIONS
    )


def no_request_is_running() -> bool:
    """Whether no server thread handles a request; one whose browser left ends without a signal."""
    return not any(
        thread.is_alive() for thread in list(request_threads) if thread is not main_thread()
    )
