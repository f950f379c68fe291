"""Pace: Garwood's interval through scipy's chi-square, and how often it covers the rate."""

import numpy as np
import pytest
from scipy.stats import chi2

from metrics.core.statistics.finish import DaysLeft, days_left, recent_days
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


def test_days_without_labels_count_and_the_day_under_way_does_not():
    counts = [(10, 5), (12, 7), (13, 9), (15, 100)]
    assert recent_days(counts, today=15) == [5, 0, 7, 9, 0]


def test_only_the_last_fourteen_days_count():
    counts = [(day, day) for day in range(1, 31)]
    assert recent_days(counts, today=31) == list(range(17, 31))


@pytest.mark.parametrize("counts", [[], [(1, 5)], [(1, 5), (2, 5)], [(1, 5), (2, 5), (3, 5)]])
def test_fewer_than_three_whole_days_of_work_define_nothing(counts):
    assert recent_days(counts, today=3) is None


def test_days_that_are_alike_leave_no_doubt():
    assert days_left([100] * 5, n_left=250) == DaysLeft(3, 3)
    assert days_left([100] * 5, n_left=300) == DaysLeft(3, 3)
    assert days_left([100] * 5, n_left=301) == DaysLeft(4, 4)


def test_a_pace_of_zero_is_never_and_a_slow_one_is_beyond_a_year():
    assert days_left([0] * 14, n_left=1) is None
    assert days_left([1] * 14, n_left=1_000) == DaysLeft(None, None)
    rare = days_left([1] + [0] * 13, n_left=10)
    assert rare.low is not None and rare.high is None


def test_the_range_holds_the_true_day_about_as_often_as_it_says():
    rng = np.random.default_rng(8)
    n_held = 0
    for _ in range(200):
        days = rng.negative_binomial(4, 0.04, size=400)
        true_day = int((days[14:].cumsum() < 1_000).sum()) + 1
        left = days_left(days[:14].tolist(), n_left=1_000)
        n_held += left.low <= true_day <= left.high
    assert 170 <= n_held <= 200


def test_equal_inputs_have_an_equal_range():
    counts = [40, 0, 75, 120, 13, 60]
    assert days_left(counts, n_left=900) == days_left(counts, n_left=900)
