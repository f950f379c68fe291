"""Items and pairs in use: the conditions in SQL and the filters say the same."""

import pytest
from django.db import connection

from annotate.models import ClockTimestamp, Item, Pair, PairExclusion
from annotate.services.seating.in_use import item_in_use, pair_in_use
from tests import cast

pytestmark = pytest.mark.django_db


def keys(statement: str) -> set[int]:
    """The keys that a statement selects."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return {key for (key,) in cursor.fetchall()}


def test_an_item_is_in_use_unless_it_is_left_out() -> None:
    collection = cast.collection()
    items = cast.items(collection, "query", 3)
    Item.objects.filter(pk=items[0].pk).update(
        excluded_at=ClockTimestamp(), excluded_reason="broken"
    )
    Item.objects.filter(pk=items[1].pk).update(split="train")
    in_use = set(Item.objects.in_use().values_list("pk", flat=True))
    assert in_use == {items[2].pk}
    assert keys(f"SELECT item.id FROM annotate_item item WHERE {item_in_use('item')}") == in_use
    assert set(Item.objects.left_out()) == set(items[:2])


def test_a_pair_is_in_use_unless_it_is_left_out() -> None:
    collection = cast.collection()
    pairs = cast.pairs(collection, 6, per_query=3)  # of two queries and three documents
    for item in (pairs[0].query, pairs[3].document):
        Item.objects.filter(pk=item.pk).update(
            excluded_at=ClockTimestamp(), excluded_reason="broken"
        )
    PairExclusion.objects.create(collection=collection, pair=pairs[4], reason="odd")
    in_use = keys(f"""
        SELECT pair.id FROM annotate_pair pair
        JOIN annotate_item query ON query.id = pair.query_id
        JOIN annotate_item document ON document.id = pair.document_id
        WHERE {pair_in_use("pair.id")}
    """)
    assert in_use == {pairs[5].pk}
    assert set(Pair.objects.left_out()) == set(pairs[:5])
