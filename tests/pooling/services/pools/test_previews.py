"""A pool's price before it is opened: what is new, each run's share, likeness, hours and money."""

import json
from decimal import Decimal
from uuid import uuid4

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Pair, Policy, QuerySet, QuerySetItem, Seat
from annotate.services.background import kept
from annotate.services.judging import claiming, reports
from annotate.services.review import adjudicating, exclusions
from pooling.models import Pool, Run
from pooling.services.pools import pools, preview_requests, previews
from pooling.services.pools.checks import PoolError
from pooling.services.pools.label_counts import LabelCounts
from tests import cast, works
from tests.pooling import factories
from tests.pooling.answering import answer_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def preview(collection, of, strategy="depth-k", **parameters):
    return previews.preview(
        collection=collection, strategy=strategy, parameters=parameters or {"depth": 2}, runs=of
    )


def next_policy(collection, **terms):
    Policy.objects.create(
        collection=collection, version=2, gold_positives=0, gold_negatives=0, **terms
    )


def n_added_by_opening(collection, runs):
    """Number of free seats that a pool of these runs adds."""
    free_seats = Seat.objects.filter(collection=collection, purpose="label", state="free")
    n_before = free_seats.count()
    factories.opened(collection, runs, name="second")
    return free_seats.count() - n_before


def test_more_results_than_memory_holds_are_refused_before_any_is_read(collection, two_runs):
    for run in two_runs:
        run.report |= {"n_queries": 30_000, "deepest": 1000}
    with pytest.raises(PoolError, match=r"hold 60,000,000 results, .* choose a smaller depth"):
        preview(collection, two_runs, depth=1000)
    assert preview(collection, two_runs, depth=10).n_pairs == 9


def test_the_preview_says_what_is_new_and_what_each_run_brings(collection, two_runs):
    price = preview(collection, two_runs)
    assert (price.n_pairs, price.n_new, price.n_waiting, price.n_judged) == (6, 6, 0, 0)
    assert [tuple(share)[1:6] for share in price.shares] == [("a", 4, 2, 4, 0), ("b", 4, 2, 4, 0)]
    assert (price.n_labels, price.seconds, price.is_measured) == (6, 9.0, False)
    assert price.hours == pytest.approx(6 * 9 / 3600)
    assert price.cost is None


def test_both_directions_share_their_pairs(collection, two_runs):
    back = factories.run(collection, "back", {1: [0, 1], 4: [1]}, "reverse")
    price = preview(collection, [*two_runs, back])
    assert (price.n_pairs, price.n_queries) == (7, 2)
    # d1 q0 and d4 q1 are found by others too; d1 q1 by it alone.
    assert {share.name: (share.n_pairs, share.n_unique) for share in price.shares} == {
        "a": (4, 1),
        "b": (4, 2),
        "back": (3, 1),
    }


def test_the_preview_of_more_depth_after_judging_counts_only_what_is_missing(collection, two_runs):
    factories.opened(collection, two_runs[:1])
    answer_batch(collection)
    factories.opened(collection, two_runs[:1], name="waits", depth=3)
    price = preview(collection, two_runs, depth=3)
    assert (price.n_pairs, price.n_judged, price.n_waiting, price.n_new) == (9, 4, 2, 3)
    assert (price.n_labels, price.seconds, price.is_measured) == (3, 4.0, True)


def test_the_preview_s_labels_are_the_seats_that_opening_makes(collection, two_runs):
    next_policy(collection, double_share="0.5", labels_per_pair=2)
    price = preview(collection, two_runs)
    pool = factories.opened(collection, two_runs)
    assert pool.round.seats.count() == price.n_labels == 15


def test_the_preview_counts_further_labels_of_pairs_that_an_open_pool_asks_about(
    collection, two_runs
):
    factories.opened(collection, two_runs[:1])
    next_policy(collection, labels_per_pair=2, double_share=0)
    price = preview(collection, two_runs)
    # one more of the four, two of the other two
    assert price.n_labels == n_added_by_opening(collection, two_runs) == 4 + 2 * 2
    assert (price.n_waiting, price.n_further, price.n_further_pairs) == (4, 4, 4)


def test_the_preview_asks_for_no_label_of_a_pair_that_is_with_a_lead(collection, two_runs):
    factories.opened(collection, two_runs[:1])
    annotator, lead = cast.annotator(collection), cast.user()
    claiming.current_batch(annotator=annotator)
    hand_out = claiming.open_hand_outs(annotator=annotator).first()
    reports.report_pair(
        annotator=annotator,
        token=hand_out.token,
        submission_id=uuid4(),
        kind="escalated",
        note="Two birds?",
    )
    pairs = Pair.objects.filter(collection=collection).exclude(pk=hand_out.seat.pair_id)
    first, second, _ = pairs
    exclusions.exclude_pair(pair=first, by=lead, reason="does not play")
    adjudicating.adjudicate(pair=second, by=lead, grade=1)
    next_policy(collection, labels_per_pair=2, double_share=0)
    price = preview(collection, two_runs)
    assert price.n_labels == n_added_by_opening(collection, two_runs) == 1 + 2 * 2


