"""Long work keeps nobody waiting who judges, or waits for numbers."""

import psutil
import psycopg
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Judgment, Work, WorkerHeartbeat
from annotate.services.background import works
from config.up.processes import wait_until
from metrics.models import Download, Snapshot
from tests.journeys.test_faults import at_desk, judge_without_end, open_study
from tests.stack import Stack, is_whole

N_JUDGED = 5
BEHIND = "SELECT FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"  # sessions that wait for another


def asked_download(collection: Collection) -> Work:
    """The work of a small file; asked for in this process, it is handed to a worker by the next sweep."""
    download = Download.objects.create(collection=collection, kind="disputed", file_name="a.tsv")
    work = works.ask(kind="download", collection=collection, subject=download.pk, by=None)
    Download.objects.update(work=work)
    return work


def slots_of(worker: psutil.Process) -> list[int]:
    """The priority of each process in which a worker does its tasks."""
    return [slot.nice() for slot in worker.children()]


def test_long_work_has_one_slot_and_gives_way_to_numbers_and_both_to_pages(live_stack: Stack) -> None:
    """To see it fail: give the long worker two slots, or take `os.nice` out of config/celery.py."""
    assert wait_until(lambda: is_whole(live_stack.url), seconds=600)  # each worker has begun to take tasks
    parts = {name: psutil.Process(pid) for name, pid in live_stack.processes().items()}
    pages = psutil.Process(live_stack.process.pid).nice()
    assert parts["web"].nice() == pages
    numbers, long_work = min(pages + 5, 19), min(pages + 10, 19)  # Linux knows no lower one than 19
    assert slots_of(parts["worker"]) == [numbers, numbers]
    assert slots_of(parts["long-worker"]) == [long_work]


def test_numbers_follow_and_all_is_well_while_the_slot_of_long_work_is_taken(
    live_stack: Stack, django_db_blocker: DjangoDbBlocker
) -> None:
    assert wait_until(lambda: is_whole(live_stack.url), seconds=600)
    with live_stack.orm(django_db_blocker):
        collection = open_study(20)
        work = asked_download(collection)
    with psycopg.connect(live_stack.database_url) as other, psycopg.connect(live_stack.database_url) as watcher:
        other.execute("SELECT FROM annotate_work WHERE id = %s FOR UPDATE", [work.pk])
        watcher.autocommit = True
        taken = [other.info.backend_pid]
        assert wait_until(lambda: watcher.execute(BEHIND, taken).fetchone() is not None, seconds=600)
        desk = judge_without_end(at_desk(live_stack, 0))
        for _ in range(N_JUDGED):
            next(desk)
        with live_stack.orm(django_db_blocker):
            WorkerHeartbeat.objects.all().delete()
            assert Judgment.objects.filter(collection=collection).count() == N_JUDGED
            numbers = Snapshot.objects.filter(collection=collection, kind="agreement", n_judgments=N_JUDGED)
            assert wait_until(numbers.exists, seconds=600)
        assert wait_until(lambda: is_whole(live_stack.url), seconds=600)
        assert watcher.execute(BEHIND, taken).fetchone() is not None  # it is taken still
    with live_stack.orm(django_db_blocker):
        assert wait_until(lambda: Work.objects.get(pk=work.pk).state == Work.State.DONE, seconds=600)
