"""Downloads for programs: requested through the forms of the page, made, fetched, made again."""

import hashlib
import json

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import ApiToken, Role, Work
from metrics.models import Download
from metrics.services.downloads import downloads as service
from metrics.services.numbers.refresh import refresh
from tests import cast
from tests.metrics import studies
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
DOWNLOADS = "/api/v1/collections/study/downloads/"


@pytest.fixture
def study():
    return studies.judged_study("study", n=6)


@pytest.fixture
def researcher(study):
    return cast.member(study, Role.RESEARCHER)


@pytest.fixture
def headers(study, researcher):
    return cast.bearer(researcher, ApiToken.Scope.JUDGMENTS_READ, collection=study)


def post(client, headers, kind="qrels", **parameters):
    body = {"kind": kind, "parameters": parameters}
    return client.post(DOWNLOADS, body, content_type="application/json", headers=headers)


def made(value):
    """Make the file of an answer as a worker does."""
    return perform_work(Download.objects.get(pk=value["id"]))


def test_a_file_is_requested_made_and_fetched(client, study, headers, researcher):
    answer = post(client, headers, grades="binary", threshold=2, packed=False)
    value = answer.json()
    assert (answer.status_code, answer["Location"]) == (202, value["url"])
    assert (value["state"], value["file_url"], value["expires_at"]) == ("asked", None, None)
    assert client.get(value["job"]["url"], headers=headers).json()["state"] == "asked"
    assert client.get(f"{value['url']}file/", headers=headers).status_code == 404
    download = made(value)
    value = client.get(value["url"], headers=headers).json()
    assert (value["state"], value["kind"]) == ("done", "qrels")
    assert value["requested_by"] == researcher.username
    assert value["parameters"]["threshold"] == 2 and value["parameters"]["packed"] is False
    assert value["expires_at"] > value["as_of"] > "2"
    answer = client.get(value["file_url"], headers=headers)
    content = answer.getvalue()
    assert answer["Content-Disposition"] == f'attachment; filename="{value["file_name"]}"'
    assert hashlib.sha256(content).hexdigest() == value["sha256"] == download.sha256
    assert (len(content), content.count(b"\n")) == (value["n_bytes"], value["n_rows"])


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("qrels", {"label_source": "only", "rule": "median", "packed": True}),
        ("judgments", {"format": "csv"}),
        ("pairs", {}),
    ],
)
def test_it_is_the_file_of_the_page(client, study, researcher, headers, kind, parameters):
    of_api = made(post(client, headers, kind, **parameters).json())
    client.force_login(researcher)
    fields = {name: "on" if value is True else value for name, value in parameters.items()}
    client.post(reverse("metrics:download-new", args=["study", kind]), fields)
    of_page = perform_work(Download.objects.latest("pk"))
    assert of_page.pk != of_api.pk
    for name in ("kind", "parameters", "made_with", "file_name", "sha256", "by"):
        assert getattr(of_page, name) == getattr(of_api, name)


