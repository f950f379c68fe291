"""How many queries: against theory, survey sampling, statsmodels, and simulated systems' swaps."""

import itertools
from functools import partial
from math import ceil

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from metrics.core.comparisons import swaps
from metrics.core.statistics import sample_sizes
from metrics.core.statistics.groups import Groups
from tests.metrics.core.comparisons.printed_error_rate import reer_independent


def test_the_error_of_a_binary_score_is_that_of_the_binomial():
    """A share of .3 on 1,000 queries: 1.96 sqrt(.21 / 1000).

    FIRE reports .029 for C@1 on as many.
    """
    scores = np.repeat([0.0, 1.0], [700, 300])
    (error,) = sample_sizes.sampling_error(scores, [1000])
    assert error.like_these == pytest.approx(0.0284, abs=0.001)


@pytest.mark.parametrize("shape", ["all different", "few values"])
def test_errors_are_those_of_the_bootstrap_and_of_survey_sampling(shape):
    """Normal approximation (Cochran 1977).

    sigma / sqrt(N) with replacement, and S sqrt((1 - N/Q) / N) without.
    """
    rng = np.random.default_rng(0)
    scores = {
        "all different": rng.beta(0.7, 0.9, 2000),
        "few values": rng.choice([0, 0.2, 1.0], 2000),
    }[shape]
    for error in sample_sizes.sampling_error(
        scores, [100, 700, 1900, 2000], n_samples=10_000, seed=1
    ):
        n, z = error.size, stats.norm.ppf(0.975)
        assert error.n_groups == n
        assert error.like_these == pytest.approx(z * scores.std() / np.sqrt(n), rel=0.03)
        assert error.of_these == pytest.approx(
            z * scores.std(ddof=1) * np.sqrt((1 - n / 2000) / n), rel=0.03
        )
    assert error.of_these == 0


def test_more_queries_than_there_are_can_be_drawn_with_replacement_alone():
    inside, beyond = sample_sizes.sampling_error([0.1, 0.5, 0.7], [3, 4])
    assert (inside.of_these, beyond.of_these) == (0.0, None)
    assert 0 < beyond.like_these < inside.like_these


def test_a_plan_is_the_same_in_whatever_order_queries_and_the_two_runs_come():
    """Ties of two runs are 0 one way and -0 the other, and groups are numbered as they come."""
    rng = np.random.default_rng(0)
    x, y, video = rng.integers(0, 5, 300) / 7, rng.integers(0, 5, 300) / 7, rng.integers(0, 80, 300)
    order = rng.permutation(300)
    assert sample_sizes.seed_of_samples([-0.1, -0.1, 0.0, 0.15]) == sample_sizes.seed_of_samples(
        [-0.1, -0.1, -0.0, 0.15]
    )
    for left, right in ((x - y, (y - x)[order]), (x, x[order])):
        for groups, of_other in ((None, None), (Groups.of(video), Groups.of(video[order]))):
            errors = sample_sizes.sampling_error(left, [50, 200], groups=groups, n_samples=500)
            assert (
                errors
                == sample_sizes.sampling_error(right, [200, 50], groups=of_other, n_samples=500)[
                    ::-1
                ]
            )
            seed = sample_sizes.seed_of_samples(right, of_other)
            assert errors == sample_sizes.sampling_error(
                left, [50, 200], groups=groups, n_samples=500, seed=seed
            )
            assert errors != sample_sizes.sampling_error(
                left, [50, 200], groups=groups, n_samples=500, seed=seed + 1
            )


def test_the_error_of_a_difference_is_that_of_paired_draws():
    """Both runs are scored on the same queries: hard ones of both fall out of the difference."""
    rng = np.random.default_rng(3)
    hard = rng.normal(0.5, 0.2, 900)
    x, y = hard + rng.normal(0, 0.05, 900), hard + rng.normal(0.02, 0.05, 900)
    (error,) = sample_sizes.sampling_error(x - y, [200], n_samples=20_000)
    samples = np.array([rng.choice(900, 200, replace=False) for _ in range(20_000)])
    strayed = np.abs(x[samples].mean(axis=1) - y[samples].mean(axis=1) - (x.mean() - y.mean()))
    assert error.of_these == pytest.approx(np.quantile(strayed, 0.95), rel=0.04)
    assert error.of_these < 0.5 * sample_sizes.sampling_error(x, [200])[0].of_these


