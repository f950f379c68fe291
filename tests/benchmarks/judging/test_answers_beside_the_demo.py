"""While the demo's campaign is made, an annotator of another collection waits no longer.

Run: python3 manage.py test --heavy -s tests/benchmarks/judging/test_answers_beside_the_demo.py
"""

import resource
import subprocess
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from annotate.models import Collection, Judgment
from metrics.services.rehearsal.campaign import NAME, SLUG
from tests.journeys.test_faults import judge_continuously, open_study, signed_in_client

SECONDS, PAUSE = 60, 0.25  # of each measurement without the campaign, and between two answers
SLOWER, MORE = 2.0, 0.05  # times, and seconds, that the answers beside it may take longer
pytestmark = pytest.mark.heavy


def answer_times(
    judging: Iterator[tuple[str, float]], goes_on: Callable[[], bool]
) -> tuple[float, float]:
    """The median and the 99th percentile of an answer's seconds, of a person who pauses."""
    times = []
    while goes_on():
        times.append(next(judging)[1])
        time.sleep(PAUSE)
    median, slow = np.quantile(times, [0.5, 0.99])
    print(f"{len(times):4} answers: median {median * 1000:.0f} ms, p99 {slow * 1000:.0f} ms")
    return float(median), float(slow)


def processor_seconds() -> float:
    """The processor's seconds of all processes that were started from here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_answers_beside_the_demos_campaign_come_as_soon(fault_stack, django_db_blocker):
    stack = fault_stack("demo")
    with stack.orm(django_db_blocker):
        open_study(4_000)
    judging = judge_continuously(signed_in_client(stack, 0))

    def lasts() -> Callable[[], bool]:
        until = time.monotonic() + SECONDS
        return lambda: time.monotonic() < until

    print()
    before = answer_times(judging, lasts())
    begun_at, seconds_before = time.monotonic(), processor_seconds()
    command = [stack.python, "manage.py", "load_demo", "--campaign", "--background"]
    with subprocess.Popen(
        command, cwd=stack.root, env=stack.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as making:
        beside = answer_times(judging, lambda: making.poll() is None)
        assert making.returncode == 0
    print(
        f"The campaign was made in {time.monotonic() - begun_at:.0f} s, of which it worked "
        f"{processor_seconds() - seconds_before:.0f} s itself, the database not counted."
    )
    after = answer_times(judging, lasts())
    with stack.orm(django_db_blocker):
        collection = Collection.objects.get(slug=SLUG, name=NAME)
        assert Judgment.objects.filter(collection=collection, purpose="label").count() == 900
    for number in range(2):
        assert beside[number] <= SLOWER * max(before[number], after[number]) + MORE
    assert "nothing broken" in stack.manage("fsck")
