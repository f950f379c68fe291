"""Queries in groups: against statsmodels, SciPy, published examples, and simulated worlds."""

from types import SimpleNamespace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from metrics.core.comparisons import run_comparison, significance, stopping
from metrics.core.measures.measures import parse_one
from metrics.core.statistics import sample_sizes
from metrics.core.statistics.groups import Design, Groups, design
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals

UNEQUAL = np.repeat(np.arange(60), np.random.default_rng(8).integers(1, 12, 60))
EQUAL = np.repeat(np.arange(40), 5)


def alike(group: np.ndarray, seed: int, *, icc: float = 0.3) -> np.ndarray:
    """Values that are alike within groups."""
    rng = np.random.default_rng(seed)
    of_group = rng.normal(0, np.sqrt(icc), group.max() + 1)
    return of_group[group] + rng.normal(0, np.sqrt(1 - icc), len(group))


def test_groups_are_numbered_as_they_first_occur():
    groups = Groups.of(["b", "a", "b", "c"])
    assert groups.of_query.tolist() == [0, 1, 0, 2]
    assert groups.size.tolist() == [2, 1, 1]
    assert not groups.are_single
    assert groups.within(np.array([False, True, False, True])).are_single


@pytest.mark.parametrize("form", ["sums", "totals", "means", "shares"])
def test_a_query_that_is_a_group_of_its_own_keeps_its_value_to_the_last_digit(form):
    values = np.random.default_rng(0).beta(0.3, 0.6, (333, 4))
    groups = Groups.of(np.random.default_rng(1).permutation(333))
    assert (getattr(groups, form)(values) == values).all()


@pytest.mark.parametrize("group", [EQUAL, UNEQUAL])
def test_what_stands_for_a_group_keeps_the_mean_over_the_queries(group):
    values, groups = alike(group, 0), Groups.of(group)
    assert groups.totals(values).mean() == pytest.approx(values.mean(), abs=1e-12)
    assert groups.shares(values).mean() == pytest.approx(values.mean(), abs=1e-12)
    of_each = [values[group == g].mean() for g in range(groups.n)]
    assert groups.means(values) == pytest.approx(of_each, abs=1e-12)


def test_shares_of_groups_of_one_size_are_their_means():
    values, groups = alike(EQUAL, 1), Groups.of(EQUAL)
    assert groups.shares(values) == pytest.approx(groups.means(values), abs=1e-12)


@pytest.mark.parametrize("group", [EQUAL, UNEQUAL])
def test_the_error_of_the_mean_of_shares_is_statsmodels_cluster_robust_one(group):
    values, groups = alike(group, 2), Groups.of(group)
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": group})
    shares = groups.shares(values)
    assert shares.std(ddof=1) / np.sqrt(groups.n) == pytest.approx(fit.bse[0], rel=1e-10)


def test_the_intraclass_correlation_is_shrouts_and_fleisss_first():
    """Their Table 2, six targets by four judges: ICC(1, 1) = .17."""
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    cost = design(np.ravel(ratings).astype(float), Groups.of(np.repeat(np.arange(6), 4)))
    assert cost.icc == pytest.approx(0.1657, abs=5e-5)
    assert cost.deff == pytest.approx(1 + 3 * cost.icc)


def test_groups_of_differing_sizes_have_the_correlation_they_were_made_with():
    group = np.repeat(np.arange(4000), np.random.default_rng(3).integers(1, 12, 4000))
    assert design(alike(group, 4), Groups.of(group)).icc == pytest.approx(0.3, abs=0.02)


def test_the_design_effect_is_how_much_larger_the_variance_of_the_mean_is():
    group = np.repeat(np.arange(3000), 7)
    values, groups = alike(group, 5, icc=0.2), Groups.of(group)
    ratio = (groups.shares(values).var() / groups.n) / (values.var() / groups.n_queries)
    assert design(values, groups).deff == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(
    ("values", "group"),
    [
        ([0.1, 0.4, 0.3], [0, 0, 0]),
        ([0.1, 0.4], [0, 1]),
        ([0.5, 0.5, 0.5], [0, 0, 1]),
        ([0.1] * 60, [*range(12)] * 5),
    ],
)
def test_without_two_groups_two_queries_of_one_and_two_values_there_is_no_correlation(
    values, group
):
    assert design(np.array(values), Groups.of(group)) == Design(None, None)


