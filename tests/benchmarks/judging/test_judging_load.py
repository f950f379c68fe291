"""A thousand annotators over HTTP: a stampede, then work, alone and beside large jobs.

Measures times, and checks that nothing is lost and no seat taken twice; the processor time of the
load is counted apart from the product's.

Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_judging_load.py
The product runs as in production: its own PostgreSQL that answers after the disk has, Redis, web,
worker and scheduler. Everybody is signed in beforehand. The stampede: within 15 s each opens the
judge page and requests a batch of twenty. Then each answers every ten seconds or so, starting
anywhere within the batch, and requests the next batch at its end.
"""

import asyncio
import json
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Collection, Gold, HandOut, Judgment, Seat
from pooling.models import Pool, PoolPair
from tests import campaigns, cast
from tests.scorecard.large_jobs import LargeJobs
from tests.scorecard.processor_times import measured_processors
from tests.servers.databases import closing_connections
from tests.servers.loadclient import Person, Reply, sessions_of

STAMPEDE_SECONDS = 15
THINK_SECONDS = 10
WORK_SECONDS = 75
LEAST_SECONDS = 20
SLUG = "load"
pytestmark = pytest.mark.heavy


class LoadAnnotator:
    """One annotator's work, and the seconds that each of her requests took."""

    def __init__(self, person: Person, seconds: dict[str, list[float]]) -> None:
        self.person, self.seconds = person, seconds
        self.cards: list[dict] = []
        self.acknowledged: list[str] = []

    def record(self, kind: str, reply: Reply) -> Reply:
        assert reply.status == 200, (kind, reply.status, reply.body[:300])
        self.seconds[kind].append(reply.seconds)
        return reply

    async def arrive(self) -> None:
        """Open the page and get a first batch."""
        await asyncio.sleep(random.random() * STAMPEDE_SECONDS)
        self.record("page", await self.person.get(f"/c/{SLUG}/judge/"))
        await self.claim("first batch")

    async def claim(self, kind: str) -> None:
        reply = self.record(kind, await self.person.post(f"/c/{SLUG}/judge/next", {}))
        self.cards = json.loads(reply.body)["cards"]
        assert self.cards, reply.body

    async def resume(self) -> None:
        """Continue with the rest of the batch."""
        await asyncio.sleep(random.random() * STAMPEDE_SECONDS)
        await self.claim("coming back")

    async def work(self, is_over: Callable[[], bool]) -> None:
        """Think and answer until it is over."""
        await think()  # else all first answers would come at once
        while not is_over():
            submission = str(uuid4())
            body = {
                "submission_id": submission,
                "hand_out": self.cards[0]["hand_out"],
                "grade": random.randrange(2),
                "active_ms": 9_000,
            }
            reply = self.record("answer", await self.person.post(f"/c/{SLUG}/judge/answer", body))
            self.acknowledged.append(submission)
            self.cards = json.loads(reply.body)["cards"]
            if not self.cards:
                await self.claim("next batch")
            await think()


async def think() -> None:
    """Wait ten seconds in the mean, exponentially distributed: a constant rate of answers."""
    await asyncio.sleep(random.expovariate(1 / THINK_SECONDS))


def open_study(n_people: int):
    """Create a pool that keeps n_people busy, with golds; returns the collection and its people."""
    collection = cast.collection(
        SLUG, batch_candidates=18, labels_per_pair=2, gold_positives=1, gold_negatives=1
    )
    users = [cast.user(f"load{number}") for number in range(n_people)]
    for user in users:
        cast.annotator(collection, user)
    pairs = cast.pairs(collection, 20_000)
    round_ = campaigns.open_pool_round(collection, pairs[500:])
    pool = Pool.objects.create(
        collection=collection,
        name="pool",
        strategy="depth-k",
        state="open",
        round=round_,
        opened_at=timezone.now(),
    )
    PoolPair.objects.bulk_create(
        PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pairs[500:]
    )
    Gold.objects.bulk_create(
        Gold(
            collection=collection,
            pair=pair,
            grade=number % 2,
            is_positive=number % 2 == 1,
            origin="curated",
        )
        for number, pair in enumerate(pairs[:500])
    )
    return collection, users


