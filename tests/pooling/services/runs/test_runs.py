"""From an uploaded file to rankings: all or nothing, whatever is sent twice or dies half-way."""

import gzip
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.models import Item, Side, Work
from annotate.services.background import progress, works
from pooling.models import Ranking, Run
from pooling.services.runs import rereading, runs
from tests import cast
from tests.servers.databases import run_concurrently
from tests.servers.worker_kills import run_out_of_memory
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
FORWARD = b"query0 Q0 document2 1 9.5 t\nquery0 Q0 document0 2 9.5 t\nquery0 Q0 document1 3 7 t\n"


@pytest.fixture
def collection():
    collection = cast.collection(n_queries=3, n_documents=4)
    for side in (Side.QUERY, Side.DOCUMENT):
        for item in collection.items.filter(side=side):
            item.external_id = f"{side}{item.external_id[1:]}"
            item.save()
    return collection


def receive(
    collection, data=FORWARD, name="bm25", direction="forward", file_name="a.run", **fields
) -> Run:
    upload = SimpleUploadedFile(file_name, data)
    return runs.receive_run(
        collection=collection, name=name, direction=direction, upload=upload, **fields
    ).run


def ingest(collection, data=FORWARD, **fields) -> Run:
    run = receive(collection, data, **fields)
    perform_work(run)
    return run


def rankings(run: Run) -> dict[str, list[str]]:
    names = dict(run.collection.items.values_list("pk", "external_id"))
    return {
        names[row.source_id]: [names.get(pk, "?") for pk in row.targets]
        for row in run.rankings.all()
    }


def test_a_run_becomes_one_ranking_a_query_in_canonical_order(collection):
    run = ingest(collection)
    assert run.state == "ready"
    assert rankings(run) == {"query0": ["document2", "document0", "document1"]}
    assert Ranking.objects.get().scores == [9.5, 9.5, 7.0]


def test_a_reverse_run_starts_from_documents(collection):
    run = ingest(
        collection, b"document0 Q0 query1 1 2 t\ndocument0 Q0 query0 2 1 t\n", direction="reverse"
    )
    assert rankings(run) == {"document0": ["query1", "query0"]}


def test_the_report_counts_what_is_unknown_dropped_tied_and_missing(collection):
    collection.items.filter(external_id="document3").update(split="train")
    excluded = collection.items.filter(external_id="document1")
    excluded.update(excluded_at=timezone.now(), excluded_reason="broken")
    data = (
        FORWARD
        + b"query0 Q0 document3 4 6 t\nquery0 Q0 nobody 5 5 t\nelsewhere Q0 document0 1 1 t\n"
    )
    run = ingest(collection, gzip.compress(data))
    # what is excluded for now may be taken back in; of another split it never is
    assert rankings(run) == {"query0": ["document2", "document0", "document1", "?"]}
    report = run.report
    assert (report["n_rows"], report["n_kept"], report["n_unknown"], report["n_dropped"]) == (
        6,
        2,
        1,
        2,
    )
    assert report["unknown_targets"] == {"n": 1, "first": ["nobody"]}
    assert report["unknown_sources"] == {"n": 1, "first": ["elsewhere"]}
    assert report["missing"] == {"n": 2, "first": ["query1", "query2"]}
    assert report["ties"] == pytest.approx(2 / 6)


def test_scores_are_stored_as_the_file_gives_them_and_as_ranks_when_ranks_are_trusted(collection):
    run = ingest(
        collection,
        b"query0 Q0 document0 2 0.1 t\nquery0 Q0 document1 1 0.05 t\n",
        score_type="rank",
    )
    assert rankings(run) == {"query0": ["document1", "document0"]}
    assert Ranking.objects.get().scores == [-1.0, -2.0]


def test_ranks_are_trusted_only_where_the_file_gives_them(collection):
    run = ingest(
        collection, b'{"query": "query0", "document": "document0", "score": 1}\n', score_type="rank"
    )
    assert run.state == "rejected"
    assert (
        run.report["errors"][0]["message"]
        == "The file gives no ranks; choose float32 to order by score."
    )


def test_a_bad_line_rejects_the_run_and_nothing_is_stored(collection):
    run = ingest(collection, FORWARD + b"query1 Q0 document0 1 t\n")
    assert (run.state, Ranking.objects.count()) == ("rejected", 0)
    assert run.report["errors"] == [
        {"line": 4, "field": "", "message": "expected 6 fields, found 5."}
    ]


