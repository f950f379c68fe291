"""Work: asked for, done once by one worker, cancelled, and given up."""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings as project
from django.db import connection, transaction
from django.db.models import F

from annotate.models import Work
from annotate.services.background import progress, workers, works
from annotate.services.background.progress import Cancelled
from config.up.processes import wait_until
from tests import cast
from tests.annotate.services.background.work_of_sums import fresh, raising, state
from tests.servers.database_sessions import no_job_is_locked
from tests.servers.databases import closing_connections

pytestmark = pytest.mark.django_db(transaction=True)


def test_work_is_done_once_and_says_when(work, sums):
    assert (work.state, work.is_unfinished) == (Work.State.ASKED, True)
    works.perform(work=work)
    works.perform(work=work)
    assert (work.state, work.is_unfinished, work.attempts, sums.n_done) == (
        Work.State.DONE,
        False,
        1,
        1,
    )
    assert work.asked_at < work.begun_at < work.finished_at
    assert sums.ended == [Work.State.DONE] and work.error == ""


def test_what_was_done_and_that_it_is_done_are_stored_together(work, sums):
    """The end that a kind writes in its own transaction goes with it when that is rolled back."""

    def do(work):
        with transaction.atomic():
            assert works.finish(work=work)
            raise MemoryError

    sums.do = do
    with pytest.raises(MemoryError):
        works.perform(work=work)
    assert state(work) == Work.State.RUNNING


def test_a_kind_that_wrote_the_end_itself_is_not_ended_twice(work, sums):
    sums.do = lambda work: works.finish(work=work)
    works.perform(work=work)
    assert sums.ended == [Work.State.DONE]


def test_two_workers_do_it_once(work, sums):
    with workers.try_lock_subject("collection", work.subject):
        other = threading.Thread(
            target=closing_connections(lambda: works.perform(work=Work.objects.get(pk=work.pk)))
        )
        other.start()
        other.join()
    work.refresh_from_db()
    assert (work.state, work.attempts, sums.n_done) == (Work.State.ASKED, 0, 0)


def test_work_that_cannot_be_done_says_why_by_a_code_and_to_people(work, sums):
    sums.do = raising(works.Failed("no-numbers", "There are no numbers to add."))
    works.perform(work=work)
    assert (work.state, work.error_code, work.error) == (
        "failed",
        "no-numbers",
        "There are no numbers to add.",
    )
    assert sums.ended == [Work.State.FAILED]


def test_what_nobody_has_begun_is_cancelled_at_once(work, sums):
    person = cast.user("ada")
    works.cancel(work=work, by=person)
    assert (work.state, work.cancelled_by) == (Work.State.CANCELLED, person)
    works.perform(work=work)
    assert (state(work), sums.n_done, sums.ended) == (
        Work.State.CANCELLED,
        0,
        [Work.State.CANCELLED],
    )


def test_what_is_done_stays_done_when_somebody_cancels_it(work):
    works.perform(work=work)
    works.cancel(work=work, by=None)
    assert (work.state, work.cancel_asked_at) == (Work.State.DONE, None)


def test_a_wish_to_cancel_is_seen_at_the_next_block_of_rows_and_rolls_back(work, sums, job_clock):
    collection = work.collection

    def do(work):
        tell = works.progress_callback(work)
        with transaction.atomic():
            collection.levels.all().delete()
            tell(1, 10)
            other = threading.Thread(
                target=closing_connections(lambda: works.cancel(work=fresh(work), by=None))
            )
            other.start()
            other.join()
            job_clock.wait(1)
            assert works.work_status(work=fresh(work)).is_cancelling
            tell(2, 10)

    sums.do = do
    works.perform(work=work)
    assert work.state == Work.State.CANCELLED and collection.levels.exists()
    assert progress.progress_of(job=works.job_of(work)) is None


def test_what_can_no_longer_be_taken_back_is_not_cancelled_where_nobody_is_at_it(work, sums):
    works.performs("sums", subject="collection", may_cancel=works.never)(sums.perform)
    works.cancel(work=work, by=None)
    assert work.state == Work.State.ASKED
    works.perform(work=work)
    assert (work.state, sums.n_done) == (Work.State.DONE, 1)


def test_from_where_nothing_can_be_taken_back_nobody_is_heard(work, sums, job_clock):
    def do(work):
        Work.objects.filter(pk=work.pk).update(cancel_asked_at=F("begun_at"))
        works.progress_callback(work, can_be_undone=False)(1)
        with pytest.raises(Cancelled):
            job_clock.wait(1)
            works.progress_callback(work)(2)

    sums.do = do
    works.perform(work=work)
    assert work.state == Work.State.DONE


