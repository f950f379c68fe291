"""The disk, Redis or the database's connections run out while people judge: it is told, and goes on by itself."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest
import redis
from pytest_django import DjangoDbBlocker

from config.up.processes import command_line, wait_until
from tests.journeys.test_faults import assert_goes_on, open_study, people_judge
from tests.stack import Stack

pytestmark = pytest.mark.heavy
BLOCK = bytes(1_000_000)


def answer_of(stack: Stack, path: str) -> tuple[int, str, str]:
    """Status, body and Retry-After of an address that looks a key up; 0 where nobody answers."""
    request = urllib.request.Request(stack.url + path, headers={"Authorization": "Bearer unknown"})
    try:
        with urllib.request.urlopen(request, timeout=240) as answer:
            return answer.status, answer.read().decode(), ""
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers.get("Retry-After", "")
    except OSError:
        return 0, "", ""


@contextmanager
def full_disk(stack: Stack, disk: Path) -> Iterator[None]:
    """While there is not a byte left, and the database ends of it, as by a crash."""
    filler = disk / "filler"
    fill(filler)
    assert wait_until(lambda: answer_of(stack, "/readyz")[0] in {0, 503}, seconds=600)

    def is_told() -> bool:
        fill(filler)  # what ends gives back some
        with suppress(OSError, ValueError, KeyError):  # who runs may not be written down just now
            if command_line(stack.processes()["beat"]):  # nobody starts it again while it is full
                stack.kill("beat")
        return "The disk is full" in stack.said()

    stack.kill("postgres")
    assert wait_until(is_told, seconds=600, step=0.5), stack.said()
    yield
    filler.unlink()


def fill(file: Path) -> None:
    """Let a file take every byte that is left."""
    with suppress(OSError), file.open("ab", buffering=0) as filler:
        while True:
            filler.write(BLOCK)


@contextmanager
def full_redis(stack: Stack) -> Iterator[None]:
    """While Redis takes nothing more."""
    with redis.Redis.from_url(stack.redis_url) as broker:
        broker.config_set("maxmemory", "1")
        status, body, _ = answer_of(stack, "/readyz")
        assert (status, '"redis": "failing"' in body) == (200, True), body
        yield
        broker.config_set("maxmemory", "0")


@contextmanager
def no_connections(stack: Stack) -> Iterator[None]:
    """While others have every connection to the database, those of the product too."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    with ExitStack() as taken:

        def take_all() -> None:
            try:
                while True:
                    taken.enter_context(psycopg.connect(stack.database_url, application_name="taken"))
            except psycopg.OperationalError:
                return

        first = taken.enter_context(psycopg.connect(stack.database_url, application_name="taken", autocommit=True))

        def is_told() -> bool:
            first.execute(f"{others} AND application_name <> 'taken'")
            take_all()
            status, body, retry_after = answer_of(stack, "/api/v1/collections/busy/runs/")
            return status == 503 and retry_after == "5" and "nothing was changed" in body

        assert wait_until(is_told, seconds=600)
        assert answer_of(stack, "/readyz")[0] == 503
        yield


@pytest.mark.parametrize("what", ["disk", "redis", "connections"])
def test_nothing_acknowledged_is_lost_and_it_goes_on_by_itself(
    small_disk: Callable[[str], Path], fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker, what: str
) -> None:
    disk = small_disk("700m")
    stack = fault_stack("outage", ASSAYER_VAR=str(disk / "var"))
    outage = {"disk": partial(full_disk, disk=disk), "redis": full_redis, "connections": no_connections}[what]
    with stack.orm(django_db_blocker):
        collection = open_study(600)
    with people_judge(stack) as (acknowledged, judge_on):
        judge_on()
        acknowledged.allow_more()
        with outage(stack):
            pass
        judge_on()
    assert_goes_on(stack, collection, acknowledged, django_db_blocker)
    assert stack.process.poll() is None
