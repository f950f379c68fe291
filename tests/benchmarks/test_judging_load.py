"""A thousand annotators over HTTP: all at once after a break, then at work, alone and beside large jobs.

Times, nothing lost, no seat twice; the load's own processor time is told apart from the product's.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_judging_load.py
The product runs as in production: its own PostgreSQL that answers after the disk has, Redis, web, worker and clock.
Everybody is signed in beforehand. The stampede: within 15 s each opens the judge page and asks for a batch of twenty.
Then each answers every ten seconds or so, from anywhere within the batch, and asks for the next one where it ends.
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
from tests.databases import for_a_thread
from tests.loadclient import Person, Reply, sessions_of
from tests.scorecard.large_jobs import LargeJobs
from tests.scorecard.processors import spent

STAMPEDE_SECONDS = 15
THINK_SECONDS = 10
WORK_SECONDS = 75
LEAST_SECONDS = 20
SLUG = "load"
pytestmark = pytest.mark.heavy


class Desk:
    """One person's work, and the seconds that each of her requests took."""

    def __init__(self, person: Person, seconds: dict[str, list[float]]) -> None:
        self.person, self.seconds = person, seconds
        self.cards: list[dict] = []
        self.acknowledged: list[str] = []

    def note(self, kind: str, reply: Reply) -> Reply:
        assert reply.status == 200, (kind, reply.status, reply.body[:300])
        self.seconds[kind].append(reply.seconds)
        return reply

    async def arrive(self) -> None:
        """Open the page and get a first batch."""
        await asyncio.sleep(random.random() * STAMPEDE_SECONDS)
        self.note("page", await self.person.get(f"/c/{SLUG}/judge/"))
        await self.claim("first batch")

    async def claim(self, kind: str) -> None:
        reply = self.note(kind, await self.person.post(f"/c/{SLUG}/judge/next", {}))
        self.cards = json.loads(reply.body)["cards"]
        assert self.cards, reply.body

    async def come_back(self) -> None:
        """Go on with what is left of the batch."""
        await asyncio.sleep(random.random() * STAMPEDE_SECONDS)
        await self.claim("coming back")

    async def work(self, is_over: Callable[[], bool]) -> None:
        """Think and answer until it is over."""
        await think()  # nobody begins at a round time: the first answers come as often as all others
        while not is_over():
            submission = str(uuid4())
            body = {"submission_id": submission, "hand_out": self.cards[0]["hand_out"], "grade": random.randrange(2),
                    "active_ms": 9_000}  # fmt: skip
            reply = self.note("answer", await self.person.post(f"/c/{SLUG}/judge/answer", body))
            self.acknowledged.append(submission)
            self.cards = json.loads(reply.body)["cards"]
            if not self.cards:
                await self.claim("next batch")
            await think()


async def think() -> None:
    """Ten seconds in the mean, and as many answers a second at any time."""
    await asyncio.sleep(random.expovariate(1 / THINK_SECONDS))


def study(n_people: int):
    """A pool that keeps so many people busy, with golds; and its people."""
    collection = cast.collection(SLUG, batch_candidates=18, labels_per_pair=2, gold_positives=1, gold_negatives=1)
    users = [cast.user(f"load{number}") for number in range(n_people)]
    for user in users:
        cast.annotator(collection, user)
    pairs = cast.pairs(collection, 20_000)
    round_ = campaigns.open_pool_round(collection, pairs[500:])
    pool = Pool.objects.create(
        collection=collection, name="pool", strategy="depth-k", state="open", round=round_, opened_at=timezone.now()
    )
    PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pairs[500:])
    Gold.objects.bulk_create(
        Gold(collection=collection, pair=pair, grade=number % 2, is_positive=number % 2 == 1, origin="curated")
        for number, pair in enumerate(pairs[:500])
    )
    return collection, users


