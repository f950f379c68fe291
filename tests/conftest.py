"""Fixtures that any test may ask for."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connections
from django.test.testcases import TransactionTestCase
from playwright.sync_api import BrowserContext, Playwright, expect
from pytest_django import DjangoDbBlocker

from config import health
from config.testing import chromium, process_number, run_home
from config.up.embedded import create_database
from config.up.home import Home
from tests.browsing import PATIENCE, with_long_timeout
from tests.seeding import restart_for_test
from tests.servers.clocks import MOMENT, Clock
from tests.servers.databases import migrated_template, open_connections
from tests.servers.stack import Stack, stopped_stack
from tests.tables.table_cleanup import empty_tables

pytest_plugins = [
    "tests.cast",
    "tests.works",
    "tests.campaigns",
    "tests.journeys.acts",
    "tests.servers.disks",
    "tests.scorecard.figures",
]

expect.set_options(timeout=PATIENCE)
# Redis waits longer too: after the product's 200 ms a value would be lost to the next page
settings.CACHES["default"]["OPTIONS"] |= {
    "SOCKET_CONNECT_TIMEOUT": 30,
    "SOCKET_TIMEOUT": 30,
    "CLIENT_CLASS": "tests.servers.clocks.NonExpiringClient",
}
settings.CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_connect_timeout": 30, "socket_timeout": 30}
health.broker.connection_pool.connection_kwargs |= {
    "socket_connect_timeout": 30,
    "socket_timeout": 30,
}
settings.PASSWORD_HASHERS = ["tests.passwords.QuickHasher"]
# else the browser's system delays each answer by 40 ms: it comes in two packets, headers and body
WSGIRequestHandler.disable_nagle_algorithm = True
TransactionTestCase._fixture_teardown = lambda _: empty_tables()  # there is no hook for it


@pytest.fixture(autouse=True)
def job_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of background jobs stands still, but in heavy tests; no earlier job is known.

    Otherwise the reports and queries of a job would depend on the speed of the machine.
    """
    from annotate.services.background import progress

    clock = Clock()
    if not request.node.get_closest_marker("heavy"):
        monkeypatch.setattr(progress, "clock", clock)
        monkeypatch.setattr(progress, "_watches", {})
    return clock


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """Make random draws, and the keys of new rows, the same in every run."""
    if request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(
        request.fixturenames
    ):
        request.getfixturevalue("db")
        restart_for_test()


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Empty the cache: a row of another test may have had the same key."""
    cache.clear()


@pytest.fixture
def frozen_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze authenticator codes at `MOMENT`; otherwise they change every half minute."""
    from allauth.mfa.totp.internal import auth as totp

    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: MOMENT))


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """The browser context, with a long timeout."""
    return with_long_timeout(context)


@pytest.fixture
def frozen_pages(context: BrowserContext) -> None:
    """Stop the clock of the browser's pages: they poll nothing until a test lets time pass.

    Media play all the same. axe waits by that clock, and would wait for ever.
    """
    context.clock.install(time=MOMENT)
    context.clock.pause_at(MOMENT + 1)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Start the Chromium of this machine, with nothing that calls home or needs a desktop."""
    executable = chromium()
    return {
        **browser_type_launch_args,
        **({"executable_path": executable} if executable else {}),
        "ignore_default_args": ["--hide-scrollbars"],  # as on a machine with a mouse
        "args": [
            "--no-sandbox",  # a container's root cannot make one
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--autoplay-policy=no-user-gesture-required",
        ],
    }


@pytest.fixture(scope="session")
def service_home() -> Home:
    """The folder of this run's PostgreSQL and Redis."""
    return run_home()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    service_home: Home,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    """Create this process's database as a copy of the template, which is migrated once a run."""
    settings.DATABASES["default"]["TEST"]["TEMPLATE"] = migrated_template(
        service_home, django_db_blocker
    )


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, service_home: Home) -> Iterator[None]:
    """pytest-django's database; at the end no other session may be connected, to drop it."""
    name = settings.DATABASES["default"]["NAME"]
    yield
    connections.close_all()
    sessions = open_connections(service_home, name)
    headline = (
        "Connections that nobody closed (threads do by closing_connections), each with its test:"
    )
    assert not sessions, "\n".join([headline, *sessions])


@pytest.fixture(scope="session")
def playwright(playwright: Playwright) -> Iterator[Playwright]:
    """pytest-playwright's fixture; while its loop runs, Django has connections of its own."""
    yield playwright
    connections.close_all()


@pytest.fixture(scope="session")
def live_stack(
    service_home: Home, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    """The running product on a second database of this run's PostgreSQL, shared by all tests."""
    folder = tmp_path_factory.mktemp("live stack")
    name = f"live_{folder.stat().st_ino}"
    create_database(service_home, name, template=migrated_template(service_home, django_db_blocker))
    addresses = {
        "DATABASE_URL": service_home.database_url(name),
        # one for each of the run's processes: a worker must not take the tasks of another's product
        "REDIS_URL": service_home.redis_url.replace("db=0", f"db={8 + process_number()}"),
    }
    with Stack(folder, addresses) as stack:
        stack.start()
        yield stack


@pytest.fixture
def open_folder(service_home: Home) -> Path:
    """A new folder that the embedded servers' account can reach; pytest's own is closed to it.

    It is deleted with the run: ext4 is slow for minutes after many files were deleted.
    """
    folder = Path(tempfile.mkdtemp(prefix="open-", dir=service_home.var))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def fault_stack(open_folder: Path) -> Iterator[Callable[..., Stack]]:
    """Make running products with servers of their own and production durability, to break them.

    They continue from a started product, unless `anew`: a first start takes three times as long.
    """
    with ExitStack() as stacks:

        def make(name: str = "fault stack", *, anew: bool = False, **settings: str) -> Stack:
            stack = Stack(open_folder / name, {"STATIC_FILES": "plain", **settings})
            # a killed one leaves them
            stacks.callback(shutil.rmtree, stack.home.sockets, ignore_errors=True)
            stacks.enter_context(stack)
            if not anew:
                stack.continue_from(stopped_stack())
            stack.start()
            return stack

        yield make
