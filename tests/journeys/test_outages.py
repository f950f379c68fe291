"""Disk, Redis or database connections run out while people judge: reported, and recovered from.

To see these tests fail: let a judge screen's answer fail with Redis's error about its task; answer
outages with the error page, or without Retry-After; let `up` look for disk space every ten seconds.
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

from config.site.outages import BUSY
from config.up.processes import command_line, wait_until
from tests import cast
from tests.journeys.test_faults import (
    AcknowledgedAnswers,
    assert_recovered,
    open_study,
    people_judge,
)
from tests.servers.stack import Stack
from tests.servers.webclient import WebClient

pytestmark = pytest.mark.heavy
BLOCK = bytes(1_000_000)
N_DURING_OUTAGE = 60  # answers during an outage, or tries of each annotator
MAX_SECONDS = 5  # from the end of the outage to the next answer


def fetch(stack: Stack, path: str, visitor: WebClient | None = None) -> tuple[int, str, str]:
    """Status, body and Retry-After of an address that looks up a token or session; 0 if down."""
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
    """A time without a free byte on the disk, of which the database crashes."""
    filler = disk / "filler"
    fill(filler)
    assert wait_until(lambda: fetch(stack, "/readyz")[0] in {0, 503}, seconds=600)

    def is_reported() -> bool:
        fill(filler)  # ending processes free some space
        with suppress(OSError, ValueError, KeyError):  # the file of processes may just be rewritten
            # it is not started again while the disk is full
            if command_line(stack.processes()["beat"]):
                stack.kill("beat")
        return "The disk is full" in stack.output_text()

    stack.kill("postgres")
    assert wait_until(is_reported, seconds=600, step=0.5), stack.output_text()
    for child in psutil.Process(stack.process.pid).children():
        if child.name() == "postgres":  # it restarted before another part was reported
            child.kill()
    fill(filler)
    try:
        yield
    finally:
        filler.unlink()  # also after a failure, else clients would retry for ten minutes


def fill(file: Path) -> None:
    """Let a file take every free byte."""
    with suppress(OSError), file.open("ab", buffering=0) as filler:
        while True:
            filler.write(BLOCK)


@contextmanager
def full_redis(stack: Stack) -> Iterator[None]:
    """A time in which Redis accepts no more data."""
    with redis.Redis.from_url(stack.redis_url) as broker:
        broker.config_set("maxmemory", "1")
        status, body, _ = fetch(stack, "/readyz")
        assert (status, '"redis": "failing"' in body) == (200, True), body
        try:
            yield
        finally:
            broker.config_set("maxmemory", "0")


@contextmanager
def no_connections(stack: Stack) -> Iterator[None]:
    """A time in which the test holds every connection to the database, the product's too."""
    terminate_clients = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend'"
    )
    has_all_connections = (
        "SELECT count(*) = current_setting('max_connections')::int FROM pg_stat_activity"
    )
    with ExitStack() as taken_connections:

        def take_all() -> None:
            try:
                while True:
                    taken_connections.enter_context(
                        psycopg.connect(stack.database_url, application_name="taken")
                    )
            except psycopg.OperationalError:
                return

        first = taken_connections.enter_context(
            psycopg.connect(stack.database_url, application_name="taken", autocommit=True)
        )

        def is_reported() -> bool:
            first.execute(f"{terminate_clients} AND application_name <> 'taken'")
            take_all()
            if first.execute(
                f"{has_all_connections} WHERE application_name = 'taken'"
            ).fetchone() != (True,):
                return False  # the product may have taken a freed connection
            status, body, retry_after = fetch(stack, "/api/v1/collections/busy/runs/")
            return status == 503 and retry_after == "5" and "nothing was changed" in body

        assert wait_until(is_reported, seconds=600)
        assert fetch(stack, "/readyz")[0] == 503
        yield


def assert_judging_continues(acknowledged: AcknowledgedAnswers) -> None:
    """Answers are acknowledged at the first try, as without an outage."""
    n_before, failures = len(acknowledged), [client.n_failures for client in acknowledged.clients]
    acknowledged.allow_more()

    def has_failed() -> bool:
        return [client.n_failures for client in acknowledged.clients] != failures

    assert wait_until(
        lambda: has_failed() or len(acknowledged) >= n_before + N_DURING_OUTAGE, seconds=600
    )
    assert not has_failed()


def assert_nothing_acknowledged(acknowledged: AcknowledgedAnswers) -> None:
    """Clients retry, and none of their answers is acknowledged."""
    acknowledged.allow_more()
    # each may have one on its way
    assert await_failures(acknowledged, 1) <= len(acknowledged.clients)
    assert await_failures(acknowledged, N_DURING_OUTAGE) == 0


def await_failures(acknowledged: AcknowledgedAnswers, n: int) -> int:
    """Wait until each client has failed n times more; returns the number of answers meanwhile."""
    clients, n_before = acknowledged.clients, len(acknowledged)
    n_failures_awaited = [client.n_failures + n for client in clients]

    def have_tried() -> bool:
        all_failed = all(
            client.n_failures >= least
            for client, least in zip(clients, n_failures_awaited, strict=True)
        )
        return all_failed or len(acknowledged) > n_before + len(clients)

    assert wait_until(have_tried, seconds=600)
    return len(acknowledged) - n_before


def assert_busy_page(stack: Stack, visitor: WebClient) -> None:
    """A page answers 503 with a text that the site is busy, and Retry-After."""
    status, page, retry_after = fetch(stack, "/c/busy/", visitor)
    assert (status, retry_after) == (503, "5"), page
    assert page.lstrip().startswith("<!") and BUSY in page and "Try again</a>" in page


@pytest.mark.parametrize("resource", ["disk", "redis", "connections"])
def test_nothing_acknowledged_is_lost_and_it_goes_on_by_itself(
    small_disk: Callable[[str], Path],
    fault_stack: Callable[..., Stack],
    django_db_blocker: DjangoDbBlocker,
    resource: str,
) -> None:
    disk = small_disk("700m")
    stack = fault_stack("outage", ASSAYER_VAR=str(disk / "var"))
    outage = {
        "disk": partial(full_disk, disk=disk),
        "redis": full_redis,
        "connections": no_connections,
    }[resource]
    with stack.orm(django_db_blocker):
        collection = open_study(900)
        cast.annotator(collection, cast.user("visitor"))
    visitor = WebClient(stack.url)
    visitor.sign_in("visitor")
    with people_judge(stack) as (acknowledged, wait_for_answers):
        wait_for_answers()
        acknowledged.allow_more()
        with outage(stack):
            if resource == "redis":
                assert_judging_continues(acknowledged)
                assert fetch(stack, "/c/busy/", visitor)[0] == 200
            else:
                assert_busy_page(stack, visitor)
                assert_nothing_acknowledged(acknowledged)
            n_before = len(acknowledged)
        start = time.monotonic()
        acknowledged.allow_more()
        assert wait_until(lambda: len(acknowledged) > n_before, seconds=600)
        seconds = time.monotonic() - start
        print(f"{resource}: {seconds:.1f} s from the end of the outage to the first answer")
        assert seconds <= MAX_SECONDS
        wait_for_answers()
    assert_recovered(stack, collection, acknowledged, django_db_blocker)
    assert stack.process.poll() is None
