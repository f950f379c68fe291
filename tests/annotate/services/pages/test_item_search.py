"""Items are found by their ids and words, the best first, and as a pattern means nothing."""

import pytest
from django.utils import timezone

from annotate.models import Item, Part, Side
from annotate.services.collection import query_sets
from annotate.services.pages import item_search
from tests import cast

pytestmark = pytest.mark.django_db
TEXTS = {
    "q1": "a red square",
    "q10": "a blue circle",
    "q2": "two circles, both blue",
    "red": "nothing of that colour",
    "x_q1": "an id that ends like another",
    "50%": "half of them",
}


@pytest.fixture
def texts(collection):
    """Queries with texts, in the query set of all."""
    for external_id, text in TEXTS.items():
        item = Item.objects.create(collection=collection, side=Side.QUERY, external_id=external_id)
        Part.objects.create(item=item, position=0, kind="text", text=text)
    query_sets.complete_query_sets(collection=collection)
    return collection


def ids(collection, text, side=Side.QUERY):
    matches = item_search.matches(collection=collection, side=side, text=text)
    return [match.item.external_id for match in matches.first]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q1", ["q1", "q10", "x_q1"]),  # the id, its beginning, then anywhere
        ("red", ["red", "q1"]),
        ("BLUE circle", ["q10", "q2"]),  # each word, in any order and case
        ("circle blue", ["q10", "q2"]),
        ("circle red", []),
        ("50%", ["50%"]),
        ("%", ["50%"]),
        ("_", ["x_q1"]),
        ("\\", []),
    ],
)
def test_ids_come_before_words(texts, text, expected):
    assert ids(texts, text) == expected


def test_a_match_tells_its_query_set_and_has_its_parts(texts, django_assert_num_queries):
    Item.objects.create(collection=texts, side=Side.QUERY, external_id="q11")  # in no query set
    (match,) = item_search.matches(collection=texts, side=Side.QUERY, text="x_q1").first
    assert (match.item.external_id, match.rank, match.query_set) == ("x_q1", 0, "all")
    with django_assert_num_queries(0):
        assert [part.text for part in match.item.parts.all()] == ["an id that ends like another"]
    (match,) = item_search.matches(collection=texts, side=Side.QUERY, text="q11").first
    assert match.query_set == ""


def test_items_that_are_not_in_use_are_left_out(texts):
    Item.objects.filter(external_id="q10").update(excluded_at=timezone.now(), excluded_reason="x")
    Item.objects.create(collection=texts, side=Side.QUERY, external_id="q11", split="train")
    assert ids(texts, "q1") == ["q1", "x_q1"]


def test_other_sides_and_collections_have_other_items(texts):
    other = cast.collection("birds", n_queries=2)
    query_sets.complete_query_sets(collection=other)
    assert ids(texts, "q1", Side.DOCUMENT) == []
    assert ids(other, "q1") == ["q1"]


def test_no_side_gives_more_than_the_most(texts, django_assert_num_queries):
    cast.items(texts, Side.DOCUMENT, 20)
    query_sets.complete_query_sets(collection=texts)
    with django_assert_num_queries(3):
        assert len(ids(texts, "text of", Side.DOCUMENT)) == item_search.MAX_ITEMS


def test_all_that_fit_are_counted_up_to_a_hundred(texts):
    cast.items(texts, Side.DOCUMENT, 101)
    query_sets.complete_query_sets(collection=texts)
    Item.objects.filter(side=Side.DOCUMENT, external_id__in=["d1", "d2"]).update(split="train")
    matches = item_search.matches(collection=texts, side=Side.DOCUMENT, text="text of")
    assert matches.n == 99
    assert item_search.count_text(matches.n, 6, "document") == "First 6 of 99 documents"
    Item.objects.filter(split="train").update(split="test")
    matches = item_search.matches(collection=texts, side=Side.DOCUMENT, text="d")
    assert item_search.count_text(matches.n, 6, "document") == "First 6 of over 100 documents"
    assert item_search.count_text(6, 6, "query") == "6 queries"