def test_the_planned_number_of_queries_has_the_error_asked_for():
    scores = np.random.default_rng(0).beta(1, 2, 2000)
    size = sample_sizes.queries_for_error(scores, 0.02, of_these=False, seed=1)
    assert size == pytest.approx((1.96 * scores.std() / 0.02) ** 2, rel=0.05)
    of_these = sample_sizes.queries_for_error(scores, 0.02, of_these=True, seed=1)
    assert of_these == pytest.approx(size / (1 + size / 2000), rel=0.05)  # Cochran 1977, chapter 4
    for n, name in ((size, "like_these"), (of_these, "of_these")):
        (size_error,) = sample_sizes.sampling_error(scores, [n], seed=2)
        assert getattr(size_error, name) == pytest.approx(0.02, rel=0.03)


def test_all_queries_are_enough_for_any_error_of_these_and_any_number_for_equal_scores():
    scores = np.random.default_rng(0).beta(1, 2, 50)
    assert sample_sizes.queries_for_error(scores, 1e-9, of_these=True) == 50
    for of_these in (True, False):
        assert sample_sizes.queries_for_error(np.full(9, 0.3), 0.01, of_these=of_these) == 1


@pytest.mark.parametrize(("difference", "power"), [(0.02, 0.8), (0.05, 0.9), (0.01, 0.5)])
def test_queries_for_a_difference_equal_statsmodels(difference, power):
    d = np.random.default_rng(4).normal(0.03, 0.2, 300)
    required = sample_sizes.queries_for_difference(d, difference, power=power)
    effect = difference / d.std(ddof=1)
    assert required.n_queries == int(
        np.ceil(TTestPower().solve_power(effect, alpha=0.05, power=power))
    )
    assert required.power == pytest.approx(
        TTestPower().power(effect, required.n_queries, 0.05), abs=1e-8
    )


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.2, 0.3)])
def test_the_detectable_difference_inverts_statsmodels(alpha, power):
    d = np.random.default_rng(4).normal(0.03, 0.2, 300)
    sizes = [2, 3, 10, 300, 5000, 1_000_000]
    detectable = sample_sizes.detectable_difference(d, sizes, alpha=alpha, power=power)
    for n, difference in zip(sizes, detectable, strict=True):
        effect = difference / d.std(ddof=1)
        if effect < 5:  # beyond, statsmodels says nan
            assert TTestPower().power(effect, n, alpha) == pytest.approx(power, abs=1e-7)
        if effect < 5 and n <= 5000:  # found by it to 4 digits
            solved = TTestPower().solve_power(nobs=n, alpha=alpha, power=power)
            assert effect == pytest.approx(solved, rel=1e-4)
        if n > 2:
            required = sample_sizes.queries_for_difference(
                d, difference * (1 + 1e-9), alpha=alpha, power=power
            )
            assert required.n_queries == n


def test_the_detectable_difference_is_found_as_often_as_it_says():
    d = np.random.default_rng(4).normal(0.03, 0.2, 300)
    for n, difference in zip(
        [20, 200], sample_sizes.detectable_difference(d, [20, 200]), strict=True
    ):
        simulated = sample_sizes.simulated_power(
            d, difference, n, rng=np.random.default_rng(0), n_samples=5000
        )
        assert simulated == pytest.approx(0.8, abs=0.03)


def test_what_is_detectable_is_not_told_without_a_spread():
    assert sample_sizes.detectable_difference([0.1, 0.3], [1]) == [None]
    assert sample_sizes.detectable_difference([0.1, 0.1], [50]) == [None]
    assert sample_sizes.detectable_difference([0.1, 0.3], [50], alpha=0.5, power=0.4) == [0.0]


