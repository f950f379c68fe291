"""Imports: whole or not at all, repeatable, cancelled without a trace, whatever dies in the meantime."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate import tasks
from annotate.core.formats import FormatError
from annotate.core.judgment_formats import JudgmentColumns
from annotate.models import Cancellation, Import, Item, Judgment, Part, ReferenceLabel, ReferenceSet, Side
from annotate.services import imports, media
from annotate.services.background import progress
from annotate.services.import_kinds import KINDS, Items, Judgments, Reference
from config.up.home import Home
from tests import cast
from tests.annotate.core.files import archive, line
from tests.databases import at_once
from tests.deaths import kill_worker

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("open_media_root")]
RUN = "import django, sys; django.setup(); from annotate import tasks; tasks.run_import(import_id=int(sys.argv[1]))"


def documents(n):
    return "".join(line(f"d{number}") + "\n" for number in range(n)).encode()


def receive(collection, content, asked=None, *, name="collection.jsonl", **options):
    upload = SimpleUploadedFile(name, content)
    return imports.receive(collection=collection, asked=asked or Items(), upload=upload, **options).made


def run(received):
    tasks.run_import(import_id=received.pk)
    received.refresh_from_db()
    return received


def kept(received):
    return [name for name in (received.file.name, received.media_file.name) if name and media_exists(name)]


def media_exists(name):
    return Import._meta.get_field("file").storage.exists(name)


@pytest.mark.parametrize(
    "asked",
    [
        Items(),
        Reference("original", {1: 2, 10: 0}, min_grade=1, skip_unknown=True),
        Judgments("experts", JudgmentColumns(annotators=("a", "b"), grades={"yes": 1}), rule="median"),
    ],
)
def test_what_was_asked_survives_being_stored(collection, asked):
    stored = Import.objects.get(pk=receive(collection, b"x", asked).pk)
    assert KINDS[Import.Kind(stored.kind)].of(stored.parameters) == asked


def test_a_file_is_read_whole_and_the_report_says_what_it_held(collection):
    received = run(receive(collection, documents(3) + documents(1)))
    assert (received.state, received.attempts) == ("done", 1)
    assert Item.objects.filter(collection=collection).count() == 3
    (load,) = received.report["loads"]
    assert load["figures"][:2] == [["Rows", 4], ["New items", 3]]
    assert load["repeats"] == {"n": 1, "first": [{"line": 4, "earlier": 1, "what": "document d0"}]}


def test_a_folder_in_beir_style_brings_its_labels_with_a_report_of_their_own(collection):
    packed = archive(
        {
            "corpus.jsonl": b'{"_id": "d1", "text": "a"}\n',
            "queries.jsonl": b'{"_id": "q1", "text": "b"}\n',
            "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        }
    )
    received = run(receive(collection, packed.getvalue(), name="set.zip"))
    assert [load["figures"][0] for load in received.report["loads"]] == [["Rows", 2], ["Rows", 1]]
    assert ReferenceLabel.objects.count() == 1


def test_a_broken_file_leaves_nothing_but_its_report(collection, django_capture_on_commit_callbacks):
    received = receive(collection, documents(100) + b"{\n" * 60)
    with django_capture_on_commit_callbacks(execute=True):
        run(received)
    assert received.state == "rejected"
    assert (len(received.report["errors"]), received.report["n_errors"]) == (50, 60)
    assert received.report["errors"][0]["line"] == 101
    assert not Item.objects.exists()
    assert kept(received) == []


def test_the_same_file_again_is_the_same_import_until_it_is_rejected(collection):
    first = receive(collection, documents(2))
    assert receive(collection, documents(2)) == first
    run(first)
    assert receive(collection, documents(2)) == first
    assert receive(collection, documents(3)) != first
    broken = run(receive(collection, b"{\n"))
    assert receive(collection, b"{\n") != broken


def test_another_collection_or_other_parameters_make_another_import(collection):
    labels = b"q0 0 d0 1\n"
    first = receive(collection, labels, Reference("a"))
    assert receive(collection, labels, Reference("b")) != first
    assert receive(cast.collection(), labels, Reference("a")) != first


def test_running_twice_reads_once(collection):
    received = run(receive(collection, documents(2)))
    assert run(received).attempts == 1


def test_a_cancelled_import_stores_nothing_and_says_so(
    collection, monkeypatch, job_clock, django_capture_on_commit_callbacks
):
    received = receive(collection, documents(12_000))
    steps = []

    def asked_half_way(*, job, done, **rest):
        steps.append(done)
        if done >= 10_000:
            progress.cancel(job=job, collection=collection)
        job_clock.wait(1)
        advance(job=job, done=done, **rest)

    advance = progress.advance
    monkeypatch.setattr(progress, "advance", asked_half_way)
    with django_capture_on_commit_callbacks(execute=True):
        run(received)
    assert steps == [0, 5_000, 10_000]
    assert (received.state, received.finished_at is not None) == ("cancelled", True)
    assert not Item.objects.exists()
    assert not Cancellation.objects.exists()
    assert kept(received) == []


def test_media_copied_before_the_end_go_with_a_cancelled_import(collection, monkeypatch):
    files = {f"m/{number}.png": b"PNG" for number in range(5)}
    rows = "".join(line(f"d{number}", image=f"m/{number}.png") + "\n" for number in range(5))
    received = receive(collection, archive({"collection.jsonl": rows.encode(), **files}).getvalue(), name="set.zip")

    def cancelled(*, job, done, total=None, unit="rows"):
        if unit == "media files" and done == 3:
            raise progress.Cancelled

    monkeypatch.setattr(progress, "advance", cancelled)
    assert run(received).state == "cancelled"
    assert [path for path in media.media_folder(collection).rglob("*") if path.is_file()] == []
    assert not Part.objects.exists()


def test_cancelling_what_no_worker_reads_ends_it_at_once_and_what_is_finished_stays(collection):
    waiting, finished = receive(collection, documents(1)), run(receive(collection, documents(2)))
    imports.cancel(made=waiting, by=None)
    imports.cancel(made=finished, by=None)
    assert (waiting.state, finished.state) == ("cancelled", "done")
    assert not Cancellation.objects.exists()
    assert run(waiting).state == "cancelled"


def test_an_import_that_kills_its_workers_is_rejected_in_the_end(collection):
    received = receive(collection, documents(1))
    Import.objects.filter(pk=received.pk).update(attempts=imports.MAX_ATTEMPTS)
    assert run(received).state == "rejected"
    assert "never came to its end" in received.report["errors"][0]["message"]


def test_a_refused_archive_is_not_even_received(collection):
    with pytest.raises(FormatError, match="leads out of the folder"):
        receive(collection, archive({"../x": b""}).getvalue(), name="set.zip")
    with pytest.raises(FormatError, match="no zip archive"):
        receive(collection, documents(1), media=ContentFile(b"x", name="a.png"))
    assert not Import.objects.exists()


def test_labels_come_from_a_zip_of_one_file_but_not_of_several(collection):
    cast.items(collection, Side.QUERY, 1)
    cast.items(collection, Side.DOCUMENT, 1)
    one = archive({"a.qrels": b"q0 0 d0 1\n"}).getvalue()
    assert run(receive(collection, one, Reference("one"), name="a.zip")).state == "done"
    two = archive({"a.qrels": b"q0 0 d0 1\n", "b.qrels": b"q0 0 d0 1\n"}).getvalue()
    received = run(receive(collection, two, Reference("two"), name="a.zip"))
    assert "holds 2 files" in received.report["errors"][0]["message"]
    assert ReferenceSet.objects.count() == 1


def test_judgments_change_the_policy_only_with_a_file_that_is_stored(collection):
    cast.items(collection, Side.QUERY, 1)
    cast.items(collection, Side.DOCUMENT, 1)
    asked = Judgments("votes", rule="median")
    assert run(receive(collection, b"annotator,query,document,grade\na,q9,d0,1\n", asked)).state == "rejected"
    assert collection.policies.count() == 1
    assert run(receive(collection, b"annotator,query,document,grade\na,q0,d0,1\n", asked)).state == "done"
    assert (collection.policies.latest("version").rule, Judgment.objects.count()) == ("median", 1)


def test_a_sweep_finds_what_waits_for_too_long(collection):
    received = receive(collection, documents(1))
    run(receive(collection, documents(2)))
    Import.objects.update(created_at=timezone.now() + timezone.timedelta(days=1))  # just now, however slow this is
    assert imports.overdue() == []
    Import.objects.update(created_at=timezone.now() - timezone.timedelta(minutes=1))
    assert imports.overdue() == [received.pk]


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_read_a_file_once(collection):
    received = receive(collection, documents(3_000))

    at_once(lambda _: tasks.run_import(import_id=received.pk), range(4))
    received.refresh_from_db()
    assert (received.state, received.attempts, Item.objects.count()) == ("done", 1, 3_000)


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_leaves_nothing_and_the_next_one_finishes(collection, service_home: Home):
    received = receive(collection, documents(6_000))
    kill_worker(received, RUN, service_home, at=Item)
    assert (received.state, received.attempts, Item.objects.count()) == ("received", 1, 0)
    run(received)
    assert (received.state, received.attempts, Item.objects.count()) == ("done", 2, 6_000)


def test_without_redis_a_file_is_read_all_the_same_and_nobody_knows_how_far_it_is(collection, settings):
    caches = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": caches}
    received = run(receive(collection, documents(6_000)))
    assert (received.state, Item.objects.count()) == ("done", 6_000)
