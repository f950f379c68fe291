"""Intervals: against the formulas' other implementations, and the promises that make them repeatable."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.intervals import Interval, mean_intervals, wilson


@pytest.mark.parametrize(("right", "n"), [(0, 5), (3, 7), (18, 20), (20, 20), (995, 1000)])
def test_wilsons_interval_equals_statsmodels(right, n):
    assert wilson(right, n) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


def test_a_share_of_nothing_has_no_interval():
    assert wilson(0, 0) == Interval(None, None)


def test_the_bootstrap_interval_is_near_scipys():
    values = np.random.default_rng(1).beta(2, 5, size=400)
    ours = mean_intervals(values[None, :], n_replicates=5000)[0]
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_the_bootstrap_interval_of_many_queries_is_the_normal_one():
    scores = np.random.default_rng(0).beta(2, 2, 3000)
    half = 1.96 * scores.std() / np.sqrt(3000)
    (found,) = mean_intervals(scores[None, :], n_replicates=5000)
    assert found == pytest.approx((scores.mean() - half, scores.mean() + half), abs=8e-4)


def test_an_interval_does_not_depend_on_what_it_is_computed_together_with():
    values = np.random.default_rng(3).random((21, 333))
    together = mean_intervals(values)
    alone = [mean_intervals(row[None, :])[0] for row in values]
    assert together == alone


def test_the_same_values_have_the_same_interval_in_whatever_order():
    values = np.random.default_rng(3).random((1, 50))
    mixed = np.random.default_rng(4).permutation(values, axis=1)
    assert mean_intervals(values) == mean_intervals(mixed)
    assert mean_intervals(values, n_replicates=999) != mean_intervals(values)


def test_equal_values_have_an_interval_without_width():
    assert mean_intervals(np.full((1, 10), 0.25)) == [Interval(0.25, 0.25)]


def test_without_queries_there_is_no_interval():
    assert mean_intervals(np.zeros((2, 0))) == [Interval(None, None)] * 2
