"""Judgments of a file are stored whole or not at all, and then resolved stretch by stretch."""

import io
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotate.api.imports import ImportAnswer
from annotate.core.files.archives.sources import FileSource
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Change, Judgment, Resolution, Work
from annotate.services.background import works
from annotate.services.imports import imports, judgments
from annotate.services.imports.kinds import JudgmentsImport
from annotate.services.storage import bulk_copy
from config.management.commands.fsck import CHECKS
from tests import cast
from tests.pages import text_of
from tests.servers.worker_kills import run_out_of_memory
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
ROWS = [f"{person},q{q},d{d},{(q + d) % 2}" for person in "ab" for q in range(2) for d in range(3)]


@pytest.fixture
def collection():
    collection_ = cast.collection()
    cast.items(collection_, "query", 2), cast.items(collection_, "document", 3)
    return collection_


@pytest.fixture
def received(collection):
    text = "\n".join(["annotator,query,document,grade", *ROWS])
    upload = SimpleUploadedFile("a.csv", text.encode())
    return imports.receive_import(
        collection=collection,
        import_request=JudgmentsImport("all", JudgmentColumns()),
        upload=upload,
    ).import_


def nothing_wrong():
    return [finding for check in CHECKS if not check.notice for finding in check.find()] == []


def test_who_dies_between_two_stretches_leaves_the_rest_to_the_next_worker(
    received, monkeypatch, client
):
    monkeypatch.setattr(bulk_copy, "STRETCH", 2)
    plain, stretches = judgments.resolve_pairs, []

    def mortal(*, pairs):
        if len(stretches) == 1:
            run_out_of_memory()
        stretches.append(pairs.tolist())
        plain(pairs=pairs)

    monkeypatch.setattr(judgments, "resolve_pairs", mortal)
    with pytest.raises(MemoryError):
        works.perform(work=received.work)
    received.refresh_from_db()
    assert (Judgment.objects.count(), Resolution.objects.count()) == (len(ROWS), 2)
    assert (received.work.state, received.work.attempts, received.unresolved[2]) == (
        "running",
        1,
        stretches[0][-1],
    )
    assert received.report["sentences"] and not Change.objects.exists()
    works.cancel(work=received.work, by=None)
    assert received.work.state == Work.State.RUNNING  # what is stored is not taken back
    client.force_login(cast.member(received.collection, "researcher"))
    page = text_of(client.get(f"/c/{received.collection.slug}/imports/{received.pk}/"))
    assert "Resolving the pairs" in page and "Cancel" not in page
    monkeypatch.setattr(judgments, "resolve_pairs", plain)
    perform_work(received)
    assert (received.work.state, received.unresolved, Resolution.objects.count()) == (
        "done",
        None,
        6,
    )
    assert set(Resolution.objects.values_list("status", flat=True)) == {"agreed"}
    assert Change.objects.exists() and nothing_wrong()


def test_what_three_workers_die_of_says_that_the_labels_are_stored(received, monkeypatch, client):
    monkeypatch.setattr(judgments, "resolve_pairs", run_out_of_memory)
    for _ in range(works.MAX_ATTEMPTS):
        with pytest.raises(MemoryError):
            works.perform(work=received.work)
    perform_work(received)
    assert (received.work.state, received.work.error_code, received.state_text) == (
        "failed",
        "worn-out",
        "Stored, not resolved",
    )
    assert received.file.storage.exists(received.file.name)
    client.force_login(cast.member(received.collection, "lead"))
    page = text_of(client.get(f"/c/{received.collection.slug}/imports/{received.pk}/"))
    assert "Its labels are stored" in page and "Nothing of this file was stored" not in page
    assert ImportAnswer(received).data["state"] == "stored"
    monkeypatch.undo()
    call_command("rebuild", received.collection.slug, stdout=StringIO())
    received.refresh_from_db()
    assert (received.work.state, received.work.error, received.state_text) == ("done", "", "Done")
    assert nothing_wrong()


def test_a_scheme_that_was_changed_while_the_file_was_read_refuses_it(received, monkeypatch):
    plain = judgments.ChainStore.write

    def meanwhile(self, *arguments):
        plain(self, *arguments)
        self.collection.levels.filter(grade=1).update(grade=7)

    monkeypatch.setattr(judgments.ChainStore, "write", meanwhile)
    perform_work(received)
    assert received.is_refused and "levels of the scheme were changed" in received.work.error
    assert not Judgment.objects.exists()


def test_who_works_on_the_server_itself_has_it_stored_and_resolved_at_once(collection):
    stream = io.BytesIO("\n".join(["annotator,query,document,grade", *ROWS]).encode())
    import_request, source = JudgmentsImport("all", JudgmentColumns()), FileSource(stream, "a.csv")
    import_ = imports.import_now(
        collection=collection, import_request=import_request, source=source
    ).import_
    assert (import_.work.state, import_.unresolved, Resolution.objects.count()) == ("done", None, 6)
    assert nothing_wrong()
