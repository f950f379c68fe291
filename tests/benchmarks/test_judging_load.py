"""A thousand annotators over HTTP: all at once after a break, then at work; times, nothing lost, no seat twice.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_judging_load.py
The product runs as in production: its own PostgreSQL that answers after the disk has, Redis, web, worker and clock.
Everybody is signed in beforehand. The stampede: within 15 s each opens the judge page and asks for a batch of twenty.
Then each answers every ten seconds or so, from anywhere within the batch, and asks for the next one where it ends.
"""

import asyncio
import json
import random
from collections import defaultdict
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from annotate.models import Gold, HandOut, Judgment, Seat
from pooling.models import Pool, PoolPair
from tests import campaigns, cast
from tests.loadclient import Person, Reply, sessions_of

N_PEOPLE = 1_000
STAMPEDE_SECONDS = 15
THINK_SECONDS = 10
WORK_SECONDS = 75
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

    async def work(self) -> None:
        """Think and answer until the time is over."""
        over = asyncio.get_running_loop().time() + WORK_SECONDS
        await think()  # nobody begins at a round time: the first answers come as often as all others
        while asyncio.get_running_loop().time() < over:
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


def study():
    """A pool that keeps a thousand people busy, with golds; and its people."""
    collection = cast.collection(SLUG, batch_candidates=18, labels_per_pair=2, gold_positives=1, gold_negatives=1)
    users = [cast.user(f"load{number}") for number in range(N_PEOPLE)]
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


async def drive(desks: list[Desk], act: str) -> None:
    await asyncio.gather(*(getattr(desk, act)() for desk in desks))
    for desk in desks:
        desk.person.leave()


def test_a_thousand_annotators(fault_stack, django_db_blocker):
    stack = fault_stack("load")
    with stack.orm(django_db_blocker):
        collection, users = study()
        sessions = sessions_of(users, secret=stack.home.read_secret_key())
    stampede: dict[str, list[float]] = defaultdict(list)
    work: dict[str, list[float]] = defaultdict(list)
    desks = [Desk(Person(stack.url, session), stampede) for session in sessions]
    asyncio.run(drive(desks, "arrive"))
    with stack.orm(django_db_blocker):
        take_back_some()
    asyncio.run(drive(desks, "come_back"))
    for desk in desks:
        desk.seconds = work
    asyncio.run(drive(desks, "work"))
    tell(f"{N_PEOPLE:,} people arrive within {STAMPEDE_SECONDS} s", stampede)
    tell(f"{N_PEOPLE:,} people answer every {THINK_SECONDS} s or so, for {WORK_SECONDS} s", work)
    with stack.orm(django_db_blocker):
        judgments = Judgment.objects.filter(collection=collection)
        stored = [str(each) for each in judgments.values_list("submission_id", flat=True)]
        assert sorted(stored) == sorted(submission for desk in desks for submission in desk.acknowledged)
        done = Seat.objects.filter(collection=collection, state="done")
        assert done.count() == done.values("judgment").distinct().count() == len(stored)
        on_desks = HandOut.objects.filter(answered_at=None)
        assert on_desks.count() == on_desks.values("seat").distinct().count() > N_PEOPLE
    assert "nothing broken" in stack.manage("fsck")
    assert np.percentile(stampede["page"] + stampede["first batch"], 99) < 2
    assert np.percentile(work["answer"] + work["next batch"], 99) < 0.15
