"""Runs and pools from the command line, through the same services."""

import gzip
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate import tasks
from annotate.models import Work
from annotate.services.supervision import archiving
from pooling.models import Pool, Run
from tests import cast
from tests.pooling import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def call(name, *args):
    out = StringIO()
    call_command(name, *map(str, args), stdout=out)
    return out.getvalue()


def test_a_run_is_loaded_and_a_pool_of_it_opened(collection, tmp_path):
    file = tmp_path / "a.run.gz"
    file.write_bytes(gzip.compress(factories.lines({0: [1, 2, 3], 1: [4]})))
    output = call("load_run", collection.slug, file, "--name", "a")
    assert output == (
        'Run "a": 4 of 4 rows measured, for 2 queries; 0 unknown queries, 0 unknown documents, 2 '
        "queries of the collection not in the file.\n"
    )
    assert "Nothing changed" in call("load_run", collection.slug, file, "--name", "a")
    output = call(
        "open_pool", collection.slug, "--strategy", "depth-k", "--depth", 2, "--runs", "a"
    )
    assert output == 'Pool "depth-k depth 2" is open: 3 pairs, 3 seats.\n'
    assert Pool.objects.get().state == "open"


def test_a_reverse_run_is_loaded_as_such(collection, tmp_path):
    file = tmp_path / "r.run"
    file.write_bytes(factories.lines({0: [1]}, "reverse"))
    call("load_run", collection.slug, file, "--name", "r", "--direction", "reverse")
    assert Run.objects.get().direction == "reverse"


def test_a_broken_file_a_missing_one_and_unknown_names_are_sentences(collection, tmp_path):
    broken = tmp_path / "b.run"
    broken.write_bytes(b"q0 Q0 d0 1 1 t\nq0 Q0 d1\n")
    with pytest.raises(
        CommandError, match=r"Nothing was loaded\.\nLine 2: expected 6 fields, found 3\."
    ):
        call("load_run", collection.slug, broken, "--name", "b")
    with pytest.raises(CommandError, match="No such file"):
        call("load_run", collection.slug, tmp_path / "none", "--name", "b")
    with pytest.raises(CommandError, match="There is no collection"):
        call("load_run", "nowhere", broken, "--name", "b")
    with pytest.raises(CommandError, match='There is no ready run "b"'):
        call("open_pool", collection.slug, "--runs", "b")
    with pytest.raises(CommandError, match="Choose at least one run"):
        call("open_pool", collection.slug)
    factories.run(collection, "a", {0: [1]})
    with pytest.raises(CommandError, match="Depth is a whole number"):
        call("open_pool", collection.slug, "--depth", 0)
    with pytest.raises(CommandError, match="takes no parameter n"):
        call("open_pool", collection.slug, "--n", 3)
    with pytest.raises(CommandError, match='There is no query set "x"'):
        call("open_pool", collection.slug, "--query-set", "x")
    assert Pool.objects.count() == 0


def test_a_run_with_many_unknown_rows_is_held_by_the_command_until_it_is_told(collection, tmp_path):
    (tmp_path / "a.run").write_text("q0 Q0 d1 1 2 t\nq0 Q0 x 2 1 t\n")
    output = call("load_run", collection.slug, tmp_path / "a.run", "--name", "a")
    assert "On hold: 50.0 % unknown" in output
    assert collection.runs.get().on_hold_since is not None
    call("load_run", collection.slug, tmp_path / "a.run", "--name", "a", "--accept-unknown")
    assert collection.runs.get().on_hold_since is None


def test_the_documents_that_only_a_run_names_are_made_by_the_command_itself_or_it_says_why_not(
    collection, tmp_path, monkeypatch, django_capture_on_commit_callbacks
):
    sent_for = []
    monkeypatch.setattr(tasks.perform_work, "apply_async", lambda **call: sent_for.append(call))
    (tmp_path / "a.run").write_text("q0 Q0 d1 1 2 t\nq0 Q0 x 2 1 t\n")
    with django_capture_on_commit_callbacks(execute=True):
        output = call(
            "load_run", collection.slug, tmp_path / "a.run", "--name", "a", "--make-documents"
        )
    assert "1 new item with" in output and collection.items.filter(external_id="x").exists()
    work = Work.objects.get(kind="import")
    assert (collection.runs.get().n_unknown, work.state) == (0, "done")
    assert work.pk not in [call["kwargs"]["work_id"] for call in sent_for]
    (tmp_path / "b.run").write_text("q0 Q0 y 1 2 t\n")
    call("load_run", collection.slug, tmp_path / "b.run", "--name", "b")
    file = collection.runs.get(name="b").file
    file.storage.delete(file.name)
    with pytest.raises(
        CommandError,
        match="No documents were made: The run's kept file is gone; upload the run again",
    ):
        call("load_run", collection.slug, tmp_path / "b.run", "--name", "b", "--make-documents")


def test_an_archived_collection_takes_no_run_and_opens_no_pool(collection, tmp_path):
    file = tmp_path / "a.run"
    file.write_bytes(factories.lines({0: [1]}))
    call("load_run", collection.slug, file, "--name", "a")
    archiving.archive_collection(collection=collection, by=cast.user())
    with pytest.raises(CommandError, match="was archived on"):
        call("load_run", collection.slug, file, "--name", "b")
    with pytest.raises(CommandError, match="was archived on"):
        call("open_pool", collection.slug)
    assert not Pool.objects.exists()
