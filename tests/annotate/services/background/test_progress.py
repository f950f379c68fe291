"""Progress that may be lost, and a wish to cancel that may not."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from annotate.services.background import progress
from annotate.services.background.progress import Cancelled, Job

pytestmark = pytest.mark.django_db
READING = Job("import", 7)


def test_progress_is_what_was_last_told_with_the_time_left_at_the_pace_so_far(job_clock):
    progress.advance(job=READING, n_done=0, total=1000)
    assert progress.progress_of(job=READING).seconds_left is None
    job_clock.wait(10)
    progress.advance(job=READING, n_done=200, total=1000)
    last_progress = progress.progress_of(job=READING)
    assert (
        last_progress.n_done,
        last_progress.total,
        last_progress.unit,
        last_progress.seconds_left,
    ) == (200, 1000, "rows", 40.0)
    assert last_progress.time_left == "40 seconds left"


def test_a_job_that_has_counted_everything_is_finishing_and_promises_no_second(job_clock):
    progress.advance(job=READING, n_done=0, total=100)
    job_clock.wait(10)
    progress.advance(job=READING, n_done=100, total=100)
    assert progress.progress_of(job=READING).time_left == "finishing"


def test_a_new_stretch_has_a_pace_of_its_own(job_clock):
    progress.advance(job=READING, n_done=0, total=100)
    job_clock.wait(10)
    progress.advance(job=READING, n_done=100, total=100)
    job_clock.wait(1)
    progress.advance(job=READING, n_done=0, total=50, unit="items")
    job_clock.wait(2)
    progress.advance(job=READING, n_done=25, total=50, unit="items")
    assert progress.progress_of(job=READING).seconds_left == 2.0


def test_nothing_is_known_of_a_job_that_told_nothing_and_of_one_that_ended():
    assert progress.progress_of(job=READING) is None
    progress.advance(job=READING, n_done=1)
    progress.forget(job=READING)
    assert progress.progress_of(job=READING) is None


def test_telling_and_asking_happen_twice_a_second(job_clock):
    reports, asked_at = [], []
    for n_done in range(80):
        progress.advance(
            job=READING, n_done=n_done, is_cancelled=lambda n_done=n_done: asked_at.append(n_done)
        )
        reports.append(progress.progress_of(job=READING).n_done)
        job_clock.wait(1 / 64)
    assert sorted(set(reports)) == asked_at == [0, 32, 64]


def test_a_slow_cache_is_told_less_often_and_a_wish_to_cancel_is_seen_all_the_same(
    job_clock, monkeypatch
):
    report_times = []

    def slowly(key, value, timeout):
        report_times.append(job_clock())
        job_clock.wait(1)

    monkeypatch.setattr(cache, "set", slowly)
    for n_done in range(50):
        progress.advance(job=READING, n_done=n_done, is_cancelled=lambda: False)
        job_clock.wait(0.5)
    assert report_times == [0, 20]
    with pytest.raises(Cancelled):
        progress.advance(job=READING, n_done=50, is_cancelled=lambda: True)


def test_a_slow_database_is_asked_less_often(job_clock):
    query_times = []

    def slowly():
        query_times.append(job_clock())
        job_clock.wait(1)

    for n_done in range(60):
        progress.advance(job=READING, n_done=n_done, is_cancelled=slowly)
        job_clock.wait(0.5)
    assert query_times == [0, 20]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "1 second"),
        (1.2, "2 seconds"),
        (31, "35 seconds"),
        (56, "1 minute"),
        (61, "2 minutes"),
        (7300, "3 hours"),
    ],
)
def test_time_left_is_rounded_up_into_words(seconds, words):
    assert progress.in_words(seconds) == words


@pytest.mark.parametrize(
    ("n_done", "total", "seconds_left", "text"),
    [
        (1200, 5000, 61, "1,200 of 5,000 rows, 2 minutes left"),
        (1200, 5000, None, "1,200 of 5,000 rows"),
        (5000, 5000, 0, "5,000 of 5,000 rows, finishing"),
        (1200, None, None, "1,200 rows"),
    ],
)
def test_progress_is_a_phrase(n_done, total, seconds_left, text):
    step = progress.Progress(n_done, total, "rows", seconds_left, timezone.now())
    assert step.text == text


def test_one_in_the_middle_of_a_copy_goes_on_and_is_cancelled_after_it():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copied (a int) ON COMMIT DROP")
        with cursor.copy("COPY copied FROM STDIN") as copy:
            copy.write_row([1])
            progress.advance(job=READING, n_done=1, is_cancelled=lambda: True)
    with pytest.raises(Cancelled):
        progress.advance(job=READING, n_done=2, is_cancelled=lambda: True)
