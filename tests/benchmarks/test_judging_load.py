"""Fifty annotators judge over HTTP at once, without a pause: claim and answer times, nothing lost.

Run: python3 manage.py test --heavy -s tests/benchmarks/test_judging_load.py
"""

import http.cookiejar
import json
import re
import time
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import uuid4

import numpy as np
import pytest

from annotate.models import Judgment, Round, Seat
from annotate.services import seating
from tests import factories

N_PEOPLE = 50
N_ANSWERS = 36  # two batches each
pytestmark = pytest.mark.heavy


class Browser:
    """The little of a browser that judging needs: cookies and a CSRF token."""

    def __init__(self, base: str) -> None:
        self.base = base
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.csrf = ""

    def get(self, path: str) -> str:
        text = self.opener.open(self.base + path, timeout=60).read().decode()
        found = re.search(r'name="csrf(?:-token" content|middlewaretoken" value)="([^"]+)"', text)
        self.csrf = found.group(1) if found else self.csrf
        return text

    def sign_in(self, username: str) -> None:
        self.get("/accounts/login/")
        form = {"login": username, "password": factories.PASSWORD, "csrfmiddlewaretoken": self.csrf}
        self.opener.open(self.base + "/accounts/login/", urllib.parse.urlencode(form).encode(), timeout=60).read()

    def post(self, path: str, body: dict) -> tuple[dict, float]:
        headers = {"X-CSRFToken": self.csrf, "Content-Type": "application/json", "Referer": self.base}
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)  # noqa: S310
        begun = time.perf_counter()
        answer = json.loads(self.opener.open(request, timeout=60).read())
        return answer, time.perf_counter() - begun


def work(browser: Browser, barrier: Barrier) -> tuple[list[float], list[float], list[str]]:
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
    browsers = [Browser(live_stack.url) for _ in names]
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
        stored = {str(uuid) for uuid in Judgment.objects.filter(collection=made).values_list("submission_id", flat=True)}
        assert stored == {uuid for row in results for uuid in row[2]}
        done = Seat.objects.filter(collection=made, state="done")
        assert done.count() == done.values("judgment").distinct().count() == N_PEOPLE * N_ANSWERS
