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
from collections.abc import Callable, Iterator
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
Judge = Callable[[WebClient, Event], Iterator[tuple[str, float]]]


def kill_web_worker(stack: Stack) -> None:
    """One of gunicorn's workers, whichever; its parent makes another."""
    parent = stack.processes()["web"]
    workers = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    os.kill(int(random.choice(workers)), signal.SIGKILL)


def kill_postgres(stack: Stack) -> None:
    """The whole server; whoever keeps the product running starts it again."""
    dead = stack.processes()["postgres"]
    stack.kill("postgres")
    assert wait_until(lambda: stack.processes()["postgres"] != dead, seconds=600)


def judge_through(stack: Stack, kill: Callable[[Stack], None], times: int, judge: Judge) -> list[str]:
    """Let people judge while something is killed again and again; what was acknowledged."""
    clients, stopped = [faults.at_desk(stack, index) for index in range(faults.N_PEOPLE)], Event()
    with ThreadPoolExecutor(faults.N_PEOPLE) as pool:
        working = [pool.submit(lambda desk=desk: [given for given, _ in judge(desk, stopped)]) for desk in clients]
        try:
            for _ in range(times):
                time.sleep(random.uniform(0.5, 1.5))
                kill(stack)
        finally:
            stopped.set()
        return [submission for desk in working for submission in desk.result()]


def judge_until(client: WebClient, stopped: Event) -> Iterator[tuple[str, float]]:
    """Judge until it is enough; yields each acknowledged submission and its seconds."""
    for given in faults.judge_without_end(client):
        yield given
        if stopped.is_set():
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


@pytest.mark.parametrize(("kill", "times"), [(kill_web_worker, 50), (kill_postgres, 20)])
def test_nothing_acknowledged_is_lost(fault_stack, django_db_blocker, kill, times):
    stack = fault_stack("kills")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
    acknowledged = judge_through(stack, kill, times, judge_until)
    print(f"\n{kill.__name__} {times} times: {len(acknowledged):,} answers acknowledged")
    assert len(acknowledged) > 10 * times
    with stack.orm(django_db_blocker):
        faults.assert_ledger(collection, acknowledged)
    assert "nothing broken" in stack.manage("fsck")


def test_the_ledger_tells_of_answers_given_before_the_disk_had_them(fault_stack, django_db_blocker):
    stack = fault_stack("unsafe")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
        with connection.cursor() as cursor:
            cursor.execute("ALTER SYSTEM SET synchronous_commit = off")
            cursor.execute("SELECT pg_reload_conf()")
    with pytest.raises(AssertionError, match=r"forgotten| <= "):  # a hand-out that is lost too stops who judges
        acknowledged = judge_through(stack, kill_postgres, 6, judge_until)
        with stack.orm(django_db_blocker):
            faults.assert_ledger(collection, acknowledged)


@pytest.mark.parametrize("new_ids", [False, True])
def test_the_ledger_tells_of_answers_without_a_submission_id(fault_stack, django_db_blocker, new_ids):
    stack = fault_stack("no id")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
    acknowledged = judge_through(stack, kill_web_worker, 5, partial(losing_replies, new_ids=new_ids))
    with stack.orm(django_db_blocker), pytest.raises(AssertionError) if new_ids else nullcontext():
        faults.assert_ledger(collection, acknowledged)
