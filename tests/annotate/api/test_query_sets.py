"""Query sets for programs: their sizes, and their items in pages."""

import pytest

from annotate.models import ApiToken, Direction, QuerySet, QuerySetItem, Role
from annotate.services.collection.query_sets import complete_query_sets
from tests import cast

pytestmark = pytest.mark.django_db
COLLECTIONS = "/api/v1/collections/"
SETS = f"{COLLECTIONS}shapes/query-sets/"


@pytest.fixture
def collection():
    collection = cast.collection("shapes", n_queries=3, n_documents=5)
    complete_query_sets(collection=collection)
    return collection


@pytest.fixture
def headers(collection):
    person = cast.member(collection, Role.LEAD)
    return cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=collection)


def small_set(collection):
    """A set of two queries with a gallery of three documents."""
    query_set = QuerySet.objects.create(
        collection=collection, name="small", direction=Direction.FORWARD
    )
    parts = {"source": ("q1", "q2"), "gallery": ("d0", "d1", "d4")}
    ids = {item.external_id: item for item in collection.items.all()}
    for part, names in parts.items():
        for name in names:
            QuerySetItem.objects.create(query_set=query_set, item=ids[name], part=part)
    return query_set


def ids_on_pages(client, headers, address, name):
    ids = []
    while address:
        answer = client.get(address, headers=headers).json()
        ids.append([row["id"] for row in answer[name]])
        address = answer["next"]
    return ids


def test_sets_have_their_sizes_and_their_items(client, collection, headers):
    query_set = small_set(collection)
    answer = client.get(SETS, headers=headers).json()
    facts = [
        (row["name"], row["direction"], row["n_queries"], row["n_gallery"])
        for row in answer["query_sets"]
    ]
    assert facts == [("all", "forward", 3, 0), ("all", "reverse", 5, 0), ("small", "forward", 2, 3)]
    everything, _, small = answer["query_sets"]
    assert everything["gallery_url"] is None and answer["next"] is None
    assert client.get(small["url"], headers=headers).json() == small
    assert small["id"] == query_set.pk and small["created_at"].endswith("Z")
    queries = ids_on_pages(client, headers, small["queries_url"], "queries")
    targets = ids_on_pages(client, headers, f"{small['gallery_url']}?page_size=2", "targets")
    assert (queries, targets) == ([["q1", "q2"]], [["d0", "d1"], ["d4"]])
    (row, _) = client.get(small["queries_url"], headers=headers).json()["queries"]
    assert client.get(row["url"], headers=headers).json()["id"] == "q1"
    no_gallery = f"{everything['url']}gallery/"
    assert client.get(no_gallery, headers=headers).json() == {"targets": [], "next": None}


def test_sets_are_filtered_by_direction_and_come_in_pages(client, collection, headers):
    small_set(collection)
    answer = client.get(SETS, {"direction": "reverse"}, headers=headers).json()
    assert [row["n_queries"] for row in answer["query_sets"]] == [5]
    answer = client.get(SETS, {"page_size": 2}, headers=headers).json()
    assert [row["name"] for row in answer["query_sets"]] == ["all", "all"]
    answer = client.get(answer["next"], headers=headers).json()
    assert [row["name"] for row in answer["query_sets"]] == ["small"]


def test_what_is_no_filter_is_refused(client, collection, headers):
    queries = f"{SETS}{small_set(collection).pk}/queries/"
    for address, sentence in (
        (f"{SETS}?direction=up", '"up" is no choice of "direction"; there are: forward, reverse.'),
        (f"{SETS}?name=all", '"name" is no parameter; there are direction, cursor, page_size.'),
        (f"{queries}?side=query", '"side" is no parameter; there are cursor, page_size.'),
    ):
        answer = client.get(address, headers=headers)
        problem = answer.json()
        faults = [fault["message"] for fault in problem.get("errors", [])]
        assert (answer.status_code, faults or [problem["detail"]]) == (422, [sentence])


@pytest.mark.parametrize("size", ["", "0", "-1", "1001", "1.5", "many", "٣", "9" * 5000])
@pytest.mark.parametrize(
    "address", ["", "made/query-sets/", "made/guidelines/versions/", "made/policy/versions/"]
)
def test_a_size_that_no_page_has_is_refused(client, collection, headers, address, size):
    url = f"{COLLECTIONS}{address.replace('made', collection.slug)}"
    answer = client.get(url, {"page_size": size}, headers=headers)
    sentence = "page_size: give a whole number from 1 to 1,000."
    assert (answer.status_code, answer.json()["detail"]) == (422, sentence)
    assert client.get(f"{url}?page_size=1&page_size=2", headers=headers).status_code == 422


def test_a_place_that_no_page_has_is_refused(client, collection, headers):
    queries = f"{SETS}{small_set(collection).pk}/queries/"
    answer = client.get(queries, {"cursor": "cD14"}, headers=headers)  # p=x
    assert (answer.status_code, answer.json()["detail"]) == (404, "Invalid cursor")


def test_many_items_and_sets_take_as_many_queries_as_one(
    client, collection, headers, django_assert_max_num_queries
):
    queries = f"{SETS}{small_set(collection).pk}/queries/"
    for address, name, n in ((queries, "queries", 2), (SETS, "query_sets", 3)):
        with django_assert_max_num_queries(99) as one:
            client.get(address, {"page_size": 1}, headers=headers)
        with django_assert_max_num_queries(len(one)):
            assert len(client.get(address, headers=headers).json()[name]) == n


def test_a_set_is_for_leads_and_researchers_of_its_collection(client, collection, headers):
    pk = small_set(collection).pk
    scope = ApiToken.Scope.NUMBERS_READ
    person = cast.member(cast.collection("other"), Role.RESEARCHER)
    annotator = cast.bearer(cast.member(collection, Role.ANNOTATOR), scope)
    for tail in ("", f"{pk}/", f"{pk}/queries/", f"{pk}/gallery/"):
        address = f"{SETS}{tail}"
        tag = {"If-None-Match": client.get(address, headers=headers)["ETag"]}
        assert client.get(address, headers=headers | tag).status_code == 304
        assert client.get(address, headers=annotator).status_code == 403
        assert client.get(address, headers=cast.bearer(person, scope)).status_code == 404
        if tail:
            moved = address.replace("/shapes/", "/other/")
            assert client.get(moved, headers=cast.bearer(person, scope)).status_code == 404
