"""The databases of a test run: a migrated template, copies of it, and the sessions connected."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from threading import Barrier
from typing import Any, ParamSpec, TypeVar

import dj_database_url
import psycopg
from django.core.management import call_command
from django.db import connection, connections
from pytest_django import DjangoDbBlocker

from config.testing import once_a_run
from config.up.embedded import create_database
from config.up.home import Home
from config.up.processes import wait_until

TEMPLATE = "template_assayer"
Params = ParamSpec("Params")
Result = TypeVar("Result")


@contextmanager
def using_database(database_url: str, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let this process work on another database; its connection there is closed at the end."""
    ordinary = connections["default"]
    database = dj_database_url.parse(database_url, conn_health_checks=True)
    with blocker.unblock():
        connections["default"] = type(ordinary)({**ordinary.settings_dict, **database}, "default")
        try:
            yield
        finally:
            connections["default"].close()
            connections["default"] = ordinary


def migrated_template(home: Home, blocker: DjangoDbBlocker) -> str:
    """Name of a database with all tables, for copies; the first caller makes it."""
    with once_a_run("template") as marker:
        if not marker.exists():
            create_database(home, TEMPLATE)
            with using_database(home.database_url(TEMPLATE), blocker):
                call_command("migrate", verbosity=0, interactive=False)
            marker.touch()
    return TEMPLATE


def closing_connections(work: Callable[Params, Result]) -> Callable[Params, Result]:
    """Wrap `work` for a thread of its own: its connection is closed, however it ends."""

    @wraps(work)
    def run(*args: Params.args, **kwargs: Params.kwargs) -> Result:
        try:
            return work(*args, **kwargs)
        finally:
            connections.close_all()

    return run


def run_concurrently(work: Callable[[Any], Result], arguments: Sequence[Any]) -> list[Result]:
    """Results of `work` for each argument, in threads that start together; raises their errors."""
    barrier = Barrier(len(arguments))

    @closing_connections
    def run(argument: Any) -> Result:
        barrier.wait()
        return work(argument)

    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(run, arguments))


def open_connections(home: Home, name: str, *, seconds: float = 240) -> list[str]:
    """Sessions still connected to a database, with their test and last statement; they are ended.

    Threads of a server may be ending, and so have some time.
    """
    with psycopg.connect(home.database_url("postgres"), autocommit=True) as connection:
        sessions = "FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"

        def no_session() -> bool:
            return connection.execute(
                f"SELECT NOT EXISTS (SELECT {sessions})", [name]
            ).fetchone() == (True,)

        if wait_until(no_session, seconds=seconds, step=0.1):
            return []
        ended = f"SELECT application_name, state, query, pg_terminate_backend(pid, 5000) {sessions}"
        return [
            f"{test} ({state}): {query}"
            for test, state, query, _ in connection.execute(ended, [name])
        ]


def connection_parameters() -> dict[str, Any]:
    """Connection parameters of this test's database, for a session apart from Django's."""
    parameters = connection.get_connection_params()
    return {
        name: parameters[name] for name in ("dbname", "user", "host", "port") if name in parameters
    }