def test_a_run_of_which_nothing_is_known_is_rejected_and_says_which_ids(collection):
    run = ingest(collection, b"q Q0 d 1 1 t\n")
    assert run.state == "rejected"
    assert run.report["errors"][0]["message"].startswith(
        "It names none of the queries of this collection;"
    )
    assert run.report["unknown_targets"]["first"] == ["d"]


def test_an_odd_unknown_id_rejects_the_run(collection):
    run = ingest(collection, FORWARD + "query0 Q0 d\u202e 1 1 t\n".encode())
    assert (run.state, Ranking.objects.count()) == ("rejected", 0)
    assert run.report["errors"][0]["line"] == 4


def test_the_same_file_under_the_same_name_changes_nothing_and_says_so(collection):
    run = ingest(collection)
    again = runs.receive_run(
        collection=collection,
        name="bm25",
        direction="forward",
        upload=SimpleUploadedFile("b.run", FORWARD),
    )
    assert again == (run, False)
    assert Run.objects.count() == 1


def test_another_file_under_a_name_that_is_taken_is_refused(collection):
    receive(collection)
    with pytest.raises(runs.RunExists, match="choose another name"):
        receive(collection, FORWARD + b"\n")
    assert Run.objects.count() == 1


def test_a_rejected_run_gives_its_name_to_the_corrected_file(collection):
    rejected = ingest(collection, b"broken\n")
    run = ingest(collection)
    assert (run.pk, run.state, run.work.attempts) == (rejected.pk, "ready", 1)
    assert list(Work.objects.order_by("pk").values_list("state", "error_code")) == [
        ("failed", "refused"),
        ("done", ""),
    ]


def test_a_rejected_run_is_read_again_from_the_same_file_once_the_collection_has_its_items(
    collection,
):
    content = b"later Q0 later 1 1 t\n"
    assert ingest(collection, content).state == "rejected"
    for side in Side:
        Item.objects.create(collection=collection, side=side, external_id="later")
    assert ingest(collection, content).state == "ready"


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\x00b", "a\nb", "run\u202e"])
def test_a_name_that_could_forge_a_line_is_refused(collection, name):
    with pytest.raises(runs.BadName):
        receive(collection, name=name)


def test_a_task_that_comes_twice_stores_the_rankings_once(collection):
    run = ingest(collection)
    perform_work(run)
    assert (Ranking.objects.count(), run.work.attempts) == (1, 1)


def test_a_file_that_kills_its_worker_is_tried_three_times_and_then_rejected(
    collection, monkeypatch
):
    run = receive(collection)

    monkeypatch.setattr(runs, "read_parts", run_out_of_memory)
    for _ in range(3):
        with pytest.raises(MemoryError):
            perform_work(run)
    perform_work(run)
    run.refresh_from_db()
    assert (run.state, run.state_text, run.work.attempts) == ("rejected", "Rejected", 3)
    assert "begun 3 times" in run.report["errors"][0]["message"]


def test_a_run_whose_reading_is_cancelled_stores_nothing_and_can_be_sent_again(collection):
    run = receive(collection)
    works.cancel(work=run.work, by=None)
    perform_work(run)
    assert (run.state, run.state_text, run.work.state) == ("rejected", "Cancelled", "cancelled")
    assert Ranking.objects.count() == 0
    assert run.report["errors"][0]["message"].startswith("Reading was cancelled")
    assert ingest(collection).state == "ready"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([0, 1, 2, 3, 4, 5], ("MB read", 0, 0)),
        ([0, 3, 1, 4, 2, 5], ("rows stored", 3, 6)),
    ],
)
def test_a_run_cancelled_half_way_through_storing_stores_nothing(
    collection, monkeypatch, job_clock, order, expected
):
    monkeypatch.setattr("pooling.core.files.spool.ROWS_AT_ONCE", 2)
    lines = (FORWARD + FORWARD.replace(b"query0", b"query1")).splitlines(keepends=True)
    run = receive(collection, b"".join(lines[index] for index in order))
    reports = []

    def tell(**report):
        reports.append(report)
        if report["unit"] == expected[0]:
            Work.objects.filter(pk=run.work.pk).update(cancel_asked_at=timezone.now())
        job_clock.wait(1)
        jobs_advance(**report)

    jobs_advance = progress.advance
    monkeypatch.setattr("annotate.services.background.progress.advance", tell)
    perform_work(run)
    assert (run.state, run.work.state, Ranking.objects.count()) == ("rejected", "cancelled", 0)
    assert (reports[-1]["unit"], reports[-1]["n_done"], reports[-1]["total"]) == expected


