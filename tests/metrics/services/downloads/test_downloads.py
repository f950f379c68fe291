"""Downloads made in the background: whole or not at all, of one moment, the same bytes twice.

They are kept for a while.
"""

import gzip
import hashlib
import io
import json
import zipfile
from datetime import timedelta
from threading import Thread

import pyarrow.parquet
import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import read_reference
from annotate.models import Item, Part, ReferenceLabel, Role, Undrawn, Work
from annotate.services.background import workers, works
from metrics.models import Download
from metrics.services.downloads import downloads, qrels
from metrics.services.downloads import grades as download_labels
from metrics.services.downloads.grades import people_grades_by_rule
from metrics.services.numbers import refresh
from metrics.services.scores.labels import people_grades
from tests import cast
from tests.metrics import studies
from tests.servers.databases import closing_connections
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study():
    return studies.unordered_study()


def request_download(study, kind, by=None, **data):
    form = downloads.form_of(collection=study, kind=Download.Kind(kind), data=data)
    assert form.is_valid(), form.errors
    return downloads.request_download(collection=study, kind=Download.Kind(kind), form=form, by=by)


def made_download(study, kind, by=None, **data):
    download = perform_work(request_download(study, kind, by, **data))
    assert (download.work.state, download.work.error) == (Work.State.DONE, "")
    return download


def content(download):
    with download.file.open("rb") as file:
        return file.read()


EVERY_KIND = [
    ("qrels", {}),
    ("qrels", {"packed": "on", "direction": "reverse"}),
    ("qrels", {"rule": "median", "label_source": "only", "grades": "binary"}),
    ("beir", {}),
    ("fire", {}),
    ("judgments", {"format": "csv"}),
    ("judgments", {"format": "jsonl", "packed": "on"}),
    ("judgments", {"format": "parquet"}),
    ("disputed", {}),
    ("conflicts", {}),
    ("cannot-judge", {}),
    ("scores", {}),
]


def test_each_kind_is_made_twice_with_the_same_bytes_and_what_is_said_of_it_is_so(study):
    refresh.refresh(collection=study)
    for kind, data in EVERY_KIND:
        first, second = made_download(study, kind, **data), made_download(study, kind, **data)
        assert first.pk != second.pk
        assert content(first) == content(second) != b""
        assert first.sha256 == hashlib.sha256(content(first)).hexdigest() and first.n_bytes == len(
            content(first)
        )
        assert first.file_name.startswith("study-") and first.as_of < second.as_of
        assert first.file_name.endswith(".gz") == ("packed" in data)


def test_rows_are_counted_without_the_header(study):
    n_judgments = study.judgments.count()
    n_labels = len(content(made_download(study, "qrels")).splitlines())
    assert made_download(study, "qrels").n_rows == n_labels > 0
    assert [
        made_download(study, "judgments", format=kind).n_rows for kind in ("csv", "parquet")
    ] == [n_judgments] * 2
    assert (
        made_download(study, "disputed").n_rows
        == study.resolutions.filter(status="disputed").count()
        > 0
    )


def test_a_packed_file_holds_the_plain_one_and_no_time_or_name(study):
    packed = content(made_download(study, "judgments", format="csv", packed="on"))
    assert gzip.decompress(packed) == content(made_download(study, "judgments", format="csv"))
    # no flags such as a name; the time is not known
    assert packed[3] == 0 and packed[4:8] == bytes(4)


