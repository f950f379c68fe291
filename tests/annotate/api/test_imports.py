"""Programs bring files with a scoped token, see how far they are, and cancel."""

import json
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotate.models import Import, Part, Role, Work
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


def post_table(client, headers, columns):
    """Send a table of clips whose columns have names of their own."""
    file = SimpleUploadedFile("clips.csv", b"clip,words\nc1,a dog\nc2,a cat\n")
    fields = {"kind": "items", "columns": columns, "file": file}
    return client.post(reverse("api:imports", args=["shapes"]), fields, headers=headers)


def test_items_are_read_by_the_columns_that_are_sent(client, collection):
    headers = key(collection)
    columns = {"document_id": "clip", "document_text": "words"}
    answer = post_table(client, headers, json.dumps(columns))
    assert (answer.status_code, answer.json()["parameters"]) == (201, {"columns": columns})
    perform_work(Import.objects.get(pk=answer.json()["id"]))
    assert read_import(client, headers, answer.json()["id"])["state"] == "done"
    texts = Part.objects.filter(item__collection=collection, item__external_id__startswith="c")
    assert set(texts.values_list("item__external_id", "text")) == {("c1", "a dog"), ("c2", "a cat")}
    assert post_table(client, headers, json.dumps(columns)).status_code == 200
    by_id = post_table(client, headers, json.dumps({"document_id": "clip"}))
    assert by_id.status_code == 201


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("reference", {"query": "topic", "document": "clip", "grade": "rel"}),
        ("judgments", {"query": "topic", "document": "clip", "annotators": ["rel"]}),
    ],
)
def test_labels_are_read_by_the_columns_that_are_sent(client, collection, kind, columns):
    headers = key(collection)
    file = SimpleUploadedFile("a.json", b'[{"topic": "q0", "clip": "d0", "rel": 1}]')
    fields = {"kind": kind, "name": "own", "columns": json.dumps(columns), "file": file}
    answer = client.post(reverse("api:imports", args=["shapes"]), fields, headers=headers)
    assert answer.status_code == 201
    assert columns.items() <= answer.json()["parameters"]["columns"].items()
    perform_work(Import.objects.get())
    assert read_import(client, headers, answer.json()["id"])["state"] == "done"
    fields |= {
        "columns": '{"query": "topic"}',
        "name": "other",
        "file": SimpleUploadedFile("b", b"[]"),
    }
    refused = client.post(reverse("api:imports", args=["shapes"]), fields, headers=headers)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "columns")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ("document_id:1", "Write columns as a JSON object"),
        ('{"document_id": 1}', "Write columns as a JSON object"),
        ('{"clip": "document_id"}', 'There is no field "clip"'),
        ('{"document_text": "words"}', "Choose the column of the document's id too"),
    ],
)
def test_columns_that_make_no_items_are_refused_at_their_field(
    client, collection, columns, sentence
):
    answer = post_table(client, key(collection), columns)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["field"]) == (422, "columns")
    assert error["message"].startswith(sentence) and not Import.objects.exists()


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