def test_one_that_workers_die_of_is_given_up_after_three_of_them(work, sums, overdue_at_once):
    sums.do = raising(MemoryError())
    for _ in range(works.MAX_ATTEMPTS):
        assert works.overdue() == [work.pk]
        with pytest.raises(MemoryError):
            works.perform(work=work)
        work.refresh_from_db()
    works.perform(work=work)
    assert (work.state, work.error_code, sums.n_done) == (Work.State.FAILED, "worn-out", 3)
    assert work.error.endswith("never came to its end; the worker's log says why. Add up less.")
    assert works.overdue() == []


def test_one_that_takes_longer_than_any_may_is_given_up_at_once(work, sums):
    sums.do = raising(SoftTimeLimitExceeded())
    works.perform(work=work)
    assert (work.state, work.error_code) == (Work.State.FAILED, "too-long")


def test_what_comes_further_each_time_is_not_given_up_however_often_workers_die_of_it(work, sums):
    def do(work):
        works.reset_attempts(work=work)
        raise MemoryError

    sums.do = do
    for _ in range(2 * works.MAX_ATTEMPTS):
        with pytest.raises(MemoryError):
            works.perform(work=work)
        assert fresh(work).attempts == 1
    sums.do = raising(MemoryError())
    for _ in range(works.MAX_ATTEMPTS - 1):
        with pytest.raises(MemoryError):
            works.perform(work=work)
    works.perform(work=work)
    assert (work.state, work.error_code) == (Work.State.FAILED, "worn-out")


def test_what_is_stored_in_stretches_may_take_as_long_as_it_likes(work, sums):
    works.performs("sums", subject="collection", may_cancel=works.never)(sums.perform)
    sums.do = raising(SoftTimeLimitExceeded())
    with pytest.raises(SoftTimeLimitExceeded):
        works.perform(work=work)
    assert (state(work), fresh(work).attempts) == (Work.State.RUNNING, 1)


def test_what_failed_is_begun_anew_when_somebody_asks_again(work, sums, broker):
    sums.do = raising(works.Failed("no-numbers", "There are no numbers to add."))
    works.perform(work=work)
    assert broker.llen("long") == 0
    assert works.ask_again(work=work)
    assert (work.state, work.attempts, work.error, work.finished_at) == (
        Work.State.ASKED,
        0,
        "",
        None,
    )
    assert broker.llen("long") == 1
    assert works.overdue() == []
    sums.do = lambda work: None
    works.perform(work=work)
    assert work.state == Work.State.DONE


@pytest.mark.parametrize("end", [Work.State.DONE, Work.State.CANCELLED])
def test_what_did_not_fail_is_not_begun_anew(work, end):
    assert not works.ask_again(work=work)
    works.finish(work=work, state=end)
    assert not works.ask_again(work=work)
    assert state(work) == end


KILLED = """
import sys, time
import django
django.setup()
from annotate.models import Work
from annotate.services.background import works
@works.performs("sums", subject="collection")
def do(work):
    print("begun", flush=True)
    time.sleep(600)
works.perform(work=Work.objects.get(pk=sys.argv[1]))
"""


def test_who_is_killed_at_it_leaves_it_to_the_next_worker(
    work, sums, service_home, overdue_at_once
):
    database = service_home.database_url(connection.settings_dict["NAME"])
    env = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", KILLED, str(work.pk)]
    with subprocess.Popen(
        command, env=env, cwd=project.BASE_DIR, stdout=subprocess.PIPE, text=True
    ) as worker:
        try:
            assert worker.stdout.readline() == "begun\n"
            works.perform(work=work)
            assert (work.state, sums.n_done) == (Work.State.RUNNING, 0)
        finally:
            worker.send_signal(signal.SIGKILL)
    assert wait_until(no_job_is_locked, seconds=240)
    assert works.overdue() == [work.pk]
    works.perform(work=work)
    assert (work.state, work.attempts, sums.n_done) == (Work.State.DONE, 2, 1)


KNOWN = (
    "import django; django.setup(); "
    "from annotate.services.background.works import KINDS; print(*sorted(KINDS))"
)


def test_a_worker_knows_every_kind_of_work_as_soon_as_it_starts():
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    output = subprocess.check_output(
        [sys.executable, "-c", KNOWN], env=env, cwd=project.BASE_DIR, text=True
    )
    assert {"download", "import", "review"} <= set(output.split())


def test_what_was_asked_for_just_now_is_not_overdue(work):
    assert works.overdue() == []
    Work.objects.filter(pk=work.pk).update(asked_at=work.asked_at - timedelta(minutes=1))
    assert works.overdue() == [work.pk]
