"""Collections for programs: those of the token's owner in pages, and the facts of one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import ApiToken, Collection, QuerySet, QuerySetItem, Role
from annotate.services.collection.collections import change_policy
from tests import cast

pytestmark = pytest.mark.django_db
COLLECTIONS = "/api/v1/collections/"


def rows(client, headers, **parameters):
    return client.get(COLLECTIONS, parameters, headers=headers).json()["collections"]


def test_a_person_finds_her_collections_with_her_roles(client):
    person = cast.user()
    rehearsal = cast.collection("b")
    Collection.objects.update(is_rehearsal=True)
    cast.member(rehearsal, Role.RESEARCHER, person)
    cast.member(rehearsal, Role.LEAD, person)
    cast.member(cast.collection("a"), Role.ANNOTATOR, person)
    cast.member(cast.collection("c"), Role.LEAD)
    values = rows(client, cast.bearer(person))
    assert [(row["slug"], row["roles"], row["is_rehearsal"]) for row in values] == [
        ("a", ["annotator"], False),
        ("b", ["lead", "researcher"], True),
    ]
    assert values[0]["url"] == f"{COLLECTIONS}a/"
    assert rows(client, cast.bearer(cast.user())) == []


def test_a_token_for_one_collection_lists_this_one_alone(client):
    person = cast.user()
    for slug in ("a", "b"):
        cast.member(cast.collection(slug), Role.LEAD, person)
    bound = cast.bearer(person, collection=Collection.objects.get(slug="b"))
    assert [row["slug"] for row in rows(client, bound)] == ["b"]


def test_collections_come_in_pages_with_as_many_queries_for_many(client):
    admin = cast.user("admin", is_superuser=True)
    headers = cast.bearer(admin)
    for slug in "dcba":
        cast.collection(slug)
    with CaptureQueriesContext(connection) as few:
        page = client.get(COLLECTIONS, {"page_size": 1}, headers=headers).json()
    with CaptureQueriesContext(connection) as many:
        page = client.get(COLLECTIONS, {"page_size": 3}, headers=headers).json()
    assert len(few) == len(many)
    assert [row["slug"] for row in page["collections"]] == ["a", "b", "c"]
    assert page["collections"][0]["roles"] == ["lead", "researcher"]
    page = client.get(page["next"], headers=headers).json()
    assert [row["slug"] for row in page["collections"]] == ["d"] and page["next"] is None


@pytest.fixture
def judged_pairs(collection):
    """Items, a reference set, a query set and a second policy of the collection."""
    (query, *_), (document, *_) = (
        cast.items(collection, side, 2) for side in ("query", "document")
    )
    cast.reference(collection, {(query.external_id, document.external_id): 1})
    everything = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    QuerySetItem.objects.create(query_set=everything, item=query)
    target = {"query_set": everything, "item": document, "part": QuerySetItem.Part.GALLERY}
    QuerySetItem.objects.create(**target)
    change_policy(collection=collection, by=None, ceiling=5)


@pytest.mark.usefixtures("judged_pairs")
def test_the_facts_of_a_collection(client, collection, lead):
    Collection.objects.update(description="# No heading\n<b>", texts_may_leave=True)
    headers = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    value = client.get(f"{COLLECTIONS}{collection.slug}/", headers=headers).json()
    assert (value["slug"], value["description"]) == (collection.slug, "# No heading\n<b>")
    assert (value["measurement"], value["positive_from"]) == ("ordinal", 1)
    grades = [row["grade"] for row in value["levels"]]
    assert grades == sorted(grades, reverse=True) and len(grades) == collection.levels.count()
    assert value["query_sets"] == [{"name": "all", "direction": "forward", "n_queries": 1}]
    assert value["reference_sets"] == [{"name": "original", "n_labels": 1}]
    policy = value["policy"]
    assert (policy["version"], policy["ceiling"], policy["rule"]) == (2, 5, "majority")
    assert isinstance(policy["double_share"], float)
    assert value["guidelines_version"] == 1
    assert (value["texts_may_leave"], value["media_may_leave"]) == (True, False)
    assert value["licence"] == "CC-BY-4.0" and "key" not in value


def test_the_facts_are_for_leads_and_researchers_with_the_scope(client, collection, lead):
    address = f"{COLLECTIONS}{collection.slug}/"
    scope = ApiToken.Scope.NUMBERS_READ
    assert client.get(address, headers=cast.bearer(lead)).status_code == 403
    researcher = cast.member(collection, Role.RESEARCHER)
    assert client.get(address, headers=cast.bearer(researcher, scope)).status_code == 200
    annotator = cast.member(collection, Role.ANNOTATOR)
    assert client.get(address, headers=cast.bearer(annotator, scope)).status_code == 403
    elsewhere = cast.bearer(lead, scope, collection=cast.collection("other"))
    assert client.get(address, headers=elsewhere).status_code == 404


def test_facts_that_have_not_changed_are_not_sent_again(client, collection, lead):
    headers = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    address = f"{COLLECTIONS}{collection.slug}/"
    tag = client.get(address, headers=headers)["ETag"]
    assert client.get(address, headers=headers | {"If-None-Match": tag}).status_code == 304
    Collection.objects.update(positive_from=2)
    assert client.get(address, headers=headers | {"If-None-Match": tag}).status_code == 200
