"""Imports: whole or not at all, repeatable, cancelled without a trace, whatever dies meanwhile."""

import io

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import FormatError
from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Import, Item, Judgment, Part, ReferenceLabel, ReferenceSet, Side, Work
from annotate.services.background import progress, works
from annotate.services.collection import media
from annotate.services.collection.references import FileRejected
from annotate.services.imports import imports
from annotate.services.imports.kinds import KINDS, ItemsImport, JudgmentsImport, ReferenceImport
from config.up.home import Home
from tests import cast
from tests.annotate.core.files.samples import archive, line
from tests.servers.databases import run_concurrently
from tests.servers.worker_kills import kill_worker, run_out_of_memory
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("open_media_root")]
RUN = (
    "import django, sys; django.setup(); "
    "from annotate import tasks; tasks.perform_work(work_id=int(sys.argv[1]))"
)


def documents(n):
    return "".join(line(f"d{number}") + "\n" for number in range(n)).encode()


def receive(collection, content, import_request=None, *, name="collection.jsonl", **options):
    upload = SimpleUploadedFile(name, content)
    return imports.receive_import(
        collection=collection,
        import_request=import_request or ItemsImport(),
        upload=upload,
        **options,
    ).import_


def stored_files(received):
    return [
        name
        for name in (received.file.name, received.media_file.name)
        if name and media_exists(name)
    ]


def media_exists(name):
    return Import._meta.get_field("file").storage.exists(name)


@pytest.mark.parametrize(
    "import_request",
    [
        ItemsImport(),
        ReferenceImport("original", {1: 2, 10: 0}, min_grade=1, skip_unknown=True),
        JudgmentsImport(
            "experts", JudgmentColumns(annotators=("a", "b"), grades={"yes": 1}), rule="median"
        ),
    ],
)
def test_what_was_asked_survives_being_stored(collection, import_request):
    stored = Import.objects.get(pk=receive(collection, b"x", import_request).pk)
    assert KINDS[Import.Kind(stored.kind)].of(stored.parameters) == import_request


def test_a_file_is_read_whole_and_the_report_says_what_it_held(collection):
    received = perform_work(receive(collection, documents(3) + documents(1)))
    assert (received.work.state, received.work.attempts, received.work.by) == ("done", 1, None)
    assert Item.objects.filter(collection=collection).count() == 3
    (load,) = received.report["loads"]
    assert load["figures"][:3] == [["Rows", 4], ["New items", 3], ["New documents", 3]]
    assert "3 documents are new." in received.report["sentences"][0]
    assert load["repeats"] == {"n": 1, "first": [{"line": 4, "earlier": 1, "what": "document d0"}]}


def test_a_folder_in_beir_style_brings_its_labels_with_a_report_of_their_own(collection):
    packed = archive(
        {
            "corpus.jsonl": b'{"_id": "d1", "text": "a"}\n',
            "queries.jsonl": b'{"_id": "q1", "text": "b"}\n',
            "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        }
    )
    received = perform_work(receive(collection, packed.getvalue(), name="set.zip"))
    assert [load["figures"][0] for load in received.report["loads"]] == [["Rows", 2], ["Rows", 1]]
    assert "1 query and 1 document are new." in received.report["sentences"][0]
    assert ReferenceLabel.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "n_errors", "remedy"),
    [
        ("items", 2, "Correct the file and upload it again: {}."),
        ("items", 60, "Correct the file and upload it again: {}. The first 2 are shown."),
        ("documents", 2, ""),
        ("documents", 60, "The first 2 are shown."),
    ],
)
def test_a_file_at_fault_says_what_to_do(kind, n_errors, remedy):
    import_ = Import(kind=kind, report={"errors": [{}, {}], "n_errors": n_errors})
    assert import_.remedy == remedy.format("everything is checked before anything is stored")


def test_a_broken_file_leaves_nothing_but_its_report(
    collection, django_capture_on_commit_callbacks
):
    received = receive(collection, documents(100) + b"{\n" * 60)
    with django_capture_on_commit_callbacks(execute=True):
        perform_work(received)
    assert (received.work.state, received.work.error_code) == ("failed", "refused")
    assert received.work.error == received.report["errors"][0]["message"]
    assert (len(received.report["errors"]), received.report["n_errors"]) == (50, 60)
    assert received.report["errors"][0]["line"] == 101
    assert not Item.objects.exists()
    assert stored_files(received) == []