def test_the_same_upload_twice_makes_one_import(client, collection):
    headers = key(collection)
    first, again = post(client, headers), post(client, headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["id"] == first.json()["id"] and Import.objects.count() == 1
    assert post(client, headers, name="other").status_code == 201
    assert post(client, headers, content=b"q0 0 d0 0\n").status_code == 201


def imports_of(client, headers, **parameters):
    """The ids on all pages, by following `next`."""
    ids, address = [], f"{reverse('api:imports', args=['shapes'])}?{urlencode(parameters)}"
    while address:
        answer = client.get(address, headers=headers).json()
        ids += [entry["id"] for entry in answer["imports"]]
        address = answer["next"]
    return ids


def test_imports_come_in_pages_the_newest_first(client, collection):
    headers = key(collection)
    ids = [post(client, headers, name=f"set{number}").json()["id"] for number in range(5)]
    # of one moment, as of a script that uploads
    Import.objects.filter(pk__in=ids[1:4]).update(created_at=timezone.now())
    ids = list(Import.objects.order_by("-created_at", "-pk").values_list("pk", flat=True))
    for page_size in (1, 2, 5):
        assert imports_of(client, headers, page_size=page_size) == ids
    address = reverse("api:imports", args=["shapes"])
    tag = {"If-None-Match": client.get(address, headers=headers)["ETag"]}
    assert client.get(address, headers=headers | tag).status_code == 304
    entry = client.get(address, headers=headers).json()["imports"][0]
    assert client.get(entry["url"], headers=headers).json() == entry


def test_imports_are_filtered_by_kind_and_state(client, collection):
    headers = key(collection)
    ids = {}
    for state in Work.State:
        ids[state] = post(client, headers, name=state).json()["id"]
        finished_at = None if state in Work.UNFINISHED else timezone.now()
        code = "refused" if state == Work.State.FAILED else ""
        begun_at = timezone.now() if state == Work.State.RUNNING else None
        Work.objects.filter(import_file=ids[state]).update(
            state=state, finished_at=finished_at, error_code=code, begun_at=begun_at
        )
    ids["stored"] = post(client, headers, name="stored").json()["id"]
    Work.objects.filter(import_file=ids["stored"]).update(
        state=Work.State.FAILED, finished_at=timezone.now(), error_code="worn-out"
    )
    Import.objects.filter(pk=ids["stored"]).update(unresolved=[1, 2, 0])
    expected = {
        "received": [ids["running"], ids["asked"]],
        "stored": [ids["stored"]],
        "done": [ids["done"]],
        "rejected": [ids["failed"]],
        "cancelled": [ids["cancelled"]],
    }
    for state, its_ids in expected.items():
        assert imports_of(client, headers, state=state) == its_ids
        for pk in its_ids:
            assert read_import(client, headers, pk)["state"] == state
    assert len(imports_of(client, headers, kind="reference")) == 6
    assert imports_of(client, headers, kind="items") == []


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("kind=gossip", '"gossip" is no choice of "kind"; there are: items, documents, reference'),
        ("state=lost", '"lost" is no choice of "state"; there are: received, stored, done'),
        ("since=1", '"since" is no parameter; there are kind, state, cursor, page_size.'),
    ],
)
def test_what_is_no_filter_is_refused(client, collection, query, sentence):
    address = reverse("api:imports", args=["shapes"])
    answer = client.get(f"{address}?{query}", headers=key(collection))
    assert answer.status_code == 422 and answer.json()["detail"].startswith(sentence)


def test_a_place_that_no_page_has_is_refused(client, collection):
    address = reverse("api:imports", args=["shapes"])
    answer = client.get(address, {"cursor": "cD14"}, headers=key(collection))  # p=x
    assert (answer.status_code, answer.json()["detail"]) == (404, "Invalid cursor")


def test_a_program_cancels_what_waits(client, collection):
    headers = key(collection)
    pk = post(client, headers).json()["id"]
    answer = client.post(reverse("api:import-cancel", args=["shapes", pk]), headers=headers)
    assert answer.json()["state"] == "cancelled"


def test_a_key_without_the_scope_or_the_role_brings_nothing(client, collection):
    assert post(client, key(collection, scopes=["runs:write"])).status_code == 403
    assert post(client, key(collection, role=Role.LEAD)).status_code == 403


def test_the_answer_has_the_address_of_the_import(client, collection):
    answer = post(client, key(collection))
    assert answer.headers["Location"] == answer.json()["url"]


@pytest.mark.parametrize(
    ("fields", "place"), [({"kind": "labels"}, "kind"), ({"skip_unkown": "true"}, "skip_unkown")]
)
def test_an_unknown_kind_or_field_is_refused_at_its_place(client, collection, fields, place):
    answer = post(client, key(collection), **fields)
    assert answer.status_code == 422
    assert [fault["field"] for fault in answer.json()["errors"]] == [place]
    assert not Import.objects.exists()


@pytest.mark.parametrize("page_size", ["0", "-1", "many", "²"])
def test_a_size_that_is_none_is_refused(client, collection, page_size):
    url = reverse("api:imports", args=["shapes"])
    answer = client.get(url, {"page_size": page_size}, headers=key(collection))
    assert answer.status_code == 422
    assert answer.json()["detail"] == "page_size: give a whole number from 1 to 1,000."


def test_what_is_not_there_is_refused_without_the_name_of_a_class(client, collection):
    answer = client.get(reverse("api:import", args=["shapes", 9]), headers=key(collection))
    assert answer.status_code == 404
    sentence = "There is nothing at this address, or nothing that this token may see."
    assert answer.json()["detail"] == sentence
