"""A pool's price before it is opened: what is new, what each run brings, how alike runs are, hours and money."""

import numpy as np
import pytest

from annotate.models import Pair, Policy, QuerySet, QuerySetItem
from pooling.models import Pool, Run
from pooling.services import asking, previews
from pooling.services.choosing import PoolError
from tests.pooling import making
from tests.pooling.answering import answer_batch

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def made():
    return making.collection()


@pytest.fixture
def two_runs(made):
    return [
        making.run(made, "a", {0: [1, 2, 3], 1: [4, 5, 6]}),
        making.run(made, "b", {0: [2, 7, 1], 1: [4, 8, 9]}),
    ]


def preview(made, of, strategy="depth-k", **parameters):
    return previews.preview(collection=made, strategy=strategy, parameters=parameters or {"depth": 2}, runs=of)


def test_more_results_than_memory_holds_are_refused_before_any_is_read(made, two_runs):
    for run in two_runs:
        run.report |= {"n_queries": 30_000, "deepest": 1000}
    with pytest.raises(PoolError, match=r"hold 60,000,000 results, .* choose a smaller depth"):
        preview(made, two_runs, depth=1000)
    assert preview(made, two_runs, depth=10).n_pairs == 9


def test_the_preview_says_what_is_new_and_what_each_run_brings(made, two_runs):
    seen = preview(made, two_runs)
    assert (seen.n_pairs, seen.n_new, seen.n_waiting, seen.n_judged) == (6, 6, 0, 0)
    assert [tuple(share)[1:] for share in seen.shares] == [("a", 4, 2, 4), ("b", 4, 2, 4)]
    assert (seen.n_labels, seen.seconds, seen.is_measured) == (6, 9.0, False)
    assert seen.hours == pytest.approx(6 * 9 / 3600)
    assert seen.cost is None


def test_both_directions_share_their_pairs(made, two_runs):
    back = making.run(made, "back", {1: [0, 1], 4: [1]}, "reverse")
    seen = preview(made, [*two_runs, back])
    assert (seen.n_pairs, seen.n_queries) == (7, 2)
    # d1 q0 and d4 q1 are found by others too; d1 q1 by it alone.
    assert {share.name: (share.n_pairs, share.n_unique) for share in seen.shares} == {
        "a": (4, 1), "b": (4, 2), "back": (3, 1)
    }  # fmt: skip


def test_the_preview_of_more_depth_after_judging_counts_only_what_is_missing(made, two_runs):
    making.opened(made, two_runs[:1])
    answer_batch(made)
    making.opened(made, two_runs[:1], name="waits", depth=3)
    seen = preview(made, two_runs, depth=3)
    assert (seen.n_pairs, seen.n_judged, seen.n_waiting, seen.n_new) == (9, 4, 2, 3)
    assert (seen.n_labels, seen.seconds, seen.is_measured) == (3, 4.0, True)


def test_the_preview_s_labels_are_the_seats_that_opening_makes(made, two_runs):
    Policy.objects.create(collection=made, version=2, double_share="0.5", labels_per_pair=2, gold_positives=0,
                          gold_negatives=0)  # fmt: skip
    seen = preview(made, two_runs)
    pool = making.opened(made, two_runs)
    assert pool.round.seats.count() == seen.n_labels == 15


def test_money_is_hours_at_the_rate(made, two_runs):
    seen = preview(made, two_runs, depth=2, rate=12.5, currency="GBP")
    assert (seen.cost, seen.currency) == (pytest.approx(6 * 9 / 3600 * 12.5), "GBP")
    assert preview(made, two_runs, depth=2, rate=3.0).currency == "EUR"


def test_the_preview_compares_every_two_runs_of_a_direction(made, two_runs):
    making.run(made, "r", {0: [1]}, "reverse")
    alike = preview(made, list(Run.objects.all()), depth=3).alike
    assert [(each.direction, each.names) for each in alike] == [("forward", ["a", "b"])]
    found = alike[0].likeness
    # q0: {1, 2, 3} and {2, 7, 1}; q1: {4, 5, 6} and {4, 8, 9}
    assert found.n_sources.tolist() == [[2, 2], [2, 2]]
    assert found.overlap[0, 1] == found.overlap[1, 0] == pytest.approx((0.2 + 0.1) / 2)
    assert (found.tau[0, 1], found.favourite[0, 1], found.favourite[1, 0]) == (-1.0, (3 + 1) / 2, (2 + 1) / 2)