def test_the_same_file_again_is_the_same_import_until_it_is_rejected(collection):
    first = receive(collection, documents(2))
    assert receive(collection, documents(2)) == first
    perform_work(first)
    assert receive(collection, documents(2)) == first
    assert receive(collection, documents(3)) != first
    broken = perform_work(receive(collection, b"{\n"))
    assert receive(collection, b"{\n") != broken


def test_another_collection_or_other_parameters_make_another_import(collection):
    labels = b"q0 0 d0 1\n"
    first = receive(collection, labels, ReferenceImport("a"))
    assert receive(collection, labels, ReferenceImport("b")) != first
    assert receive(cast.collection(), labels, ReferenceImport("a")) != first


def test_running_twice_reads_once(collection):
    received = perform_work(receive(collection, documents(2)))
    assert perform_work(received).work.attempts == 1


def test_a_cancelled_import_stores_nothing_and_says_so(
    collection, monkeypatch, job_clock, django_capture_on_commit_callbacks
):
    received = receive(collection, documents(12_000))
    steps = []

    def asked_half_way(*, n_done, **rest):
        steps.append(n_done)
        if n_done >= 10_000:
            # as `works.cancel` does while a worker is at it
            Work.objects.update(cancel_asked_at=F("asked_at"))
        job_clock.wait(1)
        advance(n_done=n_done, **rest)

    advance = progress.advance
    monkeypatch.setattr(progress, "advance", asked_half_way)
    with django_capture_on_commit_callbacks(execute=True):
        works.perform(work=received.work)
    assert steps == [0, 5_000, 10_000]
    assert received.work.state == "cancelled"
    assert not Item.objects.exists()
    assert stored_files(received) == []


def test_media_copied_before_the_end_go_with_a_cancelled_import(collection, monkeypatch):
    files = {f"m/{number}.png": b"PNG" for number in range(5)}
    rows = "".join(line(f"d{number}", image=f"m/{number}.png") + "\n" for number in range(5))
    received = receive(
        collection, archive({"collection.jsonl": rows.encode(), **files}).getvalue(), name="set.zip"
    )

    def cancelled(*, n_done, unit, **rest):
        if unit == "media files" and n_done == 3:
            raise progress.Cancelled

    monkeypatch.setattr(progress, "advance", cancelled)
    assert perform_work(received).work.state == "cancelled"
    assert [path for path in media.media_folder(collection).rglob("*") if path.is_file()] == []
    assert not Part.objects.exists()


def test_cancelling_what_no_worker_reads_ends_it_at_once_and_what_is_finished_stays(collection):
    waiting, finished = (
        receive(collection, documents(1)),
        perform_work(receive(collection, documents(2))),
    )
    for import_ in (waiting, finished):
        works.cancel(work=import_.work, by=None)
    assert (waiting.work.state, finished.work.state) == ("cancelled", "done")
    assert perform_work(waiting).work.state == "cancelled"
    assert receive(collection, documents(1)) != waiting
    assert receive(collection, documents(2)) == finished


def test_the_files_of_a_cancelled_import_go_and_those_of_a_stored_one_stay(
    collection, django_capture_on_commit_callbacks
):
    waiting, finished = receive(collection, documents(1)), receive(collection, documents(2))
    with django_capture_on_commit_callbacks(execute=True):
        works.cancel(work=waiting.work, by=None)
        perform_work(finished)
    assert (stored_files(waiting), stored_files(finished)) == ([], [finished.file.name])


def test_an_import_that_kills_its_workers_is_given_up_in_the_end(
    collection, django_capture_on_commit_callbacks
):
    received = receive(collection, documents(1))
    Work.objects.filter(import_file=received).update(attempts=works.MAX_ATTEMPTS)
    with django_capture_on_commit_callbacks(execute=True):
        perform_work(received)
    assert (received.work.state, received.work.error_code) == ("failed", "worn-out")
    assert received.work.error.endswith("Upload it again, or split it.")
    assert stored_files(received) == []
    assert receive(collection, documents(1)) != received


