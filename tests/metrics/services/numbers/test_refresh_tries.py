"""Failing refreshes: counted, tried ever less often, shown, and forgotten after a success."""

import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from annotate.models import Change, Collection
from config.up.home import Home
from config.up.processes import wait_until
from metrics import tasks
from metrics.models import RefreshTries, Score, Snapshot
from metrics.services.numbers import refresh, refresh_tries
from tests import cast
from tests.metrics import studies
from tests.pages import text_of
from tests.servers.database_sessions import no_job_is_locked, waiting_session

pytestmark = pytest.mark.django_db(transaction=True)
# As a worker's process is told by Celery's pool that its time is over.
REFRESH = """
import signal, sys, django
from billiard.pool import soft_timeout_sighandler
signal.signal(signal.SIGUSR1, soft_timeout_sighandler)
django.setup()
from metrics import tasks
tasks.refresh(collection_id=int(sys.argv[1]))
"""


def cut_off(study: Collection, home: Home, number: int) -> str:
    """Start a refresh that waits where it begins to store scores, signal it, and return its log."""
    env = {
        **os.environ,
        "DATABASE_URL": home.database_url(connection.settings_dict["NAME"]),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {Score._meta.db_table} IN EXCLUSIVE MODE")
        command = [sys.executable, "-c", REFRESH, str(study.pk)]
        worker = subprocess.Popen(
            command, env=env, cwd=settings.BASE_DIR, stderr=subprocess.PIPE, text=True
        )
        try:
            waiting_session(unless=lambda: worker.poll() is not None)
            worker.send_signal(number)
            _, log_text = worker.communicate(timeout=240)
        finally:
            worker.kill()
            worker.wait()
    assert wait_until(no_job_is_locked, seconds=240)
    return log_text


def fail(study: Collection) -> None:
    """Make a try that hits the time limit at once."""
    with pytest.raises(SoftTimeLimitExceeded), refresh_tries.count_try(study):
        raise SoftTimeLimitExceeded


def pause(study: Collection) -> timedelta:
    """The minutes from now until the next try."""
    with connection.cursor() as cursor:
        wait = (
            "SELECT next_at - clock_timestamp() FROM metrics_refreshtries WHERE collection_id = %s"
        )
        cursor.execute(wait, [study.pk])
        return timedelta(minutes=round(cursor.fetchone()[0].total_seconds() / 60))


def make_old() -> None:
    """Make the changes old enough for the sweep to enqueue a refresh."""
    Change.objects.update(at="2020-01-01T00:00Z")


def test_a_refresh_that_is_cut_off_or_killed_counts_and_the_next_that_succeeds_forgets(
    service_home: Home,
) -> None:
    study = studies.study()
    n_changes = Change.objects.count()
    log_text = cut_off(study, service_home, signal.SIGUSR1)
    assert "SoftTimeLimitExceeded" in log_text
    assert f"{study.slug}: the numbers could not be refreshed since" in log_text
    assert "they take longer than 10 minutes. Tried 1 times" in log_text
    assert Change.objects.count() == n_changes
    tries = RefreshTries.objects.get()
    assert (tries.n, tries.is_slow) == (1, True)
    cut_off(study, service_home, signal.SIGKILL)
    tries.refresh_from_db()
    assert (tries.n, tries.is_slow) == (2, True)
    tasks.refresh(collection_id=study.pk)
    assert not RefreshTries.objects.exists() and not Change.objects.exists()
    assert Snapshot.objects.filter(collection=study).exists()


def test_after_three_tries_in_vain_the_pauses_double_up_to_half_a_day() -> None:
    study, other = studies.study(), studies.study()
    pauses = []
    for _ in range(10):
        fail(study)
        pauses.append(pause(study) / timedelta(minutes=1))
    assert pauses == [0, 0, 20, 40, 80, 160, 320, 640, 720, 720]
    make_old()
    assert refresh.collections_due() == [other.pk]
    tasks.refresh(collection_id=study.pk)  # as each judgment asks for
    assert RefreshTries.objects.get().n == 10
    RefreshTries.objects.update(next_at="2020-01-01T00:00Z")
    assert refresh.collections_due() == [study.pk, other.pk]
    tasks.refresh(collection_id=study.pk)
    assert not RefreshTries.objects.exists()
    assert refresh.collections_due() == [other.pk]


def test_a_fault_of_another_kind_counts_too_and_is_not_called_slow() -> None:
    study = studies.study()
    for _ in range(4):
        with pytest.raises(ZeroDivisionError), refresh_tries.count_try(study):
            raise ZeroDivisionError
    delay = refresh_tries.delay_of(collection=study)
    assert delay.reason == "4 tries came to no end, and the worker's log says why"
    assert pause(study) == timedelta(minutes=40)


def test_the_operator_s_command_waits_for_nothing_and_forgets_the_tries() -> None:
    study = studies.study()
    for _ in range(5):
        fail(study)
    refresh.rebuild(collection=study)
    assert refresh_tries.delay_of(collection=study) is None


def test_the_dashboard_says_since_when_and_why_and_shows_it_at_once(client: Client) -> None:
    study = studies.study()
    client.force_login(cast.member(study, "lead"))
    page = f"/c/{study.slug}/dashboard/"
    assert "could not be refreshed" not in text_of(client.get(page))
    for _ in range(3):
        fail(study)
    since = RefreshTries.objects.get().since
    page_text = text_of(client.get(page))
    assert "The numbers could not be refreshed since <time " in page_text
    assert f">{since:%-d %b %H:%M} UTC</time>:</strong> they take longer" in page_text
    assert (
        "The next try is not before" in page_text and f"rebuild --numbers {study.slug}" in page_text
    )
    assert "Waiting for the first numbers" in page_text
    RefreshTries.objects.update(next_at="2020-01-01T00:00Z")
    tasks.refresh(collection_id=study.pk)
    assert "could not be refreshed" not in text_of(client.get(page))
