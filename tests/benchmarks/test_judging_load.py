"""Fifty annotators judge over HTTP at once, two seconds a pair and without a pause: times, nothing lost.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_judging_load.py
"""

import random
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


def work(slug: str, browser: WebClient, barrier: Barrier, pause: float) -> tuple[list[float], list[float], list[str]]:
    """Judge N_ANSWERS pairs; the seconds of claims and answers, and the submissions acknowledged."""
    claims, answers, saved = [], [], []
    rng = random.Random(browser.csrf)
    barrier.wait()
    time.sleep(pause * rng.random())
    cards: list[dict] = []
    while len(saved) < N_ANSWERS:
        if not cards:
            answer, seconds = browser.post(f"/c/{slug}/judge/next", {})
            claims.append(seconds)
            cards = answer["cards"]
            assert cards, answer["empty"]
        submission = str(uuid4())
        body = {"submission_id": submission, "hand_out": cards[0]["hand_out"], "grade": len(saved) % 2}
        time.sleep(pause * (0.5 + rng.random()))
        answer, seconds = browser.post(f"/c/{slug}/judge/answer", body)
        answers.append(seconds)
        saved.append(submission)
        cards = answer["cards"]
    return claims, answers, saved


@pytest.mark.parametrize("pause", [2.0, 0.0])
def test_fifty_annotators_at_once(live_stack, django_db_blocker, pause):
    slug = f"load-{pause:.0f}"
    with live_stack.orm(django_db_blocker):
        made = factories.collection(slug, batch_candidates=18)
        names = [factories.annotator(made, factories.user(f"{slug}-{i}")).user.username for i in range(N_PEOPLE)]
        pair_list = factories.pairs(made, 4000)
        seating.open_round(
            collection=made,
            kind=Round.Kind.POOL,
            name=slug,
            policy=factories.policy(made),
            pair_ids=[pair.pk for pair in pair_list],
        )
    browsers = [WebClient(live_stack.url) for _ in names]
    for browser, name in zip(browsers, names, strict=True):
        browser.sign_in(name)
        browser.get(f"/c/{slug}/judge/")
    barrier = Barrier(N_PEOPLE)
    begun = time.perf_counter()
    with ThreadPoolExecutor(N_PEOPLE) as pool:
        results = list(pool.map(lambda browser: work(slug, browser, barrier, pause), browsers))
    seconds = time.perf_counter() - begun
    print(f"\n{N_PEOPLE} people, {N_PEOPLE * N_ANSWERS} answers in {seconds:.1f} s, a pause of {pause:.0f} s each")
    for name, column in (("claim", 0), ("answer", 1)):
        times = 1000 * np.concatenate([row[column] for row in results])
        print(
            f"{name:8} n {len(times):5}  p50 {np.percentile(times, 50):6.0f} ms  "
            f"p99 {np.percentile(times, 99):6.0f} ms  max {times.max():6.0f} ms"
        )
    with live_stack.orm(django_db_blocker):
        submissions = Judgment.objects.filter(collection=made).values_list("submission_id", flat=True)
        assert {str(submission) for submission in submissions} == {uuid for row in results for uuid in row[2]}
        done = Seat.objects.filter(collection=made, state="done")
        assert done.count() == done.values("judgment").distinct().count() == N_PEOPLE * N_ANSWERS
