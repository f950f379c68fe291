"""Double clicks, second tabs and late answers over HTTP: one judgment each, and none lost."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from uuid import uuid4

import pytest
from django.db.models import Count

from annotate.models import Batch, ClockTimestamp, Collection, Judgment, Seat
from tests.journeys import test_faults as faults
from tests.servers.loadclient import Person, sessions_of

pytestmark = pytest.mark.heavy
N_PEOPLE = 16
BATCH = 18
Submit = Callable[["Tabs", str], Awaitable[list[str]]]


class Tabs:
    """One person with two tabs, each on a connection of its own."""

    def __init__(self, url: str, session: str) -> None:
        self.first, self.second = Person(url, session), Person(url, session)

    async def claim(self) -> list[str]:
        """The hand-outs of her next cards."""
        reply = await self.first.post("/c/busy/judge/next", {})
        assert reply.status == 200, reply.body
        return [card["hand_out"] for card in json.loads(reply.body)["cards"]]

    async def judge(self, submit: Submit, n: int) -> list[str]:
        """Judge n pairs; returns the acknowledged submissions."""
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


async def submit_answer(person: Person, hand_out: str, submission: str, grade: int = 1) -> str:
    """Answer one hand-out; returns the acknowledged submission."""
    body = {"submission_id": submission, "hand_out": hand_out, "grade": grade}
    reply = await person.post("/c/busy/judge/answer", body)
    assert reply.status == 200, (reply.status, reply.body[:300])
    return submission


async def double_click(tabs: Tabs, hand_out: str) -> list[str]:
    """Send the same answer twice at once."""
    submission = str(uuid4())
    both = (submit_answer(tab, hand_out, submission) for tab in (tabs.first, tabs.second))
    return [(await asyncio.gather(*both))[0]]


async def judge_in_both_tabs(tabs: Tabs, hand_out: str) -> list[str]:
    """Judge the pair in both tabs at once, by two answers of the same grade."""
    both = (submit_answer(tab, hand_out, str(uuid4())) for tab in (tabs.first, tabs.second))
    return list(await asyncio.gather(*both))


async def answer_once(tabs: Tabs, hand_out: str) -> list[str]:
    """Send one answer."""
    return [await submit_answer(tabs.first, hand_out, str(uuid4()))]


def act_at_once(
    people_tabs: Iterable[Tabs], act: Callable[[Tabs], Awaitable[list[str]]]
) -> list[str]:
    """Let all people act at once; returns the acknowledged submissions."""

    async def everybody() -> list[list[str]]:
        submissions = await asyncio.gather(*map(act, people_tabs))
        for tabs in people_tabs:
            tabs.leave()
        return submissions

    return [submission for of_person in asyncio.run(everybody()) for submission in of_person]


@pytest.fixture
def study(fault_stack, django_db_blocker):
    """Function that makes a collection and its people, each with two tabs; it has the stack."""
    stack = fault_stack("tabs")

    def make(n_pairs: int, n_people: int = N_PEOPLE) -> tuple[Collection, list[Tabs]]:
        with stack.orm(django_db_blocker):
            collection = faults.open_study(n_pairs, n_people=n_people)
            users = [
                annotator.user
                for annotator in collection.annotators.select_related("user").order_by("pk")
            ]
            sessions = sessions_of(users, secret=stack.home.read_secret_key())
        return collection, [Tabs(stack.url, session) for session in sessions]

    make.stack = stack
    yield make
    assert "nothing broken" in stack.manage("fsck")


def share_of_each(n: int) -> int:
    """The share of each person in n."""
    return -(-n // N_PEOPLE)


def test_a_double_click_is_one_judgment(study, django_db_blocker, figures):
    n_each = share_of_each(figures.size("double clicks"))
    collection, people_tabs = study(n_each * N_PEOPLE + N_PEOPLE * BATCH)
    acknowledged = act_at_once(people_tabs, lambda tabs: tabs.judge(double_click, n_each))
    with study.stack.orm(django_db_blocker):
        n_lost, n_doubled = faults.count_faults(collection, acknowledged)
        n = Judgment.objects.filter(collection=collection).count()
    figures.record("double clicks", len(acknowledged), at_least=n_each * N_PEOPLE)
    figures.record("double clicks lost", n_lost, at_most=0)
    figures.record(
        "judgments beyond one a double click", n_doubled + n - len(set(acknowledged)), at_most=0
    )


def test_a_pair_in_two_tabs_is_one_label(study, django_db_blocker, figures):
    n_each = share_of_each(figures.size("pairs in two tabs"))
    collection, people_tabs = study(n_each * N_PEOPLE + N_PEOPLE * BATCH)
    n = len(act_at_once(people_tabs, lambda tabs: tabs.judge(judge_in_both_tabs, n_each))) // 2
    with study.stack.orm(django_db_blocker):
        judgments = Judgment.objects.filter(collection=collection)
        n_again = (
            judgments.values("annotator", "pair").annotate(n=Count("pk")).filter(n__gt=1).count()
        )
        n_done = Seat.objects.filter(collection=collection, state="done").count()
    figures.record("pairs judged in two tabs", n, at_least=n_each * N_PEOPLE)
    figures.record("pairs without a label", n - n_done, at_most=0)
    figures.record("pairs with two judgments of one person", n_again, at_most=0)


def test_an_answer_that_comes_late_is_kept(study, django_db_blocker, figures):
    n_people = -(-figures.size("late answers") // BATCH)
    collection, people_tabs = study(n_people * BATCH, 2 * n_people)
    late, in_time_tabs = people_tabs[:n_people], people_tabs[n_people:]
    act_at_once(late, Tabs.claim)
    with study.stack.orm(django_db_blocker):
        late_hand_outs = [
            [str(token) for token in batch.hand_outs.values_list("token", flat=True)]
            for batch in Batch.objects.filter(collection=collection).order_by("annotator")
        ]
        Seat.objects.filter(collection=collection, state="held").update(
            leased_until=ClockTimestamp()
        )
    half = in_time_tabs[: n_people // 2]  # half of the late seats are handed out again, and judged
    in_time = act_at_once(half, lambda tabs: tabs.judge(answer_once, BATCH))

    async def answer_late(tabs: Tabs) -> list[str]:
        return [
            submission
            for hand_out in late_hand_outs[late.index(tabs)]
            for submission in await answer_once(tabs, hand_out)
        ]

    late_submissions = act_at_once(late, answer_late)
    with study.stack.orm(django_db_blocker):
        n_lost, n_doubled = faults.count_faults(collection, in_time + late_submissions)
        counting = Seat.objects.filter(
            collection=collection, state="done", judgment__submission_id__in=late_submissions
        ).count()
    figures.record("late answers", len(late_submissions), at_least=n_people * BATCH)
    figures.record("late answers thrown away", n_lost, at_most=0)
    figures.record("seats that count twice", n_doubled, at_most=0)
    figures.record("late answers that count, as their seats were still to be had", counting)
