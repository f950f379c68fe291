"""Pools ask about originals in the place of their duplicates, and open ones stop asking twice."""

import pytest

from annotate.models import Item, Pair, QuerySet, QuerySetItem, RoundPair, Seat
from annotate.services.judging import claiming
from annotate.services.review import exclusions
from annotate.services.review.duplicate_marks import (
    DuplicateGroup,
    mark_duplicates,
    unmark_duplicates,
)
from pooling.models import Pool, Run
from pooling.services.pools import opening, pools, previews, queue_order, run_retirement
from tests import cast
from tests.pooling import factories
from tests.pooling.answering import answer_batch, answer_pair

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
    for pool in Pool.objects.filter(pk__in=run_retirement.pools_due()):
        run_retirement.settle_repeats(pool=pool)
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


def test_a_new_pool_holds_repeats_and_asks_about_originals_with_the_better_rank(collection):
    run_a = factories.run(collection, "A", {0: [3, 2, 1], 1: [4]})
    run_b = factories.run(collection, "B", {0: [2, 1], 2: [1, 5]})
    mark(collection, "d1", "d3")
    mark(collection, "q1", "q2")
    pool = factories.opened(collection, [run_a, run_b], depth=3)
    rows = pool.pool_pairs.values_list(
        "pair__query__external_id", "pair__document__external_id", "best_rank"
    )
    repeats = [("q0", "d3", 1), ("q2", "d1", 1), ("q2", "d5", 2)]
    wanted_rows = [
        ("q0", "d1", 1),
        ("q0", "d2", 1),
        ("q1", "d1", 1),
        ("q1", "d4", 1),
        ("q1", "d5", 2),
    ]
    assert sorted(rows) == sorted([*wanted_rows, *repeats])
    assert dropped(pool) == {(query, document) for query, document, _ in repeats}
    assert free(collection) == {(query, document) for query, document, _ in wanted_rows}
    assert list(run_retirement.differences_of_marks()) == []


def test_a_mark_taken_back_and_an_excluded_original_bring_repeats_back(collection):
    run_a = factories.run(collection, "A", {0: [2]})
    run_b = factories.run(collection, "B", {0: [3]})
    mark(collection, "d1", "d3")
    pool = factories.opened(collection, [run_a, run_b], depth=1)
    assert free(collection) == {("q0", "d1"), ("q0", "d2")}
    exclusions.exclude_item(item=items(collection, "d1")[0], by=None, reason="broken")
    settle()
    assert free(collection) == {("q0", "d2"), ("q0", "d3")}
    exclusions.restore_item(item=items(collection, "d1")[0], by=None)
    settle()
    assert free(collection) == {("q0", "d1"), ("q0", "d2")}
    unmark(collection, "d3")
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d3")}
    assert dropped(pool) == set()


def test_a_preview_counts_what_opening_makes(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3], 1: [4]})
    mark(collection, "d1", "d3")
    preview = previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 3}, runs=[run]
    )
    pool = factories.opened(collection, [run], depth=3)
    assert (preview.n_pairs, preview.n_labels) == (3, 3)
    assert (pool.pool_pairs.count(), len(free(collection))) == (4, 3)


def test_random_negatives_are_no_duplicates_of_one_another_or_of_what_runs_hold(collection):
    run = factories.run(collection, "A", {0: [0]})
    mark(collection, "d0", *(f"d{number}" for number in range(1, 8)))
    mark(collection, "d8", *(f"d{number}" for number in range(9, 30)))
    parameters = {"depth": 1, "negatives": 1, "outside": 1}
    pool = factories.opened(collection, [run], **parameters)
    assert free(collection) == {("q0", "d0"), ("q0", "d8")}
    assert dropped(pool) == set()


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


def test_a_label_that_comes_late_to_a_dropped_repeat_counts_and_changes_no_mark(collection):
    run = factories.run(collection, "A", {0: [1, 2]})
    pool = factories.opened(collection, [run], depth=2)
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    mark(collection, "d1", "d2")
    assert dropped(pool) == {("q0", "d2")}
    answer_batch(collection, annotator=annotator, grade=1)
    settle()
    pair = Pair.objects.get(query__external_id="q0", document__external_id="d2")
    assert pair.resolution.grade == 1
    assert dropped(pool) == {("q0", "d2")}


def test_a_closed_pool_stays_as_it_is_until_it_is_opened_again(collection):
    run = factories.run(collection, "A", {0: [1, 2]})
    pool = factories.opened(collection, [run], depth=2)
    pools.close_pool(pool=pool)
    mark(collection, "d1", "d2")
    assert dropped(pool) == set()
    pools.reopen_pool(pool=pool)
    assert list(run_retirement.differences_of_marks()) == []
    assert dropped(pool) == {("q0", "d2")}
    pools.close_pool(pool=pool)
    settle()
    assert dropped(pool) == {("q0", "d2")}