def test_power_far_from_the_bar_rests_on_the_spread_alone():
    """Two queries, alpha .001: the bar is at 637; .7 of samples find a shift 31 beyond it."""
    bar = stats.t.ppf(0.9995, 1)
    for shift, expected in ((bar + 31, 0.7056), (5 * bar, stats.chi2.cdf(25, 1))):
        assert sample_sizes._power_of_t(shift / np.sqrt(2), 2, 0.001) == pytest.approx(
            expected, abs=1e-3
        )
    bar = stats.t.ppf(1 - 5e-7, 1)
    assert sample_sizes._power_of_t(bar / np.sqrt(2), 2, 1e-6) == pytest.approx(
        stats.chi2.cdf(1, 1), abs=1e-3
    )


def test_the_run_and_the_pair_in_the_middle_are_those_of_the_middle_error():
    rng = np.random.default_rng(0)
    hard = rng.normal(0, 0.2, (400, 1))
    scores = hard + rng.normal(0, 1, (400, 4)) * [0.1, 0.4, 0.2, 0.3]
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    groups = Groups.single(400)
    spread = [(scores[:, i] - scores[:, j]).std() for i, j in pairs]
    middle = sample_sizes.middle_pair(scores, pairs, groups)
    assert pairs[middle.position] == (0, 1) and sorted(spread)[2] == spread[0]
    assert (middle.least, middle.most) == pytest.approx(
        (min(spread) / spread[0], max(spread) / spread[0])
    )
    # of four the larger of the two in the middle
    assert sample_sizes.middle_run(scores, groups).position == 3
    assert sample_sizes.middle_run(scores[:, [1, 1]], groups) == (0, 1.0, 1.0)
    assert sample_sizes.middle_run(np.ones((4, 3)), Groups.single(4)).least == 1
    in_another_unit = sample_sizes.middle_run(1e-40 * scores, groups)
    assert in_another_unit.position == 3 and in_another_unit.most > 1


def test_the_simulated_power_at_that_number_is_the_power_asked_for():
    d = np.random.default_rng(4).normal(0.03, 0.2, 300)
    n = sample_sizes.queries_for_difference(d, 0.05).n_queries
    assert sample_sizes.simulated_power(d, 0.05, n, rng=np.random.default_rng(0)) == pytest.approx(
        0.8, abs=0.03
    )


def test_errors_are_of_ten_thousand_samples():
    scores = np.random.default_rng(0).random(60)
    errors = sample_sizes.sampling_error(scores, [30], seed=1)
    assert errors == sample_sizes.sampling_error(scores, [30], seed=1, n_samples=10_000)


def test_two_queries_have_one_degree_of_freedom_and_a_shift_without_spread_is_always_found():
    rng = np.random.default_rng(0)
    assert sample_sizes.simulated_power([1.0, 1.0], 0.05, 2, rng=rng) == 1
    # two of these differ in half of the samples, and then t is 20: found at .05, not .025
    power = partial(sample_sizes.simulated_power, [0.95, 1.05], 1.0, 2, n_samples=5000)
    assert power(rng=rng, alpha=0.05) == 1
    assert power(rng=rng, alpha=0.025) == pytest.approx(0.5, abs=0.03)


def test_the_power_of_an_enormous_shift_is_1():
    assert sample_sizes._power_of_t(1e6, 2, 0.05) == 1
    assert sample_sizes.queries_for_difference([0.0, 1e-9], 1.0) == (2, 1.0, 2)


def test_no_difference_needs_more_queries_than_there_are_and_no_spread_needs_two():
    assert sample_sizes.queries_for_difference([0.1, 0.3], 0.0).n_queries is None
    assert sample_sizes.queries_for_difference([0.1, 0.3], 1e-9).n_queries is None
    assert sample_sizes.queries_for_difference([0.1, 0.1], 0.05) == (2, 1.0, 2)


def test_a_plan_that_cannot_be_made_says_why():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="above 0"):
        sample_sizes.queries_for_error([0.1, 0.2], 0.0, of_these=False)
    for plan in (sample_sizes.sampling_error, sample_sizes.detectable_difference):
        with pytest.raises(ValueError, match="two or more"):
            plan([0.1], [1])
        with pytest.raises(ValueError, match="two or more"):
            plan([0.1, 0.2, 0.3], [1], groups=Groups.of([0, 0, 0]))
    with pytest.raises(ValueError, match="two or more"):
        sample_sizes.queries_for_difference([0.1], 0.05)
    with pytest.raises(ValueError, match="two queries or more"):
        sample_sizes.simulated_power([0.1, 0.2], 0.05, 1, rng=rng)