def test_a_beir_folder_holds_items_and_labels_and_no_times(study):
    item = study.items.filter(side="document").order_by("pk").first()
    Part.objects.create(item=item, position=8, kind="video", path="media/a.webm")
    also = [{"path": "media/b.mp4", "type": "video/mp4"}]
    Part.objects.create(item=item, position=9, kind="video", path="media/b.webm", also=also)
    archive = zipfile.ZipFile(io.BytesIO(content(made_download(study, "beir"))))
    assert archive.namelist() == ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]
    assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    corpus = {row["_id"]: row for row in map(json.loads, archive.read("corpus.jsonl").splitlines())}
    assert len(corpus) == 12
    name = Item.objects.get(pk=item.pk).external_id
    assert corpus[name]["metadata"] == {
        "media": [
            {"kind": "video", "path": "media/a.webm"},
            {"kind": "video", "path": "media/b.webm", "also": ["media/b.mp4"]},
        ]
    }
    qrels = [line.split() for line in content(made_download(study, "qrels")).decode().splitlines()]
    table = [line.split("\t") for line in archive.read("qrels/test.tsv").decode().splitlines()]
    assert table == [
        ["query-id", "corpus-id", "score"],
        *([q, d, grade] for q, _, d, grade in qrels),
    ]


def test_pages_of_html_are_text_without_markup_in_a_beir_folder_and_in_json(study):
    document, query = (
        study.items.filter(side=side).order_by("pk").first() for side in ("document", "query")
    )
    page = (
        "<!doctype html><html><head><title>T</title><style>p "
        "{ color: red }</style><script>alert(1)</script></head><body><h1>A &amp; "
        "B</h1><p>one<br>two</p><ul><li>x<li>y</ul><img src=a.png onerror=alert(2)><b>bo</b>ld"
    )
    for item, text in (
        (document, page),
        (query, "<p>find <i>it</i></p>"),
        (document, "<script></script>"),
    ):
        Part.objects.create(item=item, position=8 + item.parts.count(), kind="html", text=text)
    Part.objects.create(item=document, position=99, kind="text", text="1 < 2 & <b>")
    archive = zipfile.ZipFile(io.BytesIO(content(made_download(study, "beir"))))
    texts = {
        row["_id"]: row["text"]
        for name in ("corpus.jsonl", "queries.jsonl")
        for row in map(json.loads, archive.read(name).splitlines())
    }
    text_of_document = texts[document.external_id]
    assert "A & B one two x y bold" in text_of_document
    assert text_of_document.endswith("1 < 2 & <b>")  # plain text is left as it is
    assert not any(word in text_of_document for word in ("<p>", "alert", "color", "script", "img"))
    assert texts[query.external_id].endswith("find it")
    queries = json.loads(content(made_download(study, "fire")))["queries"]
    assert queries[query.external_id]["text"].endswith("find it")


def test_json_holds_every_label_beside_the_grade(study):
    exported = json.loads(content(made_download(study, "fire", label_source="only")))
    assert (exported["collection"], exported["direction"], exported["positive_from"]) == (
        "study",
        "forward",
        2,
    )
    qrels = content(made_download(study, "qrels", label_source="only")).decode().splitlines()
    rows = [
        f"{q} 0 {d} {row['grade']}"
        for q, of in exported["queries"].items()
        for d, row in of["relevance"].items()
    ]
    assert rows == qrels
    label_lists = [
        row["labels"] for of in exported["queries"].values() for row in of["relevance"].values()
    ]
    assert all(label_lists) and {len(labels) for labels in label_lists} <= {1, 2}
    names = set(study.annotators.values_list("pseudonym", flat=True))
    assert {label["annotator"] for labels in label_lists for label in labels} <= names


@pytest.mark.parametrize("chunk_rows", [1, 2, 20_000])
def test_another_rule_than_the_policys_resolves_the_labels_of_people(
    study, monkeypatch, chunk_rows
):
    monkeypatch.setattr(download_labels, "CHUNK_ROWS", chunk_rows)
    by_policy = people_grades(collection=study, direction="forward")
    by_majority = people_grades_by_rule(collection=study, direction="forward", rule="majority")
    assert [list(column) for column in by_policy] == [list(column) for column in by_majority]
    n_pairs = study.pairs.filter(seats__state="done").distinct().count()
    assert (
        len(people_grades_by_rule(collection=study, direction="forward", rule="largest").grade)
        == n_pairs
    )
    assert len(by_majority.grade) < n_pairs


