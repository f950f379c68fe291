"""Servers die while people judge: answers are stored once, and judging and numbers go on."""

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
from metrics.services.numbers import refresh
from pooling.models import Pool, PoolPair
from tests import cast
from tests.metrics import studies
from tests.servers.stack import Stack, is_fully_ready, separate_redis
from tests.servers.webclient import WebClient
from tests.tables.soundness import is_sound

# the last: a reply cut off within its head has no length, and so an empty body
FAILURES = (
    urllib.error.URLError,
    http.client.HTTPException,
    ConnectionError,
    TimeoutError,
    json.JSONDecodeError,
)
N_PEOPLE = 4
N_RESUMED = 40  # answers after which all are taken to be at work again
MAX_ANSWERS = 180  # answers before a pause, so that pairs are left when the last part dies


def open_study(n_pairs: int, *, n_people: int = N_PEOPLE) -> Collection:
    """Create a collection with an open round of n_pairs, and annotators."""
    collection = cast.collection("busy", batch_candidates=18)
    add_annotators(collection, n_people)
    pairs = cast.pairs(collection, n_pairs)
    round_ = seating.open_round(
        collection=collection,
        kind=Round.Kind.POOL,
        name="pool",
        policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pairs],
    )
    pool = Pool.objects.create(
        collection=collection,
        name="pool",
        strategy="depth-k",
        state="open",
        round=round_,
        opened_at=timezone.now(),
    )
    PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pairs)
    return collection


def add_annotators(collection: Collection, n_people: int = N_PEOPLE) -> None:
    """Add annotators named busy0, busy1... to a collection."""
    for index in range(n_people):
        cast.annotator(collection, cast.user(f"busy{index}"))


def signed_in_client(stack: Stack, index: int) -> WebClient:
    """A client of one of these annotators, signed in and on the judge page."""
    client = WebClient(stack.url)
    client.sign_in(f"busy{index}")
    client.get("/c/busy/judge/")
    return client


def post_until_acknowledged(
    client: WebClient, path: str, body: dict[str, object]
) -> dict[str, object]:
    """Send a request until it is acknowledged, as the judge screen does."""
    deadline = time.monotonic() + 600  # a killed PostgreSQL recovers slowly on a busy disk
    while time.monotonic() < deadline:
        try:
            return client.post(path, body)[0]
        except FAILURES as error:
            assert getattr(error, "code", None) != HTTPStatus.NOT_FOUND, (
                "what was handed out is forgotten"
            )
            client.n_failures += 1
            time.sleep(0.05)
    raise AssertionError("not acknowledged within ten minutes")


def judge_continuously(client: WebClient) -> Iterator[tuple[str, float]]:
    """Judge without a pause; yields each acknowledged submission and its seconds."""
    cards = post_until_acknowledged(client, "/c/busy/judge/next", {})["cards"]
    while cards:
        submission, start = str(uuid4()), time.perf_counter()
        body = {"submission_id": submission, "hand_out": cards[0]["hand_out"], "grade": 1}
        cards = post_until_acknowledged(client, "/c/busy/judge/answer", body)["cards"]
        yield submission, time.perf_counter() - start
        cards = cards or post_until_acknowledged(client, "/c/busy/judge/next", {})["cards"]


def is_converged(stack: Stack, collection: Collection, blocker: DjangoDbBlocker) -> bool:
    """Whether the collection's numbers include every judgment."""
    with stack.orm(blocker):
        n = Judgment.objects.filter(collection=collection).count()
        is_counted = Snapshot.objects.filter(
            collection=collection, kind="agreement", n_judgments=n
        ).exists()
        return is_counted and not Change.objects.filter(collection=collection).exists()


def count_faults(collection: Collection, acknowledged: Sequence[str]) -> tuple[int, int]:
    """Numbers of acknowledged submissions that are lost, and of those stored or counted twice."""
    stored_submissions = [
        str(uuid)
        for uuid in Judgment.objects.filter(collection=collection).values_list(
            "submission_id", flat=True
        )
    ]
    done_seats = Seat.objects.filter(collection=collection, state="done")
    counted_twice = done_seats.count() - done_seats.values("judgment").distinct().count()
    return len(set(acknowledged) - set(stored_submissions)), len(stored_submissions) - len(
        set(stored_submissions)
    ) + counted_twice


def assert_stored_once(collection: Collection, acknowledged: Sequence[str]) -> None:
    """Every acknowledged submission is stored once, and each counts for one seat."""
    assert count_faults(collection, acknowledged) == (0, 0)