def test_a_tiny_error_is_planned_by_the_normal_approximation_without_drawing_millions():
    scores = np.random.default_rng(0).beta(1, 2, 2000)
    expected = (stats.norm.ppf(0.975) * scores.std() / 2e-4) ** 2
    assert sample_sizes.queries_for_error(scores, 2e-4, of_these=False) == ceil(expected)


@pytest.mark.parametrize("scores", [[], [0.1, np.nan], [0.1, np.inf]])
def test_missing_scores_are_refused(scores):
    with pytest.raises(ValueError, match="none missing"):
        sample_sizes.sampling_error(scores, [10])


def test_reer_follows_equation_1():
    """z = -.1 / sqrt((.04 + .04) / 50) = -2.5: 2 Phi(z) (1 - Phi(z)) = 2 x .00621 x .99379."""
    x = np.tile([0.3, 0.7], 25)
    x = (x - x.mean()) / x.std(ddof=1) * 0.2 + 0.5
    y = np.random.default_rng(0).permutation(x) - 0.1
    assert reer_independent(x, y) == pytest.approx(2 * 0.0062097 * 0.9937903, abs=1e-6)
    assert reer_independent(x, y, n_queries=200) == pytest.approx(2 * stats.norm.sf(5), rel=1e-6)


@pytest.mark.parametrize("formula", [swaps.reer_paired, swaps.reversal])
def test_identical_runs_swap_half_of_the_time_and_a_constant_lead_never(formula):
    x = np.array([0.1, 0.5, 0.9])
    assert formula(x, x) == 0.5
    assert formula(x + 0.1, x) == pytest.approx(0.0)


def significant_at(p, n):
    """Differences of two systems on n queries that Student's two-sided test finds at p exactly."""
    d = np.random.default_rng(n).normal(size=n)
    return (d - d.mean()) / d.std(ddof=1) + stats.t.isf(p / 2, n - 1) / np.sqrt(n)


def test_at_p_05_a_reversal_is_likelier_than_two_new_sets_that_disagree():
    """1.95996 / sqrt(2) = 1.38590: Phi(-1.38590) = .0829, while 2 x .025 x .975 = .04875."""
    d = significant_at(0.05, 20_000)
    assert swaps.reversal(d, 0 * d) == swaps.reversal(0 * d, d) == pytest.approx(0.0829, abs=5e-5)
    assert swaps.reer_paired(d, 0 * d) == pytest.approx(0.04875, abs=2e-5)


@pytest.mark.parametrize("n", [2, 10, 50])
def test_a_reversal_by_ever_more_queries_tends_to_half_the_p_of_student_s_test(n):
    d = significant_at(0.05, n)
    falling = [swaps.reversal(d, 0 * d, n_queries=m) for m in (1, n, 10 * n, 1000 * n)]
    assert falling == sorted(falling, reverse=True)
    assert falling[1] == swaps.reversal(d, 0 * d)
    assert swaps.reversal(d, 0 * d, n_queries=10**12) == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (6, 30), (30, 6)])
def test_a_reversal_is_what_the_scores_say_of_a_new_mean(n, m):
    """400,000 draws: a variance given the one seen, a difference given it, m new queries' mean."""
    rng = np.random.default_rng(n)
    d = significant_at(0.2, n)
    sigma = d.std(ddof=1) * np.sqrt((n - 1) / rng.chisquare(n - 1, 400_000))
    truth = d.mean() + sigma / np.sqrt(n) * rng.normal(size=len(sigma))
    later = truth + sigma / np.sqrt(m) * rng.normal(size=len(sigma))
    assert swaps.reversal(d, 0 * d, n_queries=m) == pytest.approx((later < 0).mean(), abs=0.004)


@pytest.mark.parametrize("m", [20, 80])
def test_where_any_true_difference_is_as_likely_a_reversal_is_as_frequent_as_said(m):
    rng = np.random.default_rng(8)
    n, truth = 20, rng.uniform(-1.5, 1.5, 30_000)
    observed, later = (truth[:, None] + rng.normal(size=(len(truth), size)) for size in (n, m))
    predicted = np.array([swaps.reversal(d, 0 * d, n_queries=m) for d in observed])
    is_turned = np.sign(observed.mean(axis=1)) != np.sign(later.mean(axis=1))
    for low, high in ((0, 0.02), (0.02, 0.1), (0.1, 0.25), (0.25, 0.5)):
        inside = (predicted >= low) & (predicted < high)
        assert is_turned[inside].mean() == pytest.approx(predicted[inside].mean(), abs=0.03), (
            low,
            high,
        )


