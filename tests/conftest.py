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
from tests.browsing import PATIENCE, patient
from tests.clocks import MOMENT, Clock
from tests.databases import migrated_template, strangers
from tests.draws import begin_a_test
from tests.lasting import empty_tables
from tests.stack import Stack, started_before

pytest_plugins = ["tests.cast", "tests.works", "tests.campaigns", "tests.disks", "tests.scorecard.figures"]

expect.set_options(timeout=PATIENCE)
# the same of Redis: what a page puts by without it, after 200 ms in the product, its next page does not find
settings.CACHES["default"]["OPTIONS"] |= {
    "SOCKET_CONNECT_TIMEOUT": 30, "SOCKET_TIMEOUT": 30, "CLIENT_CLASS": "tests.clocks.LastingClient"
}  # fmt: skip
settings.CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_connect_timeout": 30, "socket_timeout": 30}
health.broker.connection_pool.connection_kwargs |= {"socket_connect_timeout": 30, "socket_timeout": 30}
settings.PASSWORD_HASHERS = ["tests.passwords.QuickHasher"]
# else a browser's system holds back each answer for 40 ms, which come in two packets: headers and body
WSGIRequestHandler.disable_nagle_algorithm = True
TransactionTestCase._fixture_teardown = lambda _: empty_tables()  # there is no other way to have it done so


@pytest.fixture(autouse=True)
def job_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of background jobs, which stands but for what is measured; no job of an earlier test is known.

    What a job tells and asks, and by how many queries, would depend on the machine.
    """
    from annotate.services.background import progress

    clock = Clock()
    if not request.node.get_closest_marker("heavy"):
        monkeypatch.setattr(progress, "clock", clock)
        monkeypatch.setattr(progress, "_watches", {})
    return clock


@pytest.fixture(autouse=True)
def same_draws(request: pytest.FixtureRequest) -> None:
    """What is drawn at random, and the numbers of what is made, are the same in every run."""
    if request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(request.fixturenames):
        request.getfixturevalue("db")
        begin_a_test()


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """What is put by for a row is not found for the row of another test that has its number."""
    cache.clear()


@pytest.fixture
def standing_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes of authenticator apps stay those of `MOMENT`; otherwise they change with each half minute."""
    from allauth.mfa.totp.internal import auth as totp

    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: MOMENT))


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    """The browser, whose pages are waited for."""
    return patient(context)


@pytest.fixture
def standing_pages(context: BrowserContext) -> None:
    """The clock of the browser's pages stands, so that they ask for nothing again until a test lets time pass.

    Media play all the same. What looks for findings waits by that clock, and would wait for ever.
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
        "ignore_default_args": ["--hide-scrollbars"],  # they take room, as where people have a mouse
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
    """Where this run's PostgreSQL and Redis are."""
    return run_home()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, service_home: Home, django_db_blocker: DjangoDbBlocker
) -> None:
    """Have the database of this process made as a copy of the one that is migrated once a run."""
    settings.DATABASES["default"]["TEST"]["TEMPLATE"] = migrated_template(service_home, django_db_blocker)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, service_home: Home) -> Iterator[None]:
    """What pytest-django makes; at the end nobody else may be connected to it, or it could not be dropped."""
    name = settings.DATABASES["default"]["NAME"]
    yield
    connections.close_all()
    left = strangers(service_home, name)
    told = "Connections that nobody closed (a thread does in for_a_thread), each with the test that opened it:"
    assert not left, "\n".join([told, *left])


@pytest.fixture(scope="session")
def playwright(playwright: Playwright) -> Iterator[Playwright]:
    """What pytest-playwright makes; while its loop runs, connections are others than before and after."""
    yield playwright
    connections.close_all()


@pytest.fixture(scope="session")
def live_stack(
    service_home: Home, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Stack]:
    """The running product on a second database of this run's PostgreSQL, shared by all who ask."""
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
    """A new folder that the account of the embedded servers can reach; pytest's own is closed to it.

    It goes with the run: for minutes after many files were deleted, ext4 takes long to make one.
    """
    folder = Path(tempfile.mkdtemp(prefix="open-", dir=service_home.var))
    folder.chmod(0o755)
    return folder


@pytest.fixture
def fault_stack(open_folder: Path) -> Iterator[Callable[..., Stack]]:
    """Makes running products with servers of their own and production durability, for tests that break them.

    They have been started before, unless `anew`: a first start takes three times as long.
    """
    with ExitStack() as stacks:

        def make(name: str = "fault stack", *, anew: bool = False, **settings: str) -> Stack:
            stack = Stack(open_folder / name, {"STATIC_FILES": "plain", **settings})
            stacks.callback(shutil.rmtree, stack.home.sockets, ignore_errors=True)  # a killed one leaves them
            stacks.enter_context(stack)
            if not anew:
                stack.continue_from(started_before())
            stack.start()
            return stack

        yield make
