"""Topics left out: recounted with exact fractions, the smallest set by trying all sets."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.systems.deciding_topics import deciding_topics
from tests.sizes import cases


@st.composite
def tables(draw) -> tuple[list[list[int]], list[int]]:
    """Scores in tenths, which are not exact in binary, and weights; the best two runs first."""
    n_runs = draw(st.integers(2, 5))
    row = st.lists(st.integers(0, 10), min_size=n_runs, max_size=n_runs)
    rows = draw(st.lists(row, min_size=2, max_size=8))
    weight = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    totals = [sum(row[s] * w for row, w in zip(rows, weight, strict=True)) for s in range(n_runs)]
    order = sorted(range(n_runs), key=lambda s: -totals[s])
    return [[row[s] for s in order] for row in rows], weight


def sign(x: Fraction | int) -> int:
    return (x > 0) - (x < 0)


def total(rows: list[list[int]], weight: list[int], s: int, without: set[int]) -> int:
    return sum(row[s] * weight[t] for t, row in enumerate(rows) if t not in without)


def smallest_turning_set(rows: list[list[int]], weight: list[int]) -> int | None:
    n = len(rows)
    for size in range(1, n):
        for without in map(set, combinations(range(n), size)):
            if total(rows, weight, 0, without) < total(rows, weight, 1, without):
                return size
    return None


@cases(300)
@given(tables())
def test_leads_and_orders_without_each_topic_and_the_smallest_set_that_turns(case):
    rows, weight = case
    n, n_runs = len(rows), len(rows[0])
    ours = deciding_topics(
        np.array(rows) / 10, first=0, second=1, weight=np.array(weight, dtype=np.float64)
    )
    lead = Fraction(total(rows, weight, 0, set()) - total(rows, weight, 1, set()), sum(weight))
    assert ours.lead == pytest.approx(float(lead / 10), abs=1e-12)
    changes = []
    for t in range(n):
        rest = sum(weight) - weight[t]
        left = Fraction(total(rows, weight, 0, {t}) - total(rows, weight, 1, {t}), rest)
        assert ours.lead_without[t] == pytest.approx(float(left / 10), abs=1e-12)
        changes.append(abs(left - lead))
        assert ours.n_turned[t] == sum(
            sign(total(rows, weight, a, set()) - total(rows, weight, b, set()))
            * sign(total(rows, weight, a, {t}) - total(rows, weight, b, {t}))
            < 0
            for a, b in combinations(range(n_runs), 2)
        )
    influence = [changes[t] for t in ours.by_influence]
    assert influence == sorted(influence, reverse=True)
    expected = smallest_turning_set(rows, weight) if lead else None
    assert ours.n_to_turn == expected
    if expected:
        without = set(ours.for_leader[:expected].tolist())
        assert total(rows, weight, 0, without) < total(rows, weight, 1, without)


def test_the_leads_left_are_means_of_what_is_left():
    scores = np.array([[0.9, 0.1], [0.2, 0.4], [0.5, 0.5], [0.6, 0.3]])
    ours = deciding_topics(scores, first=0, second=1)
    assert ours.for_leader.tolist() == [0, 3, 2, 1]
    assert ours.leads_left.tolist() == pytest.approx([0.9 / 4, 0.1 / 3, -0.1, -0.2])
    assert ours.n_to_turn == 2


def test_a_level_order_is_not_turned_by_rounding():
    # in decimals both have .6 in all, in binary one of them has a little more
    scores = np.array([[0.1, 0.3], [0.2, 0.3], [0.3, 0.0]])
    ours = deciding_topics(scores, first=0, second=1)
    assert ours.lead == 0 and ours.n_to_turn is None
    assert ours.n_turned.tolist() == [0, 0, 0]


def test_blocks_of_topics_give_the_same_as_one_topic_at_a_time():
    rng = np.random.default_rng(5)
    scores = rng.random((300, 120))
    ours = deciding_topics(scores, first=0, second=1)
    means = np.round(scores.sum(axis=0), 9)
    for t in (0, 146, 147, 299):
        rest = np.round(scores.sum(axis=0) - scores[t], 9)
        turned = np.sign(np.subtract.outer(means, means)) * np.sign(np.subtract.outer(rest, rest))
        assert ours.n_turned[t] == np.count_nonzero(turned < 0) // 2


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**-47, 2.0**40])
def test_scores_of_any_size_have_the_same_deciding_topics(scale):
    scores = np.random.default_rng(6).random((30, 4)) + np.array([0.1, 0, 0, 0])
    ours, scaled = (deciding_topics(s, first=0, second=1) for s in (scores, scale * scores))
    assert scaled.lead == scale * ours.lead
    assert scaled.n_to_turn == ours.n_to_turn
    assert scaled.by_influence.tolist() == ours.by_influence.tolist()
    assert scaled.n_turned.tolist() == ours.n_turned.tolist()


def test_what_all_scores_have_in_common_decides_nothing():
    """At a billion the same scores on other topics leave a trace of rounding in the sums."""
    rng = np.random.default_rng(7)
    scores = 1e9 + np.round(rng.random(40), 3)
    both = np.column_stack([scores, rng.permutation(scores)])
    ours = deciding_topics(both, first=0, second=1)
    assert ours.lead == 0 and ours.n_to_turn is None
    assert not ours.n_turned.any()


def test_topics_that_change_the_lead_alike_keep_their_order():
    scores = np.array([[0.3, 0.1], [0.4, 0.6], [0.9, 0.7], [0.2, 0.4], [0.5, 0.5]]) * 1e4
    ours = deciding_topics(scores, first=0, second=1)
    assert ours.by_influence.tolist() == [0, 1, 2, 3, 4]
