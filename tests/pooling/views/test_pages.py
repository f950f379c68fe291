"""Pages of runs and pools: who may, what they say, and that lists cost the same however long."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Role, Round, Work, WorkerHeartbeat
from annotate.services.background import works
from pooling.forms.runs import RunsForm
from pooling.models import Pool, Run
from pooling.services.pools import pools
from tests import cast
from tests.pages import CHANGED_SINCE, notice_form, text_of
from tests.pooling import factories
from tests.pooling.views.addresses import url
from tests.servers.worker_kills import run_out_of_memory
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture(autouse=True)
def collection_in_use(collection):
    """The collection is set up: what is saved leads to its own page."""
    collection.scheme_frozen_at = timezone.now()
    collection.save()


def upload(client, collection, data, name="bm25", **fields):
    file = SimpleUploadedFile("a.run", data)
    return client.post(
        url("run-upload", collection),
        {"name": name, "direction": "forward", "file": file, **fields},
    )


def test_a_researcher_uploads_a_run_waits_and_reads_its_report(client, collection, researcher):
    answer = upload(client, collection, factories.lines({0: [1, 2]}))
    run = Run.objects.get()
    assert answer.url == url("run", collection, run.pk)
    page = client.get(answer.url).content.decode()
    assert "Reading the file" in page
    assert url("run-state", collection, run.pk) in page
    perform_work(run)
    assert client.get(url("run-state", collection, run.pk))["HX-Redirect"] == answer.url
    page = client.get(answer.url).content.decode()
    assert "What the file held" in page
    assert "q1, q2, q3" in page


def test_the_upload_has_each_field_once_and_unfolds_a_refused_one(client, collection, researcher):
    page = client.get(url("run-upload", collection)).content.decode()
    for name in RunsForm().fields:
        assert page.count(f'name="{name}"') == 1, name
    assert page.count("<details>") == len(RunsForm.FOLDED)
    page = upload(client, collection, b"", paper="nowhere").content.decode()
    headings = [part.split("</summary>")[0] for part in page.split("<details open>")[1:]]
    assert [heading.split("<summary>")[1] for heading in headings] == ["About the system"]


def test_a_run_whose_reading_was_cancelled_says_so_and_names_no_fault(
    client, collection, researcher
):
    page_of = upload(client, collection, factories.lines({0: [1, 2]})).url
    client.post(url("run-cancel", collection, Run.objects.get().pk))
    perform_work(Run.objects.get())
    page = client.get(page_of).content.decode()
    assert "Cancelled." in page
    assert "Rejected" not in page
    assert "fault" not in page
    in_list = client.get(url("runs", collection)).content.decode()
    assert "Cancelled" in in_list
    assert "Rejected" not in in_list


def test_who_waits_is_told_when_no_worker_was_seen_for_a_minute(client, collection, researcher):
    upload(client, collection, factories.lines({0: [1]}))
    state = url("run-state", collection, Run.objects.get().pk)
    words = "No worker has been seen for a minute"
    assert words in client.get(state).content.decode()
    just_now_and_for_long = timezone.now() + timezone.timedelta(days=1)
    WorkerHeartbeat.objects.create(name="w", queues=["short", "long"], at=just_now_and_for_long)
    assert words not in client.get(state).content.decode()
    WorkerHeartbeat.objects.update(at=timezone.now() - timezone.timedelta(seconds=90))
    assert words in client.get(state).content.decode()


def test_a_rejected_run_names_the_first_lines_at_fault_and_their_number(
    client, collection, researcher
):
    upload(client, collection, b"short line\n" * 60)
    run = Run.objects.get()
    perform_work(run)
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "60 faults in a.run" in page
    assert "Line 50: expected 6 fields, found 2." in page
    assert "Line 51" not in page


def test_a_taken_name_is_said_at_its_field_and_the_same_file_is_recognised(
    client, collection, researcher
):
    upload(client, collection, factories.lines({0: [1]}))
    again = upload(client, collection, factories.lines({0: [1]}))
    assert again.status_code == 302
    assert "nothing was changed" in client.get(again.url).content.decode()
    other = upload(client, collection, factories.lines({0: [2]}))
    assert (other.status_code, "choose another name" in other.content.decode()) == (422, True)
    assert Run.objects.count() == 1


def test_names_from_files_and_people_are_escaped(client, collection, researcher):
    upload(
        client,
        collection,
        b"q0 Q0 <script>alert(1)</script> 1 1 t\n" + factories.lines({0: [1]}),
        name="<b>x</b>",
    )
    run = Run.objects.get()
    perform_work(run)
    for page in (client.get(url("run", collection, run.pk)), client.get(url("runs", collection))):
        assert b"<script>alert" not in page.content
        assert b"<b>x</b>" not in page.content


def test_a_researcher_previews_a_pool_opens_it_and_sees_how_far_it_is(
    client, collection, researcher
):
    a, b = (
        factories.run(collection, "a", {0: [1, 2, 3]}),
        factories.run(collection, "b", {0: [1, 4, 5]}),
    )
    form = {"strategy": "depth-k", "name": "first", "depth": 2, "runs": [a.pk, b.pk], "seed": 1}
    preview = client.post(url("pool-preview", collection), form | {"name": ""})
    assert preview.status_code == 200
    assert b"Labels to give" in preview.content
    assert Pool.objects.count() == 0
    answer = client.post(url("pool-new", collection), form)
    pool = Pool.objects.get()
    assert (answer.url, pool.state) == (url("pool", collection, pool.pk), "draft")
    assert (pool.phase, pool.work.by) == ("opening", researcher)
    assert "Opening the pool" in client.get(answer.url).content.decode()
    perform_work(pool)
    assert client.get(url("pool-state", collection, pool.pk))["HX-Redirect"] == answer.url
    assert "Labels to hand out" in client.get(answer.url).content.decode()
    for name, title, state in (
        ("close", "Closing the pool", "closed"),
        ("reopen", "Opening the pool again", "open"),
    ):
        client.post(url(f"pool-{name}", collection, pool.pk))
        assert title in client.get(answer.url).content.decode()
        assert client.get(url("pool-state", collection, pool.pk)).status_code == 200
        perform_work(pool)
        assert pool.state == state
        page = client.get(answer.url).content.decode()
        assert ("Open the pool again, with" in page) == (state == "closed")


def test_a_researcher_cancels_an_opening_and_the_pool_is_a_draft_again(
    client, collection, researcher
):
    pool = factories.draft(collection, [factories.run(collection, "a", {0: [1, 2, 3]})])
    client.post(url("pool-open", collection, pool.pk))
    page = client.get(url("pool", collection, pool.pk)).content.decode()
    assert url("pool-cancel", collection, pool.pk) in page
    client.post(url("pool-cancel", collection, pool.pk))
    pool.refresh_from_db()
    assert (pool.state, pool.pool_pairs.count()) == ("draft", 0)
    refused = client.post(url("pool-cancel", collection, pool.pk), follow=True).content.decode()
    assert "is not being opened" in refused


@pytest.mark.parametrize("strategy", ["depth-k", "depth-k-sample", "take-n", "stratified"])
def test_every_strategy_has_its_own_fields(client, collection, researcher, strategy):
    factories.run(collection, "a", {0: [1, 2, 3]})
    page = client.get(url("pool-new", collection), {"strategy": strategy})
    assert page.status_code == 200
    form = page.context["form"]
    values = {
        name: field.initial
        for name, field in form.fields.items()
        if name not in ("runs", "query_set", "only")
    }
    values |= {
        "strategy": strategy,
        "name": strategy,
        "runs": list(collection.runs.values_list("pk", flat=True)),
    }
    assert client.post(url("pool-new", collection), values).status_code == 302
    pool = Pool.objects.get()
    assert perform_work(pool).state == "open"


def test_a_new_form_ticks_the_runs_of_one_direction_so_that_any_query_set_of_it_fits(
    client, collection, researcher
):
    forward = factories.run(collection, "a", {0: [1, 2, 3]})
    factories.run(collection, "b", {0: [1, 2, 3]}, direction="reverse")
    assert client.get(url("pool-new", collection)).context["form"]["runs"].value() == [forward.pk]


def test_a_form_with_a_fault_says_so_in_page_and_preview(client, collection, researcher):
    run = factories.run(collection, "a", {0: [1]})
    form = {"strategy": "depth-k", "name": "p", "depth": 0, "runs": [run.pk], "seed": 1}
    for name in ("pool-new", "pool-preview"):
        answer = client.post(url(name, collection), form)
        assert (answer.status_code, b"greater than or equal to 1" in answer.content) == (422, True)
    assert client.get(url("pool-new", collection), {"strategy": "nonsense"}).status_code == 404


def test_a_failed_pool_says_why_and_can_be_tried_again(client, collection, researcher):
    pool = factories.draft(collection, [factories.run(collection, "a", {0: [1]})])
    pools.request_opening(pool=pool, by=None)
    Work.objects.filter(pk=Pool.objects.get(pk=pool.pk).work_id).update(
        state="failed",
        error_code="worn-out",
        error_data={"message": "The log says why."},
        finished_at=timezone.now(),
    )
    for name, args in (("pool", (pool.pk,)), ("pools", ())):
        assert "Failed" in client.get(url(name, collection, *args)).content.decode()
    page = client.get(url("pool", collection, pool.pk)).content.decode()
    assert "could not be opened" in page and "The log says why." in page and "Try again" in page
    client.post(url("pool-open", collection, pool.pk))
    pool.refresh_from_db()
    assert (pool.phase, pool.work.error) == ("opening", "")


@pytest.mark.parametrize(
    ("name", "state", "phase", "phase_text"),
    [
        ("close", "open", "closing", "Closing"),
        ("reopen", "closed", "reopening", "Opening again"),
    ],
)
def test_seats_that_could_not_be_gone_through_are_asked_for_again(
    client, collection, researcher, monkeypatch, name, state, phase, phase_text
):
    pool = factories.opened(collection, [factories.run(collection, "a", {0: [1]})])
    if name == "reopen":
        pools.close_pool(pool=pool)
    client.post(url(f"pool-{name}", collection, pool.pk))
    with monkeypatch.context() as broken:
        broken.setattr("annotate.services.seating.rounds.reconcile_pairs", run_out_of_memory)
        broken.setattr(
            "annotate.services.seating.rounds.withdraw_unshared_seats", run_out_of_memory
        )
        broken.setattr("annotate.services.seating.rounds.seat_untouched_pairs", run_out_of_memory)
        for _ in range(works.MAX_ATTEMPTS):
            with pytest.raises(MemoryError):
                perform_work(pool)
        perform_work(pool)
    assert (pool.state, pool.phase, pool.work.state) == (state, phase, "failed")
    assert phase_text in client.get(url("pools", collection)).content.decode()
    page = client.get(url("pool", collection, pool.pk)).content.decode()
    assert (
        "Not all pairs of the pool could be processed." in page
        and "begun 3 times" in page
        and "Try again" in page
    )
    client.post(url(f"pool-{name}", collection, pool.pk))
    assert perform_work(pool).phase == {"open": "closed", "closed": "open"}[state]


def test_a_wish_to_cancel_that_came_too_late_is_not_shown(client, collection, researcher):
    pool = factories.draft(collection, [factories.run(collection, "a", {0: [1]})])
    pools.request_opening(pool=pool, by=None)
    Work.objects.filter(pk=Pool.objects.get(pk=pool.pk).work_id).update(
        cancel_asked_at=timezone.now()
    )
    assert "Cancelling" in client.get(url("pool-state", collection, pool.pk)).content.decode()
    policy = cast.policy(collection)
    Pool.objects.update(
        round=Round.objects.create(
            collection=collection, kind="pool", state="opening", policy=policy
        )
    )
    assert "Cancel" not in client.get(url("pool-state", collection, pool.pk)).content.decode()


def test_a_lead_looks_and_closes_but_uploads_and_opens_nothing(client, collection):
    run = factories.run(collection, "a", {0: [1, 2]})
    pool = factories.opened(collection, [run])
    client.force_login(cast.member(collection, Role.LEAD))
    for name, args in (("runs", ()), ("run", (run.pk,)), ("pools", ()), ("pool", (pool.pk,))):
        assert client.get(url(name, collection, *args)).status_code == 200
    for name in ("run-upload", "pool-new"):
        assert client.get(url(name, collection)).status_code == 404
    assert client.post(url("pool-preview", collection), {}).status_code == 404
    client.post(url("pool-close", collection, pool.pk))
    pool.refresh_from_db()
    assert (pool.state, pool.phase, pool.round.state) == ("open", "closing", "closing")


def test_a_pool_tells_what_closing_it_leaves_and_closes_for_no_more(client, collection):
    pool = factories.opened(collection, [factories.run(collection, "a", {0: [1, 2]})])
    client.force_login(cast.member(collection, Role.LEAD))
    page = text_of(client.get(url("pool", collection, pool.pk)))
    assert "Close the pool: 2 pairs stay without a label" in page
    assert "Once that is done, it can be opened again here" in page
    assert 'name="expected" value="2"' in page
    answer = client.post(url("pool-close", collection, pool.pk), {"expected": "1"}, follow=True)
    assert "It would be about 2 pairs by now, not 1; look again." in text_of(answer)
    pool.refresh_from_db()
    assert pool.phase == "open"
    answer = client.post(url("pool-close", collection, pool.pk), {"expected": "2"}, follow=True)
    assert "Once that is done, it can be opened again here." in text_of(answer)
    pool.refresh_from_db()
    assert pool.phase == "closing"


def test_a_run_is_retired_for_no_more_pairs_than_told_and_brought_back_from_the_notice(
    client, collection, researcher
):
    run = factories.run(collection, "a", {0: [1, 2]})
    page = text_of(client.get(url("run", collection, run.pk)))
    assert "Delete a with 1 ranking for good" in page and "It cannot be taken back" in page
    assert "No pair of it waits for labels in an open pool." in page
    delete = url("run-delete", collection, run.pk)
    answer = client.post(delete, {"expected": "0"}, follow=True)
    assert "It would be about 1 ranking by now, not 0; look again." in text_of(answer)
    factories.opened(collection, [run])
    page = text_of(client.get(url("run", collection, run.pk)))
    assert "Retire, with at most 2 pairs" in page and "Delete a" not in page
    act = url("run-act", collection, run.pk)
    answer = client.post(act, {"action": "retire", "expected": "0"}, follow=True)
    assert "It would be about 2 pairs by now, not 0; look again." in text_of(answer)
    answer = client.post(act, {"action": "retire", "expected": "2"}, follow=True)
    run.refresh_from_db()
    assert run.retired_at is not None
    address, fields = notice_form(text_of(answer))
    client.post(address, fields)
    run.refresh_from_db()
    assert run.retired_at is None
    client.post(act, {"action": "retire"})
    assert CHANGED_SINCE in text_of(client.post(address, fields, follow=True))
    run.refresh_from_db()
    assert run.retired_at is not None


@pytest.mark.parametrize("role", [Role.ANNOTATOR, None])
def test_annotators_and_strangers_find_nothing(client, collection, role):
    run = factories.run(collection, "secret-run", {0: [1]})
    pool = factories.opened(collection, [run])
    client.force_login(cast.member(collection, role) if role else cast.user())
    names = [
        ("runs", ()),
        ("run-upload", ()),
        ("run", (run.pk,)),
        ("run-state", (run.pk,)),
        ("pools", ()),
        ("pool-new", ()),
        ("pool", (pool.pk,)),
        ("pool-state", (pool.pk,)),
    ]
    for name, args in names:
        answer = client.get(url(name, collection, *args))
        assert answer.status_code == 404
        assert b"secret-run" not in answer.content
    for name in ("pool-open", "pool-cancel", "pool-close", "pool-reopen"):
        assert client.post(url(name, collection, pool.pk)).status_code == 404


def test_what_belongs_to_another_collection_is_not_found(client, collection, researcher):
    other = factories.collection()
    run = factories.run(other, "a", {0: [1]})
    pool = factories.opened(other, [run])
    assert client.get(url("run", collection, run.pk)).status_code == 404
    assert client.get(url("pool", collection, pool.pk)).status_code == 404
    mine = factories.run(collection, "mine", {0: [1]})
    form = {"strategy": "depth-k", "name": "p", "depth": 1, "runs": [run.pk, mine.pk], "seed": 1}
    assert client.post(url("pool-new", collection), form).status_code == 422


def test_lists_take_the_same_number_of_queries_however_long(client, collection, researcher):
    def queries_of(name):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url(name, collection)).status_code == 200
        return len(captured)

    first = factories.run(collection, "r0", {0: [1, 2]})
    factories.opened(collection, [first], name="p0")
    before = {name: queries_of(name) for name in ("runs", "pools", "pool-new")}
    for i in range(1, 8):
        factories.opened(
            collection, [factories.run(collection, f"r{i}", {0: [i, i + 1]}), first], name=f"p{i}"
        )
    assert {name: queries_of(name) for name in before} == before
