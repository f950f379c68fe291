"""The databases of a test run: one that is migrated, copies of it, and who is connected to them."""

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
Given = ParamSpec("Given")
Result = TypeVar("Result")


@contextmanager
def working_on(database_url: str, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let this process work on another database than its own; its connection there ends with that."""
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
    """The name of a database with all tables, for copies; made by whoever asks first, and nobody stays connected."""
    with once_a_run("template") as made:
        if not made.exists():
            create_database(home, TEMPLATE)
            with working_on(home.database_url(TEMPLATE), blocker):
                call_command("migrate", verbosity=0, interactive=False)
            made.touch()
    return TEMPLATE


def for_a_thread(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """`work` for a thread of its own, whose connection ends with it, however that ends."""

    @wraps(work)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        try:
            return work(*args, **kwargs)
        finally:
            connections.close_all()

    return run


def at_once(work: Callable[[Any], Result], arguments: Sequence[Any]) -> list[Result]:
    """What `work` answers to each of the arguments, in threads that are let go together; raises what one did."""
    barrier = Barrier(len(arguments))

    @for_a_thread
    def run(argument: Any) -> Result:
        barrier.wait()
        return work(argument)

    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(run, arguments))


def strangers(home: Home, name: str, *, seconds: float = 240) -> list[str]:
    """Who stays connected to a database, by the test that connected and the last statement; their sessions are ended.

    Threads of a server may be ending, and so have some time.
    """
    with psycopg.connect(home.database_url("postgres"), autocommit=True) as connection:
        here = "FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"

        def nobody() -> bool:
            return connection.execute(f"SELECT NOT EXISTS (SELECT {here})", [name]).fetchone() == (True,)

        if wait_until(nobody, seconds=seconds, step=0.1):
            return []
        ended = f"SELECT application_name, state, query, pg_terminate_backend(pid, 5000) {here}"
        return [f"{test} ({state}): {query}" for test, state, query, _ in connection.execute(ended, [name])]


def address() -> dict[str, Any]:
    """Where this test's database is, for a session apart from Django's."""
    known = connection.get_connection_params()
    return {name: known[name] for name in ("dbname", "user", "host", "port") if name in known}
