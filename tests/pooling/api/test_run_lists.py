"""Programs list runs in pages by filters, as their pages show them; uploads can be repeated."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import ApiToken, Role
from pooling.models import Run
from tests import cast
from tests.pooling import factories
from tests.servers.databases import run_concurrently

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def address(collection, path=""):
    return f"/api/v1/collections/{collection.slug}/runs/{path}"


def reader(collection, role=Role.LEAD, scope=ApiToken.Scope.RUNS_READ, only_for=None):
    return cast.bearer(cast.member(collection, role), scope, collection=only_for)


def upload(client, collection, headers, name="bm25"):
    file = SimpleUploadedFile("a.run", factories.lines({0: [1]}))
    fields = {"name": name, "direction": "forward", "file": file}
    return client.post(address(collection), fields, headers=headers)


def names(answer):
    return [run["name"] for run in answer.json()["runs"]]


def test_runs_come_in_pages_with_as_many_queries_for_many_as_for_one(client, collection):
    headers = reader(collection)
    factories.run(collection, "a", {0: [1]})
    with CaptureQueriesContext(
        connection,
    ) as few:
        answer = client.get(address(collection), headers=headers)
    assert (names(answer), answer.json()["next"]) == (["a"], None)
    for name in ("b", "c"):
        factories.run(collection, name, {0: [1]})
    with CaptureQueriesContext(connection) as many:
        assert names(client.get(address(collection), headers=headers)) == ["a", "b", "c"]
    assert len(many) == len(few)
    page = client.get(address(collection, "?page_size=2"), headers=headers)
    assert names(page) == ["a", "b"]
    assert names(client.get(page.json()["next"], headers=headers)) == ["c"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=ready", ["a", "b", "c"]),
        ("state=rejected", []),
        ("direction=reverse", ["b"]),
        ("name=b", ["b"]),
        ("tag=dense", ["c"]),
        ("is_retired=true", ["a"]),
        ("is_retired=false", ["b", "c"]),
        ("is_on_hold=true", ["b"]),
        ("is_on_hold=false", ["a", "c"]),
        ("is_hidden=true", []),
        ("is_hidden=false&is_retired=false&direction=forward", ["c"]),
    ],
)
def test_filters_keep_the_runs_that_fit(client, collection, query, expected):
    moment = timezone.now()
    for name, direction, fields in (
        ("a", "forward", {"retired_at": moment}),
        ("b", "reverse", {"on_hold_since": moment}),
        ("c", "forward", {"tags": ["sparse", "dense"]}),
    ):
        run = factories.run(collection, name, {0: [1]}, direction)
        Run.objects.filter(pk=run.pk).update(**fields)
    assert (
        names(client.get(address(collection, f"?{query}"), headers=reader(collection))) == expected
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("stat=ready", "there are state, direction, name, tag"),
        ("state=open", '"open" is no choice of "state"; there are: received, ready, rejected.'),
        ("direction=up", "there are: forward, reverse."),
        ("is_retired=perhaps", 'is no choice of "is_retired"; there are: true, false.'),
        ("state=ready&state=received", 'Give "state" once.'),
        ("tag=" + "x" * 31, "no more than 30 characters"),
    ],
)
def test_what_is_no_filter_is_refused_with_what_there_is(client, collection, query, words):
    answer = client.get(address(collection, f"?{query}"), headers=reader(collection))
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert words in str(answer.json())


def test_leads_read_what_researchers_change(client, collection):
    run = factories.run(collection, "a", {0: [1]})
    lead = reader(collection, scope=ApiToken.Scope.RUNS_WRITE)
    for path in ("", f"{run.pk}/"):
        assert client.get(address(collection, path), headers=lead).status_code == 200
        annotator = reader(collection, Role.ANNOTATOR)
        assert client.get(address(collection, path), headers=annotator).status_code == 403
        numbers = reader(collection, scope=ApiToken.Scope.NUMBERS_READ)
        assert client.get(address(collection, path), headers=numbers).status_code == 403
        elsewhere = reader(collection, only_for=factories.collection())
        assert client.get(address(collection, path), headers=elsewhere).status_code == 404
    one = address(collection, f"{run.pk}/")
    change = client.patch(one, {"team": "x"}, content_type="application/json", headers=lead)
    assert (change.status_code, client.delete(one, headers=lead).status_code) == (403, 403)
    assert upload(client, collection, lead).status_code == 403


def test_a_hidden_run_is_listed_for_who_uploaded_it_alone(client, collection):
    owner = cast.member(collection, Role.RESEARCHER)
    run = factories.run(collection, "secret", {0: [1]})
    Run.objects.filter(pk=run.pk).update(is_hidden=True, uploaded_by=owner)
    own = cast.bearer(owner, ApiToken.Scope.RUNS_READ)
    for query in ("", "?is_hidden=true", "?name=secret"):
        assert names(client.get(address(collection, query), headers=own)) == ["secret"]
        assert names(client.get(address(collection, query), headers=reader(collection))) == []
    one = address(collection, f"{run.pk}/")
    assert client.get(one, headers=own).json()["uploaded_by"] == owner.username
    assert client.get(one, headers=reader(collection)).status_code == 404


def test_one_run_has_its_pools_and_events_and_is_not_sent_twice(client, collection):
    run = factories.run(collection, "a", {0: [1]})
    pool = factories.draft(collection, [run])
    headers = reader(collection, Role.RESEARCHER, ApiToken.Scope.RUNS_WRITE)
    one = address(collection, f"{run.pk}/")
    client.patch(one, {"name": "b"}, content_type="application/json", headers=headers)
    answer = client.get(one, headers=headers)
    facts = answer.json()
    assert (facts["url"], facts["name"], facts["state_text"]) == (one, "b", "Ready")
    assert facts["pools"] == [{"id": pool.pk, "name": "first"}]
    assert [(event["kind"], event["note"]) for event in facts["events"]] == [
        ("renamed", "before: a")
    ]
    assert (facts["job"]["state"], facts["finished_at"][-1]) == ("done", "Z")
    again = client.get(one, headers=headers | {"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_an_upload_tells_its_address_and_its_job(client, collection):
    headers = reader(collection, Role.RESEARCHER, ApiToken.Scope.RUNS_WRITE)
    answer = upload(client, collection, headers)
    assert (answer.status_code, answer["Location"]) == (201, answer.json()["url"])
    job = client.get(answer.json()["job"]["url"], headers=headers).json()
    assert (job["kind"], job["state"]) == ("run_reading", "asked")
    again = upload(client, collection, headers)
    assert (again.status_code, again.json()["id"]) == (200, answer.json()["id"])


@pytest.mark.django_db(transaction=True)
def test_one_file_that_is_sent_twice_at_once_makes_one_run(collection):
    headers = reader(collection, Role.RESEARCHER, ApiToken.Scope.RUNS_WRITE)
    answers = run_concurrently(lambda _: upload(Client(), collection, headers), range(2))
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    assert {answer.json()["id"] for answer in answers} == {Run.objects.get().pk}


@pytest.mark.parametrize("text", ['"a\\u0000"', '"a\\ud800"'])
def test_letters_that_no_table_holds_are_refused_in_changes(client, collection, text):
    run = factories.run(collection, "a", {0: [1]})
    headers = reader(collection, Role.RESEARCHER, ApiToken.Scope.RUNS_WRITE)
    for field in ("name", "description", "paper"):
        answer = client.patch(
            address(collection, f"{run.pk}/"),
            f'{{"{field}": {text}}}',
            content_type="application/json",
            headers=headers,
        )
        assert answer.status_code == 422
