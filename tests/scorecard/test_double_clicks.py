"""Double clicks, second tabs and late answers over HTTP: one judgment each, and none thrown away."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from uuid import uuid4

import pytest
from django.db.models import Count

from annotate.models import Batch, ClockTimestamp, Collection, Judgment, Seat
from tests.journeys import test_faults as faults
from tests.loadclient import Person, sessions_of

pytestmark = pytest.mark.heavy
N_PEOPLE = 16
BATCH = 18
Submit = Callable[["Tabs", str], Awaitable[list[str]]]


class Tabs:
    """One person with two tabs, each on a connection of its own."""

    def __init__(self, url: str, session: str) -> None:
        self.first, self.second = Person(url, session), Person(url, session)

    async def claim(self) -> list[str]:
        """The next of what she has to judge, by hand-outs."""
        reply = await self.first.post("/c/busy/judge/next", {})
        assert reply.status == 200, reply.body
        return [card["hand_out"] for card in json.loads(reply.body)["cards"]]

    async def judge(self, submit: Submit, n: int) -> list[str]:
        """Judge n pairs; what was acknowledged."""
        acknowledged: list[str] = []
        hand_outs: list[str] = []
        for _ in range(n):
            hand_outs = hand_outs or await self.claim()
            acknowledged += await submit(self, hand_outs.pop())
        return acknowledged

    def leave(self) -> None:
        """Close the connections: another loop cannot use them."""
        self.first.leave()
        self.second.leave()


async def submitted(person: Person, hand_out: str, submission: str, grade: int = 1) -> str:
    """Answer one hand-out; the submission, which was acknowledged."""
    body = {"submission_id": submission, "hand_out": hand_out, "grade": grade}
    reply = await person.post("/c/busy/judge/answer", body)
    assert reply.status == 200, (reply.status, reply.body[:300])
    return submission


async def double_click(tabs: Tabs, hand_out: str) -> list[str]:
    """The same answer twice at once."""
    submission = str(uuid4())
    both = (submitted(tab, hand_out, submission) for tab in (tabs.first, tabs.second))
    return [(await asyncio.gather(*both))[0]]


async def in_both_tabs(tabs: Tabs, hand_out: str) -> list[str]:
    """The pair is judged in either tab at once, by an answer of its own and the same grade."""
    both = (submitted(tab, hand_out, str(uuid4())) for tab in (tabs.first, tabs.second))
    return list(await asyncio.gather(*both))


async def once(tabs: Tabs, hand_out: str) -> list[str]:
    """One answer."""
    return [await submitted(tabs.first, hand_out, str(uuid4()))]


def all_at_once(desks: Iterable[Tabs], act: Callable[[Tabs], Awaitable[list[str]]]) -> list[str]:
    """What all of them together were told is stored."""

    async def everybody() -> list[list[str]]:
        told = await asyncio.gather(*map(act, desks))
        for desk in desks:
            desk.leave()
        return told

    return [submission for told in asyncio.run(everybody()) for submission in told]


@pytest.fixture
def study(fault_stack, django_db_blocker):
    """Makes a study and people at their desks: the product, its collection, the desks."""
    stack = fault_stack("tabs")

    def make(n_pairs: int, n_people: int = N_PEOPLE) -> tuple[Collection, list[Tabs]]:
        with stack.orm(django_db_blocker):
            collection = faults.open_study(n_pairs, n_people=n_people)
            users = [annotator.user for annotator in collection.annotators.select_related("user").order_by("pk")]
            sessions = sessions_of(users, secret=stack.home.read_secret_key())
        return collection, [Tabs(stack.url, session) for session in sessions]

    make.stack = stack
    yield make
    assert "nothing broken" in stack.manage("fsck")


def shared_out(n: int) -> int:
    """How many of n each person does."""
    return -(-n // N_PEOPLE)


def test_a_double_click_is_one_judgment(study, django_db_blocker, figures):
    each = shared_out(figures.size("double clicks"))
    collection, desks = study(each * N_PEOPLE + N_PEOPLE * BATCH)
    acknowledged = all_at_once(desks, lambda desk: desk.judge(double_click, each))
    with study.stack.orm(django_db_blocker):
        lost, twice = faults.ledger(collection, acknowledged)
        n = Judgment.objects.filter(collection=collection).count()
    figures.tell("double clicks", len(acknowledged), at_least=each * N_PEOPLE)
    figures.tell("double clicks lost", lost, at_most=0)
    figures.tell("judgments beyond one a double click", twice + n - len(set(acknowledged)), at_most=0)


def test_a_pair_in_two_tabs_is_one_label(study, django_db_blocker, figures):
    each = shared_out(figures.size("pairs in two tabs"))
    collection, desks = study(each * N_PEOPLE + N_PEOPLE * BATCH)
    n = len(all_at_once(desks, lambda desk: desk.judge(in_both_tabs, each))) // 2
    with study.stack.orm(django_db_blocker):
        judgments = Judgment.objects.filter(collection=collection)
        n_again = judgments.values("annotator", "pair").annotate(n=Count("pk")).filter(n__gt=1).count()
        n_done = Seat.objects.filter(collection=collection, state="done").count()
    figures.tell("pairs judged in two tabs", n, at_least=each * N_PEOPLE)
    figures.tell("pairs without a label", n - n_done, at_most=0)
    figures.tell("pairs with two judgments of one person", n_again, at_most=0)


def test_an_answer_that_comes_late_is_kept(study, django_db_blocker, figures):
    n_people = -(-figures.size("late answers") // BATCH)
    collection, desks = study(n_people * BATCH, 2 * n_people)
    late, others = desks[:n_people], desks[n_people:]
    all_at_once(late, Tabs.claim)
    with study.stack.orm(django_db_blocker):
        held = [[str(token) for token in batch.hand_outs.values_list("token", flat=True)]
                for batch in Batch.objects.filter(collection=collection).order_by("annotator")]  # fmt: skip
        Seat.objects.filter(collection=collection, state="held").update(leased_until=ClockTimestamp())
    half = others[: n_people // 2]  # half of what they hold is handed out again, and judged
    in_time = all_at_once(half, lambda desk: desk.judge(once, BATCH))

    async def answer_late(desk: Tabs) -> list[str]:
        return [submission for hand_out in held[late.index(desk)] for submission in await once(desk, hand_out)]

    told = all_at_once(late, answer_late)
    with study.stack.orm(django_db_blocker):
        lost, twice = faults.ledger(collection, in_time + told)
        counting = Seat.objects.filter(collection=collection, state="done", judgment__submission_id__in=told).count()
    figures.tell("late answers", len(told), at_least=n_people * BATCH)
    figures.tell("late answers thrown away", lost, at_most=0)
    figures.tell("seats that count twice", twice, at_most=0)
    figures.tell("late answers that count, as their seats were still to be had", counting)
