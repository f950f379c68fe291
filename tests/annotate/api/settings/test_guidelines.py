"""Guidelines for programs: the newest version, all of them in pages, and new ones."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import ApiToken, Role
from annotate.services.collection import collections
from tests import cast

pytestmark = pytest.mark.django_db
SCOPES = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
GUIDELINES = "/api/v1/collections/shapes/guidelines/"


@pytest.fixture
def collection():
    return cast.collection("shapes")


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, *SCOPES)


def post(client, headers, **fields):
    return client.post(GUIDELINES, fields, content_type="application/json", headers=headers)


def test_a_version_is_stored_and_read(client, collection, headers, lead):
    first = client.get(GUIDELINES, headers=headers).json()
    assert (first["version"], first["markdown"]) == (1, "# How to judge")
    words = {"grade": 1, "name": "Yes", "reasons": [{"name": "kind", "what": ["plant"]}]}
    answer = post(client, headers, markdown="  # Look\n", levels=[words])
    assert (answer.status_code, answer["Location"]) == (201, f"{GUIDELINES}versions/2/")
    newest = answer.json()
    assert newest == client.get(GUIDELINES, headers=headers).json()
    assert newest == client.get(newest["url"], headers=headers).json()
    assert (newest["version"], newest["markdown"]) == (2, "  # Look\n")
    assert newest["levels"] == [
        {**words, "sentence": ""},
        {"grade": 0, "name": "Level 0", "sentence": "", "reasons": []},
    ]
    assert collection.levels.get(grade=1).name == "Yes"
    assert collection.guidelines.get(version=2).by == lead
    assert client.get(f"{GUIDELINES}versions/1/", headers=headers).json() == first
    assert client.get(f"{GUIDELINES}versions/3/", headers=headers).status_code == 404


def test_what_is_left_out_stays_and_without_a_change_there_is_no_version(
    client, collection, headers
):
    post(client, headers, levels=[{"grade": 1, "name": "Yes", "reasons": ["colour"]}])
    version = post(client, headers, levels=[{"grade": 1, "sentence": "S"}]).json()
    assert (version["version"], version["markdown"]) == (3, "# How to judge")
    expected = {"grade": 1, "name": "Yes", "sentence": "S", "reasons": ["colour"]}
    assert version["levels"][0] == expected
    answer = post(client, headers, markdown="# How to judge")
    assert (answer.status_code, answer.json()) == (200, version)


def test_the_page_stores_the_same_version(client, collection, headers, lead):
    twin = cast.collection("twin")
    cast.member(twin, Role.LEAD, lead)
    post(client, headers, markdown="# Look", levels=[{"grade": 0, "name": "No", "reasons": ["a"]}])
    client.force_login(lead)
    client.post(
        reverse("annotate:guidelines", args=["twin"]),
        {"markdown": "# Look", "name-1": "Level 1", "name-0": "No", "reasons-0": "a"},
    )
    fields = ("version", "markdown", "wording", "by_id")
    of_program, of_page = (
        rows.guidelines.values(*fields).latest("version") for rows in (collection, twin)
    )
    assert of_program == of_page and of_page["version"] == 2


def test_a_request_that_is_sent_twice_stores_one_version(client, collection, headers):
    repeatable = headers | {"Idempotency-Key": "words"}
    first = post(client, repeatable, markdown="# A")
    post(client, headers, markdown="# B")
    again = post(client, repeatable, markdown="# A")
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Location"] == first["Location"]
    assert collection.guidelines.latest("version").markdown == "# B"


def test_versions_come_in_pages_with_as_many_queries_for_many(client, collection, headers):
    for number in range(4):
        text = f"# {number}"
        collections.change_guidelines(collection=collection, markdown=text, by=None)
    url = f"{GUIDELINES}versions/"
    with CaptureQueriesContext(connection) as few:
        client.get(url, {"page_size": 1}, headers=headers)
    with CaptureQueriesContext(connection) as many:
        page = client.get(url, {"page_size": 3}, headers=headers).json()
    assert len(few) == len(many)
    assert [row["version"] for row in page["guidelines_versions"]] == [5, 4, 3]
    assert set(page["guidelines_versions"][0]) == {"url", "version", "at"}
    page = client.get(page["next"], headers=headers).json()
    assert [row["version"] for row in page["guidelines_versions"]] == [2, 1]
    assert page["next"] is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"markdown": "x" * 100_001}, "markdown"),
        ({"markdown": "a\0"}, "markdown"),
        ({"markdown": None}, "markdown"),
        ({"levels": [{"grade": 5, "name": "x"}]}, "levels.0.grade"),
        ({"levels": [{"grade": 2**40}]}, "levels.0.grade"),
        ({"levels": [{"grade": 1, "name": ""}]}, "levels.0.name"),
        ({"levels": [{"grade": 1, "reasons": ["a;b"]}]}, "levels.0.reasons"),
        ({"levels": [{"grade": 1, "colour": "red"}]}, "levels.0.colour"),
        ({"text": "x"}, "text"),
    ],
)
def test_what_the_page_refuses_is_refused(client, collection, headers, fields, field):
    answer = post(client, headers, **fields)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert collection.guidelines.count() == 1


def test_a_version_that_has_not_changed_is_not_sent_again(client, collection, headers):
    tag = client.get(GUIDELINES, headers=headers)["ETag"]
    again = headers | {"If-None-Match": tag}
    assert client.get(GUIDELINES, headers=again).status_code == 304
    post(client, headers, markdown="# New")
    assert client.get(GUIDELINES, headers=again).status_code == 200


def test_researchers_read_guidelines_and_leads_change_them(client, collection, lead):
    researcher = cast.bearer(cast.member(collection, Role.RESEARCHER), *SCOPES)
    assert client.get(GUIDELINES, headers=researcher).status_code == 200
    assert post(client, researcher, markdown="# New").status_code == 403
    elsewhere = cast.bearer(lead, *SCOPES, collection=cast.collection("other"))
    for url in (GUIDELINES, f"{GUIDELINES}versions/", f"{GUIDELINES}versions/1/"):
        assert client.get(url, headers=elsewhere).status_code == 404
    assert post(client, elsewhere, markdown="# New").status_code == 404
    reader = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    assert post(client, reader, markdown="# New").status_code == 403
    assert collection.guidelines.count() == 1