def test_queries_whose_lines_are_mixed_are_ranked_as_if_each_stood_by_itself(
    collection, monkeypatch
):
    monkeypatch.setattr("pooling.core.files.spool.ROWS_AT_ONCE", 3)
    lines = [f"query{q} Q0 document{d} {d} {-d} t\n" for d in range(4) for q in range(3)]
    random.Random(1).shuffle(lines)
    run = ingest(collection, "".join(lines).encode())
    assert run.state == "ready"
    assert rankings(run) == {f"query{q}": [f"document{d}" for d in range(4)] for q in range(3)}
    assert (run.report["n_rows"], run.report["n_queries"], run.report["deepest"]) == (12, 3, 4)


def test_rankings_and_that_they_are_read_are_stored_together(collection, monkeypatch):
    run = receive(collection)
    with monkeypatch.context() as broken:
        broken.setattr(runs.works, "finish", run_out_of_memory)
        with pytest.raises(MemoryError):
            perform_work(run)
    run.refresh_from_db()
    assert (run.state, run.work.state, Ranking.objects.count()) == ("received", "running", 0)
    assert perform_work(run).state == "ready"


def test_faults_and_that_it_is_refused_are_stored_together(collection, monkeypatch):
    run = receive(collection, b"broken\n" * 2)
    with monkeypatch.context() as broken:
        broken.setattr(runs.works, "finish", run_out_of_memory)
        with pytest.raises(MemoryError):
            perform_work(run)
    run.refresh_from_db()
    assert (run.state, run.report) == ("received", {})
    perform_work(run)
    assert (run.state, run.report["n_errors"], run.work.error_code) == ("rejected", 2, "refused")
    assert run.work.error == run.report["errors"][0]["message"]


@pytest.mark.django_db(transaction=True)
def test_eight_workers_that_get_one_run_at_once_store_it_once(collection):
    run = receive(collection)
    run_concurrently(lambda _: perform_work(Run.objects.get(pk=run.pk)), range(8))
    run.refresh_from_db()
    assert (run.state, run.work.attempts, Ranking.objects.count()) == ("ready", 1, 1)


def test_ingesting_takes_a_constant_number_of_queries(collection, django_assert_max_num_queries):
    cast.items(collection, Side.QUERY, 60)
    data = "".join(
        f"q{i} Q0 document{j} {j} {-j} t\n" for i in range(3, 60) for j in range(4)
    ).encode()
    run = receive(collection, data)
    with django_assert_max_num_queries(36):
        perform_work(run)
    assert run.report["n_kept"] == 57 * 4


def test_a_fault_met_while_storing_takes_back_what_was_stored(collection, monkeypatch):
    monkeypatch.setattr("pooling.core.files.spool.ROWS_AT_ONCE", 2)
    run = ingest(collection, FORWARD + b"query1 Q0 document0 1 1 t\nquery1 Q0 document0 2 1 t\n")
    assert (run.state, Ranking.objects.count()) == ("rejected", 0)
    assert (
        run.report["errors"][0]["message"]
        == 'document "document0" of query "query1" stands already in line 4.'
    )
    assert run.report["n_kept"] == 0


def test_a_file_with_little_but_repeats_is_given_up_while_storing(collection, monkeypatch):
    monkeypatch.setattr("pooling.core.files.spool.ROWS_AT_ONCE", 2)
    monkeypatch.setattr("annotate.core.files.formats.MAX_FAULTS", 3)
    run = ingest(collection, FORWARD + b"query1 Q0 document0 1 1 t\n" * 9)
    assert (run.state, Ranking.objects.count()) == ("rejected", 0)
    assert (
        run.report["errors"][-1]["message"] == "too many lines are at fault; reading stopped here."
    )


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_run_whose_file_misses_what_joined_counts_it(collection, direction):
    run = ingest(
        collection,
        FORWARD if direction == "forward" else b"document2 Q0 query0 1 9 t\n",
        direction=direction,
    )
    before = run.report["missing"]["n"]
    cast.items(collection, Side.QUERY if direction == "forward" else Side.DOCUMENT, 1)
    assert rereading.note_joined_items(collection_id=collection.pk) == [run.pk]
    perform_work(run)
    assert (run.report["missing"]["n"], run.reading_due_at) == (before + 1, None)
    assert rereading.note_joined_items(collection_id=collection.pk) == []
