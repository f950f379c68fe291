"""Web workers and PostgreSQL are killed while people judge: no answer is lost or doubled.

Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_kills.py
The product runs as in production, durability on. Two more tests show that the ledger would detect
faults: one acknowledges answers before they are on disk, the other resends answers whose reply was
lost, with and without its submission id.
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
from tests.servers.stack import Stack
from tests.servers.webclient import WebClient

pytestmark = pytest.mark.heavy
N_CLIENTS = 16
RNG = random.Random(14)
PAUSE = 0.5  # seconds between answers, faster than people
Judge = Callable[[WebClient, Event], Iterator[tuple[str, float]]]


def kill_web_worker(stack: Stack) -> None:
    """Kill a random worker of gunicorn; its parent starts another."""
    parent = stack.processes()["web"]
    workers = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    os.kill(int(RNG.choice(workers)), signal.SIGKILL)


def kill_postgres(stack: Stack) -> None:
    """Kill the whole server; the supervisor starts it again."""
    dead = stack.processes()["postgres"]
    stack.kill("postgres")
    assert wait_until(lambda: stack.processes()["postgres"] != dead, seconds=600)


def judge_through(
    clients: Sequence[WebClient],
    kill: Callable[[], None],
    n_kills: int,
    judge: Judge,
    n_answers: int = 0,
) -> list[str]:
    """Let people judge while `kill` is called `times` times; returns the acknowledged submissions.

    n_answers : least number of them, spread evenly between the kills
    """
    stopped, acknowledged = Event(), []

    def work(client: WebClient) -> None:
        for submission, _ in judge(client, stopped):
            acknowledged.append(submission)

    with ThreadPoolExecutor(len(clients)) as pool:
        working = [pool.submit(work, client) for client in clients]

        def has_enough(n: float) -> bool:
            return len(acknowledged) >= n or any(future.done() for future in working)

        try:
            for number in range(1, n_kills + 1):
                time.sleep(RNG.uniform(0.5, 1.5))
                assert wait_until(
                    lambda number=number: has_enough(n_answers * number / n_kills), seconds=7200
                )
                kill()
        finally:
            stopped.set()
        for future in working:
            future.result()
    return acknowledged


def signed_in_clients(stack: Stack) -> list[WebClient]:
    """Signed-in clients of the people of a small study."""
    return [faults.signed_in_client(stack, index) for index in range(faults.N_PEOPLE)]


def judge_until(
    client: WebClient, stopped: Event, *, pause: float = 0
) -> Iterator[tuple[str, float]]:
    """Judge until `stopped`; yields each acknowledged submission and its seconds.

    pause : seconds between two answers
    """
    for judgment in faults.judge_continuously(client):
        yield judgment
        if stopped.wait(pause):
            return


def losing_replies(
    client: WebClient, stopped: Event, *, new_ids: bool
) -> Iterator[tuple[str, float]]:
    """Judge on a connection that loses every fifth reply, so that its answer is sent again.

    new_ids : whether each try has a new submission id, as if there were none
    """
    cards = faults.post_until_acknowledged(client, "/c/busy/judge/next", {})["cards"]
    for number in itertools.count():
        if stopped.is_set() or not cards:
            return
        body = {"submission_id": str(uuid4()), "hand_out": cards[0]["hand_out"], "grade": 1}
        if number % 5 == 0:
            faults.post_until_acknowledged(client, "/c/busy/judge/answer", body)
            body["submission_id"] = str(uuid4()) if new_ids else body["submission_id"]
        cards = faults.post_until_acknowledged(client, "/c/busy/judge/answer", body)["cards"]
        yield body["submission_id"], 0.0
        cards = cards or faults.post_until_acknowledged(client, "/c/busy/judge/next", {})["cards"]


@pytest.mark.parametrize(
    "kill",
    [pytest.param(kill_web_worker, id="web worker"), pytest.param(kill_postgres, id="postgres")],
)
def test_nothing_acknowledged_is_lost(fault_stack, django_db_blocker, figures, kill):
    n_kills, n_answers = figures.size("kills"), figures.size("answers")
    stack = fault_stack("kills")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2_000 + 2 * n_answers, n_people=N_CLIENTS)
    clients = [faults.signed_in_client(stack, index) for index in range(N_CLIENTS)]
    judge = partial(judge_until, pause=PAUSE if kill is kill_web_worker else 0)
    acknowledged = judge_through(clients, partial(kill, stack), n_kills, judge, n_answers)
    n_failures = sum(client.n_failures for client in clients)
    figures.record("answers acknowledged", len(acknowledged), at_least=n_answers)
    with stack.orm(django_db_blocker):
        n_lost, n_doubled = faults.count_faults(collection, acknowledged)
    figures.record("answers lost", n_lost, at_most=0)
    figures.record("answers stored or counted twice", n_doubled, at_most=0)
    most = 0.5 if kill is kill_web_worker else None  # while PostgreSQL is down, all tries fail
    share = 100 * n_failures / (n_failures + len(acknowledged))
    figures.record("tries that failed and were made again", share, "%", at_most=most)
    figures.record("such tries a kill", n_failures / n_kills)
    assert "nothing broken" in stack.manage("fsck")


def test_the_ledger_tells_of_answers_given_before_the_disk_had_them(fault_stack, django_db_blocker):
    stack = fault_stack("unsafe")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
        with connection.cursor() as cursor:
            cursor.execute("ALTER SYSTEM SET synchronous_commit = off")
            cursor.execute("SELECT pg_reload_conf()")
    # a lost hand-out stops its annotator
    with pytest.raises(AssertionError, match=r"forgotten|== \(0, 0\)"):
        acknowledged = judge_through(
            signed_in_clients(stack), partial(kill_postgres, stack), 6, judge_until
        )
        with stack.orm(django_db_blocker):
            faults.assert_stored_once(collection, acknowledged)


@pytest.mark.parametrize("new_ids", [False, True])
def test_the_ledger_tells_of_answers_without_a_submission_id(
    fault_stack, django_db_blocker, new_ids
):
    stack = fault_stack("no id")
    with stack.orm(django_db_blocker):
        collection = faults.open_study(20_000)
    judge = partial(losing_replies, new_ids=new_ids)
    acknowledged = judge_through(
        signed_in_clients(stack), partial(kill_web_worker, stack), 5, judge
    )
    with stack.orm(django_db_blocker), pytest.raises(AssertionError) if new_ids else nullcontext():
        faults.assert_stored_once(collection, acknowledged)
