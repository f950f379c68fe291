"""Programs stop and repeat readings, ask what a run adds, and set the limit of unknown rows."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import ApiToken, Role
from annotate.services.background import kept
from pooling.models import Run
from pooling.services.pools import preview_requests
from pooling.services.runs import runs
from tests import cast, works
from tests.pooling import factories
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def headers(collection):
    """A token of a researcher."""
    return cast.bearer(cast.member(collection, Role.RESEARCHER), ApiToken.Scope.RUNS_WRITE)


def received(collection, data=b"", name="a"):
    upload = SimpleUploadedFile("a.run", data or factories.lines({0: [1]}))
    return runs.receive_run(
        collection=collection, name=name, direction="forward", upload=upload
    ).run


def address(run, path):
    return f"/api/v1/collections/{run.collection.slug}/runs/{run.pk}/{path}/"


def post(client, run, path, headers, fields=None):
    return client.post(
        address(run, path), fields or {}, content_type="application/json", headers=headers
    )


def test_a_reading_is_cancelled_as_on_the_page(client, collection, headers):
    run, twin = received(collection), received(collection, name="b")
    answer = post(client, run, "cancel", headers)
    assert (answer.status_code, answer.json()["state"]) == (200, "rejected")
    assert (answer.json()["state_text"], answer.json()["job"]["state"]) == (
        "Cancelled",
        "cancelled",
    )
    client.force_login(cast.member(collection, Role.RESEARCHER))
    client.post(reverse("pooling:run-cancel", args=[collection.slug, twin.pk]))
    outcomes = Run.objects.values_list("state", "work__state", "report")
    assert outcomes.get(pk=run.pk) == outcomes.get(pk=twin.pk)


def test_a_reading_that_has_ended_is_not_cancelled(client, collection, headers):
    run = factories.run(collection, "a", {0: [1]})
    answer = post(client, run, "cancel", headers)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "The file was read before this could stop it.",
    )
    client.force_login(cast.member(collection, Role.RESEARCHER))
    url = reverse("pooling:run-cancel", args=[collection.slug, run.pk])
    assert answer.json()["detail"] in client.post(url, follow=True).content.decode()
    run.refresh_from_db()
    assert run.state == "ready"


def test_a_file_is_read_again_in_another_order_once_for_one_key(client, collection, headers):
    run = factories.run(collection, "a", {0: [1]})
    headers |= {"Idempotency-Key": "again"}
    answer = post(client, run, "read-again", headers, {"score_type": "rank"})
    assert (answer.status_code, answer.json()["state"], answer.json()["score_type"]) == (
        202,
        "received",
        "rank",
    )
    assert answer["Location"] == answer.json()["url"]
    perform_work(run)
    repeated = post(client, run, "read-again", headers, {"score_type": "rank"})
    assert (repeated.status_code, repeated["Idempotency-Replayed"]) == (202, "true")
    run.refresh_from_db()
    assert (run.state, run.score_type) == ("ready", "rank")
    assert [event.kind for event in run.events.all()] == ["reread"]


def test_a_file_without_an_order_is_read_as_before(client, collection, headers):
    run = factories.run(collection, "a", {0: [1]})
    Run.objects.filter(pk=run.pk).update(score_type="float64")
    assert post(client, run, "read-again", headers).json()["score_type"] == "float64"


@pytest.mark.parametrize(
    "fields", [{"score_type": "best"}, {"order": "rank"}, {"score_type": None}]
)
def test_no_file_is_read_by_what_is_no_order(client, collection, headers, fields):
    run = factories.run(collection, "a", {0: [1]})
    answer = post(client, run, "read-again", headers, fields)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, next(iter(fields)))
    run.refresh_from_db()
    assert run.state == "ready"


def test_a_pooled_run_is_not_read_again(client, collection, headers):
    run = factories.run(collection, "a", {0: [1]})
    factories.draft(collection, [run])
    answer = post(client, run, "read-again", headers)
    assert answer.status_code == 422
    assert "is part of a pool" in answer.json()["detail"]


def test_what_a_run_adds_is_told_as_on_its_page(client, collection, two_runs, headers):
    factories.opened(collection, [two_runs[1]])
    answer = client.get(address(two_runs[0], "adds"), headers=headers)
    facts = answer.json()
    assert (answer.status_code, facts["state"], facts["depth"]) == (200, "done", 10)
    assert facts["n_pairs"] == facts["n_new"] + facts["n_waiting"] + facts["n_judged"] == 6
    assert (facts["n_new"], facts["n_waiting"]) == (4, 2)
    assert facts["hours"] == pytest.approx(facts["seconds"] * facts["n_labels"] / 3600)
    client.force_login(cast.member(collection, Role.RESEARCHER))
    url = reverse("pooling:run-adds", args=[collection.slug, two_runs[0].pk])
    assert facts["sentence"] in client.get(url).content.decode()


def test_what_a_large_run_adds_is_counted_by_a_worker(
    client, collection, two_runs, headers, monkeypatch
):
    monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", 0)
    with works.value_requests() as inquiries:
        waiting = client.get(address(two_runs[0], "adds"), headers=headers)
    assert (waiting.status_code, waiting.json()) == (202, {"state": "counting"})
    assert waiting["Retry-After"] == "3"
    kept.compute(inquiry=inquiries[0])
    answer = client.get(address(two_runs[0], "adds"), headers=headers)
    assert (answer.status_code, answer.json()["n_pairs"]) == (200, 6)


def test_a_run_that_cannot_be_pooled_adds_nothing(client, collection, headers):
    run = received(collection)
    answer = client.get(address(run, "adds"), headers=headers)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "runs")
    answer = client.get(address(run, "adds") + "?depth=3", headers=headers)
    assert (answer.status_code, "there are none" in answer.json()["detail"]) == (422, True)


def test_a_lead_reads_no_price_and_changes_nothing(client, collection, two_runs):
    lead = cast.bearer(cast.member(collection, Role.LEAD), ApiToken.Scope.RUNS_WRITE)
    assert client.get(address(two_runs[0], "adds"), headers=lead).status_code == 403
    for path in ("cancel", "read-again"):
        assert post(client, two_runs[0], path, lead).status_code == 403


def limit(collection):
    return f"/api/v1/collections/{collection.slug}/runs/limit/"


def put(client, collection, headers, body):
    return client.put(limit(collection), body, content_type="application/json", headers=headers)


def test_the_limit_of_unknown_rows_releases_runs_and_names_those_that_may_be_seen(
    client, collection, headers
):
    data = b"q0 Q0 d1 1 2 t\nq0 Q0 new 2 1 t\n"
    run, secret = received(collection, data), received(collection, data, name="secret")
    for held_run in (run, secret):
        perform_work(held_run)
        assert held_run.on_hold_since
    Run.objects.filter(pk=secret.pk).update(is_hidden=True)
    before = client.get(limit(collection), headers=headers).json()
    assert before == {"unknown_limit": collection.unknown_limit}
    answer = put(client, collection, headers, {"unknown_limit": 0.5})
    assert answer.status_code == 200
    assert answer.json() == {
        "unknown_limit": 0.5,
        "released_runs": [{"id": run.pk, "name": "a"}],
    }
    assert client.get(limit(collection), headers=headers).json() == {"unknown_limit": 0.5}


@pytest.mark.parametrize(
    "body",
    [
        '{"unknown_limit": 1.1}',
        '{"unknown_limit": -0.1}',
        '{"unknown_limit": "nan"}',
        '{"unknown_limit": 1e400}',
        '{"unknown_limit": null}',
        '{"limit": 0.5}',
        "{}",
        "[]",
    ],
)
def test_what_is_no_share_is_no_limit(client, collection, headers, body):
    answer = put(client, collection, headers, body)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    before = collection.unknown_limit
    collection.refresh_from_db()
    assert collection.unknown_limit == before


def test_a_token_that_reads_sets_no_limit(client, collection):
    for role, scope, status in (
        (Role.RESEARCHER, ApiToken.Scope.RUNS_READ, 403),
        (Role.LEAD, ApiToken.Scope.RUNS_WRITE, 403),
    ):
        token = cast.bearer(cast.member(collection, role), scope)
        assert put(client, collection, token, {"unknown_limit": 0.5}).status_code == status