@pytest.mark.parametrize("is_judged", [False, True])
def test_the_preview_counts_what_a_policy_that_stops_early_asks_for_at_first(
    collection, two_runs, is_judged
):
    factories.opened(collection, two_runs)
    if is_judged:
        answer_batch(collection)
    next_policy(collection, labels_per_pair=5, ceiling=5, double_share=0, stop_early=True)
    price = preview(collection, two_runs)
    assert price.n_labels == n_added_by_opening(collection, two_runs) == 6


def test_seats_that_people_hold_of_a_closed_pool_are_not_counted_again(collection, two_runs):
    pool = factories.opened(collection, two_runs)
    claiming.current_batch(annotator=cast.annotator(collection))
    pools.close_pool(pool=pool)
    held = Seat.objects.filter(collection=collection, state="held").count()
    assert held and preview(collection, two_runs).n_labels == 6 - held
    assert n_added_by_opening(collection, two_runs) == 6 - held


def test_doubles_of_pairs_that_two_pools_share_are_counted_once(collection, two_runs):
    next_policy(collection, double_share="0.5")
    factories.opened(collection, two_runs)
    price = preview(collection, two_runs)
    assert (price.n_waiting, price.n_labels, price.n_further) == (6, 0, 0)


@pytest.mark.parametrize(
    ("n_stored", "n_new", "share", "n_expected"), [(0, 50, "0.01", 51), (5, 5, "0.1", 11)]
)
def test_as_many_doubles_are_counted_as_opening_makes(n_stored, n_new, share, n_expected):
    n = n_stored + n_new
    zeros = np.zeros(n, dtype=np.int64)
    pair = np.array([*range(1, n_stored + 1), *[0] * n_new], dtype=np.int64)
    policy = Policy(labels_per_pair=1, double_share=Decimal(share))
    counts = LabelCounts(pair, zeros, zeros, zeros, zeros.astype(bool))
    assert counts.n_missing(policy=policy, key=b"key").sum() == pytest.approx(n_expected)


def test_money_is_hours_at_the_rate(collection, two_runs):
    price = preview(collection, two_runs, depth=2, rate=12.5, currency="GBP")
    assert (price.cost, price.currency) == (pytest.approx(6 * 9 / 3600 * 12.5), "GBP")
    assert preview(collection, two_runs, depth=2, rate=3.0).currency == "EUR"


def test_the_preview_compares_every_two_runs_of_a_direction(collection, two_runs):
    factories.run(collection, "r", {0: [1]}, "reverse")
    likenesses = preview(collection, list(Run.objects.all()), depth=3).likenesses
    assert [
        (direction_likeness.direction, direction_likeness.names)
        for direction_likeness in likenesses
    ] == [("forward", ["a", "b"])]
    matrices = likenesses[0].likeness
    # q0: {1, 2, 3} and {2, 7, 1}; q1: {4, 5, 6} and {4, 8, 9}
    assert matrices.n_sources.tolist() == [[2, 2], [2, 2]]
    assert matrices.overlap[0, 1] == matrices.overlap[1, 0] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (matrices.tau[0, 1], matrices.favourite[0, 1], matrices.favourite[1, 0]) == (
        -1.0,
        (3 + 1) / 2,
        (2 + 1) / 2,
    )


def test_what_a_run_adds_is_its_new_pairs_and_what_is_judged_already(collection, two_runs):
    factories.opened(collection, two_runs[:1])
    answer_batch(collection)
    price = previews.added_by(run=two_runs[1], depth=2)
    assert (price.n_new, price.n_judged, price.n_labels) == (2, 2, 2)
    only_new = preview(collection, two_runs[1:], "adds", depth=2)
    assert (only_new.n_pairs, only_new.n_new) == (2, 2)
    pool = factories.opened(collection, two_runs[1:], name="more", strategy="adds", depth=2)
    assert factories.external_ids(pool.pool_pairs) == {("q0", "d7"), ("q1", "d8")}


def test_a_preview_writes_nothing_and_takes_a_constant_number_of_queries(
    collection, two_runs, django_assert_max_num_queries
):
    before = Pair.objects.count(), Pool.objects.count()
    with django_assert_max_num_queries(12):
        preview(collection, two_runs)
    assert (Pair.objects.count(), Pool.objects.count()) == before


