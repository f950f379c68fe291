"""Long work delays neither judging nor numbers."""

import psutil
import psycopg
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Judgment, Work, WorkerHeartbeat
from annotate.services.background import works
from config.up.processes import wait_until
from metrics.models import Download, Snapshot
from tests.journeys.test_faults import judge_continuously, open_study, signed_in_client
from tests.servers.stack import Stack, is_fully_ready

N_JUDGED = 5
# sessions that wait for another
BLOCKED_SESSIONS = "SELECT FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"


def requested_download(collection: Collection) -> Work:
    """Request a small download in this process; the next sweep hands its work to a worker."""
    download = Download.objects.create(collection=collection, kind="disputed", file_name="a.tsv")
    work = works.ask(kind="download", collection=collection, subject=download.pk, by=None)
    Download.objects.filter(pk=download.pk).update(work=work)
    return work


def slots_of(worker: psutil.Process) -> list[int]:
    """The nice value of each child process of a worker."""
    return [slot.nice() for slot in worker.children()]


def test_long_work_has_one_slot_and_gives_way_to_numbers_and_both_to_pages(
    live_stack: Stack,
) -> None:
    """To see it fail: give the long worker two slots, or take `os.nice` out of config/celery.py."""
    # each worker has begun to take tasks
    assert wait_until(lambda: is_fully_ready(live_stack.url), seconds=600)
    parts = {name: psutil.Process(pid) for name, pid in live_stack.processes().items()}
    pages = psutil.Process(live_stack.process.pid).nice()
    assert parts["web"].nice() == pages
    numbers, long_work = min(pages + 5, 19), min(pages + 10, 19)  # Linux knows no lower one than 19
    assert slots_of(parts["worker"]) == [numbers, numbers]
    assert slots_of(parts["long-worker"]) == [long_work]
    webhooks = parts["webhook-worker"]
    assert (webhooks.nice(), slots_of(webhooks)) == (numbers, []), "its slots are threads"


def test_numbers_follow_and_all_is_well_while_the_slot_of_long_work_is_taken(
    live_stack: Stack, django_db_blocker: DjangoDbBlocker
) -> None:
    assert wait_until(lambda: is_fully_ready(live_stack.url), seconds=600)
    with live_stack.orm(django_db_blocker):
        collection = open_study(20)
        work = requested_download(collection)
    with (
        psycopg.connect(live_stack.database_url) as other,
        psycopg.connect(live_stack.database_url) as watcher,
    ):
        other.execute("SELECT FROM annotate_work WHERE id = %s FOR UPDATE", [work.pk])
        watcher.autocommit = True
        holder = [other.info.backend_pid]
        assert wait_until(
            lambda: watcher.execute(BLOCKED_SESSIONS, holder).fetchone() is not None, seconds=600
        )
        judging = judge_continuously(signed_in_client(live_stack, 0))
        for _ in range(N_JUDGED):
            next(judging)
        with live_stack.orm(django_db_blocker):
            WorkerHeartbeat.objects.all().delete()
            assert Judgment.objects.filter(collection=collection).count() == N_JUDGED
            numbers = Snapshot.objects.filter(
                collection=collection, kind="agreement", n_judgments=N_JUDGED
            )
            assert wait_until(numbers.exists, seconds=600)
        assert wait_until(lambda: is_fully_ready(live_stack.url), seconds=600)
        # the slot is still taken
        assert watcher.execute(BLOCKED_SESSIONS, holder).fetchone() is not None
    with live_stack.orm(django_db_blocker):
        assert wait_until(
            lambda: Work.objects.get(pk=work.pk).state == Work.State.DONE, seconds=600
        )
