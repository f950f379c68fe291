"""Intervals: against other implementations of the formulas, and what makes them repeatable."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.comparisons.significance import paired_test
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import (
    NO_INTERVAL,
    Interval,
    effective_successes,
    mean_intervals,
    wilson,
)

EQUAL = np.repeat(np.arange(20), 5)
UNEQUAL = np.repeat(np.arange(40), np.random.default_rng(8).integers(1, 12, 40))


def interval(values, *, are_shares: bool, groups: Groups | None = None) -> Interval:
    (ends,) = mean_intervals(np.array([values], dtype=float), are_shares=are_shares, groups=groups)
    return ends


@pytest.mark.parametrize(("right", "n"), [(0, 5), (3, 7), (18, 20), (20, 20), (995, 1000)])
def test_wilsons_interval_equals_statsmodels(right, n):
    assert wilson(right, n) == pytest.approx(
        proportion_confint(right, n, method="wilson"), abs=1e-12
    )


def test_a_share_of_nothing_has_no_interval():
    assert wilson(0, 0) == NO_INTERVAL


# ---- Student's


def test_the_interval_of_ranks_and_differences_is_scipys_students():
    values = np.random.default_rng(1).normal(3, 2, 25)
    theirs = stats.ttest_1samp(values, 0).confidence_interval()
    assert interval(values, are_shares=False) == pytest.approx(tuple(theirs), abs=1e-12)


@pytest.mark.parametrize("group", [EQUAL, UNEQUAL])
def test_over_groups_it_is_statsmodels_cluster_robust_one(group):
    values = np.random.default_rng(2).normal(0, 1, group.max() + 1)[group] + np.random.default_rng(
        3
    ).random(len(group))
    options = {"cov_type": "cluster", "cov_kwds": {"groups": group}, "use_t": True}
    (theirs,) = sm.OLS(values, np.ones(len(values))).fit(**options).conf_int()
    assert interval(values, are_shares=False, groups=Groups.of(group)) == pytest.approx(
        tuple(theirs), abs=1e-9
    )


@pytest.mark.parametrize(
    "groups", [Groups.single(20), Groups.of(np.repeat(np.arange(7), [1, 2, 3, 3, 3, 4, 4]))]
)
def test_it_leaves_out_0_where_the_paired_t_test_rejects(groups):
    rng, n_rejected = np.random.default_rng(4), 0
    for _ in range(200):
        first, second = rng.normal(0.3, 1, groups.n_queries), rng.normal(0, 0.5, groups.n_queries)
        low, high = interval(first - second, are_shares=False, groups=groups)
        is_rejected = paired_test("t", first, second, groups=groups).p_value < 0.05
        assert (low > 0 or high < 0) == is_rejected
        n_rejected += is_rejected
    assert 10 < n_rejected < 190


# ---- Wilson's


@pytest.mark.parametrize("right", [0, 1, 12, 24, 25])
def test_of_queries_that_count_0_or_1_it_is_wilsons_own(right):
    values = np.arange(25) < right
    assert interval(values, are_shares=True) == pytest.approx(wilson(right, 25), abs=1e-12)


@pytest.mark.parametrize("group", [EQUAL, UNEQUAL])
@pytest.mark.parametrize("few", [2, 12])
def test_over_groups_of_0_and_1_it_is_wilsons_of_the_effective_number(group, few):
    """Korn and Graubard's, as statsmodels computes Wilson's of a number that is no whole one.

    Of few ones less.
    """
    rng = np.random.default_rng(5)
    values = (rng.random(len(group)) < rng.beta(1, few, group.max() + 1)[group]).astype(float)
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": group})
    p, n, size = values.mean(), len(values), np.bincount(group)
    deff = fit.bse[0] ** 2 / (p * (1 - p) / (n - 1))
    t_groups, t_single = stats.t.ppf(0.975, [size.sum() ** 2 / (size**2).sum() - 1, n - 1])
    effective = n / deff * (t_single / t_groups) ** 2
    n_groups = size.sum() ** 2 / (size**2).sum()
    assert n_groups < effective < 0.8 * n
    alike = np.exp(-0.75 * min(p, 1 - p) * effective)
    effective = 1 / ((1 - alike) / effective + alike / n_groups)
    expected = proportion_confint(p * effective, effective, method="wilson")
    assert interval(values, are_shares=True, groups=Groups.of(group)) == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize("p", [0.02, 0.98])
def test_ever_fewer_successes_lead_to_what_none_at_all_have(p):
    """From one success in 20 groups of 50 to none the effective number does not jump, 879 to 20."""
    groups = Groups.of(np.repeat(np.arange(20), 50))
    single_success = (np.arange(1_000) == 0).astype(float)
    values = single_success if p < 0.5 else 1 - single_success
    low, high = interval(values, are_shares=True, groups=groups)
    n = effective_successes(values.mean(), Interval(low, high)) / 0.001
    korn_graubard = 1_000 * (stats.t.ppf(0.975, 999) / stats.t.ppf(0.975, 19)) ** 2
    alike = np.exp(-0.75 * 0.001 * korn_graubard)
    assert n == pytest.approx(1 / ((1 - alike) / korn_graubard + alike / 20), rel=1e-6)


def test_of_queries_of_a_group_each_nothing_is_made_smaller_for_few_successes():
    values = np.arange(40) < 1
    assert interval(values, are_shares=True) == pytest.approx(wilson(1, 40), abs=1e-15)
    groups = Groups.of(np.arange(40)[::-1])
    assert interval(values, are_shares=True, groups=groups) == interval(values, are_shares=True)
    weight = np.linspace(0.2, 1.8, 40)
    p, kish = weight[0] / 40, 1_600 / np.square(weight).sum()
    variance = 40 / 39 * np.square(weight * (values - p)).sum() / 1_600
    t_single, t_kish = stats.t.ppf(0.975, [39, kish - 1])
    n = min(p * (1 - p) / variance * 40 / 39 * (t_single / t_kish) ** 2, 40)
    ends = interval(values, are_shares=True, groups=Groups.of(np.arange(40), weight=weight))
    assert effective_successes(p, ends) == pytest.approx(p * n, rel=1e-6)


@pytest.mark.parametrize(
    ("right", "n"), [(0, 40), (1, 40), (3, 40), (20, 40), (38, 40), (40, 40), (7, 100_000)]
)
def test_what_wilsons_interval_rests_on_is_read_off_it(right, n):
    assert effective_successes(right / n, wilson(right, n)) == pytest.approx(
        min(right, n - right), rel=1e-6
    )


def test_of_no_interval_and_of_one_without_width_nothing_is_read_off():
    assert effective_successes(0.5, NO_INTERVAL) is None
    assert effective_successes(0.5, Interval(0.5, 0.5)) is None


def test_groups_in_which_0_and_1_are_spread_evenly_count_no_more_than_their_queries():
    ends = interval([0, 1] * 100, are_shares=True, groups=Groups.of(np.repeat(np.arange(100), 2)))
    assert ends == pytest.approx(wilson(100, 200), abs=1e-12)


@pytest.mark.parametrize("right", [0, 1])
def test_where_all_are_right_or_all_wrong_a_group_counts_as_one_query(right):
    values = np.full(100, right)
    assert interval(values, are_shares=True, groups=Groups.of(EQUAL)) == pytest.approx(
        wilson(20 * right, 20), abs=1e-12
    )
    low, high = interval(
        values, are_shares=True, groups=Groups.of(np.repeat([0, 1, 2], [50, 25, 25]))
    )
    assert high - low > 0.5


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.3, 0.6)])
def test_of_two_groups_that_differ_t_keeps_a_degree_of_freedom(values):
    """Groups that count by (sum of masses)^2 / sum of squared masses are fewer than two."""
    values = np.repeat(values, 5_000)
    with np.errstate(all="raise"):
        low, high = interval(
            values, are_shares=True, groups=Groups.of(np.repeat([0, 1], [7_000, 3_000]))
        )
    assert 0 <= low < values.mean() < high <= 1


@pytest.mark.parametrize("right", [0, 1])
def test_weighted_queries_that_are_all_right_or_all_wrong_count_as_kishs_number(right):
    weight = np.random.default_rng(0).random(30) + 0.01
    n = weight.sum() ** 2 / np.square(weight).sum()
    expected = proportion_confint(right * n, n, method="wilson")
    ends = interval(np.full(30, right), are_shares=True, groups=Groups.of(range(30), weight=weight))
    assert ends == pytest.approx(expected, abs=1e-9)
    assert ends[right] == right


def test_of_graded_scores_its_ends_are_as_many_errors_away_as_students_with_the_spread_of_shares():
    """(mean - end)^2 = t^2 phi end (1 - end) / n, with phi the variance over mean (1 - mean)."""
    values = np.random.default_rng(6).beta(0.3, 0.9, 25)
    mean, t = values.mean(), stats.t.ppf(0.975, 24)
    phi = values.var(ddof=1) / (mean * (1 - mean))
    for end in interval(values, are_shares=True):
        assert (mean - end) ** 2 == pytest.approx(t**2 * phi * end * (1 - end) / 25, rel=1e-9)


def test_it_leans_to_the_middle_and_stays_within_0_and_1_where_students_would_not():
    values = [0.9, 0, 0, 0, 0, 0.01]
    low, high = interval(values, are_shares=True)
    assert 0 < low < np.mean(values) < high < 1
    assert np.mean(values) - low < high - np.mean(values)
    assert interval(values, are_shares=False).low < 0


def test_of_many_queries_it_is_the_normal_one():
    scores = np.random.default_rng(0).beta(2, 2, 3000)
    half = 1.96 * scores.std() / np.sqrt(3000)
    assert interval(scores, are_shares=True) == pytest.approx(
        (scores.mean() - half, scores.mean() + half), abs=1e-4
    )


# ---- no interval, and the same one


@pytest.mark.parametrize("are_shares", [False, True])
def test_where_nothing_shows_how_much_queries_differ_there_is_no_interval(are_shares):
    assert interval(np.full(10, 0.1), are_shares=are_shares) == NO_INTERVAL
    assert (
        interval(
            [0.1, 0.3] * 9, are_shares=are_shares, groups=Groups.of(np.repeat(np.arange(9), 2))
        )
        == NO_INTERVAL
    )
    weight = np.random.default_rng(0).random(1_000) + 0.01
    assert (
        interval(
            np.full(1_000, 0.1),
            are_shares=are_shares,
            groups=Groups.of(range(1_000), weight=weight),
        )
        == NO_INTERVAL
    )
    assert interval(np.ones(10), are_shares=False) == NO_INTERVAL
    assert interval([1.0], are_shares=are_shares) == NO_INTERVAL
    assert mean_intervals(np.zeros((2, 0)), are_shares=are_shares) == [NO_INTERVAL] * 2


@pytest.mark.parametrize("weight", [None, np.random.default_rng(7).random(len(UNEQUAL)) + 0.01])
@pytest.mark.parametrize("key", [np.arange(len(UNEQUAL)), UNEQUAL])
def test_the_same_values_have_the_same_interval_in_whatever_order_and_company(key, weight):
    """To the last digit, of graded scores, of 0 and 1, and of ranks."""
    rng = np.random.default_rng(3)
    scores = rng.random((20, len(key))) / 7
    values = np.concatenate([scores, (scores < 0.1).astype(float), 1 + 300 * scores])
    are_shares = np.repeat([True, False], [40, 20])
    mixed = rng.permutation(len(key))
    together = mean_intervals(values, are_shares=are_shares, groups=Groups.of(key, weight=weight))
    turned = Groups.of(key[mixed], weight=None if weight is None else weight[mixed])
    assert together == mean_intervals(values[:, mixed], are_shares=are_shares, groups=turned)
    for row, is_share, ends in zip(values, are_shares.tolist(), together, strict=True):
        assert ends == interval(row, are_shares=is_share, groups=Groups.of(key, weight=weight))


def of_sizes(*sizes: int) -> Groups:
    return Groups.of(np.repeat(np.arange(len(sizes)), sizes))


@pytest.mark.parametrize("sizes", [(900, *[11] * 9), (900, *[5] * 100), (100, 10, 10), (98, 2)])
def test_groups_of_which_a_few_decide_the_mean_have_no_interval(sizes):
    groups = of_sizes(*sizes)
    values = np.random.default_rng(0).random((2, groups.n_queries))
    assert groups.is_lopsided
    assert mean_intervals(values, are_shares=[True, False], groups=groups) == [
        NO_INTERVAL,
        NO_INTERVAL,
    ]


@pytest.mark.parametrize(
    "sizes", [(5, 5), (3, 3, 3, 3, 2), (20, 10, 10), (60, 30, 20, 15, 12, 10, 8, 7, 6, 6, 5, 5)]
)
def test_groups_of_about_one_size_have_one(sizes):
    groups = of_sizes(*sizes)
    values = np.random.default_rng(0).random((2, groups.n_queries))
    assert NO_INTERVAL not in mean_intervals(values, are_shares=[True, False], groups=groups)


def test_as_how_many_groups_they_count():
    assert of_sizes(3, 3, 3).n_effective == 3
    assert Groups.single(0).n_effective == 0
    assert of_sizes(900, *[11] * 9).n_effective == pytest.approx(999**2 / (900**2 + 9 * 11**2))
    assert Groups.of(np.arange(4), weight=np.array([3.0, 1, 1, 1])).n_effective == pytest.approx(
        36 / 12
    )


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_mean_of_what_is_no_number_has_no_interval_and_leaves_others_theirs(odd):
    values = np.random.default_rng(0).random((2, 20))
    alone = mean_intervals(values[1:], are_shares=True)
    values[0, 3] = odd
    with np.errstate(invalid="raise"):
        intervals = mean_intervals(values, are_shares=True)
    assert intervals == [NO_INTERVAL, *alone]