def test_what_is_asked_twice_before_it_is_made_is_one_download(study):
    first = request_download(study, "disputed")
    assert request_download(study, "disputed").pk == first.pk
    assert request_download(study, "disputed", packed="on").pk != first.pk
    perform_work(first)
    assert request_download(study, "disputed").pk != first.pk


def test_a_download_shows_one_moment_whatever_is_written_meanwhile(study, monkeypatch):
    """The grades change between the first query of the download and the query for the grades."""
    plain_external_ids, n_updated = qrels.ExternalIds, []

    def writing_meanwhile(collection):
        if not n_updated:
            graded = study.resolutions.filter(grade__isnull=False)
            jobs_thread(lambda: n_updated.append(graded.update(grade=3))).join()
        return plain_external_ids(collection)

    before = content(made_download(study, "qrels", label_source="only"))
    monkeypatch.setattr(qrels, "ExternalIds", writing_meanwhile)
    meanwhile = content(made_download(study, "qrels", label_source="only"))
    assert n_updated[0] > 0
    assert meanwhile == before
    assert content(made_download(study, "qrels", label_source="only")) != before


def jobs_thread(work):
    """Start a thread with a database connection of its own, which it closes."""
    thread = Thread(target=closing_connections(work))
    thread.start()
    return thread


def test_a_wish_to_cancel_is_seen_within_the_moment_and_leaves_no_file(
    study, monkeypatch, job_clock
):
    monkeypatch.setattr("metrics.services.downloads.progress.ROWS_BETWEEN_REPORTS", 1)
    download = request_download(study, "judgments", format="csv")

    def cancelled_meanwhile(work):
        jobs_thread(
            lambda: works.cancel(work=Work.objects.get(pk=download.work.pk), by=None)
        ).join()
        job_clock.wait(1)
        return plain_write(work)

    kind = downloads.KINDS[Download.Kind.JUDGMENTS]
    plain_write = kind.pieces
    monkeypatch.setitem(
        downloads.KINDS, Download.Kind.JUDGMENTS, kind._replace(pieces=cancelled_meanwhile)
    )
    monkeypatch.setattr("metrics.services.downloads.kinds._counted_lines", counted_singly)
    perform_work(download)
    assert (download.work.state, download.file.name) == (Work.State.CANCELLED, "")
    assert not default_storage.exists("downloads") or default_storage.listdir("downloads")[1] == []


def counted_singly(lines, work):
    for line in lines:
        work.count(1)
        yield line


def test_one_that_nobody_has_begun_is_cancelled_at_once(study):
    download = request_download(study, "disputed")
    works.cancel(work=download.work, by=None)
    assert (perform_work(download).work.state, download.file.name) == (Work.State.CANCELLED, "")


def test_two_workers_make_one_file(study):
    download = request_download(study, "disputed")
    with workers.try_lock_subject("download", download.pk):
        other = jobs_thread(lambda: perform_work(Download.objects.get(pk=download.pk)))
        other.join()
    download.refresh_from_db()
    assert (download.work.state, download.work.attempts) == (Work.State.ASKED, 0)
    assert perform_work(download).work.state == Work.State.DONE


def test_a_file_goes_when_it_was_kept_long_enough_and_can_be_made_again(study):
    old, young = made_download(study, "qrels", rule="median"), made_download(study, "disputed")
    name = old.file.name
    long_ago = timezone.now() - downloads.RETENTION - timedelta(hours=1)
    Work.objects.filter(download=old).update(finished_at=long_ago)
    assert downloads.expire() == 1
    old.refresh_from_db(), young.refresh_from_db()
    assert (old.state_text, old.file.name, young.state_text) == ("Expired", "", "Done")
    assert not default_storage.exists(name) and default_storage.exists(young.file.name)
    renewed = perform_work(downloads.request_again(download=old, by=None))
    assert (renewed.sha256, renewed.made_with) == (old.sha256, old.made_with)
    assert "Median" in renewed.made_with