def test_where_groups_differ_so_much_in_size_that_nothing_is_left_there_is_no_design_effect():
    values = np.array([0.0, 1.0] * 15 + [0.5] * 15)
    cost = design(values, Groups.of([0] * 30 + list(range(1, 16))))
    assert cost.icc < 0
    assert cost.deff is None


def test_an_interval_over_groups_of_one_size_is_scipys_students_over_their_means():
    values, groups = alike(EQUAL, 6), Groups.of(EQUAL)
    ours = mean_intervals(values[None, :], are_shares=False, groups=groups)[0]
    theirs = stats.ttest_1samp(groups.means(values), 0).confidence_interval()
    assert ours == pytest.approx(tuple(theirs), abs=1e-9)


def test_an_interval_over_groups_of_any_size_is_near_the_one_from_whole_groups_drawn_anew():
    values, rng = alike(UNEQUAL, 7), np.random.default_rng(1)
    members = [values[g == UNEQUAL] for g in range(60)]
    means = [
        np.concatenate([members[g] for g in rng.integers(0, 60, 60)]).mean() for _ in range(5000)
    ]
    ours = mean_intervals(values[None, :], are_shares=False, groups=Groups.of(UNEQUAL))[0]
    assert ours == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.02)


@pytest.mark.parametrize("group", [EQUAL, UNEQUAL])
def test_the_same_values_in_groups_have_the_same_tests_in_whatever_order(group):
    values = np.round(np.stack([alike(group, seed) for seed in (0, 1)]), 3) / 7
    mixed = np.random.default_rng(4).permutation(len(group))
    groups, mixed_groups = Groups.of(group), Groups.of(group[mixed])
    for name in significance.TESTS:
        if name in significance.ZERO_ONE_TESTS:
            values = (values > np.median(values)).astype(float)
        outcome = significance.paired_test(name, *values, groups=groups, n_samples=500)
        again = significance.paired_test(
            name, *values[:, mixed], groups=mixed_groups, n_samples=500
        )
        turned = significance.paired_test(name, *values[::-1], groups=groups, n_samples=500)
        assert outcome.p_value == again.p_value == turned.p_value, name
        assert 0 < outcome.p_value < 1
        assert outcome.difference == pytest.approx(values[0].mean() - values[1].mean(), abs=1e-12)


def test_queries_of_one_group_prove_nothing():
    groups, values = Groups.of([3, 3, 3]), np.array([0.1, 0.5, 0.9])
    assert mean_intervals(values[None, :], are_shares=True, groups=groups) == [NO_INTERVAL]
    assert (
        stopping.neighbours(
            np.stack([values, values / 2]), rng=np.random.default_rng(0), groups=groups
        )
        == []
    )
    for name in significance.TESTS:
        x, y = (
            (values > 0.4, values > 0.8)
            if name in significance.ZERO_ONE_TESTS
            else (values, values / 2)
        )
        assert np.isnan(significance.paired_test(name, x, y, groups=groups, n_samples=9).p_value), (
            name
        )


def test_tests_over_groups_of_one_size_are_scipys_over_their_means():
    x, y, groups = alike(EQUAL, 0) + 0.2, alike(EQUAL, 1), Groups.of(EQUAL)
    means = groups.means(x), groups.means(y)
    outcome = significance.paired_test("t", x, y, groups=groups)
    assert (outcome.p_value, outcome.n) == (
        pytest.approx(stats.ttest_rel(*means).pvalue, abs=1e-10),
        40,
    )
    expected = stats.wilcoxon(*means, correction=True, method="asymptotic").pvalue
    assert significance.paired_test("wilcoxon", x, y, groups=groups).p_value == pytest.approx(
        expected, abs=1e-10
    )
    expected = stats.binomtest(int(np.sum(means[0] > means[1])), 40).pvalue
    assert significance.paired_test("sign", x, y, groups=groups).p_value == pytest.approx(
        expected, abs=1e-10
    )


