"""Servers die while people judge: what was acknowledged is on disk, once, judging goes on, and numbers follow."""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from threading import Condition, Event
from uuid import uuid4

import numpy as np
import pytest
import redis
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotate.models import Change, Collection, Judgment, Round, Seat
from annotate.services import seating
from config.up.processes import wait_until
from metrics.models import Score, Snapshot
from metrics.services import refresh
from pooling.models import Pool, PoolPair
from tests import cast
from tests.metrics import studies
from tests.sound import sound
from tests.stack import Stack, is_whole, redis_apart
from tests.webclient import WebClient

# the last: a reply that was cut within its head has no length, and so an empty body
FAILURES = (
    urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError, json.JSONDecodeError
)  # fmt: skip
N_PEOPLE = 4
AT_WORK = 40  # answers after which everybody is at work again
AT_MOST = 180  # answers given before more are allowed, so that some pairs are left when the last part dies


def open_study(n_pairs: int, *, n_people: int = N_PEOPLE) -> Collection:
    """A collection with an open round, and people who judge in it."""
    collection = cast.collection("busy", batch_candidates=18)
    come_to(collection, n_people)
    pairs = cast.pairs(collection, n_pairs)
    round_ = seating.open_round(
        collection=collection, kind=Round.Kind.POOL, name="pool", policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pairs],
    )
    pool = Pool.objects.create(
        collection=collection, name="pool", strategy="depth-k", state="open", round=round_, opened_at=timezone.now()
    )
    PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pairs)
    return collection


def come_to(collection: Collection, n_people: int = N_PEOPLE) -> None:
    """Let people who are called busy0, busy1... judge in a collection."""
    for index in range(n_people):
        cast.annotator(collection, cast.user(f"busy{index}"))


def at_desk(stack: Stack, index: int) -> WebClient:
    """One of these people, signed in and on the judge page."""
    client = WebClient(stack.url)
    client.sign_in(f"busy{index}")
    client.get("/c/busy/judge/")
    return client


def insist(client: WebClient, path: str, body: dict[str, object]) -> dict[str, object]:
    """Send the same thing until it is acknowledged, as the judge screen does."""
    until = time.monotonic() + 600  # a killed PostgreSQL recovers slowly on a busy disk
    while time.monotonic() < until:
        try:
            return client.post(path, body)[0]
        except FAILURES as error:
            assert getattr(error, "code", None) != HTTPStatus.NOT_FOUND, "what was handed out is forgotten"
            client.n_failures += 1
            time.sleep(0.05)
    raise AssertionError("not acknowledged within ten minutes")


def judge_without_end(client: WebClient) -> Iterator[tuple[str, float]]:
    """Judge without a pause; yields each acknowledged submission and its seconds."""
    cards = insist(client, "/c/busy/judge/next", {})["cards"]
    while cards:
        submission, begun = str(uuid4()), time.perf_counter()
        body = {"submission_id": submission, "hand_out": cards[0]["hand_out"], "grade": 1}
        cards = insist(client, "/c/busy/judge/answer", body)["cards"]
        yield submission, time.perf_counter() - begun
        cards = cards or insist(client, "/c/busy/judge/next", {})["cards"]


def is_converged(stack: Stack, collection: Collection, blocker: DjangoDbBlocker) -> bool:
    """Whether its numbers are those of every judgment."""
    with stack.orm(blocker):
        n = Judgment.objects.filter(collection=collection).count()
        seen = Snapshot.objects.filter(collection=collection, kind="agreement", n_judgments=n).exists()
        return seen and not Change.objects.filter(collection=collection).exists()


def ledger(collection: Collection, acknowledged: Sequence[str]) -> tuple[int, int]:
    """How many acknowledged submissions are lost, and how many are stored or counted more than once."""
    stored = [
        str(uuid) for uuid in Judgment.objects.filter(collection=collection).values_list("submission_id", flat=True)
    ]
    done = Seat.objects.filter(collection=collection, state="done")
    counted_twice = done.count() - done.values("judgment").distinct().count()
    return len(set(acknowledged) - set(stored)), len(stored) - len(set(stored)) + counted_twice


def assert_ledger(collection: Collection, acknowledged: Sequence[str]) -> None:
    """Every acknowledged submission is stored once, and each counts for one seat."""
    assert ledger(collection, acknowledged) == (0, 0)