def free_first_pairs() -> None:
    """Free the first pairs of each batch, a different number in each: people are not in step."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotate_handout SET answered_at = now() "
            "WHERE position <= batch_id % 20 RETURNING seat_id"
        )
        seats = [row[0] for row in cursor.fetchall()]
    handed_out = Seat.objects.filter(pk__in=seats)
    handed_out.filter(purpose="label").update(state="free", annotator=None, leased_until=None)
    handed_out.filter(purpose="gold").update(state="withdrawn", leased_until=None)


def print_times(title: str, seconds: dict[str, list[float]]) -> None:
    print(f"\n{title}")
    for kind, times in seconds.items():
        p50, p95, p99 = 1000 * np.percentile(times, [50, 95, 99])
        print(
            f"{kind:12} n {len(times):6,}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms"
        )


def run_for_all(
    people: list[LoadAnnotator], act: Callable[[LoadAnnotator], Awaitable[None]]
) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*map(act, people))
        for annotator in people:
            annotator.person.leave()

    asyncio.run(all_at_once())


def p99(*seconds: list[float]) -> float:
    """The 99th percentile in milliseconds."""
    return 1000 * float(np.percentile([value for values in seconds for value in values], 99))


def timer(seconds: float) -> Callable[[], bool]:
    """Function that says whether so many seconds have passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def assert_stored_once(collection: Collection, people: list[LoadAnnotator]) -> None:
    """Every acknowledged answer is stored once, and nothing else; nobody shares a seat."""
    judgments = Judgment.objects.filter(collection=collection)
    stored_submissions = [
        str(submission) for submission in judgments.values_list("submission_id", flat=True)
    ]
    assert sorted(stored_submissions) == sorted(
        submission for annotator in people for submission in annotator.acknowledged
    )
    done_seats = Seat.objects.filter(collection=collection, state="done")
    assert (
        done_seats.count()
        == done_seats.values("judgment").distinct().count()
        == len(stored_submissions)
    )
    unanswered = HandOut.objects.filter(answered_at=None, batch__collection=collection)
    assert unanswered.count() == unanswered.values("seat").distinct().count() > len(people)


def test_a_thousand_annotators(fault_stack, django_db_blocker, figures):
    n_people, stack = figures.size("people"), fault_stack("load")
    with stack.orm(django_db_blocker):
        collection, users = open_study(n_people)
        sessions = sessions_of(users, secret=stack.home.read_secret_key())
    stampede: dict[str, list[float]] = defaultdict(list)
    work: dict[str, list[float]] = defaultdict(list)
    people = [LoadAnnotator(Person(stack.url, session), stampede) for session in sessions]
    with measured_processors(stack) as stampede_times:
        run_for_all(people, LoadAnnotator.arrive)
    with stack.orm(django_db_blocker):
        free_first_pairs()
    run_for_all(people, LoadAnnotator.resume)
    for annotator in people:
        annotator.seconds = work
    is_over = timer(WORK_SECONDS)
    with measured_processors(stack) as work_times:
        run_for_all(people, lambda annotator: annotator.work(is_over))
    print_times(f"{n_people:,} people arrive within {STAMPEDE_SECONDS} s", stampede)
    print_times(
        f"{n_people:,} people answer every {THINK_SECONDS} s or so, for {WORK_SECONDS} s", work
    )
    with stack.orm(django_db_blocker):
        assert_stored_once(collection, people)
    assert "nothing broken" in stack.manage("fsck")
    figures.record(
        "rush: 99 of 100 pages and first batches",
        p99(stampede["page"], stampede["first batch"]),
        "ms",
        at_most=2_000,
    )
    figures.record("work: answers", len(work["answer"]))
    figures.record(
        "work: 99 of 100 answers", p99(work["answer"], work["next batch"]), "ms", at_most=150
    )
    stampede_times.record(figures, "rush")
    work_times.record(figures, "work")


def test_a_thousand_annotators_beside_large_jobs(fault_stack, django_db_blocker, figures, tmp_path):
    n_people, stack = figures.size("people"), fault_stack("beside")
    with stack.orm(django_db_blocker):
        jobs = LargeJobs(stack, figures, tmp_path)
        collection, users = open_study(n_people)
        sessions = sessions_of(users, secret=stack.home.read_secret_key())
    seconds: dict[str, list[float]] = defaultdict(list)
    people = [LoadAnnotator(Person(stack.url, session), seconds) for session in sessions]
    run_for_all(people, LoadAnnotator.arrive)
    beside: dict[str, list[float]] = defaultdict(list)
    for annotator in people:
        annotator.seconds = beside
    with ThreadPoolExecutor(1) as pool, measured_processors(stack) as work_times:
        working = pool.submit(closing_connections(jobs.run_all), django_db_blocker)
        is_over = timer(LEAST_SECONDS)  # small jobs may end before the first answer
        run_for_all(people, lambda annotator: annotator.work(lambda: working.done() and is_over()))
        working.result()
    print_times(
        f"{n_people:,} people answer every {THINK_SECONDS} s or so beside large jobs", beside
    )
    with stack.orm(django_db_blocker):
        assert_stored_once(collection, people)
        jobs.record(figures)  # no fsck: the downloaded rows were written by SQL
    figures.record("answers meanwhile", len(beside["answer"]))
    figures.record(
        "99 of 100 answers", p99(beside["answer"], beside["next batch"]), "ms", at_most=500
    )
    work_times.record(figures, "meanwhile")
