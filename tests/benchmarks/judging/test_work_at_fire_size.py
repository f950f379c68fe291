"""Queries of pages about open work, at the size of FIRE's MSVD study with its pool open.

555,260 pairs, 60,000 of them labelled, many of these in need of a second label. Prints medians.
Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_work_at_fire_size.py
"""

import time
from statistics import median

import pytest

from annotate.models import Annotator
from annotate.services.golds import reach as gold_reach
from annotate.services.judging import work_availability
from annotate.services.pages import stuck_labels
from tests import cast
from tests.benchmarks.judging.review_study import fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(3600)]
N_TIMES = 7
MOST_SECONDS = 0.2


def median_seconds(act) -> float:
    """Median seconds of N_TIMES calls."""
    times = []
    for _ in range(N_TIMES):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return median(times)


def test_what_pages_ask_takes_less_than_a_blink() -> None:
    study = fill("review")
    collection = study.collection
    people = list(Annotator.objects.filter(collection=collection).order_by("pk")[:1])
    nobody_seconds = median_seconds(lambda: stuck_labels.stuck_labels(collection=collection))
    for annotator in Annotator.objects.filter(collection=collection, origin="person"):
        user = annotator.user or cast.user()
        Annotator.objects.filter(pk=annotator.pk).update(user=user)
        cast.member(collection, "annotator", user)
    calls = {
        "is there work for her": lambda: work_availability.no_work_reasons(annotators=people),
        "labels nobody can give": lambda: stuck_labels.stuck_labels(collection=collection),
        "batches that can have golds": lambda: gold_reach.gold_reach(collection=collection),
    }
    seconds_by_name = {"the same where nobody is there": nobody_seconds} | {
        name: median_seconds(act) for name, act in calls.items()
    }
    for name, value in seconds_by_name.items():
        print(f"  {name:<30} median {1000 * value:5.0f} ms")
    assert max(seconds_by_name.values()) < MOST_SECONDS