def test_one_that_no_longer_fits_its_collection_says_what_is_missing(study):
    download = request_download(study, "qrels", label_source="none:original")
    study.reference_sets.update(name="another")
    perform_work(download)
    assert (download.work.state, download.work.error_code) == (Work.State.FAILED, "unfit")
    assert 'no reference set "original"; it has another.' in download.work.error
    with pytest.raises(downloads.OutdatedParameters):
        downloads.request_again(download=download, by=None)


def test_a_sampled_reference_set_comes_back_with_strata_and_what_was_not_drawn(study):
    queries, documents = (
        list(study.items.filter(side=side).order_by("pk")) for side in ("query", "document")
    )
    reference = studies.reference(study, {}, name="sampled")
    ReferenceLabel.objects.create(
        reference_set=reference, query=queries[0], document=documents[0], grade=2, stratum=1
    )
    Undrawn.objects.create(
        reference_set=reference, query=queries[0], document=documents[1], stratum=2
    )
    lines = (
        content(made_download(study, "strata", sample="reference:sampled")).decode().splitlines()
    )
    ids = queries[0].external_id, documents[0].external_id, documents[1].external_id
    assert sorted(lines) == sorted([f"{ids[0]} 0 {ids[1]} 1 2", f"{ids[0]} 0 {ids[2]} 2 -1"])


def test_scores_name_no_hidden_run_of_somebody_else_and_the_file_is_hidden_with_them(study):
    refresh.refresh(collection=study)
    owner, other = cast.member(study, Role.RESEARCHER), cast.member(study, Role.RESEARCHER)
    study.runs.filter(name="alpha").update(is_hidden=True, uploaded_by=owner)
    hers, theirs = made_download(study, "scores", owner), made_download(study, "scores", other)
    assert b"alpha\t" in content(hers) and b"alpha\t" not in content(theirs)
    visible = {
        person: set(Download.objects.visible_to(person, collection=study))
        for person in (owner, other)
    }
    assert visible == {owner: {hers, theirs}, other: {theirs}}
    study.runs.filter(name="beta").update(is_hidden=True, uploaded_by=owner)
    assert set(Download.objects.visible_to(other, collection=study)) == set()
    # its run was deleted: hidden or not, nobody knows
    Download.objects.filter(pk=hers.pk).update(run_ids=[2**40])
    visible = {
        person: hers in Download.objects.visible_to(person, collection=study)
        for person in (owner, other)
    }
    assert visible == {owner: True, other: False}


def test_a_file_of_an_earlier_attempt_is_written_over(study):
    download = request_download(study, "disputed")
    default_storage.save(f"downloads/{download.pk}-{download.file_name}", io.BytesIO(b"half"))
    perform_work(download)
    assert default_storage.listdir("downloads")[1] == [f"{download.pk}-{download.file_name}"]
    assert content(download).startswith(b"query\t")


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_our_reader_reads_the_qrels_back(study, direction):
    text = content(made_download(study, "qrels", direction=direction))
    rows = [
        (row.query, row.document, row.grade)
        for row in read_reference(io.BytesIO(text), "a.qrels", Problems())
    ]
    assert rows == [
        (q, d, int(g)) for q, _, d, g in (line.split() for line in text.decode().splitlines())
    ]


def test_parquet_and_json_lines_hold_the_same_judgments(study):
    table = pyarrow.parquet.read_table(
        pyarrow.BufferReader(content(made_download(study, "judgments", format="parquet")))
    )
    lines = [
        json.loads(line)
        for line in content(made_download(study, "judgments", format="jsonl")).splitlines()
    ]
    same = (
        "query",
        "document",
        "annotator",
        "grade",
        "level",
        "active_ms",
        "purpose",
        "why",
        "status",
        "reasons",
    )
    assert [[row[name] for name in same] for row in table.to_pylist()] == [
        [row[name] for name in same] for row in lines
    ]
