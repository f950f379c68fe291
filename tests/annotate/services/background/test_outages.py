"""Work that outages end: it counts for nothing, and the attempt is given back."""

import errno
import time
from datetime import timedelta

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, connection
from redis.exceptions import ConnectionError as RedisIsAway

from annotate.models import Work
from annotate.services.background import works
from tests.annotate.services.background.work_of_sums import fresh, raising
from tests.servers.databases import connection_parameters

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("the connection is lost"),
        InterfaceError("the connection is closed"),
        RedisIsAway(),
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EIO, "Input/output error"),
    ],
    ids=str,
)
def test_outages_count_for_nothing(work, sums, error):
    sums.do = raising(error)
    for n_outages in range(1, 6):
        with pytest.raises(type(error)):
            works.perform(work=work)
        work.refresh_from_db()
        assert (work.state, work.attempts, work.n_outages) == (Work.State.RUNNING, 0, n_outages)
    sums.do = lambda work: None
    works.perform(work=work)
    assert work.state == Work.State.DONE


def test_outages_are_counted_anew_from_where_it_came_further_too(work, sums):
    Work.objects.filter(pk=work.pk).update(n_outages=works.MOST_OUTAGES - 1)

    def do(work):
        works.reset_attempts(work=work)
        raise OperationalError

    sums.do = do
    with pytest.raises(OperationalError):
        works.perform(work=work)
    assert (fresh(work).attempts, fresh(work).n_outages) == (0, 1)


def test_one_that_is_ended_in_the_midst_of_a_copy_gives_its_attempt_back_too(work, sums):
    def do(work):
        with connection.cursor() as cursor, psycopg.connect(**connection_parameters()) as operator:
            pid = cursor.execute("SELECT pg_backend_pid()").fetchone()
            with cursor.copy("COPY annotate_level (name) FROM STDIN") as copy:
                copy.write_row(["x"])
                operator.execute("SELECT pg_terminate_backend(%s)", pid)

    sums.do = do
    with pytest.raises(psycopg.OperationalError):
        works.perform(work=work)
    assert (fresh(work).attempts, fresh(work).n_outages) == (0, 1)


def test_a_file_that_is_gone_is_no_outage(work, sums):
    sums.do = raising(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    with pytest.raises(FileNotFoundError):
        works.perform(work=work)
    assert fresh(work).attempts == 1


def test_one_that_brings_the_database_down_each_time_comes_to_an_end_too(work, sums, monkeypatch):
    monkeypatch.setattr(works, "MOST_OUTAGES", 2)
    sums.do = raising(OperationalError())
    for _ in range(2):
        with pytest.raises(OperationalError):
            works.perform(work=work)
    works.perform(work=work)
    assert (work.state, work.error_code, sums.n_done) == (Work.State.FAILED, "outages", 2)


def test_a_session_that_is_ended_by_the_operator_gives_its_attempt_back(work, sums):
    def do(work):
        with connection.cursor() as cursor, psycopg.connect(**connection_parameters()) as operator:
            cursor.execute("SELECT pg_backend_pid()")
            operator.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
            cursor.execute("SELECT 1")

    sums.do = do
    with pytest.raises(OperationalError):
        works.perform(work=work)
    assert (fresh(work).attempts, fresh(work).n_outages) == (0, 1)


def test_an_attempt_that_went_down_with_the_database_is_none(work, sums):
    """Worker and database went together, and nobody was left to give the attempt back."""
    sums.do = raising(MemoryError())
    with pytest.raises(MemoryError):
        works.perform(work=work)
    sums.do = lambda work: None
    long_ago = fresh(work).begun_at - timedelta(days=365)
    Work.objects.filter(pk=work.pk).update(attempts=works.MAX_ATTEMPTS, begun_at=long_ago)
    works.perform(work=work)
    assert (work.state, work.n_outages) == (Work.State.DONE, 1)


def test_a_database_that_is_away_for_a_while_is_waited_for(work, sums, monkeypatch):
    sums.do = raising(OperationalError("the connection is lost"))
    update, seconds = type(Work.objects.all()).update, []

    def away(rows, **changes):
        if set(changes) == {"attempts", "n_outages"} and len(seconds) < 3:
            raise OperationalError("starting up")
        return update(rows, **changes)

    monkeypatch.setattr(type(Work.objects.all()), "update", away)
    monkeypatch.setattr(time, "sleep", seconds.append)
    with pytest.raises(OperationalError, match="lost"):
        works.perform(work=work)
    assert seconds == [1, 1, 1] and fresh(work).attempts == 0