def test_what_a_run_adds_is_its_new_pairs_and_what_is_judged_already(made, two_runs):
    making.opened(made, two_runs[:1])
    answer_batch(made)
    seen = previews.adds(run=two_runs[1], depth=2)
    assert (seen.n_new, seen.n_judged, seen.n_labels) == (2, 2, 2)
    only_new = preview(made, two_runs[1:], "adds", depth=2)
    assert (only_new.n_pairs, only_new.n_new) == (2, 2)
    pool = making.opened(made, two_runs[1:], name="more", strategy="adds", depth=2)
    assert making.named(pool.pool_pairs) == {("q0", "d7"), ("q1", "d8")}


def test_a_preview_writes_nothing_and_takes_a_constant_number_of_queries(made, two_runs, django_assert_max_num_queries):
    before = Pair.objects.count(), Pool.objects.count()
    with django_assert_max_num_queries(12):
        preview(made, two_runs)
    assert (Pair.objects.count(), Pool.objects.count()) == before


def some(made, name, *sources):
    named = QuerySet.objects.create(collection=made, name=name, direction="forward")
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=named, item=made.items.get(external_id=f"q{source}")) for source in sources
    )
    return named


def test_everything_of_a_query_set_needs_no_run_and_says_where_one_is_missing(made, two_runs):
    pair = {"collection": made, "strategy": "exhaustive", "parameters": {}}
    with pytest.raises(PoolError, match="needs a query set") as caught:
        previews.preview(**pair, runs=[])
    assert caught.value.field == "query_set"
    assert previews.preview(**pair, runs=[], query_set=some(made, "one", 1)).n_pairs == 30
    with_runs = previews.preview(**pair, runs=two_runs, query_set=some(made, "two", 0, 1))
    assert (with_runs.n_pairs, [share.n_pairs for share in with_runs.shares]) == (60, [6, 6])


def test_a_reference_set_that_is_trusted_is_left_out_but_for_its_share(made, two_runs):
    making.reference(made, [(0, 1), (0, 2), (1, 4), (1, 5), (3, 3)])
    assert preview(made, two_runs, depth=2, trusted="original").n_pairs == 2
    assert preview(made, two_runs, depth=2, trusted="original", check_share=0.5).n_pairs == 4
    with pytest.raises(PoolError, match='no reference set "CxC"'):
        preview(made, two_runs, depth=2, trusted="CxC")


def test_negatives_and_a_budget_come_on_top_of_any_strategy(made, two_runs):
    assert preview(made, two_runs, depth=2, budget=2).n_pairs == 4
    seen = preview(made, two_runs, depth=2, negatives=5)
    assert seen.n_pairs == 6 + 2 * 5
    assert [share.n_pairs for share in seen.shares] == [4, 4]  # outside every run's first 25


def test_a_question_is_counted_once_for_all_who_ask_and_answered_at_once_where_it_is_small(made, two_runs, monkeypatch):
    of = asking.question(strategy="depth-k", parameters={"depth": 2}, runs=two_runs, query_set=None, seed=1)
    found, send = asking.ask(collection=made, of=of)
    assert (found.preview.n_pairs, send) == (6, False)
    other = of._replace(seed=2)
    monkeypatch.setattr(asking, "AT_ONCE", 3)
    waiting = [asking.ask(collection=made, of=other) for _ in range(2)]
    assert [(answer.is_waiting, send) for answer, send in waiting] == [(True, True), (True, False)]
    asking.answer(collection=made, of=asking.Question(**other._asdict()))
    found, send = asking.ask(collection=made, of=other)
    assert (found.preview.n_pairs, send) == (6, False)
    assert asking.find(collection=making.collection(), key=found.key) is None


def test_a_question_with_a_fault_is_answered_with_its_field(made, two_runs):
    of = asking.question(strategy="depth-k", parameters={"depth": 0}, runs=two_runs, query_set=None, seed=1)
    found, send = asking.ask(collection=made, of=of)
    assert (found.field, found.preview, send) == ("depth", None, False)
    assert "whole number" in found.error


def test_one_run_is_compared_with_nobody(made, two_runs):
    assert preview(made, two_runs[:1]).alike == []
    assert np.isfinite(preview(made, two_runs[:1]).hours)
