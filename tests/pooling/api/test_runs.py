"""Programs upload runs with a scoped token and are refused in the words of problem+json."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import ApiToken, Role
from pooling.models import Run
from tests import cast
from tests.pooling import factories
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def key(collection, role=Role.RESEARCHER, scopes=(ApiToken.Scope.RUNS_WRITE,), only_for=None):
    return cast.bearer(cast.member(collection, role), *scopes, collection=only_for)


def post(client, collection, headers, data=b"", **fields):
    file = SimpleUploadedFile("a.run", data or factories.lines({0: [1]}))
    fields_sent = {"name": "bm25", "direction": "forward", "file": file} | fields
    fields_sent = {name: value for name, value in fields_sent.items() if value is not None}
    return client.post(f"/api/v1/collections/{collection.slug}/runs/", fields_sent, headers=headers)


def test_a_run_is_received_and_its_state_can_be_read(client, collection):
    headers = key(collection)
    answer = post(client, collection, headers)
    assert (answer.status_code, answer.json()["state"]) == (201, "received")
    perform_work(Run.objects.get())
    runs = client.get(f"/api/v1/collections/{collection.slug}/runs/", headers=headers).json()[
        "runs"
    ]
    assert [(run["id"], run["state"], run["report"]["n_kept"]) for run in runs] == [
        (answer.json()["id"], "ready", 1)
    ]


def test_the_same_file_again_is_answered_200_and_another_one_422(client, collection):
    headers = key(collection)
    post(client, collection, headers)
    assert post(client, collection, headers).status_code == 200
    answer = post(client, collection, headers, b"q0 Q0 d2 1 1 t\n")
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert answer.json()["errors"][0]["field"] == "name"
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": None}, "name"),
        ({"direction": "sideways"}, "direction"),
        ({"file": None}, "file"),
        ({"name": "a\x00"}, "name"),
        ({"score_type": "float16"}, "score_type"),
    ],
)
def test_fields_that_are_wrong_are_named(client, collection, fields, field):
    answer = post(client, collection, key(collection), **fields)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_who_may_not_upload_is_refused(client, collection):
    assert post(client, collection, {}).status_code == 401
    assert post(client, collection, {"Authorization": "Bearer nonsense"}).status_code == 401
    assert (
        post(client, collection, key(collection, scopes=[ApiToken.Scope.QRELS_READ])).status_code
        == 403
    )
    for role in (Role.ANNOTATOR, Role.LEAD):
        assert post(client, collection, key(collection, role)).status_code == 403
    other = factories.collection()
    assert post(client, other, key(collection)).status_code == 404
    assert post(client, collection, key(collection, only_for=other)).status_code == 404
    assert Run.objects.count() == 0


def patch(client, collection, run, headers, **changes):
    url = f"/api/v1/collections/{collection.slug}/runs/{run.pk}/"
    return client.patch(url, changes, content_type="application/json", headers=headers)


def test_a_run_is_described_retired_and_brought_back(client, collection):
    headers = key(collection)
    run = factories.run(collection, "A", {0: [1]})
    answer = patch(
        client,
        collection,
        run,
        headers,
        name="B",
        tags=["sparse"],
        paper="10.1145/1234.5",
        is_retired=True,
    ).json()
    assert (answer["name"], answer["tags"], answer["paper"]) == (
        "B",
        ["sparse"],
        "https://doi.org/10.1145/1234.5",
    )
    assert answer["retired_at"]
    assert patch(client, collection, run, headers, is_retired=False).json()["retired_at"] is None
    assert [event.kind for event in run.events.order_by("pk")] == [
        "renamed",
        "described",
        "retired",
        "restored",
    ]


def test_an_upload_says_whether_the_run_may_be_published_and_a_change_says_it_anew(
    client, collection
):
    headers = key(collection)
    answer = post(client, collection, headers, may_be_published="true").json()
    assert answer["may_be_published"] is True
    run = Run.objects.get()
    assert run.may_be_published
    answer = patch(client, collection, run, headers, may_be_published=False).json()
    assert answer["may_be_published"] is False
    assert [event.kind for event in run.events.order_by("pk")] == ["unreleasable"]
    assert post(client, collection, headers, name="other").json()["may_be_published"] is False


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"team": "x", "nmae": "B"}, "no such field"),
        ({"team": "x", "paper": "ours"}, "DOI"),
        ({"team": "x", "tags": "one"}, "list"),
        ({"team": "x", "is_hidden": True}, "Only who uploaded"),
        ({"team": "x", "may_be_published": True}, "Only who uploaded"),
        ({"team": "x", "may_be_published": "perhaps"}, "boolean"),
    ],
)
def test_what_cannot_be_changed_changes_nothing_else_either(client, collection, changes, words):
    run = factories.run(collection, "A", {0: [1]})
    answer = patch(client, collection, run, key(collection), **changes)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert words in answer.content.decode()
    run.refresh_from_db()
    assert (run.name, run.team, run.events.count()) == ("A", "", 0)


def test_the_documents_that_only_a_run_names_are_made(client, collection):
    headers = key(collection, scopes=[ApiToken.Scope.RUNS_WRITE, ApiToken.Scope.FILES_WRITE])
    run = Run.objects.get(pk=post(client, collection, headers, b"q0 Q0 new 1 1 t\n").json()["id"])
    address = f"/api/v1/collections/{collection.slug}/runs/{run.pk}/documents/"
    assert client.post(address, headers=headers).status_code == 422  # nobody has read it yet
    perform_work(run)
    answer = client.post(address, headers=headers)
    assert (answer.status_code, answer.json()["kind"], answer.json()["state"]) == (
        201,
        "documents",
        "received",
    )
    imports = f"/api/v1/collections/{collection.slug}/imports/"
    refused = client.post(imports, {"kind": "documents"}, headers=headers)
    assert (refused.status_code, "one of items, reference" in refused.json()["detail"]) == (
        422,
        True,
    )


def test_a_field_that_is_none_is_refused_at_its_place(client, collection):
    answer = post(client, collection, key(collection), is_hiden="true")
    assert answer.status_code == 422 and not Run.objects.exists()
    assert [fault["field"] for fault in answer.json()["errors"]] == ["is_hiden"]
