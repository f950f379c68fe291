"""Programs bring files with a scoped token, see how far they are, and cancel."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Import, Role
from annotate.services.background import progress, works
from tests import cast
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return cast.collection("shapes", grades=3, n_queries=1, n_documents=1)


def key(collection, scopes=("files:write",), role=Role.RESEARCHER):
    return cast.bearer(cast.member(collection, role), *scopes)


def post(client, headers, content=b"q0 0 d0 1\n", **fields):
    upload = {"file": SimpleUploadedFile("a.qrels", content)} if content else {}
    url = reverse("api:imports", args=["shapes"])
    return client.post(
        url, {"kind": "reference", "name": "original", **fields, **upload}, headers=headers
    )


def read_import(client, headers, pk):
    return client.get(reverse("api:import", args=["shapes", pk]), headers=headers).json()


def test_a_file_is_received_read_and_reported(client, collection):
    headers = key(collection)
    answer = post(client, headers)
    assert (answer.status_code, answer.json()["state"]) == (201, "received")
    pk = answer.json()["id"]
    received = Import.objects.get(pk=pk)
    progress.advance(job=works.job_of(received.work), n_done=10, total=40)
    progress_answer = read_import(client, headers, pk)["progress"]
    assert set(progress_answer) == {"done", "total", "unit", "seconds_left", "at"}
    assert (progress_answer["done"], progress_answer["total"]) == (10, 40)
    perform_work(received)
    import_answer = read_import(client, headers, pk)
    assert (import_answer["state"], import_answer["error"], import_answer["progress"]) == (
        "done",
        "",
        None,
    )
    assert import_answer["report"]["loads"][0]["figures"][1] == ["Labels stored", 1]
    assert post(client, headers).status_code == 200
    listed = client.get(reverse("api:imports", args=["shapes"]), headers=headers).json()["imports"]
    assert [entry["id"] for entry in listed] == [pk]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"kind": "gossip"}, "one of items, reference, judgments, query_set"),
        ({"name": ""}, "name"),
        ({"grades": "x"}, "grades"),
        ({"content": b""}, "file"),
        ({"content": b"PK\x03\x04"}, "zip archive"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_received(client, collection, fields, says):
    answer = post(client, key(collection), **fields)
    assert (answer.status_code, answer.headers["Content-Type"]) == (422, "application/problem+json")
    assert says in answer.content.decode()
    assert not Import.objects.exists()


def test_a_program_is_told_what_is_wrong_with_the_file(client, collection):
    headers = key(collection)
    pk = post(client, headers, content=b"q9 0 d0 1\n").json()["id"]
    perform_work(Import.objects.get(pk=pk))
    received = read_import(client, headers, pk)
    assert (received["state"], received["error"]) == (
        "rejected",
        received["report"]["errors"][0]["message"],
    )
    assert "no query" in received["error"]


def test_many_imports_are_listed_with_as_few_questions_as_one(
    client, collection, django_assert_max_num_queries
):
    headers, url = key(collection), reverse("api:imports", args=["shapes"])
    post(client, headers)
    with django_assert_max_num_queries(99) as few:
        client.get(url, headers=headers)
    n_queries = len(few)  # before another request forgets them
    for number in range(3):
        post(client, headers, name=f"set{number}")
    with django_assert_max_num_queries(n_queries):
        assert len(client.get(url, headers=headers).json()["imports"]) == 4


def test_a_program_cancels_what_waits(client, collection):
    headers = key(collection)
    pk = post(client, headers).json()["id"]
    answer = client.post(reverse("api:import-cancel", args=["shapes", pk]), headers=headers)
    assert answer.json()["state"] == "cancelled"


def test_a_key_without_the_scope_or_the_role_brings_nothing(client, collection):
    assert post(client, key(collection, scopes=["runs:write"])).status_code == 403
    assert post(client, key(collection, role=Role.LEAD)).status_code == 404
