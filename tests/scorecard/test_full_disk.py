"""The disk fills up while people judge: nothing is acknowledged that is not stored, and work goes on once it can."""

import time

import pytest

from config.up.processes import wait_until
from tests.journeys import test_faults as faults
from tests.journeys.test_outages import answer_of, full_disk

pytestmark = pytest.mark.heavy
SECONDS_FULL = 10


def test_a_full_disk_loses_nothing_and_is_told(small_disk, fault_stack, django_db_blocker, figures):
    n_answers, disk = figures.size("answers"), small_disk("1g")
    stack = fault_stack("full disk", ASSAYER_VAR=str(disk / "var"))
    with stack.orm(django_db_blocker):
        collection = faults.open_study(2 * n_answers + 1_000)
    with faults.people_judge(stack) as (acknowledged, judge_on):
        while len(acknowledged) < n_answers:
            judge_on()
        with full_disk(stack, disk):
            acknowledged.allow_more()  # so that people try to judge now
            before = len(acknowledged)
            time.sleep(SECONDS_FULL)
            while_full, status = len(acknowledged) - before, answer_of(stack, "/readyz")[0]
        before, begun = len(acknowledged), time.monotonic()
        assert wait_until(lambda: len(acknowledged) > before, seconds=600)
        seconds = time.monotonic() - begun
        judge_on()
    faults.assert_goes_on(stack, collection, acknowledged, django_db_blocker)
    with stack.orm(django_db_blocker):
        lost, twice = faults.ledger(collection, acknowledged)
    figures.tell("answers acknowledged", len(acknowledged), at_least=n_answers)
    figures.tell("answers acknowledged while it was full", while_full, at_most=0)
    figures.tell("readyz while it was full", status, at_least=503, at_most=503)
    figures.tell("from room to the first answer", seconds, "s", at_most=5)
    figures.tell("answers lost", lost, at_most=0)
    figures.tell("answers stored or counted twice", twice, at_most=0)
    assert "nothing broken" in stack.manage("fsck")
