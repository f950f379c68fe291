"""The disk, Redis or the database's connections run out while people judge: it is told, and goes on by itself.

To see these tests fail: let an answer of the judge screen end with what Redis says to its task; answer outages with
the page of a mistake, or without Retry-After; let `up` look for room each ten seconds.
"""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from pytest_django import DjangoDbBlocker

from config.outages import BUSY
from config.up.processes import command_line, wait_until
from tests import cast
from tests.journeys.test_faults import Answers, assert_goes_on, open_study, people_judge
from tests.stack import Stack
from tests.webclient import WebClient

pytestmark = pytest.mark.heavy
BLOCK = bytes(1_000_000)
N_INSIDE = 60  # answers, and tries of each of those who judge, within an outage
PROMISED = 5  # seconds from its end to the next answer


def answer_of(stack: Stack, path: str, visitor: WebClient | None = None) -> tuple[int, str, str]:
    """Status, body and Retry-After of an address that looks a key up, or a session; 0 where nobody answers."""
    request = urllib.request.Request(stack.url + path, headers={"Authorization": "Bearer unknown"})
    opener = visitor.opener if visitor else urllib.request.build_opener()
    try:
        with opener.open(request, timeout=240) as answer:
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
    for child in psutil.Process(stack.process.pid).children():
        if child.name() == "postgres":  # it began again before another part was told of
            child.kill()
    fill(filler)
    try:
        yield
    finally:
        filler.unlink()  # else people would try again for ten minutes


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
        try:
            yield
        finally:
            broker.config_set("maxmemory", "0")


@contextmanager
def no_connections(stack: Stack) -> Iterator[None]:
    """While others have every connection to the database, those of the product too."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    ours = "SELECT count(*) = current_setting('max_connections')::int FROM pg_stat_activity"
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
            if first.execute(f"{ours} WHERE application_name = 'taken'").fetchone() != (True,):
                return False  # one that was ended may have left its place to another of the product
            status, body, retry_after = answer_of(stack, "/api/v1/collections/busy/runs/")
            return status == 503 and retry_after == "5" and "nothing was changed" in body

        assert wait_until(is_told, seconds=600)
        assert answer_of(stack, "/readyz")[0] == 503
        yield


def assert_judged_on(acknowledged: Answers) -> None:
    """People's answers are acknowledged as if all were well, at the first try."""
    n_before, failures = len(acknowledged), [desk.n_failures for desk in acknowledged.desks]
    acknowledged.allow_more()

    def has_failed() -> bool:
        return [desk.n_failures for desk in acknowledged.desks] != failures

    assert wait_until(lambda: has_failed() or len(acknowledged) >= n_before + N_INSIDE, seconds=600)
    assert not has_failed()


def assert_nothing_acknowledged(acknowledged: Answers) -> None:
    """People try again and again, and none of their answers is acknowledged."""
    acknowledged.allow_more()
    assert await_failures(acknowledged, 1) <= len(acknowledged.desks)  # each had sent one before
    assert await_failures(acknowledged, N_INSIDE) == 0


def await_failures(acknowledged: Answers, n: int) -> int:
    """Wait until each who judges has tried so many times more in vain; how many answers were acknowledged meanwhile."""
    desks, n_before = acknowledged.desks, len(acknowledged)
    enough = [desk.n_failures + n for desk in desks]

    def have_tried() -> bool:
        all_failed = all(desk.n_failures >= least for desk, least in zip(desks, enough, strict=True))
        return all_failed or len(acknowledged) > n_before + len(desks)

    assert wait_until(have_tried, seconds=600)
    return len(acknowledged) - n_before


def assert_page_is_told(stack: Stack, visitor: WebClient) -> None:
    """A page is answered that the site is busy, and when to come again."""
    status, page, retry_after = answer_of(stack, "/c/busy/", visitor)
    assert (status, retry_after) == (503, "5"), page
    assert page.lstrip().startswith("<!") and BUSY in page and "Try again</a>" in page


@pytest.mark.parametrize("what", ["disk", "redis", "connections"])
def test_nothing_acknowledged_is_lost_and_it_goes_on_by_itself(
    small_disk: Callable[[str], Path], fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker, what: str
) -> None:
    disk = small_disk("700m")
    stack = fault_stack("outage", ASSAYER_VAR=str(disk / "var"))
    outage = {"disk": partial(full_disk, disk=disk), "redis": full_redis, "connections": no_connections}[what]
    with stack.orm(django_db_blocker):
        collection = open_study(900)
        cast.annotator(collection, cast.user("visitor"))
    visitor = WebClient(stack.url)
    visitor.sign_in("visitor")
    with people_judge(stack) as (acknowledged, judge_on):
        judge_on()
        acknowledged.allow_more()
        with outage(stack):
            if what == "redis":
                assert_judged_on(acknowledged)
                assert answer_of(stack, "/c/busy/", visitor)[0] == 200
            else:
                assert_page_is_told(stack, visitor)
                assert_nothing_acknowledged(acknowledged)
            n_before = len(acknowledged)
        begun = time.monotonic()
        acknowledged.allow_more()
        assert wait_until(lambda: len(acknowledged) > n_before, seconds=600)
        seconds = time.monotonic() - begun
        print(f"{what}: {seconds:.1f} s from the end of the outage to the first answer")
        assert seconds <= PROMISED
        judge_on()
    assert_goes_on(stack, collection, acknowledged, django_db_blocker)
    assert stack.process.poll() is None
