"""Pace: Garwood's interval through scipy's chi-square, and how often it covers the rate."""

import numpy as np
import pytest
from scipy.stats import chi2

from metrics.core.statistics.pace import mean_of, pace


def test_even_days_have_the_exact_interval_of_a_poisson_rate():
    rate = pace([100, 104, 96])
    assert rate.value == 100 and rate.n_days == 3
    assert rate.low == pytest.approx(chi2.ppf(0.025, 2 * 300) / 2 / 3)
    assert rate.high == pytest.approx(chi2.ppf(0.975, 2 * 301) / 2 / 3)


def test_uneven_days_widen_the_range():
    even, uneven = pace([100, 100, 100, 100]), pace([10, 190, 20, 180])
    assert uneven.value == even.value
    assert uneven.high - uneven.low > 5 * (even.high - even.low)


def test_the_range_holds_the_rate_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    ranges = [pace(rng.negative_binomial(5, 5 / 205, 14).tolist()) for _ in range(400)]
    assert 0.86 < np.mean([rate.low <= 200 <= rate.high for rate in ranges]) < 0.99


def test_fewer_than_three_days_make_no_pace_and_only_the_newest_fourteen_count():
    assert pace([5, 7]) is None and pace([]) is None
    assert pace([9000, *[10] * 14]).value == 10


def test_a_mean_of_one_has_no_interval_and_of_none_is_nothing():
    assert mean_of(np.array([])) is None
    assert mean_of(np.array([3.0])) == (3.0, None, None, 1)
    mean = mean_of(np.array([1.0, 3.0]))
    assert (mean.value, mean.low, mean.high) == pytest.approx((2, 0.04, 3.96), abs=1e-3)
