"""Unknown rows on the pages: their share wherever a run is used, and a run on hold."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import ApiToken, Import, Role
from annotate.services.collection.query_sets import complete_query_sets
from metrics.services.numbers import refresh
from pooling.models import Run
from pooling.services.runs import holds as run_holds
from pooling.services.runs import rereading as run_rereading
from pooling.services.runs import runs
from tests import cast
from tests.pages import text_of
from tests.pooling import factories
from tests.pooling.views.addresses import url
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
ASKS = b"q0 Q0 d1 1 3 t\nq0 Q0 x 2 2 t\nq0 Q0 y<b> 3 1 t\n"
SAYS = "66.7 % unknown"


@pytest.fixture
def run(collection):
    file = SimpleUploadedFile("a.run", ASKS)
    run = runs.receive_run(
        collection=collection, name="strange", direction="forward", upload=file
    ).run
    perform_work(run)
    return run


def test_a_run_on_hold_says_how_much_is_unknown_and_a_researcher_uses_it(
    client, collection, researcher, run
):
    address = url("run", collection, run.pk)
    page = client.get(address).content.decode()
    assert f"On hold: {SAYS}." in page
    assert "x, y&lt;b&gt;" in page
    client.post(url("run-act", collection, run.pk), {"action": "use"})
    page = client.get(address).content.decode()
    assert "On hold" not in page
    assert "Used with its unknown rows (unknown rows: 2)" in page
    again = client.post(url("run-act", collection, run.pk), {"action": "use"}, follow=True)
    assert "is not on hold" in again.content.decode()


def test_a_run_that_waits_for_its_documents_says_so_and_makes_them(client, collection, researcher):
    collection.items.filter(side="document").delete()
    file = SimpleUploadedFile("back.run", b"x Q0 q1 1 3 t\ny Q0 q2 1 2 t\n")
    run = runs.receive_run(collection=collection, name="back", direction="reverse", upload=file).run
    perform_work(run)
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "Waits for its documents." in page
    assert "This collection has no documents yet; the file names 2, such as x, y." in page
    assert "Use it all the same" not in page
    assert "Documents not in the file" in page
    answer = client.post(url("run-act", collection, run.pk), {"action": "make-documents"})
    document_import = Import.objects.get()
    assert answer["Location"] == f"/c/{collection.slug}/imports/{document_import.pk}/"
    import_page = text_of(client.get(answer["Location"]))
    assert "Documents by id from back" in import_page
    perform_work(document_import)
    assert "2 new items" in client.get(answer["Location"]).content.decode()
    perform_work(run)
    assert "Waits for" not in client.get(url("run", collection, run.pk)).content.decode()
    again = client.post(
        url("run-act", collection, run.pk), {"action": "make-documents"}, follow=True
    )
    assert "names no document that this collection lacks" in again.content.decode()


def test_a_run_without_a_header_is_uploaded_with_its_columns(client, collection, researcher):
    def upload(columns):
        file = SimpleUploadedFile("a.csv", b"d1,q0,3\n")
        form = {"name": "bare", "direction": "forward", "file": file, "columns": columns}
        return client.post(url("run-upload", collection), form)

    for wrong, why in (
        ("query:2, document:1", "Which column holds the score or the rank?"),
        ("query:2, score:3", "Which column holds the document?"),
        ("query:1, document:1, score:3", "no two are the same"),
        ("query:0, document:1, score:3", "counted from 1"),
        ("queries:1, document:2, score:3", "There is no &quot;queries&quot; to be in a column"),
        ("2, 1, 3", "Write columns as &quot;query:1&quot;"),
    ):
        answer = upload(wrong)
        assert answer.status_code == 422
        assert why in answer.content.decode()
    assert upload("query:2, document:1, score:3").status_code == 302
    run = Run.objects.get()
    perform_work(run)
    assert run.report["n_kept"] == 1
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "document 1, query 2, score 3; the table has no header" in page


def test_a_lead_is_told_and_not_asked(client, collection, lead, run):
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert f"On hold: {SAYS}." in page
    assert "Use it all the same" not in page
    assert "runs/limit" not in client.get(url("runs", collection)).content.decode()


def test_the_lists_and_forms_that_use_runs_tell_the_share(client, collection, researcher, run):
    factories.run(collection, "clean", {0: [1]})
    in_list = client.get(url("runs", collection)).content.decode()
    assert "66.7 %</td>" in in_list
    assert "none</td>" in in_list
    form = client.get(url("pool-new", collection)).content.decode()
    assert f"strange</a> ({SAYS})" in form
    assert "strange (66.7" not in form
    assert (
        f"strange</a> ({SAYS})"
        in client.get(f"/c/{collection.slug}/results/leaderboard/").content.decode()
    )
    run_holds.accept_run(run=run, by=None)
    complete_query_sets(collection=collection)
    refresh.refresh(collection=collection)
    assert (
        f"strange ({SAYS}, 3 rows, 1 of 4 queries)"
        in client.get(url("pool-new", collection)).content.decode()
    )
    board = client.get(f"/c/{collection.slug}/results/leaderboard/").content.decode()
    assert SAYS in board
    assert "On hold" not in board


def test_a_researcher_sets_the_share_above_which_runs_ask(client, collection, researcher, run):
    assert 'value="5"' in client.get(url("runs", collection)).content.decode()
    answer = client.post(url("run-limit", collection), {"per_cent": "70"}, follow=True)
    assert "Now in use: strange." in answer.content.decode()
    collection.refresh_from_db()
    assert collection.unknown_limit == pytest.approx(0.7)
    for wrong in ("", "-1", "101", "nan", "x"):
        answer = client.post(url("run-limit", collection), {"per_cent": wrong}, follow=True)
        assert "from 0 to 100" in answer.content.decode()
    collection.refresh_from_db()
    assert collection.unknown_limit == pytest.approx(0.7)


def test_a_run_that_is_read_again_says_so_while_it_is_and_afterwards(
    client, collection, researcher, run
):
    cast.items(collection, "document", 1)
    collection.items.filter(external_id="d30").update(external_id="x")
    assert run_rereading.note_joined_items(collection_id=collection.pk) == [run.pk]
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "Reading the kept file again: items joined the collection" in page
    assert url("run-cancel", collection, run.pk) not in page
    assert "Rows measured" in page  # the old reading's figures stand until then
    perform_work(run)
    assert "HX-Redirect" in client.get(url("run-state", collection, run.pk)).headers
    assert (
        "unknown rows: 2 before, 1 now"
        in client.get(url("run", collection, run.pk)).content.decode()
    )


def test_programs_see_the_share_and_may_use_a_run(client, collection, run):
    person = cast.member(collection, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.RUNS_WRITE)
    address = f"/api/v1/collections/{collection.slug}/runs/{run.pk}/"
    run_data = client.get(address, headers=headers).json()
    assert (run_data["unknown_share"], run_data["report"]["n_unknown"]) == (pytest.approx(2 / 3), 2)
    assert run_data["on_hold_since"] is not None
    patch = {"headers": headers, "content_type": "application/json"}
    assert client.patch(address, {"is_on_hold": True}, **patch).status_code == 422
    assert client.patch(address, {"is_on_hold": False}, **patch).json()["on_hold_since"] is None
    assert list(Run.objects.in_use()) == [run]


def test_labels_that_were_uploaded_as_a_run_are_on_hold(client, collection, researcher):
    file = SimpleUploadedFile("qrels.tsv", b"query-id\tcorpus-id\tscore\nq0\td1\t1\nq1\td2\t1\n")
    run = runs.receive_run(
        collection=collection, name="labels", direction="forward", upload=file
    ).run
    perform_work(run)
    assert run.on_hold_since and run.report["has_grades"]
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "On hold: its scores look like grades." in page and "Load reference labels" in page
    assert (
        "labels</a> (its scores look like grades)"
        in client.get(url("pool-new", collection)).content.decode()
    )
    assert "grades for scores" in client.get(url("runs", collection)).content.decode()
    run_holds.set_limit(collection=collection, share=1, by=None)
    run.refresh_from_db()
    assert run.on_hold_since
    client.post(url("run-act", collection, run.pk), {"action": "use"})
    run.refresh_from_db()
    assert run.on_hold_since is None
