"""Kendall's tau-b with an interval: SciPy's value, and an error from every sample of few groups."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from metrics.core.statistics.rank_correlations import kendall_with_interval
from tests.sizes import cases

KEYS = np.repeat(np.arange(5), [40, 38, 41, 39, 42])
NUMBERS = np.random.default_rng(3).normal(0, 1, (2, 200))
X, Y = np.round(3 * NUMBERS[0]), np.round(3 * NUMBERS[1] + NUMBERS[0] * KEYS, 1)


@cases(200)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40))
def test_the_value_is_scipys(pairs):
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    ours = kendall_with_interval(x, y, groups=Groups.single(len(pairs)))
    expected = stats.kendalltau(x, y).statistic
    assert ours.n == len(pairs)
    if np.isnan(expected):
        assert (ours.value, ours.interval) == (None, NO_INTERVAL)
        return
    assert ours.value == pytest.approx(expected, abs=1e-12)
    low, high = ours.interval
    if low is not None and high is not None:
        assert -1 <= low <= ours.value <= high <= 1


def test_the_error_is_that_over_all_samples_of_five_groups():
    """Of 5 groups there are 3,125 samples; 400 of them have an error within a tenth of theirs."""
    by_group = [np.flatnonzero(group == KEYS) for group in range(5)]
    taus = []
    for groups in product(range(5), repeat=5):
        sample = np.concatenate([by_group[group] for group in groups])
        taus.append(stats.kendalltau(X[sample], Y[sample]).statistic)
    ours = kendall_with_interval(X, Y, groups=Groups.of(KEYS))
    low, high = np.arctanh(ours.interval)
    error = (high - low) / 2 / stats.t.ppf(0.975, 4)
    assert error == pytest.approx(np.std(np.arctanh(taus)), rel=0.1)
    assert (low + high) / 2 == pytest.approx(np.arctanh(ours.value), abs=1e-9)


def test_the_order_of_the_queries_changes_nothing():
    ours = kendall_with_interval(X, Y, groups=Groups.of(KEYS))
    for seed in range(3):
        mixed = np.random.default_rng(seed).permutation(len(X))
        assert kendall_with_interval(X[mixed], Y[mixed], groups=Groups.of(KEYS[mixed])) == ours


def test_there_is_no_interval_for_fewer_than_four_groups():
    ours = kendall_with_interval(X, Y, groups=Groups.of(np.arange(200) % 3))
    assert ours.value is not None and ours.interval == NO_INTERVAL
