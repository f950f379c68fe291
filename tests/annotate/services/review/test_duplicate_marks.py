"""Marks of duplicates: rows and lines of the log, chains shortened, what cannot be marked."""

import pytest
from django.utils import timezone

from annotate.models import Change, Duplicate, Item, ReviewAction
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    DuplicateRefused,
    mark_duplicates,
    unmark_duplicates,
)
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection(n_queries=3, n_documents=5)


def item(collection, external_id):
    return Item.objects.get(collection=collection, external_id=external_id)


def mark(collection, original, *ids, by=None):
    group = DuplicateGroup(item(collection, original), [item(collection, name) for name in ids])
    return mark_duplicates(collection=collection, groups=[group], by=by)


def marks(collection):
    rows = Duplicate.objects.filter(collection=collection)
    return dict(rows.values_list("item__external_id", "original__external_id"))


def test_a_mark_is_a_row_a_line_of_the_log_and_a_change_of_all_labels(collection):
    lead = cast.user("lena")
    assert mark(collection, "d0", "d1", "d2", by=lead) == 2
    assert marks(collection) == {"d1": "d0", "d2": "d0"}
    log = ReviewAction.objects.filter(collection=collection).order_by("pk")
    assert [(row.kind, row.item.external_id, row.by, row.reason) for row in log] == [
        ("duplicate_marked", "d1", lead, "Of d0"),
        ("duplicate_marked", "d2", lead, "Of d0"),
    ]
    assert list(Change.objects.filter(collection=collection).values_list("pair")) == [(None,)]


def test_a_mark_that_is_taken_back_is_gone_and_the_log_says_so(collection):
    mark(collection, "d0", "d1", "d2")
    items = [item(collection, "d1"), item(collection, "d4")]
    assert unmark_duplicates(collection=collection, items=items, by=None) == 1
    assert marks(collection) == {"d2": "d0"}
    newest = ReviewAction.objects.filter(collection=collection).latest("pk")
    assert (newest.kind, newest.item.external_id) == ("duplicate_unmarked", "d1")


def test_a_mark_whose_original_was_excluded_is_replaced(collection):
    mark(collection, "d0", "d1")
    Item.objects.filter(collection=collection, external_id="d0").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    mark(collection, "d2", "d1")
    assert marks(collection) == {"d1": "d2"}
    kinds = ReviewAction.objects.filter(collection=collection).order_by("pk")
    assert list(kinds.values_list("kind", "reason")) == [
        ("duplicate_marked", "Of d0"),
        ("duplicate_unmarked", "Of d0"),
        ("duplicate_marked", "Of d2"),
    ]


def test_taking_nothing_back_changes_nothing(collection):
    items = [item(collection, "d1")]
    assert unmark_duplicates(collection=collection, items=items, by=None) == 0
    assert not Change.objects.exists()
    assert not ReviewAction.objects.exists()


def test_what_repeats_a_new_duplicate_repeats_its_original(collection):
    mark(collection, "d1", "d2")
    mark(collection, "d0", "d1")
    assert marks(collection) == {"d1": "d0", "d2": "d0"}
    log = ReviewAction.objects.filter(collection=collection).order_by("pk")
    assert list(log.values_list("item__external_id", "reason")) == [
        ("d2", "Of d1"),
        ("d1", "Of d0"),
        ("d2", "Of d0"),
    ]


@pytest.mark.parametrize(
    ("original", "ids", "message"),
    [
        ("d3", ["d3"], "d3 cannot repeat itself."),
        ("q0", ["d3"], "d3 and q0 are not of one side."),
        ("d3", ["d1"], "d1 is marked already, as a duplicate."),
        ("d1", ["d3"], "d1 is itself a duplicate: choose its original, or take that mark back."),
        ("d3", ["d4", "d4"], "d4 is marked already, as a duplicate."),
        ("d2", ["d4"], "d2 is left out of evaluation."),
        ("d4", ["d3", "d2"], "d2 is left out of evaluation."),
    ],
)
def test_what_cannot_be_marked_is_refused_whole(collection, original, ids, message):
    mark(collection, "d0", "d1")
    Item.objects.filter(collection=collection, external_id="d2").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    with pytest.raises(DuplicateRefused) as refusal:
        mark(collection, original, *ids)
    assert str(refusal.value) == message
    assert marks(collection) == {"d1": "d0"}


def test_groups_whose_original_is_another_ones_duplicate_are_refused(collection):
    groups = [
        DuplicateGroup(item(collection, "d0"), [item(collection, "d1")]),
        DuplicateGroup(item(collection, "d1"), [item(collection, "d2")]),
    ]
    with pytest.raises(DuplicateRefused, match=r"^d1 is itself a duplicate"):
        mark_duplicates(collection=collection, groups=groups, by=None)
    assert marks(collection) == {}


def test_an_item_of_another_collection_is_refused(collection):
    other = cast.collection(n_documents=1)
    group = DuplicateGroup(item(collection, "d0"), [item(other, "d0")])
    with pytest.raises(DuplicateRefused, match=r"^An item of another collection was named\.$"):
        mark_duplicates(collection=collection, groups=[group], by=None)
