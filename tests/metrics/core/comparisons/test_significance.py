"""Paired tests and corrections against SciPy and statsmodels."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metrics.core.comparisons import significance
from tests.sizes import seeds


def pairs(seed: int, n: int = 40):
    rng = np.random.default_rng(seed)
    y = rng.beta(1, 2, n).round(2)
    return np.clip(y + rng.normal(0.05, 0.1, n).round(2), 0, 1), y


@pytest.mark.parametrize("seed", seeds(20, by_default=5))
def test_t_and_wilcoxon_and_sign_equal_scipy(seed):
    x, y = pairs(seed)
    expected_t = stats.ttest_rel(x, y)
    outcome = significance.paired_t(x, y)
    assert (outcome.statistic, outcome.p_value) == pytest.approx(
        (expected_t.statistic, expected_t.pvalue), abs=1e-12
    )
    # scipy ranks rounding errors of equal differences apart, as any tool would
    d = np.round(x - y, 10)
    expected_w = stats.wilcoxon(
        d, correction=True, method="asymptotic", zero_method="wilcox", alternative="two-sided"
    )
    assert significance.wilcoxon(d, np.zeros(len(d))).p_value == pytest.approx(
        expected_w.pvalue, abs=1e-12
    )
    expected_sign = stats.binomtest(int(np.sum(d > 0)), int(np.sum(d != 0))).pvalue
    assert significance.sign(d, np.zeros(len(d))).p_value == pytest.approx(expected_sign, abs=1e-12)


def test_small_differences_can_be_ties_of_the_sign_test():
    outcome = significance.sign([0.5, 0.5, 0.5], [0.495, 0.1, 0.9], tolerance=0.01)
    assert (outcome.n, outcome.n_tied, outcome.p_value) == (2, 1, 1.0)


def test_the_randomization_test_counts_all_tosses_of_a_small_case():
    """Four queries have 16 tosses; differences 1, 2, 3, 4 reach their own sum 10 in two of them."""
    outcome = significance.randomization(
        [1, 2, 3, 4], [0, 0, 0, 0], rng=np.random.default_rng(0), n_samples=200_000
    )
    assert outcome.p_value == pytest.approx(2 / 16, abs=0.003)


def test_randomization_and_bootstrap_agree_with_the_t_test_on_normal_differences():
    rng = np.random.default_rng(1)
    x = rng.normal(0.1, 1, 200)
    expected = significance.paired_t(x, np.zeros(200)).p_value
    for test in (significance.randomization, significance.bootstrap):
        assert test(x, np.zeros(200), rng=rng, n_samples=20_000).p_value == pytest.approx(
            expected, abs=0.015
        )


@pytest.mark.parametrize("name", significance.TESTS)
def test_systems_that_never_differ_have_p_1(name):
    options = (
        {"rng": np.random.default_rng(0), "n_samples": 10}
        if name in significance.SAMPLING_TESTS
        else {}
    )
    assert significance.TESTS[name]([0.1, 0.2], [0.1, 0.2], **options).p_value == 1


@pytest.mark.parametrize("name", significance.TESTS)
@pytest.mark.parametrize("score", [0, 1])
def test_one_query_proves_nothing(name, score):
    options = (
        {"rng": np.random.default_rng(0), "n_samples": 10}
        if name in significance.SAMPLING_TESTS
        else {}
    )
    assert math.isnan(significance.TESTS[name]([score], [0], **options).p_value)


@pytest.mark.parametrize("name", significance.TESTS)
def test_systems_on_different_queries_and_missing_scores_are_refused(name):
    options = (
        {"rng": np.random.default_rng(0), "n_samples": 10}
        if name in significance.SAMPLING_TESTS
        else {}
    )
    with pytest.raises(ValueError, match="the same queries"):
        significance.TESTS[name]([1, 2], [1], **options)
    with pytest.raises(ValueError, match="missing or not finite"):
        significance.TESTS[name]([1, np.nan], [1, 2], **options)


@pytest.mark.parametrize("seed", seeds(10, by_default=3))
def test_corrections_equal_statsmodels(seed):
    p = np.random.default_rng(seed).choice([0, 1e-9, 0.01, 0.02, 0.3, 0.5, 1], size=seed + 1)
    assert significance.holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert significance.benjamini_hochberg(p) == pytest.approx(
        multipletests(p, method="fdr_bh")[1], abs=1e-12
    )


def test_fishers_exact_test_equals_scipy():
    rng = np.random.default_rng(4)
    for n, later_n in rng.integers(1, 300, (200, 2)).tolist():
        hits, later_hits = int(rng.integers(0, n + 1)), int(rng.integers(0, later_n + 1))
        table = [[hits, n - hits], [later_hits, later_n - later_hits]]
        p = significance.fisher((hits, n), (later_hits, later_n))
        assert p == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("test", [significance.randomization, significance.bootstrap])
def test_samples_are_a_hundred_thousand(test):
    x, y = np.random.default_rng(0).random((2, 12))
    p = test(x, y, rng=np.random.default_rng(1)).p_value
    assert p == test(x, y, rng=np.random.default_rng(1), n_samples=100_000).p_value
    assert (p * 100_001) == pytest.approx(round(p * 100_001), abs=1e-6)
