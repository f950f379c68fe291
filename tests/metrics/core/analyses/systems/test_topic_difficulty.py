"""Difficulty of topics, recounted run by run and pair by pair with exact fractions."""

import statistics
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.systems.topic_difficulty import blocks, topic_difficulty
from tests.sizes import cases


@st.composite
def tables(draw) -> list[list[int]]:
    n_runs = draw(st.integers(2, 6))
    row = st.lists(st.integers(0, 8), min_size=n_runs, max_size=n_runs)
    return draw(st.lists(row, min_size=2, max_size=7))


@cases(300)
@given(tables(), st.booleans(), st.data())
def test_each_topic_as_counted_pair_by_pair(table, smaller_is_better, data):
    n = len(table)
    weight = data.draw(st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n))
    # quarters are exact in binary
    values = np.array(table) / 4
    ours = topic_difficulty(
        values,
        smaller_is_better=smaller_is_better,
        weight=None if weight is None else np.array(weight, dtype=np.float64),
    )
    rows = [[Fraction(value, 4) for value in row] for row in table]
    totals = []
    for t, row in enumerate(rows):
        distances = [abs(x - y) for x, y in combinations(row, 2)]
        totals.append(sum(distances) * (weight[t] if weight else 1))
        assert ours.mean[t] == pytest.approx(float(statistics.mean(row)))
        assert ours.spread[t] == pytest.approx(statistics.stdev(map(float, row)), abs=1e-12)
        assert ours.distance[t] == pytest.approx(float(statistics.mean(distances)))
        best = min(row) if smaller_is_better else max(row)
        assert (ours.best_run[t], ours.n_best[t]) == (row.index(best), row.count(best))
    if sum(totals):
        assert ours.share.tolist() == pytest.approx([float(x / sum(totals)) for x in totals])
    else:
        assert ours.share is None
    hardness = [sum(row) * (-1 if smaller_is_better else 1) for row in rows]
    assert ours.hardest_first.tolist() == sorted(range(n), key=lambda t: (hardness[t], t))


def test_equal_means_keep_the_order_of_the_topics_though_they_add_up_otherwise():
    values = np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3], [0.0, 0.0, 0.1]])
    ours = topic_difficulty(values, smaller_is_better=False)
    assert ours.hardest_first.tolist() == [2, 0, 1]


@cases(200)
@given(st.integers(1, 5000), st.integers(1, 60))
def test_blocks_hold_each_number_once_and_differ_by_one_at_most(n, most):
    parts = blocks(n, most=most)
    assert [i for first, last in parts for i in range(first, last + 1)] == list(range(n))
    sizes = {last - first + 1 for first, last in parts}
    assert len(parts) == min(n, most) and max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**-47, 2.0**40])
@pytest.mark.parametrize("smaller_is_better", [False, True])
def test_scores_of_any_size_have_the_same_hardest_topics(scale, smaller_is_better):
    values = np.random.default_rng(3).random((9, 4))
    orders = [
        topic_difficulty(table, smaller_is_better=smaller_is_better).hardest_first.tolist()
        for table in (values, scale * values)
    ]
    means = values.mean(axis=1)
    assert orders[0] == orders[1]
    assert orders[0] == np.argsort(-means if smaller_is_better else means).tolist()


def test_topics_with_the_same_large_scores_are_equally_hard():
    scores = [1234.5678, 2345.6789, 3456.7891, 9999.9999]
    rows = np.array([[scores[run] for run in order] for order in permutations(range(4))])
    ours = topic_difficulty(rows, smaller_is_better=False)
    assert ours.hardest_first.tolist() == list(range(24))
