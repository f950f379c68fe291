"""Fifty annotators judge over HTTP at once, without a pause: claim and answer times, nothing lost.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_judging_load.py
"""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import numpy as np
import pytest

from annotate.models import Judgment, Round, Seat
from annotate.services import seating
from tests import factories
from tests.webclient import WebClient

N_PEOPLE = 50
N_ANSWERS = 36  # two batches each
pytestmark = pytest.mark.heavy


def work(browser: WebClient, barrier: Barrier) -> tuple[list[float], list[float], list[str]]:
    claims, answers, saved = [], [], []
    barrier.wait()
    cards: list[dict] = []
    while len(saved) < N_ANSWERS:
        if not cards:
            answer, seconds = browser.post("/c/load/judge/next", {})
            claims.append(seconds)
            cards = answer["cards"]
            assert cards, answer["empty"]
        submission = str(uuid4())
        body = {"submission_id": submission, "hand_out": cards[0]["hand_out"], "grade": len(saved) % 2}
        answer, seconds = browser.post("/c/load/judge/answer", body)
        answers.append(seconds)
        saved.append(submission)
        cards = answer["cards"]
    return claims, answers, saved


def test_fifty_annotators_at_once(live_stack, django_db_blocker):
    with live_stack.orm(django_db_blocker):
        made = factories.collection("load", batch_candidates=18)
        names = [factories.annotator(made, factories.user(f"load{i}")).user.username for i in range(N_PEOPLE)]
        pair_list = factories.pairs(made, 4000)
        seating.open_round(
            collection=made, kind=Round.Kind.POOL, name="load", policy=factories.policy(made),
            pair_ids=[pair.pk for pair in pair_list],
        )
    browsers = [WebClient(live_stack.url) for _ in names]
    for browser, name in zip(browsers, names, strict=True):
        browser.sign_in(name)
        browser.get("/c/load/judge/")
    barrier = Barrier(N_PEOPLE)
    begun = time.perf_counter()
    with ThreadPoolExecutor(N_PEOPLE) as pool:
        results = list(pool.map(lambda browser: work(browser, barrier), browsers))
    seconds = time.perf_counter() - begun
    print(f"\n{N_PEOPLE} people, {N_PEOPLE * N_ANSWERS} answers in {seconds:.1f} s without any pause")
    for name, column in (("claim", 0), ("answer", 1)):
        times = 1000 * np.concatenate([row[column] for row in results])
        print(f"{name:8} n {len(times):5}  p50 {np.percentile(times, 50):6.0f} ms  "
              f"p99 {np.percentile(times, 99):6.0f} ms  max {times.max():6.0f} ms")
    with live_stack.orm(django_db_blocker):
        submissions = Judgment.objects.filter(collection=made).values_list("submission_id", flat=True)
        assert {str(submission) for submission in submissions} == {uuid for row in results for uuid in row[2]}
        done = Seat.objects.filter(collection=made, state="done")
        assert done.count() == done.values("judgment").distinct().count() == N_PEOPLE * N_ANSWERS
