"""The disk fills up while people judge: no unstored answer is acknowledged, and judging resumes."""

import time

import pytest

from config.up.processes import wait_until
from tests.journeys import test_faults as faults
from tests.journeys.test_outages import fetch, full_disk

pytestmark = pytest.mark.heavy
SECONDS_FULL = 10


def test_a_full_disk_loses_nothing_and_is_told(small_disk, fault_stack, django_db_blocker, figures):
    n_answers, disk = figures.size("answers"), small_disk("1g")
    stack = fault_stack("full disk", ASSAYER_VAR=str(disk / "var"))
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2 * n_answers + 1_000)
    with faults.people_judge(stack) as (acknowledged, wait_for_answers):
        while len(acknowledged) < n_answers:
            wait_for_answers()
        with full_disk(stack, disk):
            acknowledged.allow_more()  # so that people try to judge
            before = len(acknowledged)
            time.sleep(SECONDS_FULL)
            while_full, status = len(acknowledged) - before, fetch(stack, "/readyz")[0]
        before, start = len(acknowledged), time.monotonic()
        assert wait_until(lambda: len(acknowledged) > before, seconds=600)
        seconds = time.monotonic() - start
        wait_for_answers()
    faults.assert_recovered(stack, collection, acknowledged, django_db_blocker)
    with stack.orm(django_db_blocker):
        n_lost, n_doubled = faults.count_faults(collection, acknowledged)
    figures.record("answers acknowledged", len(acknowledged), at_least=n_answers)
    figures.record("answers acknowledged while it was full", while_full, at_most=0)
    figures.record("readyz while it was full", status, at_least=503, at_most=503)
    figures.record("from room to the first answer", seconds, "s", at_most=5)
    figures.record("answers lost", n_lost, at_most=0)
    figures.record("answers stored or counted twice", n_doubled, at_most=0)
    assert "nothing broken" in stack.manage("fsck")