def test_a_pool_without_runs_asks_about_originals_alone(collection):
    some = QuerySet.objects.create(collection=collection, name="one", direction="forward")
    QuerySetItem.objects.create(query_set=some, item=items(collection, "q0")[0])
    mark(collection, "d0", *(f"d{number}" for number in range(1, 29)))
    draft = pools.create_pool(
        collection=collection,
        name="everything",
        strategy="exhaustive",
        parameters={},
        runs=[],
        query_set=some,
        seed=1,
    )
    pools.open_pool(pool=draft)
    assert free(collection) == {("q0", "d0"), ("q0", "d29")}
    mark(collection, "d0", "d29")
    assert free(collection) == {("q0", "d0")}


def test_a_budget_is_spent_on_pairs_that_are_asked_about(collection):
    run = factories.run(collection, "A", {0: [2, 1, 3]})
    mark(collection, "d1", "d2")
    pool = factories.opened(collection, [run], depth=3, budget=1)
    assert free(collection) == {("q0", "d1")}
    assert dropped(pool) == {("q0", "d2")}


def test_a_live_pool_asks_first_about_the_original_of_a_run_s_first_result(collection):
    run_a = factories.run(collection, "A", {0: [2, 4, 5]})
    run_b = factories.run(collection, "B", {0: [1, 6, 7]})
    mark(collection, "d1", "d2")
    pool = factories.opened(collection, [run_a, run_b], strategy="move-to-front", depth=3, ahead=1)
    queue_order.reorder(pool=pool)
    front = Seat.objects.filter(round=pool.round, state="free", queue_key__lt=0)
    assert factories.external_ids(front) == {("q0", "d1")}


def test_shares_of_runs_in_a_preview_are_of_pairs_that_are_asked_about(collection):
    run_a = factories.run(collection, "A", {0: [2]})
    run_b = factories.run(collection, "B", {0: [1, 3]})
    mark(collection, "d1", "d2")
    preview = previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 2}, runs=[run_a, run_b]
    )
    assert [(share.n_pairs, share.n_unique) for share in preview.shares] == [(1, 0), (2, 1)]


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


def test_a_repeat_is_asked_about_while_the_pair_of_originals_is_excluded(collection):
    run = factories.run(collection, "A", {0: [1, 2, 3]})
    pool = factories.opened(collection, [run], depth=3)
    mark(collection, "d1", "d3")
    pair = Pair.objects.get(query__external_id="q0", document__external_id="d1")
    exclusions.exclude_pair(pair=pair, by=None, reason="odd")
    settle()
    assert dropped(pool) == {("q0", "d1")}
    assert free(collection) == {("q0", "d2"), ("q0", "d3")}
    exclusions.restore_pair(pair=pair, by=None)
    settle()
    assert dropped(pool) == {("q0", "d3")}


def test_a_retired_run_drops_an_original_that_only_it_held_by_a_duplicate(collection):
    run_a = factories.run(collection, "A", {0: [1, 2]})
    run_b = factories.run(collection, "B", {0: [3, 5]})
    mark(collection, "d1", "d3")
    mark(collection, "d4", "d5")
    pool = factories.opened(collection, [run_a, run_b], depth=2)
    assert free(collection) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4")}
    run_retirement.retire_run(run=run_b, by=cast.user())
    settle()
    assert free(collection) == {("q0", "d1"), ("q0", "d2")}
    assert dropped(pool) == {("q0", "d3"), ("q0", "d4"), ("q0", "d5")}
    run_retirement.restore_run(run=run_b, by=cast.user())
    run_retirement.retire_run(run=run_a, by=cast.user())
    settle()
    assert free(collection) == {("q0", "d1"), ("q0", "d4")}
    assert dropped(pool) == {("q0", "d2"), ("q0", "d3"), ("q0", "d5")}


def test_pairs_of_a_sample_stay_as_they_were_drawn(collection):
    run = factories.run(collection, "A", {0: list(range(9))})
    options = {"strategy": "stratified", "top": 1, "depth": 9, "share": 0.5}
    before = factories.opened(collection, [run], name="before", **options)
    drawn = factories.external_ids(before.pool_pairs)
    mark(collection, "d0", *(f"d{number}" for number in range(1, 9)))
    assert dropped(before) == set()
    after = factories.opened(collection, [run], name="after", **options)
    assert factories.external_ids(after.pool_pairs) == drawn


def test_marks_made_while_a_pool_is_opened_reach_it(collection, monkeypatch):
    run = factories.run(collection, "A", {0: [1, 2, 3]})
    draft = factories.draft(collection, [run], depth=3)
    make_contents = opening.make_contents

    def make_contents_and_mark(**arguments):
        contents = make_contents(**arguments)
        group = DuplicateGroup(*items(collection, "d1"), items(collection, "d2"))
        mark_duplicates(collection=collection, groups=[group], by=None)
        return contents

    monkeypatch.setattr(opening, "make_contents", make_contents_and_mark)
    pools.open_pool(pool=draft)
    settle()
    assert dropped(draft) == {("q0", "d2")}