class AcknowledgedAnswers(list[str]):
    """Acknowledged submissions; adding waits at the limit until more are allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.changed, self.limit = Condition(), 0
        self.clients: list[WebClient] = []  # of the annotators

    def add(self, submission: str, stopped: Event) -> None:
        """Add a submission, and wait while the limit is reached."""
        self.append(submission)
        with self.changed:
            self.changed.wait_for(lambda: len(self) < self.limit or stopped.is_set())

    def allow_more(self) -> None:
        """Raise the limit, so that waiting annotators go on."""
        with self.changed:
            self.limit = len(self) + MAX_ANSWERS
            self.changed.notify_all()


@contextmanager
def people_judge(stack: Stack) -> Iterator[tuple[AcknowledgedAnswers, Callable[[], None]]]:
    """Let four people judge; yields their answers, and a function that waits for further ones."""
    stopped, acknowledged = Event(), AcknowledgedAnswers()
    acknowledged.clients = [signed_in_client(stack, index) for index in range(N_PEOPLE)]

    def work(client: WebClient) -> None:
        for submission, _ in judge_continuously(client):
            acknowledged.add(submission, stopped)
            if stopped.is_set():
                return

    with ThreadPoolExecutor(N_PEOPLE) as pool:
        working = [pool.submit(work, client) for client in acknowledged.clients]

        def wait_for_answers() -> None:
            acknowledged.allow_more()
            n_enough = len(acknowledged) + N_RESUMED
            ended = wait_until(
                lambda: len(acknowledged) >= n_enough or any(future.done() for future in working),
                seconds=600,
            )
            assert ended

        try:
            yield acknowledged, wait_for_answers
            # else the last kills happened while nobody judged
            assert not any(future.done() for future in working)
        finally:
            stopped.set()
            acknowledged.allow_more()
        for future in working:
            future.result()


def assert_recovered(
    stack: Stack, collection: Collection, acknowledged: list[str], blocker: DjangoDbBlocker
) -> None:
    """The product recovers by itself: no answer is lost, and the numbers include every judgment."""
    assert wait_until(partial(is_fully_ready, stack.url), seconds=600)
    assert wait_until(partial(is_converged, stack, collection, blocker), seconds=600)
    with stack.orm(blocker):
        assert_stored_once(collection, acknowledged)
        assert is_sound()


def kill_and_wait(stack: Stack, part: str) -> None:
    """Kill one part, and wait until it was started again; Redis is emptied before."""
    dead = stack.processes()[part]
    if part == "redis":
        with redis.Redis.from_url(stack.redis_url) as broker:
            broker.flushall()  # else it would reload its file
    stack.kill(part)
    assert wait_until(lambda: stack.processes()[part] != dead, seconds=600)


def test_whatever_is_killed_no_answer_is_lost_and_the_numbers_become_those_of_a_rebuild(
    open_folder: Path, fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    # for files that a killed worker leaves behind
    stack = fault_stack("kills", TMPDIR=str(open_folder))
    with stack.orm(django_db_blocker):
        collection = studies.study("busy", n_queries=250, n_documents=20, batch_candidates=18)
        pool = Pool.objects.get(collection=collection)
        PoolPair.objects.bulk_create(
            PoolPair(pool=pool, pair=pair, best_rank=1) for pair in collection.pairs.all()
        )
        add_annotators(collection)
    with people_judge(stack) as (acknowledged, wait_for_answers):
        for part in ("postgres", "web", "worker", "redis", "beat", "worker"):
            wait_for_answers()
            acknowledged.allow_more()  # so that people judge when it dies
            kill_and_wait(stack, part)
    assert_recovered(stack, collection, acknowledged, django_db_blocker)
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
    with separate_redis(open_folder) as redis_url:
        stack = fault_stack("no redis", REDIS_URL=redis_url)
        with stack.orm(django_db_blocker):
            collection = open_study(400)
        judging = judge_continuously(signed_in_client(stack, 0))
        before = [next(judging) for _ in range(40)]
    judging = judge_continuously(signed_in_client(stack, 1))  # they sign in without Redis
    answers = [next(judging) for _ in range(60)]
    ordinary, seconds = (np.array([seconds for _, seconds in phase]) for phase in (before, answers))
    print(
        f"without Redis: p50 {1000 * np.median(seconds):.0f} ms, p99 "
        f"{1000 * np.percentile(seconds, 99):.0f} ms; "
        f"with it p50 {1000 * np.median(ordinary):.0f} ms"
    )
    if pytestconfig.getoption("--heavy"):
        # none waits for a socket: that would take 200 ms
        assert np.median(seconds) < 4 * np.median(ordinary)
        assert np.percentile(seconds, 99) < 0.3
    with stack.orm(django_db_blocker):
        assert_stored_once(collection, [submission for submission, _ in before + answers])