def test_the_rows_of_a_file_and_that_it_is_done_are_stored_together(collection, monkeypatch):
    received = receive(collection, documents(2))
    monkeypatch.setattr(works, "finish", run_out_of_memory)
    with pytest.raises(MemoryError):
        works.perform(work=received.work)
    received.refresh_from_db()
    assert (received.work.state, received.report, Item.objects.count()) == ("running", {}, 0)


def test_a_refused_archive_is_not_even_received(collection):
    with pytest.raises(FormatError, match="leads out of the folder"):
        receive(collection, archive({"../x": b""}).getvalue(), name="set.zip")
    with pytest.raises(FormatError, match="no zip archive"):
        receive(collection, documents(1), media=ContentFile(b"x", name="a.png"))
    assert not Import.objects.exists()


def test_labels_come_from_a_zip_of_one_file_but_not_of_several(collection):
    cast.items(collection, Side.QUERY, 1)
    cast.items(collection, Side.DOCUMENT, 1)
    one_file = archive({"a.qrels": b"q0 0 d0 1\n"}).getvalue()
    assert (
        perform_work(receive(collection, one_file, ReferenceImport("one"), name="a.zip")).work.state
        == "done"
    )
    two = archive({"a.qrels": b"q0 0 d0 1\n", "b.qrels": b"q0 0 d0 1\n"}).getvalue()
    received = perform_work(receive(collection, two, ReferenceImport("two"), name="a.zip"))
    assert "holds 2 files" in received.report["errors"][0]["message"]
    assert ReferenceSet.objects.count() == 1


def test_judgments_change_the_policy_only_with_a_file_that_is_stored(collection):
    cast.items(collection, Side.QUERY, 1)
    cast.items(collection, Side.DOCUMENT, 1)
    import_request = JudgmentsImport("votes", rule="median")
    refused = perform_work(
        receive(collection, b"annotator,query,document,grade\na,q9,d0,1\n", import_request)
    )
    assert refused.work.error_code == "refused"
    assert collection.policies.count() == 1
    assert (
        perform_work(
            receive(collection, b"annotator,query,document,grade\na,q0,d0,1\n", import_request)
        ).work.state
        == "done"
    )
    assert (collection.policies.latest("version").rule, Judgment.objects.count()) == ("median", 1)


def test_a_file_that_is_read_at_once_leaves_work_that_is_done_and_a_faulty_one_leaves_nothing(
    collection,
):
    source = FileSource(io.BytesIO(documents(2)), "collection.jsonl")
    import_ = imports.import_now(
        collection=collection, import_request=ItemsImport(), source=source, sha256="a" * 64
    ).import_
    assert (import_.work.state, import_.work.kind, import_.work.subject) == (
        "done",
        "import",
        import_.pk,
    )
    assert import_.report["sentences"] and Item.objects.count() == 2
    with pytest.raises(FileRejected):
        imports.import_now(
            collection=collection,
            import_request=ItemsImport(),
            source=FileSource(io.BytesIO(b"{"), "x.jsonl"),
        )
    assert (Import.objects.count(), Work.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_a_received_file_sends_for_a_worker(collection, broker):
    receive(collection, documents(1))
    assert broker.llen("long") == 1
    receive(collection, documents(1))
    assert broker.llen("long") == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_read_a_file_once(collection):
    received = receive(collection, documents(3_000))

    run_concurrently(lambda _: works.perform(work=Work.objects.get(import_file=received)), range(4))
    received.refresh_from_db()
    assert (received.work.state, received.work.attempts, Item.objects.count()) == ("done", 1, 3_000)


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_leaves_nothing_and_the_next_one_finishes(
    collection, service_home: Home
):
    received = receive(collection, documents(6_000))
    kill_worker(received.work, RUN, service_home, at=Item)
    assert (received.work.state, received.work.attempts, Item.objects.count()) == ("running", 1, 0)
    perform_work(received)
    assert (received.work.state, received.work.attempts, Item.objects.count()) == ("done", 2, 6_000)


def test_without_redis_a_file_is_read_all_the_same_and_nobody_knows_how_far_it_is(
    collection, settings
):
    caches = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": caches}
    received = perform_work(receive(collection, documents(6_000)))
    assert (received.work.state, Item.objects.count()) == ("done", 6_000)