def test_parameters_that_are_missing_have_the_defaults_of_the_page(client, study, headers):
    body = {"kind": "qrels"}
    answer = client.post(DOWNLOADS, body, content_type="application/json", headers=headers)
    assert answer.status_code == 202
    values = answer.json()["parameters"]
    assert (values["direction"], values["queries"], values["grades"]) == (
        "forward",
        "all",
        "graded",
    )


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"kind": "gossip"}, "kind", "gossip"),
        ({}, "kind", "required"),
        ({"kind": "qrels", "since": 1}, "since", "There is no such field."),
        ({"kind": "qrels", "parameters": 1}, "parameters", "dictionary"),
        ({"kind": "qrels", "parameters": {"format": "csv"}}, "parameters", "of qrels; there are"),
        ({"kind": "qrels", "parameters": {"rule": ["a"]}}, "parameters.rule", "valid string"),
        ({"kind": "qrels", "parameters": {"rule": "a\0"}}, "parameters.rule", "Null characters"),
        ({"kind": "qrels", "parameters": {"rule": "\ud800"}}, "parameters.rule", "urrogate"),
        ({"kind": "qrels", "parameters": {"rule": "x" * 256}}, "parameters.rule", "255"),
        ({"kind": "qrels", "parameters": {"threshold": 2**31}}, "threshold", "100"),
        ({"kind": "qrels", "parameters": {"direction": "up"}}, "direction", "up"),
        ({"kind": "qrels", "parameters": {"label_source": "over:x"}}, "label_source", "x"),
        ({"kind": "judgments"}, "format", "required"),
        ({"kind": "strata", "parameters": {"sample": "pool:no"}}, "sample", "pool:no"),
    ],
)
def test_what_the_page_refuses_is_refused(client, study, headers, body, field, sentence):
    text = json.dumps(body)
    answer = client.post(DOWNLOADS, text, content_type="application/json", headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    (error,) = answer.json()["errors"]
    assert error["field"] == field and sentence in error["message"]
    assert not Download.objects.exists()


def test_a_request_can_be_sent_again(client, study, headers):
    first = post(client, headers).json()
    assert post(client, headers).json()["id"] == first["id"]  # while it is made
    made(first)
    with_key = headers | {"Idempotency-Key": "one"}
    second, again = post(client, with_key), post(client, with_key)
    assert second.json()["id"] == again.json()["id"] != first["id"]
    assert again["Idempotency-Replayed"] == "true"


def test_a_download_is_cancelled_and_requested_again(client, study, headers):
    first = post(client, headers).json()
    answer = client.post(f"{first['url']}cancel/", headers=headers)
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    answer = client.post(f"{first['url']}again/", headers=headers)
    value = answer.json()
    assert (answer.status_code, answer["Location"]) == (202, value["url"])
    assert value["id"] != first["id"] and value["parameters"] == first["parameters"]
    made(value)
    answer = client.post(f"{value['url']}cancel/", headers=headers)
    assert answer.json()["state"] == "done"


def test_what_fits_no_longer_is_refused_with_the_sentence_of_the_page(client, study, headers):
    studies.reference(study, {("q0", "d5"): 2}, name="second")
    value = post(client, headers, label_source="none:second").json()
    made(value)
    study.reference_sets.get(name="second").delete()
    answer = client.post(f"{value['url']}again/", headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("What it was asked with is no longer there: ")


def ids_of(client, headers, **parameters):
    answer = client.get(DOWNLOADS, parameters, headers=headers).json()
    ids = [row["id"] for row in answer["downloads"]]
    return ids if answer["next"] is None else [ids, answer["next"]]


def test_downloads_come_in_pages_and_are_filtered(client, study, headers):
    kept, gone = made(post(client, headers).json()), made(post(client, headers, "pairs").json())
    Work.objects.filter(download=gone).update(finished_at=timezone.now() - service.RETENTION * 2)
    assert service.expire() == 1
    waiting = post(client, headers, "disputed").json()["id"]
    assert ids_of(client, headers) == [waiting, gone.pk, kept.pk]
    ids, following = ids_of(client, headers, page_size=2)
    rows = client.get(following, headers=headers).json()["downloads"]
    assert [*ids, *(row["id"] for row in rows)] == [waiting, gone.pk, kept.pk]
    for state, expected in (("done", kept.pk), ("expired", gone.pk), ("asked", waiting)):
        assert ids_of(client, headers, state=state) == [expected]
        value = client.get(f"{DOWNLOADS}{expected}/", headers=headers).json()
        assert value["state"] == state
    assert ids_of(client, headers, kind="pairs") == [gone.pk]
    value = client.get(f"{DOWNLOADS}{gone.pk}/", headers=headers).json()
    assert (value["file_url"], value["expires_at"]) == (None, None) and value["sha256"]
    assert client.get(f"{DOWNLOADS}{gone.pk}/file/", headers=headers).status_code == 404


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("kind=gossip", '"gossip" is no choice of "kind"; there are: qrels, beir'),
        ("state=lost", '"lost" is no choice of "state"; there are: asked, running, done'),
        ("by=me", '"by" is no parameter; there are kind, state, cursor, page_size.'),
    ],
)
def test_what_is_no_filter_is_refused(client, study, headers, query, sentence):
    answer = client.get(f"{DOWNLOADS}?{query}", headers=headers)
    assert answer.status_code == 422 and answer.json()["detail"].startswith(sentence)


def test_files_with_a_run_that_was_hidden_are_not_there_for_others(client, study, headers):
    refresh(collection=study)
    owner = cast.member(study, Role.RESEARCHER)
    run = study.runs.earliest("pk")
    of_run = {"run": run.pk, "queries": study.query_sets.get(direction=run.direction).pk}
    waiting = post(client, headers, "run", **of_run).json()  # its name is in its file's name
    assert waiting["id"] in ids_of(client, headers) and run.name in waiting["file_name"]
    value = post(client, headers, "scores").json()
    made(value)
    file_url = f"{value['url']}file/"
    assert client.get(file_url, headers=headers).status_code == 200
    study.runs.filter(pk=run.pk).update(is_hidden=True, uploaded_by=owner)
    assert ids_of(client, headers) == []
    for address in (value["url"], file_url):
        assert client.get(address, headers=headers).status_code == 404
    for tail in ("cancel/", "again/"):
        assert client.post(f"{value['url']}{tail}", headers=headers).status_code == 404
    answer = post(client, headers, "run", **of_run)
    assert answer.status_code == 422 and run.name not in answer.content.decode()
    of_owner = cast.bearer(owner, ApiToken.Scope.JUDGMENTS_READ)
    assert ids_of(client, of_owner) == [value["id"], waiting["id"]]


def test_many_downloads_take_as_many_queries_as_one(
    client, study, headers, django_assert_max_num_queries
):
    post(client, headers)
    with django_assert_max_num_queries(99) as one:
        client.get(DOWNLOADS, headers=headers)
    n_queries = len(one)
    for kind in ("pairs", "disputed", "scores"):
        made(post(client, headers, kind).json())
    with django_assert_max_num_queries(n_queries):
        assert len(ids_of(client, headers)) == 4


def test_downloads_are_for_leads_and_researchers_of_their_collection(client, study, headers):
    value = post(client, headers).json()
    made(value)
    scope = ApiToken.Scope.JUDGMENTS_READ
    stranger = cast.bearer(cast.member(cast.collection("other"), Role.LEAD), scope)
    annotator = cast.bearer(cast.member(study, Role.ANNOTATOR), scope)
    person = cast.member(study, Role.LEAD)
    for address in (DOWNLOADS, value["url"], f"{value['url']}file/"):
        assert client.get(address, headers=cast.bearer(person, scope)).status_code == 200
        assert client.get(address, headers=cast.bearer(person, "numbers:read")).status_code == 403
        for principal, status in ((stranger, 404), (annotator, 403)):
            assert client.get(address, headers=principal).status_code == status
            moved = address.replace("/study/", "/other/")
            if address != DOWNLOADS:
                assert client.get(moved, headers=principal).status_code == 404
    tag = {"If-None-Match": client.get(value["url"], headers=headers)["ETag"]}
    assert client.get(value["url"], headers=headers | tag).status_code == 304
