"""Reference sets for programs: their facts, and their labels line by line."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import ApiToken, Import, ReferenceLabel, ReferenceSet, Role, Undrawn
from tests import cast
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
SETS = "/api/v1/collections/shapes/reference-sets/"
LABELS = {("q1", "d0"): 1, ("q0", "d1"): 0, ("q0", "d0"): 1}


@pytest.fixture
def collection():
    return cast.collection("shapes", n_queries=2, n_documents=2)


@pytest.fixture
def headers(collection):
    person = cast.member(collection, Role.RESEARCHER)
    scopes = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.FILES_WRITE)
    return cast.bearer(person, *scopes, collection=collection)


def labels_of(client, headers, reference_set):
    answer = client.get(f"{SETS}{reference_set.pk}/labels/", headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in answer.getvalue().splitlines()]


def test_sets_are_listed_with_their_sizes(client, collection, headers):
    cast.reference(collection, LABELS, name="second")
    cast.reference(collection, {("q0", "d0"): 1}, name="first")
    answer = client.get(SETS, headers=headers).json()
    facts = [(row["name"], row["n_labels"]) for row in answer["reference_sets"]]
    assert facts == [("first", 1), ("second", 3)] and answer["next"] is None
    page = client.get(SETS, {"page_size": 1}, headers=headers).json()
    (row,) = client.get(page["next"], headers=headers).json()["reference_sets"]
    assert row == answer["reference_sets"][1]
    tag = {"If-None-Match": client.get(SETS, headers=headers)["ETag"]}
    assert client.get(SETS, headers=headers | tag).status_code == 304
    answer = client.get(SETS, {"name": "first"}, headers=headers)
    sentence = '"name" is no parameter; there are cursor, page_size.'
    assert (answer.status_code, answer.json()["detail"]) == (422, sentence)


def test_one_set_has_its_grades_and_what_was_not_drawn(client, collection, headers):
    reference_set = cast.reference(collection, LABELS)
    query = collection.items.get(external_id="q1")
    document = collection.items.get(external_id="d1")
    fields = {"query": query, "document": document, "stratum": 2}
    Undrawn.objects.create(reference_set=reference_set, **fields)
    value = client.get(f"{SETS}{reference_set.pk}/", headers=headers).json()
    assert value["grades"] == [{"grade": 1, "n_labels": 2}, {"grade": 0, "n_labels": 1}]
    assert (value["n_labels"], value["n_undrawn"], value["report"]) == (3, 1, None)


def test_a_set_has_the_report_of_its_file(client, collection, headers):
    file = SimpleUploadedFile("a.qrels", b"q0 0 d0 1\nq1 0 d1 0\n")
    fields = {"kind": "reference", "name": "original", "file": file}
    address = "/api/v1/collections/shapes/imports/"
    import_ = client.post(address, fields, headers=headers).json()
    perform_work(Import.objects.get(pk=import_["id"]))
    reference_set = ReferenceSet.objects.get()
    value = client.get(f"{SETS}{reference_set.pk}/", headers=headers).json()
    report = client.get(f"{address}{import_['id']}/", headers=headers).json()["report"]
    assert value["report"] == report and report["loads"]
    assert value["sha256"] == reference_set.sha256 != ""


def test_every_label_is_a_line(client, collection, headers):
    reference_set = cast.reference(collection, LABELS)
    cast.reference(collection, {("q1", "d1"): 0}, name="other")
    ReferenceLabel.objects.filter(
        query__external_id="q1", reference_set=reference_set
    ).update(stratum=3)  # fmt: skip
    assert labels_of(client, headers, reference_set) == [
        {"query": "q1", "document": "d0", "grade": 1, "stratum": 3},
        {"query": "q0", "document": "d1", "grade": 0, "stratum": None},
        {"query": "q0", "document": "d0", "grade": 1, "stratum": None},
    ]


def test_many_labels_come_in_order_and_whole(client, headers, collection, monkeypatch):
    monkeypatch.setattr("annotate.services.collection.reference_qrels.ROWS_A_PIECE", 2)
    reference_set = cast.reference(collection, LABELS)
    pairs = [(row["query"], row["document"]) for row in labels_of(client, headers, reference_set)]
    assert pairs == list(LABELS)
    empty = ReferenceSet.objects.create(collection=collection, name="empty")
    assert labels_of(client, headers, empty) == []


def test_a_set_is_for_leads_and_researchers_of_its_collection(client, collection, headers):
    pk = cast.reference(collection, LABELS).pk
    scope = ApiToken.Scope.NUMBERS_READ
    person = cast.member(cast.collection("other"), Role.RESEARCHER)
    annotator = cast.bearer(cast.member(collection, Role.ANNOTATOR), scope)
    for tail in ("", f"{pk}/", f"{pk}/labels/"):
        address = f"{SETS}{tail}"
        assert client.get(address, headers=annotator).status_code == 403
        assert client.get(address, headers=cast.bearer(person, scope)).status_code == 404
        assert client.get(address, headers=cast.bearer(person, "qrels:read")).status_code == 403
        if tail:
            moved = address.replace("/shapes/", "/other/")
            assert client.get(moved, headers=cast.bearer(person, scope)).status_code == 404
