"""Runs that come before their documents: they wait; documents are made by their ids, or loaded."""

import io

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.core.files.archives.sources import FileSource
from annotate.models import Collection, Import, Item
from annotate.services.collection.references import FileRejected
from annotate.services.imports import items as item_import
from pooling.models import Run
from pooling.services.runs import deletion, documents, holds, runs
from tests import cast
from tests.pooling.services.runs.test_unknown_rows import stored
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]

LINES = b"q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\nq2 Q0 d2 1 3 t\nzz Q0 d9 1 3 t\n"
BACK = b"d1 Q0 q1 1 3 t\nd2 Q0 q2 1 3 t\n"


def received(collection, data=LINES, name="a", direction="forward", file_name="a.run", **fields):
    upload = SimpleUploadedFile(file_name, data)
    run = runs.receive_run(
        collection=collection, name=name, direction=direction, upload=upload, **fields
    ).run
    perform_work(run)
    return run


def load(collection, *items):
    lines = "".join(f'{{"side": "{side}", "id": "{name}", "text": "x"}}\n' for side, name in items)
    source = FileSource(io.BytesIO(lines.encode()), "items.jsonl")
    return item_import.load_collection(collection=collection, source=source)


def queries_of(collection):
    load(collection, ("query", "q1"), ("query", "q2"))
    return collection


def import_documents(run):
    """The documents made of a run, by a worker's import; the run read again after it."""
    document_import = documents.make_documents(run=run, by=None)
    perform_work(document_import)
    assert document_import.work.state == "done", document_import.work.error
    perform_work(run)
    return document_import


def test_a_run_before_all_documents_is_on_hold_and_its_documents_are_made_of_it():
    collection = queries_of(cast.collection())
    run = received(collection)
    assert (run.state, run.n_unknown, run.unknown_text) == ("ready", 3, "100.0 % unknown")
    assert run.on_hold_since and holds.empty_sides(collection=collection) == ["documents"]
    document_import = import_documents(run)
    # d9 is of no known query
    assert document_import.report["sentences"][0].startswith("2 rows: 2 new items with 0 parts")
    assert (run.on_hold_since, run.n_unknown) == (None, 0)
    assert stored(run) == {"q1": ["d1", "d2"], "q2": ["d2"]}
    with pytest.raises(documents.NoUnknownDocuments):
        import_documents(received(collection, LINES.splitlines(keepends=True)[0], "b"))


def test_a_reverse_run_before_all_documents_waits_and_is_read_once_they_are_there():
    collection = queries_of(cast.collection())
    run = received(collection, BACK, direction="reverse")
    assert (run.state, run.n_ranked, run.unknown_text) == ("ready", 0, "none known")
    assert run.on_hold_since
    with pytest.raises(holds.NotOnHold, match="none of its documents"):
        holds.accept_run(run=run, by=None)
    assert holds.set_limit(collection=collection, share=1, by=None) == []
    run.refresh_from_db()
    assert run.on_hold_since
    load(collection, ("document", "d1"))
    perform_work(run)
    assert (run.on_hold_since, run.n_ranked, stored(run)) == (None, 1, {"d1": ["q1"]})
    import_documents(run)
    assert stored(run) == {"d1": ["q1"], "d2": ["q2"]}


def test_a_run_before_everything_waits_and_still_does_when_strange_items_come():
    collection = cast.collection()
    run = received(collection)
    assert (run.state, run.n_ranked) == ("ready", 0)
    load(collection, ("query", "other"), ("document", "d1"))
    perform_work(run)
    assert run.on_hold_since and not run.n_ranked
    # now there are queries, and it names none
    assert received(collection, name="b").state == "rejected"
    load(collection, ("query", "q1"))
    perform_work(run)
    assert stored(run) == {"q1": ["d1", "?"]}
    assert run.on_hold_since  # half of its rows are unknown


def test_documents_are_made_of_matrices_and_of_tables_without_a_header():
    collection = queries_of(cast.collection())
    table = received(
        collection,
        b"7,d5,q1,.5\n",
        file_name="a.csv",
        columns={"query": 3, "document": 2, "score": 4},
    )
    import_documents(table)
    assert stored(table) == {"q1": ["d5"]}
    file = io.BytesIO()
    columns = [f"m{number}" for number in range(150)]
    np.savez(
        file, sim_mat=np.arange(150, dtype=np.float32)[None], row_ids=["q2"], column_ids=columns
    )
    matrix = received(collection, file.getvalue(), "matrix", file_name="a.npz")
    import_documents(matrix)
    assert Item.objects.filter(external_id__startswith="m").count() == 150  # not the 100 best alone
    assert matrix.n_unknown == 0


def test_documents_join_after_judging_too_and_asking_twice_is_one_import():
    collection = queries_of(cast.collection())
    load(collection, ("document", "d1"))
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=timezone.now())
    run = received(collection)
    first, second = (documents.make_documents(run=run, by=None) for _ in range(2))
    assert first == second and Import.objects.get().kind == "documents"
    perform_work(first)
    perform_work(run)
    assert stored(run) == {"q1": ["d1", "d2"], "q2": ["d2"]}


def test_a_hidden_run_is_not_named_and_a_lost_file_is_said():
    collection = queries_of(cast.collection())
    run = received(collection)
    Run.objects.filter(pk=run.pk).update(is_hidden=True)
    run.refresh_from_db()
    document_import = documents.make_documents(run=run, by=None)
    assert document_import.file_name == "a hidden run"
    run.file.storage.delete(run.file.name)
    perform_work(document_import)
    assert (document_import.work.state, document_import.work.error_code) == ("failed", "refused")
    (fault,) = document_import.report["errors"]
    assert ("gone" in fault["message"], fault["file"]) == (True, "a hidden run")
    with pytest.raises(FileRejected):
        documents.unknown_documents(run=run, file_label="a run", on_progress=lambda *_, **__: None)


def test_a_run_that_is_deleted_while_its_documents_wait_to_be_made_makes_none():
    run = received(queries_of(cast.collection()))
    document_import = documents.make_documents(run=run, by=None)
    deletion.delete_run(run=run, by=None)
    perform_work(document_import)
    assert (document_import.work.state, document_import.work.error[:27]) == (
        "failed",
        "The run was deleted meanwhi",
    )


def test_a_run_of_which_only_unknown_queries_name_unknown_documents_has_none_to_make():
    collection = queries_of(cast.collection())
    load(collection, ("document", "d1"), ("document", "d2"))
    assert not documents.may_make_documents(received(collection))  # zz names d9


def test_a_run_of_another_split_alone_is_told_so():
    collection = queries_of(cast.collection())
    collection.items.update(split="train")
    load(collection, ("query", "q7"))
    run = received(collection, LINES.replace(b"zz Q0 d9 1 3 t\n", b""))
    assert "all of another split than test" in run.report["errors"][0]["message"]


def test_a_run_of_the_other_direction_is_told_so_and_makes_no_documents():
    collection = queries_of(cast.collection())
    # its sources are the collection's queries
    run = received(collection, LINES, direction="reverse")
    assert (run.is_turned, run.report["n_turned"]) == (True, 2)
    with pytest.raises(documents.NoUnknownDocuments):
        documents.make_documents(run=run, by=None)
