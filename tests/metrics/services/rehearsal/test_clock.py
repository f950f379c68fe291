"""The clock of a simulated campaign: days of work with nights between them, ended just now."""

from datetime import timedelta
from itertools import pairwise

import pytest

from annotate.services.storage.moments import database_moment
from metrics.services.rehearsal.clock import ENDED_AGO, N_DAYS, WORKDAY, WorkingClock

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def simulated(clock):
    return [point.simulated for point in clock.checkpoints()]


def test_the_last_moment_is_some_minutes_ago():
    clock = WorkingClock()
    clock.wait_for(0.5)
    clock.note(work=MINUTE)
    last_moment = simulated(clock)[-1]
    ago = database_moment() - last_moment
    assert ENDED_AGO <= ago < ENDED_AGO + 10 * MINUTE


def test_work_takes_its_time_and_time_waits_for_nobody():
    clock = WorkingClock()
    clock.note(work=3 * MINUTE)
    clock.wait_for(0.1)
    clock.wait_for(0.05)  # it is later already
    begun, worked, waited, later = simulated(clock)
    assert worked - begun == 3 * MINUTE
    assert abs(waited - begun - 0.1 * N_DAYS * WORKDAY) < timedelta(seconds=1)
    assert timedelta(0) < later - waited < MINUTE


def test_a_day_is_followed_by_a_night():
    clock = WorkingClock()
    clock.wait_for((WORKDAY - 5 * MINUTE) / (N_DAYS * WORKDAY))  # too late to begin a batch
    begun, tomorrow = simulated(clock)
    assert tomorrow - begun == timedelta(days=1)


def test_no_time_is_shorter_than_the_databases():
    clock = WorkingClock()
    for share in (0, 0.3, 0.31, 0.6):
        clock.wait_for(share)
        clock.note()
    for earlier, later in pairwise(clock.checkpoints()):
        assert later.simulated - earlier.simulated >= later.real - earlier.real > timedelta(0)
