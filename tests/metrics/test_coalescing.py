"""Five hundred judgments in ten seconds: at most a dozen refreshes.

On an idle machine all are counted within five.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection

from annotate.models import Change, Collection
from metrics.models import Snapshot
from tests import campaigns, cast
from tests.metrics import studies
from tests.servers.webclient import WebClient

# what a second's judgments become is counted by tests/metrics/test_receivers.py
pytestmark = pytest.mark.heavy
N_PEOPLE, N_ANSWERS, SECONDS = 10, 50, 10.0
SLUG = "coalesce"


def work(browser: WebClient, begun: float) -> None:
    """Answer at an even pace."""
    cards: list[dict] = []
    for number in range(N_ANSWERS):
        time.sleep(max(0.0, begun + number * SECONDS / N_ANSWERS - time.monotonic()))
        cards = cards or browser.post(f"/c/{SLUG}/judge/next", {})[0]["cards"]
        body = {
            "submission_id": str(uuid4()),
            "hand_out": cards[0]["hand_out"],
            "grade": number % 2,
        }
        cards = browser.post(f"/c/{SLUG}/judge/answer", body)[0]["cards"]


def n_labels_of(study: Collection) -> int:
    """The number of labels behind the agreement of the last refresh."""
    connection.ensure_connection()
    snapshot = Snapshot.objects.filter(collection=study, kind="agreement").first()
    return snapshot.n_judgments if snapshot else -1


def n_refreshes(stack) -> int:
    """How many refreshes of this collection the worker has finished."""
    return (stack.home.logs / "worker.log").read_text(errors="replace").count(f"{SLUG}: ")


def test_500_judgments_in_ten_seconds_cause_at_most_a_dozen_refreshes(
    live_stack, django_db_blocker
):
    with live_stack.orm(django_db_blocker):
        study = studies.study(
            SLUG, n_queries=60, n_documents=60, grades=2, batch_candidates=60, labels_per_pair=1
        )
        more = cast.pairs(study, N_PEOPLE * N_ANSWERS + 100)
        campaigns.open_pool_round(study, more, name="more")
        names = [
            cast.annotator(study, cast.user(f"coalesce{i}")).user.username for i in range(N_PEOPLE)
        ]
        browsers = [WebClient(live_stack.url) for _ in names]
        for browser, name in zip(browsers, names, strict=True):
            browser.sign_in(name)
            browser.get(f"/c/{SLUG}/judge/")
        waited = time.monotonic() + 120
        while n_labels_of(study) < 0 and time.monotonic() < waited:
            time.sleep(0.2)
        before, begun = n_refreshes(live_stack), time.monotonic()
        with ThreadPoolExecutor(N_PEOPLE) as pool:
            list(pool.map(lambda browser: work(browser, begun), browsers))
        took, ended = time.monotonic() - begun, time.monotonic()
        while n_labels_of(study) < N_PEOPLE * N_ANSWERS and time.monotonic() < ended + 120:
            time.sleep(0.1)
        late, refreshes = time.monotonic() - ended, n_refreshes(live_stack) - before
        print(
            f"\n500 judgments in {took:.1f} s, {refreshes} refreshes, the last one in the numbers "
            f"{late:.1f} s later"
        )
        assert n_labels_of(study) == N_PEOPLE * N_ANSWERS
        assert not Change.objects.filter(collection=study).exists()
        # about one a second where the machine is slower than the pace
        assert refreshes <= max(12, took + late + 2)
        assert late < 5
