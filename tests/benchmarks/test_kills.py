"""Web workers and PostgreSQL are killed over and over while people judge: nothing acknowledged is lost, nothing twice.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_kills.py
The product runs as in production, durability on. Two more tests show that the ledger would tell: one answers before
the disk has, the other sends an answer whose reply was lost again, with and without the submission id it had.
"""

import itertools
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Event
from uuid import uuid4

import pytest
from django.db import connection

from config.up.processes import wait_until
from tests.journeys import test_faults as faults
from tests.stack import Stack
from tests.webclient import WebClient

pytestmark = pytest.mark.heavy
N_CLIENTS = 16
CHANCE = random.Random(14)
PAUSE = 0.5  # seconds: faster than anybody judges for long
Judge = Callable[[WebClient, Event], Iterator[tuple[str, float]]]


def kill_web_worker(stack: Stack) -> None:
    """One of gunicorn's workers, whichever; its parent makes another."""
    parent = stack.processes()["web"]
    workers = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    os.kill(int(CHANCE.choice(workers)), signal.SIGKILL)


def kill_postgres(stack: Stack) -> None:
    """The whole server; whoever keeps the product running starts it again."""
    dead = stack.processes()["postgres"]
    stack.kill("postgres")
    assert wait_until(lambda: stack.processes()["postgres"] != dead, seconds=600)


def judge_through(
    clients: Sequence[WebClient], kill: Callable[[], None], times: int, judge: Judge, n_answers: int = 0
) -> list[str]:
    """Let people judge while something is killed again and again; what was acknowledged.

    n_answers : how many there are at least, as many between any two kills
    """
    stopped, acknowledged = Event(), []

    def work(desk: WebClient) -> None:
        for submission, _ in judge(desk, stopped):
            acknowledged.append(submission)

    with ThreadPoolExecutor(len(clients)) as pool:
        working = [pool.submit(work, desk) for desk in clients]

        def are_enough(n: float) -> bool:
            return len(acknowledged) >= n or any(desk.done() for desk in working)

        try:
            for number in range(1, times + 1):
                time.sleep(CHANCE.uniform(0.5, 1.5))
                assert wait_until(lambda number=number: are_enough(n_answers * number / times), seconds=7200)
                kill()
        finally:
            stopped.set()
        for desk in working:
            desk.result()
    return acknowledged


def four_at_work(stack: Stack) -> list[WebClient]:
    """The people of a small study."""
    return [faults.at_desk(stack, index) for index in range(faults.N_PEOPLE)]


def judge_until(client: WebClient, stopped: Event, *, pause: float = 0) -> Iterator[tuple[str, float]]:
    """Judge until it is enough; yields each acknowledged submission and its seconds.

    pause : seconds between two answers
    """
    for given in faults.judge_without_end(client):
        yield given
        if stopped.wait(pause):
            return


def losing_replies(client: WebClient, stopped: Event, *, new_ids: bool) -> Iterator[tuple[str, float]]:
    """As `judge_until`, on a line that loses every fifth reply, so that its answer is sent again.

    new_ids : each try carries a submission id of its own, as if there were none
    """
    cards = faults.insist(client, "/c/busy/judge/next", {})["cards"]
    for number in itertools.count():
        if stopped.is_set() or not cards:
            return
        body = {"submission_id": str(uuid4()), "hand_out": cards[0]["hand_out"], "grade": 1}
        if number % 5 == 0:
            faults.insist(client, "/c/busy/judge/answer", body)
            body["submission_id"] = str(uuid4()) if new_ids else body["submission_id"]
        cards = faults.insist(client, "/c/busy/judge/answer", body)["cards"]
        yield body["submission_id"], 0.0
        cards = cards or faults.insist(client, "/c/busy/judge/next", {})["cards"]


@pytest.mark.parametrize("kill", [pytest.param(kill_web_worker, id="web worker"),
                                  pytest.param(kill_postgres, id="postgres")])  # fmt: skip
def test_nothing_acknowledged_is_lost(fault_stack, django_db_blocker, figures, kill):
    times, n_answers = figures.size("kills"), figures.size("answers")
    stack = fault_stack("kills")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2_000 + 2 * n_answers, n_people=N_CLIENTS)
    clients = [faults.at_desk(stack, index) for index in range(N_CLIENTS)]
    judge = partial(judge_until, pause=PAUSE if kill is kill_web_worker else 0)
    acknowledged = judge_through(clients, partial(kill, stack), times, judge, n_answers)
    n_failures = sum(client.n_failures for client in clients)
    figures.tell("answers acknowledged", len(acknowledged), at_least=n_answers)
    with stack.orm(django_db_blocker):
        lost, twice = faults.ledger(collection, acknowledged)
    figures.tell("answers lost", lost, at_most=0)
    figures.tell("answers stored or counted twice", twice, at_most=0)
    most = 0.5 if kill is kill_web_worker else None  # a server that is down lets nobody through
    share = 100 * n_failures / (n_failures + len(acknowledged))
    figures.tell("tries that failed and were made again", share, "%", at_most=most)
    figures.tell("such tries a kill", n_failures / times)
    assert "nothing broken" in stack.manage("fsck")


def test_the_ledger_tells_of_answers_given_before_the_disk_had_them(fault_stack, django_db_blocker):
    stack = fault_stack("unsafe")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
        with connection.cursor() as cursor:
            cursor.execute("ALTER SYSTEM SET synchronous_commit = off")
            cursor.execute("SELECT pg_reload_conf()")
    with pytest.raises(AssertionError, match=r"forgotten|== \(0, 0\)"):  # a hand-out that is lost too stops who judges
        acknowledged = judge_through(four_at_work(stack), partial(kill_postgres, stack), 6, judge_until)
        with stack.orm(django_db_blocker):
            faults.assert_ledger(collection, acknowledged)


@pytest.mark.parametrize("new_ids", [False, True])
def test_the_ledger_tells_of_answers_without_a_submission_id(fault_stack, django_db_blocker, new_ids):
    stack = fault_stack("no id")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
    judge = partial(losing_replies, new_ids=new_ids)
    acknowledged = judge_through(four_at_work(stack), partial(kill_web_worker, stack), 5, judge)
    with stack.orm(django_db_blocker), pytest.raises(AssertionError) if new_ids else nullcontext():
        faults.assert_ledger(collection, acknowledged)
