"""Scheduled deletion of sessions, originals of imports, files of rejected runs, and no more."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.utils import timezone

from annotate import tasks as annotate_tasks
from annotate.models import Import, Work
from config.up import logs
from pooling import tasks as pooling_tasks
from pooling.models import Run
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import runs
from tests import cast
from tests.pooling import factories

pytestmark = pytest.mark.django_db


def work(collection, subject: int, state: str, days: int, kind: str) -> Work:
    at = timezone.now() - timedelta(days=days)
    error = "refused" if state == "failed" else ""
    ended = None if state in Work.UNFINISHED else at
    return Work.objects.create(
        collection=collection,
        kind=kind,
        subject=subject,
        state=state,
        begun_at=at,
        finished_at=ended,
        error_code=error,
    )


def an_import(collection, state: str, days: int) -> Import:
    import_ = Import(collection=collection, kind="items", file_name="a.jsonl", sha256="a")
    import_.file.save(f"{state}{days}", ContentFile(b"{}"), save=False)
    import_.media_file.save(f"{state}{days}media", ContentFile(b"PK"), save=False)
    import_.save()
    import_.work = work(collection, import_.pk, state, days, "import")
    import_.save()
    return import_


def a_run(collection, name: str, state: str, days: int) -> Run:
    run = cast.run(collection, name, {})
    run.file.save(name, ContentFile(b"q Q0 d 1 1 t\n"), save=False)
    run.state, run.finished_at = (
        state,
        None if state == "received" else timezone.now() - timedelta(days=days),
    )
    run.save()
    return run


def test_sessions_that_have_run_out_go():
    now = timezone.now()
    for name, hours in (("old", -1), ("new", 1)):
        Session.objects.create(
            session_key=name, session_data="", expire_date=now + timedelta(hours=hours)
        )
    annotate_tasks.tidy()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]


def test_originals_of_imports_go_after_thirty_days(media_root, django_capture_on_commit_callbacks):
    collection = cast.collection()
    states = [("done", 31), ("failed", 31), ("cancelled", 31), ("done", 29), ("running", 400)]
    imports = [an_import(collection, *state) for state in states]
    paths = [(Path(import_.file.path), Path(import_.media_file.path)) for import_ in imports]
    with django_capture_on_commit_callbacks(execute=True):
        annotate_tasks.tidy()
    assert [[path.exists() for path in both] for both in paths] == [[False] * 2] * 3 + [
        [True] * 2
    ] * 2
    for import_ in imports:
        import_.refresh_from_db()
    assert [bool(import_.file) for import_ in imports] == [False] * 3 + [True] * 2
    assert {import_.sha256 for import_ in imports} == {"a"}
    annotate_tasks.tidy()  # of those that are gone nothing is asked


def test_files_of_rejected_runs_go_after_thirty_days_and_no_file_of_a_ready_one(
    media_root, settings, django_capture_on_commit_callbacks
):
    collection = cast.collection()
    old, new = a_run(collection, "old", "rejected", 31), a_run(collection, "new", "rejected", 29)
    ready, received = (
        a_run(collection, "ready", "ready", 4000),
        a_run(collection, "received", "received", 31),
    )
    with django_capture_on_commit_callbacks(execute=True):
        pooling_tasks.tidy()
    has_file = [
        Run.objects.get(pk=run.pk).file != "" and Path(run.file.path).exists()
        for run in (new, ready, received)
    ]
    assert (has_file, Path(old.file.path).exists(), Run.objects.get(pk=old.pk).file == "") == (
        [True] * 3,
        False,
        True,
    )
    settings.KEEP_UPLOADS_DAYS = 20
    with django_capture_on_commit_callbacks(execute=True):
        pooling_tasks.tidy()
    assert not Path(new.file.path).exists() and Path(ready.file.path).exists()


def test_a_rejected_run_without_its_file_is_uploaded_again_and_not_read_again(
    media_root, upload_of
):
    collection = factories.collection()
    run = a_run(collection, "old", "rejected", 31)
    pooling_tasks.tidy()
    with pytest.raises(run_descriptions.RunInUse, match="upload it again"):
        run_descriptions.reread_run(run=run, score_type="float32", by=None)
    again = runs.receive_run(
        collection=collection, name="old", direction="forward", upload=upload_of
    )
    assert (again.run.pk, again.is_new, bool(again.run.file)) == (run.pk, True, True)


@pytest.fixture
def upload_of():
    return ContentFile(factories.lines({0: [1]}), name="a.run")


def test_a_log_goes_on_in_the_same_file_and_five_files_are_kept(tmp_path):
    log = tmp_path / "web.log"
    with log.open("ab", buffering=0) as writer:  # as a program's output is appended
        for number in range(8):
            writer.write(b"%d" % number * 11)
            assert logs.rotate(log, max_bytes=10, max_files=5)
            assert not logs.rotate(log, max_bytes=10, max_files=5)
        writer.write(b"last")
    assert log.read_bytes() == b"last"
    assert [file.name for file in sorted(tmp_path.iterdir())] == [
        "web.log",
        *(f"web.log.{n}" for n in range(1, 5)),
    ]
    assert [(tmp_path / f"web.log.{n}").read_bytes()[:1] for n in range(1, 5)] == [
        b"7",
        b"6",
        b"5",
        b"4",
    ]
    assert logs.rotate_all(tmp_path) == []
    assert (logs.MAX_BYTES, logs.MAX_FILES) == (20 * 2**20, 5)