def take_back_some() -> None:
    """Take back the first pairs of each batch, none to all but one: people are not all at one place of theirs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotate_handout SET answered_at = now() WHERE position <= batch_id % 20 RETURNING seat_id"
        )
        seats = [row[0] for row in cursor.fetchall()]
    taken = Seat.objects.filter(pk__in=seats)
    taken.filter(purpose="label").update(state="free", annotator=None, leased_until=None)
    taken.filter(purpose="gold").update(state="withdrawn", leased_until=None)


def tell(title: str, seconds: dict[str, list[float]]) -> None:
    print(f"\n{title}")
    for kind, times in seconds.items():
        p50, p95, p99 = 1000 * np.percentile(times, [50, 95, 99])
        print(f"{kind:12} n {len(times):6,}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms")


def drive(desks: list[Desk], act: Callable[[Desk], Awaitable[None]]) -> None:
    async def all_at_once() -> None:
        await asyncio.gather(*map(act, desks))
        for desk in desks:
            desk.person.leave()

    asyncio.run(all_at_once())


def p99(*seconds: list[float]) -> float:
    """Milliseconds that 99 of 100 keep within."""
    return 1000 * float(np.percentile([each for some in seconds for each in some], 99))


def after(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have gone by."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def assert_stored_once(collection: Collection, desks: list[Desk]) -> None:
    """What each was told is stored is stored once, and nothing else; nobody shares a seat."""
    judgments = Judgment.objects.filter(collection=collection)
    stored = [str(each) for each in judgments.values_list("submission_id", flat=True)]
    assert sorted(stored) == sorted(submission for desk in desks for submission in desk.acknowledged)
    done = Seat.objects.filter(collection=collection, state="done")
    assert done.count() == done.values("judgment").distinct().count() == len(stored)
    on_desks = HandOut.objects.filter(answered_at=None, batch__collection=collection)
    assert on_desks.count() == on_desks.values("seat").distinct().count() > len(desks)


def test_a_thousand_annotators(fault_stack, django_db_blocker, figures):
    n_people, stack = figures.size("people"), fault_stack("load")
    with stack.orm(django_db_blocker):
        collection, users = study(n_people)
        sessions = sessions_of(users, secret=stack.home.read_secret_key())
    stampede: dict[str, list[float]] = defaultdict(list)
    work: dict[str, list[float]] = defaultdict(list)
    desks = [Desk(Person(stack.url, session), stampede) for session in sessions]
    with spent(stack) as of_stampede:
        drive(desks, Desk.arrive)
    with stack.orm(django_db_blocker):
        take_back_some()
    drive(desks, Desk.come_back)
    for desk in desks:
        desk.seconds = work
    is_over = after(WORK_SECONDS)
    with spent(stack) as of_work:
        drive(desks, lambda desk: desk.work(is_over))
    tell(f"{n_people:,} people arrive within {STAMPEDE_SECONDS} s", stampede)
    tell(f"{n_people:,} people answer every {THINK_SECONDS} s or so, for {WORK_SECONDS} s", work)
    with stack.orm(django_db_blocker):
        assert_stored_once(collection, desks)
    assert "nothing broken" in stack.manage("fsck")
    figures.tell("rush: 99 of 100 pages and first batches", p99(stampede["page"], stampede["first batch"]), "ms",
                 at_most=2_000)  # fmt: skip
    figures.tell("work: answers", len(work["answer"]))
    figures.tell("work: 99 of 100 answers", p99(work["answer"], work["next batch"]), "ms", at_most=150)
    of_stampede.tell(figures, "rush")
    of_work.tell(figures, "work")


def test_a_thousand_annotators_beside_large_jobs(fault_stack, django_db_blocker, figures, tmp_path):
    n_people, stack = figures.size("people"), fault_stack("beside")
    with stack.orm(django_db_blocker):
        jobs = LargeJobs(stack, figures, tmp_path)
        collection, users = study(n_people)
        sessions = sessions_of(users, secret=stack.home.read_secret_key())
    seconds: dict[str, list[float]] = defaultdict(list)
    desks = [Desk(Person(stack.url, session), seconds) for session in sessions]
    drive(desks, Desk.arrive)
    beside: dict[str, list[float]] = defaultdict(list)
    for desk in desks:
        desk.seconds = beside
    with ThreadPoolExecutor(1) as pool, spent(stack) as of_work:
        working = pool.submit(for_a_thread(jobs.ask_and_wait), django_db_blocker)
        is_over = after(LEAST_SECONDS)  # small jobs end before anybody has thought
        drive(desks, lambda desk: desk.work(lambda: working.done() and is_over()))
        working.result()
    tell(f"{n_people:,} people answer every {THINK_SECONDS} s or so beside large jobs", beside)
    with stack.orm(django_db_blocker):
        assert_stored_once(collection, desks)
        jobs.tell(figures)  # fsck is not asked: what is loaded down was written by SQL
    figures.tell("answers meanwhile", len(beside["answer"]))
    figures.tell("99 of 100 answers", p99(beside["answer"], beside["next batch"]), "ms", at_most=500)
    of_work.tell(figures, "meanwhile")