def simulated_runs(rng, n_topics=200, n_systems=12):
    topic = rng.normal(0, 0.15, (n_topics, 1))
    return np.clip(
        0.4
        + topic
        + rng.normal(0, 0.1, (n_topics, n_systems))
        + np.linspace(-0.02, 0.02, n_systems),
        0,
        1,
    )


def test_the_paired_rate_follows_real_swaps_and_the_independent_one_overstates_them():
    rng = np.random.default_rng(6)
    scores, n = simulated_runs(rng), 50
    expected, paired, independent = [], [], []
    for i, j in zip(*np.triu_indices(12, 1), strict=True):
        d = scores[:, i] - scores[:, j]
        means = np.array(
            [rng.permutation(d)[: 2 * n].reshape(2, n).mean(axis=1) for _ in range(400)]
        )
        expected.append(np.mean(means[:, 0] * means[:, 1] < 0))
        paired.append(swaps.reer_paired(scores[:, i], scores[:, j], n_queries=n))
        independent.append(reer_independent(scores[:, i], scores[:, j], n_queries=n))
    error = np.abs(np.subtract(paired, expected)).mean()
    assert error < 0.06
    assert error < np.abs(np.subtract(independent, expected)).mean()
    assert np.mean(np.greater_equal(independent, paired)) > 0.95


def test_the_swap_curve_falls_as_differences_grow_and_needs_disjoint_sets():
    scores = simulated_runs(np.random.default_rng(1))
    curve = swaps.swap_curve(scores, n_queries=50, rng=np.random.default_rng(2), n_trials=100)
    assert curve.pairs.sum() == 100 * 12 * 11 / 2
    filled = curve.rate[curve.pairs > 200]
    assert filled[0] > filled[-1]
    assert filled[0] == pytest.approx(0.5, abs=0.2)
    with pytest.raises(ValueError, match="do not fit into 200"):
        swaps.swap_curve(scores, n_queries=101, rng=np.random.default_rng(2))


def test_the_curve_counts_half_a_swap_for_a_tie():
    curve = swaps.swap_curve(
        np.zeros((4, 2)), n_queries=2, rng=np.random.default_rng(0), n_trials=10
    )
    assert (curve.pairs.tolist(), curve.swaps.tolist()) == ([10], [5])


@pytest.mark.parametrize("of_these", [True, False])
def test_quantiles_of_errors_are_those_of_all_samples_there_are(of_these):
    """Every sample of 3 of 7 scores is written down, with and without replacement."""
    scores = [0.1, 0.35, 0.4, 0.62, 0.7, 0.85, 0.97]
    samples = itertools.combinations(scores, 3) if of_these else itertools.product(scores, repeat=3)
    errors = np.array([abs(np.mean(sample) - np.mean(scores)) for sample in samples])
    quantiles = (0.5, 0.75, 0.95, 0.99)
    (row,) = sample_sizes.error_quantiles(scores, [3], quantiles=quantiles, n_samples=50_000)
    drawn = row.of_these if of_these else row.like_these
    assert drawn is not None and row.n_groups == 3
    for quantile, error in zip(quantiles, drawn, strict=True):
        # the shares of samples below and up to it lie on both sides, but for chance
        n_below, n_up_to = (np.mean(errors < error + margin) for margin in (-1e-9, 1e-9))
        assert n_below - 0.01 <= quantile <= n_up_to + 0.01


def test_one_quantile_of_errors_is_the_sampling_error():
    scores = np.random.default_rng(1).random(40)
    (one,) = sample_sizes.sampling_error(scores, [9])
    (four,) = sample_sizes.error_quantiles(scores, [9], quantiles=[0.5, 0.95])
    assert four.of_these is not None
    assert (one.of_these, one.like_these) == (four.of_these[1], four.like_these[1])