def some(collection, name, *sources):
    query_set = QuerySet.objects.create(collection=collection, name=name, direction="forward")
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=query_set, item=collection.items.get(external_id=f"q{source}"))
        for source in sources
    )
    return query_set


def test_everything_of_a_query_set_needs_no_run_and_says_where_one_is_missing(collection, two_runs):
    pair = {"collection": collection, "strategy": "exhaustive", "parameters": {}}
    with pytest.raises(PoolError, match="needs a query set") as caught:
        previews.preview(**pair, runs=[])
    assert caught.value.field == "query_set"
    assert previews.preview(**pair, runs=[], query_set=some(collection, "one", 1)).n_pairs == 30
    with_runs = previews.preview(**pair, runs=two_runs, query_set=some(collection, "two", 0, 1))
    assert (with_runs.n_pairs, [share.n_pairs for share in with_runs.shares]) == (60, [6, 6])


def test_a_reference_set_that_is_trusted_is_left_out_but_for_its_share(collection, two_runs):
    factories.reference(collection, [(0, 1), (0, 2), (1, 4), (1, 5), (3, 3)])
    assert preview(collection, two_runs, depth=2, trusted="original").n_pairs == 2
    assert preview(collection, two_runs, depth=2, trusted="original", check_share=0.5).n_pairs == 4
    with pytest.raises(PoolError, match='no reference set "CxC"'):
        preview(collection, two_runs, depth=2, trusted="CxC")


def test_negatives_and_a_budget_come_on_top_of_any_strategy(collection, two_runs):
    assert preview(collection, two_runs, depth=2, budget=2).n_pairs == 4
    price = preview(collection, two_runs, depth=2, negatives=5)
    assert price.n_pairs == 6 + 2 * 5
    assert [share.n_pairs for share in price.shares] == [4, 4]  # outside every run's first 25


def test_a_question_is_counted_once_for_all_who_ask_and_answered_at_once_where_it_is_small(
    collection, two_runs, monkeypatch
):
    request = preview_requests.build_request(
        strategy="depth-k", parameters={"depth": 2}, runs=two_runs, query_set=None, seed=1
    )
    with works.value_requests() as inquiries:
        result = preview_requests.request_preview(collection=collection, preview_request=request)
        assert result.preview.n_pairs == 6 and inquiries == []
        other = request._replace(seed=2)
        monkeypatch.setattr(preview_requests, "SYNCHRONOUS_ROWS", 3)
        results = [
            preview_requests.request_preview(collection=collection, preview_request=other)
            for _ in range(2)
        ]
        assert [result.is_waiting for result in results] == [True, True]
        (inquiry,) = inquiries
        kept.compute(inquiry=inquiry)
        result = preview_requests.request_preview(collection=collection, preview_request=other)
        assert result.preview.n_pairs == 6 and len(inquiries) == 1
    assert preview_requests.find_result(collection=collection, key=result.key).preview.n_pairs == 6
    assert preview_requests.find_result(collection=factories.collection(), key=result.key) is None
    kept.values_of(inquiry=inquiry).update(fresh_until=timezone.now())
    assert preview_requests.find_result(collection=collection, key=result.key) is None


def test_a_kept_preview_is_the_computed_one(collection, two_runs):
    far_run = factories.run(collection, "far", {2: [3]})  # shares no source with the others
    computed = preview(collection, [*two_runs, far_run], depth=2)
    stored = previews.PoolPreview.from_json(
        json.loads(json.dumps(computed.as_json(), allow_nan=False))
    )
    assert stored._replace(likenesses=[]) == computed._replace(likenesses=[])
    (kept_likeness,), (likeness,) = stored.likenesses, computed.likenesses
    assert kept_likeness.names == likeness.names
    assert any(np.isnan(matrix).any() for matrix in likeness.likeness)
    for kept_matrix, matrix in zip(kept_likeness.likeness, likeness.likeness, strict=True):
        assert kept_matrix.dtype == matrix.dtype
        np.testing.assert_array_equal(kept_matrix, matrix)


def test_a_question_with_a_fault_is_answered_with_its_field(collection, two_runs):
    request = preview_requests.build_request(
        strategy="depth-k", parameters={"depth": 0}, runs=two_runs, query_set=None, seed=1
    )
    result = preview_requests.request_preview(collection=collection, preview_request=request)
    assert (result.field, result.preview) == ("depth", None)
    assert "whole number" in result.error


def test_one_run_is_compared_with_nobody(collection, two_runs):
    assert preview(collection, two_runs[:1]).likenesses == []
    assert np.isfinite(preview(collection, two_runs[:1]).hours)
