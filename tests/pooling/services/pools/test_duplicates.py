"""Pools ask about originals in the place of their duplicates, and open ones stop asking twice."""

import pytest

from annotate.models import Item, Pair, RoundPair, Seat
from annotate.services.review import exclusions
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    mark_duplicates,
    unmark_duplicates,
)
from pooling.models import Run
from pooling.services.pools import previews, run_retirement
from tests import cast
from tests.pooling import factories
from tests.pooling.answering import answer_pair

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return factories.collection()


def items(collection, *ids):
    rows = {row.external_id: row for row in Item.objects.filter(collection=collection)}
    return [rows[name] for name in ids]


def mark(collection, original, *ids):
    group = DuplicateGroup(*items(collection, original), items(collection, *ids))
    mark_duplicates(collection=collection, groups=[group], by=None)
    settle()


def unmark(collection, *ids):
    unmark_duplicates(collection=collection, items=items(collection, *ids), by=None)
    settle()


def settle():
    """Do what workers do: go through the pools that wait for it."""
    for run in Run.objects.filter(pk__in=run_retirement.runs_due()):
        run_retirement.settle_marks(run=run)
    assert list(run_retirement.differences_of_marks()) == []


def free(collection):
    """The pairs with a free seat."""
    return factories.external_ids(
        Seat.objects.filter(collection=collection, state="free", purpose="label")
    )


def dropped(pool):
    return factories.external_ids(
        RoundPair.objects.filter(round=pool.round, dropped_at__isnull=False)
    )


def test_a_new_pool_holds_originals_with_the_better_rank(collection):
    run_a = factories.run(collection, "A", {0: [1, 2, 3], 1: [4]})
    run_b = factories.run(collection, "B", {0: [3, 1], 2: [1, 5]})
    mark(collection, "d1", "d3")
    mark(collection, "q1", "q2")
    pool = factories.opened(collection, [run_a, run_b], depth=3)
    rows = pool.pool_pairs.values_list(
        "pair__query__external_id", "pair__document__external_id", "best_rank"
    )
    assert sorted(rows) == [
        ("q0", "d1", 1),
        ("q0", "d2", 2),
        ("q1", "d1", 1),
        ("q1", "d4", 1),
        ("q1", "d5", 2),
    ]
    assert dropped(pool) == set()


def test_a_preview_counts_what_opening_makes(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3], 1: [4]})
    mark(collection, "d1", "d3")
    preview = previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 3}, runs=[run]
    )
    pool = factories.opened(collection, [run], depth=3)
    assert (preview.n_pairs, preview.n_labels) == (3, 3)
    assert pool.pool_pairs.count() == 3


def test_an_excluded_original_leaves_its_duplicates_to_themselves(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3]})
    mark(collection, "d1", "d3")
    exclusions.exclude_item(item=items(collection, "d1")[0], by=None, reason="broken")
    settle()
    pool = factories.opened(collection, [run], depth=3)
    assert factories.external_ids(pool.pool_pairs) == {("q0", "d2"), ("q0", "d3")}


def test_an_open_pool_stops_asking_about_repeats_and_asks_again(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3], 1: [3]})
    pool = factories.opened(collection, [run], depth=3)
    answer_pair(collection, "q0", "d2", grade=1)
    mark(collection, "d1", "d2", "d3")
    # the pool has no pair of q1 with the original
    assert dropped(pool) == {("q0", "d2"), ("q0", "d3")}
    assert free(collection) == {("q0", "d1"), ("q1", "d3")}
    judged = Pair.objects.get(query__external_id="q0", document__external_id="d2")
    assert judged.resolution.grade == 1
    unmark(collection, "d3")
    assert dropped(pool) == {("q0", "d2")}
    assert free(collection) == {("q0", "d1"), ("q0", "d3"), ("q1", "d3")}


def test_exclusions_and_their_reversal_go_together_with_marks(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3]})
    pool = factories.opened(collection, [run], depth=3)
    mark(collection, "d1", "d3")
    original, other = items(collection, "d1", "d2")
    exclusions.exclude_item(item=original, by=None, reason="broken")
    settle()
    assert dropped(pool) == {("q0", "d1")}
    exclusions.restore_item(item=original, by=None)
    settle()
    assert dropped(pool) == {("q0", "d3")}
    query = items(collection, "q0")[0]
    exclusions.exclude_item(item=query, by=None, reason="odd")
    settle()
    assert len(dropped(pool)) == 3
    exclusions.restore_item(item=query, by=None)
    settle()
    assert dropped(pool) == {("q0", "d3")}
    exclusions.exclude_item(item=other, by=None, reason="odd")
    settle()
    assert free(collection) == {("q0", "d1")}


def test_a_retired_run_drops_an_original_that_only_it_held_by_a_duplicate(collection):
    run_a = factories.run(collection, "A", {0: [1, 2]})
    run_b = factories.run(collection, "B", {0: [3, 5]})
    mark(collection, "d1", "d3")
    mark(collection, "d4", "d5")
    pool = factories.opened(collection, [run_a, run_b], depth=2)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4")}
    run_retirement.retire_run(run=run_b, by=cast.user())
    settle()
    assert dropped(pool) == {("q0", "d4")}
    run_retirement.restore_run(run=run_b, by=cast.user())
    run_retirement.retire_run(run=run_a, by=cast.user())
    settle()
    assert dropped(pool) == {("q0", "d2")}


def test_pairs_of_a_sample_stay_as_they_were_drawn(collection):
    run = factories.run(collection, "A", {0: list(range(9))})
    options = {"strategy": "stratified", "top": 1, "depth": 9, "share": 0.5}
    before = factories.opened(collection, [run], name="before", **options)
    drawn = factories.external_ids(before.pool_pairs)
    mark(collection, "d0", *(f"d{number}" for number in range(1, 9)))
    assert dropped(before) == set()
    after = factories.opened(collection, [run], name="after", **options)
    assert factories.external_ids(after.pool_pairs) == drawn


def test_marks_made_while_a_pool_is_opened_reach_it(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3]})
    pool = factories.opened(collection, [run], depth=3)
    mark(collection, "d1", "d2")
    RoundPair.objects.filter(round=pool.round).update(dropped_at=None)
    run_retirement.mark_pool_runs_due(pool=pool)
    settle()
    assert dropped(pool) == {("q0", "d2")}