class Answers(list[str]):
    """Submissions that were acknowledged; who adds one too many waits until more are allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.changed, self.limit = Condition(), 0
        self.desks: list[WebClient] = []  # of those who give them

    def add(self, submission: str, stopped: Event) -> None:
        """Add one, and wait while there are enough of them."""
        self.append(submission)
        with self.changed:
            self.changed.wait_for(lambda: len(self) < self.limit or stopped.is_set())

    def allow_more(self) -> None:
        """Let people go on."""
        with self.changed:
            self.limit = len(self) + AT_MOST
            self.changed.notify_all()


@contextmanager
def people_judge(stack: Stack) -> Iterator[tuple[Answers, Callable[[], None]]]:
    """Four people judge side by side: what was acknowledged, and what waits until all are at work again."""
    stopped, acknowledged = Event(), Answers()
    acknowledged.desks = [at_desk(stack, index) for index in range(N_PEOPLE)]

    def work(desk: WebClient) -> None:
        for submission, _ in judge_without_end(desk):
            acknowledged.add(submission, stopped)
            if stopped.is_set():
                return

    with ThreadPoolExecutor(N_PEOPLE) as pool:
        working = [pool.submit(work, desk) for desk in acknowledged.desks]

        def judge_on() -> None:
            acknowledged.allow_more()
            enough = len(acknowledged) + AT_WORK
            ended = wait_until(
                lambda: len(acknowledged) >= enough or any(desk.done() for desk in working), seconds=600
            )
            assert ended

        try:
            yield acknowledged, judge_on
            assert not any(desk.done() for desk in working)  # else the last ones died while nobody judged
        finally:
            stopped.set()
            acknowledged.allow_more()
        for desk in working:
            desk.result()


def assert_goes_on(
    stack: Stack, collection: Collection, acknowledged: list[str], blocker: DjangoDbBlocker
) -> None:
    """All is well again by itself: nothing acknowledged is lost, and the numbers are those of every judgment."""
    assert wait_until(partial(is_whole, stack.url), seconds=600)
    assert wait_until(partial(is_converged, stack, collection, blocker), seconds=600)
    with stack.orm(blocker):
        assert_ledger(collection, acknowledged)
        assert sound()


def kill_and_wait(stack: Stack, part: str) -> None:
    """Kill one part, and wait until it was started again; Redis has forgotten everything."""
    dead = stack.processes()[part]
    if part == "redis":
        with redis.Redis.from_url(stack.redis_url) as broker:
            broker.flushall()  # else it would find its file again
    stack.kill(part)
    assert wait_until(lambda: stack.processes()[part] != dead, seconds=600)


def test_whatever_is_killed_no_acknowledged_answer_is_lost_and_the_numbers_become_those_of_a_rebuild(
    open_folder: Path, fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    stack = fault_stack("kills", TMPDIR=str(open_folder))  # where a killed worker leaves what it had there
    with stack.orm(django_db_blocker):
        collection = studies.study("busy", n_queries=250, n_documents=20, batch_candidates=18)
        pool = Pool.objects.get(collection=collection)
        PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in collection.pairs.all())
        come_to(collection)
    with people_judge(stack) as (acknowledged, judge_on):
        for part in ("postgres", "web", "worker", "redis", "beat", "worker"):
            judge_on()
            acknowledged.allow_more()  # so that people judge when it dies
            kill_and_wait(stack, part)
    assert_goes_on(stack, collection, acknowledged, django_db_blocker)
    with stack.orm(django_db_blocker):
        assert Score.objects.filter(run__collection=collection).count() == 60
        live = studies.numbers(collection)
        refresh.rebuild(collection=collection)
        assert studies.numbers(collection) == live


def test_without_redis_answers_are_saved_and_people_sign_in(
    open_folder: Path,
    fault_stack: Callable[..., Stack],
    django_db_blocker: DjangoDbBlocker,
    pytestconfig: pytest.Config,
) -> None:
    with redis_apart(open_folder) as redis_url:
        stack = fault_stack("no redis", REDIS_URL=redis_url)
        with stack.orm(django_db_blocker):
            collection = open_study(400)
        judging = judge_without_end(at_desk(stack, 0))
        before = [next(judging) for _ in range(40)]
    judging = judge_without_end(at_desk(stack, 1))  # they sign in without Redis
    answers = [next(judging) for _ in range(60)]
    ordinary, seconds = (np.array([seconds for _, seconds in some]) for some in (before, answers))
    print(f"without Redis: p50 {1000 * np.median(seconds):.0f} ms, p99 {1000 * np.percentile(seconds, 99):.0f} ms; "
          f"with it p50 {1000 * np.median(ordinary):.0f} ms")  # fmt: skip
    if pytestconfig.getoption("--heavy"):
        assert np.median(seconds) < 4 * np.median(ordinary)  # none waits for a socket: that would take 200 ms
        assert np.percentile(seconds, 99) < 0.3
    with stack.orm(django_db_blocker):
        assert_ledger(collection, [submission for submission, _ in before + answers])