def test_a_toss_turns_a_whole_group_round():
    """Sums 3 and 3 of two groups: two of four tosses reach 6, whatever the five queries say."""
    d, group = [1, 1, 1, 1, 2], [0, 0, 0, 1, 1]
    outcome = significance.paired_test(
        "randomization", d, np.zeros(5), groups=Groups.of(group), n_samples=20_000
    )
    assert outcome.p_value == pytest.approx(0.5, abs=0.01)


def test_groups_in_which_nothing_differs_are_ties_whatever_the_best_score_elsewhere_is():
    """Sums of columns that were rounded each on a grid of its own would differ by a last digit."""
    rng = np.random.default_rng(0)
    x = np.round(rng.random(100) * 0.9, 1)
    y, group = x.copy(), np.repeat(np.arange(20), 5)
    x[0], y[0] = 1.0, 0.4
    for name, n_tied in (("sign", 19), ("wilcoxon", 19)):
        assert significance.paired_test(name, x, y, groups=Groups.of(group)).n_tied == n_tied
    shares = Groups.of(group).totals(np.stack([x, y], axis=1))
    assert np.count_nonzero(shares[:, 0] != shares[:, 1]) == 1


def test_a_group_in_which_two_systems_do_not_differ_is_a_tie():
    x, group = np.array([0.5, 0.25, 0.5, 0.75, 0.1]), [0, 0, 1, 1, 2]
    y = np.array([0.5, 0.25, 0.1, 0.1, 0.2])
    assert significance.paired_test("sign", x, y, groups=Groups.of(group)).n_tied == 1


@pytest.mark.parametrize("method", run_comparison.METHODS)
def test_decisions_with_each_query_a_group_of_its_own_are_those_without_groups(method):
    scores = np.random.default_rng(0).normal(np.linspace(0, 1, 5), 1, (30, 5))
    alone, single = (
        run_comparison.decide(scores, method=method, groups=groups)
        for groups in (None, Groups.single(30))
    )
    assert alone.significant.tolist() == single.significant.tolist()
    assert 0 < np.count_nonzero(np.triu(single.significant)) < 10


def test_a_plan_in_groups_counts_whole_groups_but_of_these_queries_single_ones():
    scores, groups = alike(EQUAL, 9, icc=0.6), Groups.of(EQUAL)
    alone, in_groups = (
        sample_sizes.sampling_error(scores, [50, 52], groups=groups_or_none)[0]
        for groups_or_none in (None, groups)
    )
    assert (alone.n_groups, in_groups.n_groups) == (50, 10)
    expected = 1.96 * groups.means(scores).std() / np.sqrt(10)
    assert in_groups.like_these == pytest.approx(expected, rel=0.05)
    of_single = 1.96 * scores.std(ddof=1) * np.sqrt((1 - 50 / 200) / 50)
    assert in_groups.of_these == pytest.approx(of_single, rel=0.05)
    assert in_groups.like_these > 1.5 * alone.like_these
    with pytest.raises(ValueError, match="at least one query"):
        sample_sizes.sampling_error(scores, [0])
    required = sample_sizes.queries_for_difference(scores, 0.1, groups=groups)
    of_means = sample_sizes.queries_for_difference(groups.means(scores), 0.1)
    assert (required.n_groups, required.n_queries) == (of_means.n_queries, 5 * of_means.n_queries)
    detectable = sample_sizes.detectable_difference(scores, [50], groups=groups)
    assert detectable == pytest.approx(
        sample_sizes.detectable_difference(groups.means(scores), [10])
    )
    size = sample_sizes.queries_for_error(scores, 0.1, of_these=False, groups=groups)
    assert size == pytest.approx(5 * (1.96 * groups.means(scores).std() / 0.1) ** 2, rel=0.1)
    size = sample_sizes.queries_for_error(scores, 0.1, of_these=True, groups=groups)
    n_of_many = (1.96 * scores.std(ddof=1) / 0.1) ** 2
    assert size == pytest.approx(n_of_many / (1 + n_of_many / 200), rel=0.05)


# ---- queries that were drawn by strata


def drawn_by_strata(seed: int) -> SimpleNamespace:
    """Of 9,000 easy queries 90, of 1,000 hard ones 90: mean .9 x .8 + .1 x .2, plainly about .5."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.random(90) < 0.8, rng.random(90) < 0.2]).astype(float)
    weight = np.repeat([9_000 / 90, 1_000 / 90], 90)
    return SimpleNamespace(values=values, groups=Groups.of(np.arange(180), weight=weight))


def test_the_mean_over_queries_drawn_by_strata_is_sum_n_h_mean_h():
    sample = drawn_by_strata(0)
    easy, hard = sample.values[:90].mean(), sample.values[90:].mean()
    assert sample.groups.mean(sample.values) == pytest.approx(0.9 * easy + 0.1 * hard, abs=1e-12)
    for form in ("totals", "shares"):
        assert getattr(sample.groups, form)(sample.values).mean() == pytest.approx(
            0.9 * easy + 0.1 * hard, abs=1e-12
        )
    assert sample.groups.means(sample.values) == pytest.approx(sample.values, abs=1e-12)
    part = np.arange(180) < 90
    assert sample.groups.within(part).mean(sample.values[part]) == pytest.approx(easy, abs=1e-12)


def test_queries_that_stand_for_as_many_as_any_other_have_no_weights():
    assert Groups.of([1, 2, 3], weight=np.full(3, 7.0)).weight is None
    assert Groups.of([1, 2, 3], weight=np.full(3, 7.0)).are_plain
    assert not Groups.of([1, 2, 3], weight=np.array([1.0, 1.0, 2.0])).are_plain


def test_weights_do_not_depend_on_the_order_of_the_queries():
    weight, keys = np.random.default_rng(0).random((50, 333)), np.arange(333)
    for own in weight:
        mixed = np.random.default_rng(1).permutation(333)
        assert (
            Groups.of(keys, weight=own).weight[mixed] == Groups.of(keys, weight=own[mixed]).weight
        ).all()


def test_weighted_means_hit_the_truth_and_their_intervals_cover_it():
    worlds = [drawn_by_strata(seed) for seed in range(600)]
    truth = 0.9 * 0.8 + 0.1 * 0.2
    means = [float(world.groups.mean(world.values)) for world in worlds]
    assert np.mean(means) == pytest.approx(truth, abs=3 * np.std(means) / np.sqrt(len(means)))
    assert np.mean([world.values.mean() for world in worlds]) == pytest.approx(0.5, abs=0.01)
    ends = [
        mean_intervals(world.values[None, :], are_shares=True, groups=world.groups)[0]
        for world in worlds
    ]
    assert np.mean([low <= truth <= high for low, high in ends]) == pytest.approx(0.95, abs=0.02)


def test_the_error_of_a_weighted_mean_is_that_of_statsmodels_weighted_regression():
    """With given weights and clusters of one: White's error times the root of n / (n - 1)."""
    sample = drawn_by_strata(1)
    fit = sm.WLS(sample.values, np.ones(180), weights=sample.groups.weight).fit(cov_type="HC1")
    shares = sample.groups.shares(sample.values)
    assert shares.std(ddof=1) / np.sqrt(180) == pytest.approx(fit.bse[0], rel=1e-9)


def test_measures_average_by_what_queries_stand_for():
    values, weight = np.array([1.0, 10.0, 2.0]), np.array([3.0, 1.0, 1.0])
    assert (
        parse_one("P@5").average(values, weight=weight)
        == parse_one("MeanR").average(values, weight=weight)
        == 3.0
    )
    assert parse_one("MedR").average(values, weight=weight) == 1.0
    missed = np.array([1.0, np.inf, np.nan])
    assert parse_one("MedR").average(missed, weight=weight) == 1.0
    assert parse_one("MeanR").average(missed, weight=weight) == np.inf
    assert np.isnan(parse_one("MedR").average(np.array([np.nan]), weight=np.ones(1)))
