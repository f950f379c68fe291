"""Analysis of variance and comparisons of many systems: textbooks, statsmodels, SciPy."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.diagnostic import normal_ad

from metrics.core.comparisons import anova, range_tests
from tests.sizes import cases


def scores(seed: int, t: int = 12, s: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (t, s)) + rng.normal(0, 1, (t, 1)) + np.linspace(0, 2, s)


@pytest.mark.parametrize("seed", range(5))
def test_two_way_analysis_equals_statsmodels(seed):
    table = scores(seed)
    t, s = table.shape
    frame = pd.DataFrame(
        {"y": table.ravel(), "topic": np.repeat(range(t), s), "run": np.tile(range(s), t)}
    )
    expected = anova_lm(ols("y ~ C(topic) + C(run)", frame).fit())
    analysis = anova.two_way(table)
    assert analysis.f_systems == pytest.approx(expected.F["C(run)"])
    assert analysis.f_topics == pytest.approx(expected.F["C(topic)"])
    assert analysis.p_systems == pytest.approx(expected["PR(>F)"]["C(run)"])
    assert analysis.ms_error == pytest.approx(expected.mean_sq["Residual"])
    assert (analysis.df_systems, analysis.df_topics, analysis.df_error) == tuple(
        expected.df[["C(run)", "C(topic)", "Residual"]]
    )
    total = np.sum((table - table.mean()) ** 2)
    assert analysis.ss_systems + analysis.ss_topics + analysis.ss_error == pytest.approx(total)


def test_analysis_refuses_gaps_and_knows_what_is_left_undefined():
    with pytest.raises(ValueError, match="without gaps"):
        anova.two_way(np.array([[1, 2], [np.nan, 3]]))
    assert math.isnan(anova.two_way(np.ones((3, 3))).f_systems)
    assert anova.two_way(np.tile([0.0, 1.0], (3, 1))).p_systems == 0


def test_anderson_darling_equals_statsmodels():
    rng = np.random.default_rng(0)
    for sample in (
        rng.normal(size=50),
        rng.beta(1, 5, 50),
        rng.exponential(size=400),
        rng.normal(size=8),
    ):
        assert anova.anderson_darling(sample) == pytest.approx(normal_ad(sample), rel=1e-7)
    assert math.isnan(anova.anderson_darling(np.ones(20))[1])
    p = [anova.anderson_darling(column)[1] for column in rng.normal(size=(300, 50))]
    assert np.mean(np.array(p) >= 0.05) == pytest.approx(0.95, abs=0.04)


# scipy takes a second or two for each
FURTHER_DF = [pytest.param(df, marks=pytest.mark.full) for df in (5, 120, 6272)]


@pytest.mark.parametrize("df", [20, math.inf, *FURTHER_DF])
def test_quantiles_of_the_studentized_range_equal_scipy(df):
    quantiles = range_tests.studentized_range_quantiles(20, df, 0.05)
    for r in (2, 3, 10, 20):
        assert quantiles[r - 1] == pytest.approx(stats.studentized_range.ppf(0.95, r, df), abs=2e-6)


@pytest.mark.parametrize(
    ("df", "alpha", "expected"),
    [
        (20, 0.05, [2.95, 3.58, 3.96, 4.23]),  # HyperStat, Newman-Keuls
        (30, 0.05, [2.89, 3.49, 3.85, 4.10, 4.30]),  # Welsch 1972
        (10, 0.01, [4.48, 5.27, 5.77, 6.14]),  # printed tables of the studentized range
        (1, 0.05, [17.97, 26.98, 32.82]),
    ],
)
def test_quantiles_equal_printed_tables(df, alpha, expected):
    assert range_tests.studentized_range_quantiles(len(expected) + 1, df, alpha)[
        1:
    ] == pytest.approx(expected, abs=6e-3)


@pytest.mark.parametrize(
    ("df", "alpha"), [(1, 5e-5), (1, 0.05), (2, 1e-6), (4, 1e-7), (20, 1e-6), (math.inf, 1e-9)]
)
def test_the_range_of_two_means_far_out_is_student_s(df, alpha):
    quantiles = range_tests.studentized_range_quantiles(5, df, alpha)
    assert quantiles[1] == pytest.approx(math.sqrt(2) * stats.t.isf(alpha / 2, df), rel=1e-6)
    assert (np.diff(quantiles) > 0).all()


@pytest.mark.parametrize("method", range_tests.METHODS)
def test_the_error_of_a_pair_of_its_own_is_that_of_its_paired_t_test(method):
    rng = np.random.default_rng(5)
    table = rng.normal(np.linspace(0, 1.2, 5), [0.2, 0.3, 1.5, 0.3, 0.4], (12, 5)) + rng.normal(
        size=(12, 1)
    )
    significant = range_tests.exceed_own_errors(table, method=method)
    order = np.argsort(-table.mean(axis=0))
    for i in range(5):
        for j in range(i):
            t = abs(stats.ttest_rel(table[:, order[i]], table[:, order[j]]).statistic)
            level = {
                "tukey": 0.05,
                "newman-keuls": 0.05,
                "regwq": share_of_alpha(i - j + 1, 5, 0.05),
            }[method]
            critical = stats.studentized_range.ppf(
                1 - level, 5 if method == "tukey" else i - j + 1, 11
            ) / math.sqrt(2)
            assert (
                significant[order[i], order[j]] == significant[order[j], order[i]] == (t > critical)
            )
    assert 0 < np.count_nonzero(np.triu(significant)) < 10 and not significant.diagonal().any()


def test_what_differs_by_as_much_on_every_topic_exceeds_any_error():
    same = np.random.default_rng(0).integers(0, 8, (9, 1)) / 8
    significant = range_tests.exceed_own_errors(
        np.hstack([same, same + 0.125, same]), method="tukey"
    )
    assert significant.tolist() == [[False, True, False], [True, False, True], [False, True, False]]


def differing_pairs(comparison: range_tests.Comparison) -> set[tuple[float, float]]:
    rows, columns = np.nonzero(np.triu(comparison.significant))
    return {
        (float(comparison.means[i]), float(comparison.means[j]))
        for i, j in zip(rows, columns, strict=True)
    }


def test_hyperstat_s_newman_keuls_example():
    """davidmlane.com/hyperstat: five means, MSE 30, n = 5; only 25 differs, and not from 18."""
    comparison = range_tests.compare_means(
        [10, 11, 14, 18, 25], standard_error=math.sqrt(30 / 5), df=20, method="newman-keuls"
    )
    assert differing_pairs(comparison) == {(25, 14), (25, 11), (25, 10)}
    assert comparison.groups == [[0, 1], [2, 3, 4]]


def test_welsch_s_newman_keuls_example():
    """Welsch 1972 (MIT WP 614): all pairs differ but four."""
    means = [8.29, 8.96, 12.57, 15.41, 16.5, 18.92]
    alike = {(18.92, 16.5), (16.5, 15.41), (15.41, 12.57), (8.96, 8.29)}
    comparison = range_tests.compare_means(means, standard_error=1, df=30, method="newman-keuls")
    ordered = sorted(means, reverse=True)
    assert (
        differing_pairs(comparison)
        == {(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]} - alike
    )


@pytest.mark.parametrize("seed", range(5))
def test_tukey_equals_scipy_where_it_has_the_same_error_term(seed):
    """One-way: SciPy's tukey_hsd pools the groups' variances; compare_means gets that error."""
    groups = np.random.default_rng(seed).normal(np.linspace(0, 1.5, 5), 1, (15, 5))
    expected = stats.tukey_hsd(*groups.T).pvalue < 0.05
    error = math.sqrt(groups.var(axis=0, ddof=1).mean() / 15)
    comparison = range_tests.compare_means(
        groups.mean(axis=0), standard_error=error, df=70, method="tukey"
    )
    assert np.array_equal(
        comparison.significant, expected[np.ix_(comparison.order, comparison.order)]
    )


def newman_keuls_by_definition(means: np.ndarray, error: float, df: float) -> np.ndarray:
    ordered = np.sort(means)[::-1]
    k = len(ordered)
    bar = range_tests.studentized_range_quantiles(k, df, 0.05) * error
    result = np.zeros((k, k), dtype=bool)
    for span in range(k, 1, -1):
        for i in range(k - span + 1):
            j = i + span - 1
            enclosing = all(
                result[a, b] for a in range(i + 1) for b in range(j, k) if (a, b) != (i, j)
            )
            result[i, j] = enclosing and ordered[i] - ordered[j] > bar[span - 1]
    return result | result.T


@cases(60)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=9))
def test_newman_keuls_follows_its_definition_and_its_groups_hold_no_difference(values):
    means = np.array(values, dtype=float)
    comparison = range_tests.compare_means(means, standard_error=2.0, df=60, method="newman-keuls")
    assert np.array_equal(comparison.significant, newman_keuls_by_definition(means, 2.0, 60))
    assert [rank for group in comparison.groups for rank in group] == list(range(len(means)))
    for group in comparison.groups:
        assert not comparison.significant[np.ix_(group, group)].any()


def test_tukey_finds_no_more_than_regwq_and_that_no_more_than_newman_keuls():
    """Where steps below k - 1 means are not raised to be monotone, as these quantiles are not."""
    for seed in range(5):
        table = scores(seed)
        tukey, regwq, loosest = (
            range_tests.compare_systems(table, method=method) for method in range_tests.METHODS
        )
        assert not np.any(tukey.significant & ~regwq.significant)
        assert not np.any(regwq.significant & ~loosest.significant)


def share_of_alpha(r: int, k: int, alpha: float) -> float:
    """The level of r of k means: Einot and Gabriel's, Welsch's exception for the widest two."""
    return alpha if r >= k - 1 else 1 - (1 - alpha) ** (r / k)


@pytest.mark.parametrize(
    ("k", "df"),
    [
        (2, 9),
        (3, 10),
        (4, 20),
        (5, math.inf),
        *(pytest.param(*case, marks=pytest.mark.full) for case in [(40, 700)]),
    ],
)
def test_steps_of_regwq_equal_scipy_and_never_fall(k, df):
    critical = range_tests.critical_ranges(k, df, 0.05, method="regwq")
    alone = [
        stats.studentized_range.ppf(1 - share_of_alpha(r, k, 0.05), r, df) for r in range(2, k + 1)
    ]
    assert critical[1:] == pytest.approx(np.maximum.accumulate(alone), abs=3e-6)
    assert (np.diff(critical) >= 0).all()


def test_a_wide_step_of_regwq_that_would_need_less_needs_as_much_as_those_within_it():
    """With 129 means 128 of them alone would need 6.2379, less than the 6.2388 of 127."""
    critical = range_tests.critical_ranges(129, 6272, 0.05, method="regwq")
    alone = range_tests.studentized_range_quantiles(129, 6272, 0.05)[127]
    assert alone < critical[126] == critical[127] < critical[128]


def regwq_by_definition(means: np.ndarray, error: float, df: float) -> np.ndarray:
    """Every set of neighbours by itself, SciPy's quantiles at its level.

    Then spans within other spans.
    """
    ordered = np.sort(means)[::-1]
    k, critical, apart = (
        len(ordered),
        [0.0, 0.0],
        np.zeros((len(ordered), len(ordered)), dtype=bool),
    )
    for r in range(2, k + 1):
        own = stats.studentized_range.ppf(1 - share_of_alpha(r, k, 0.05), r, df)
        critical.append(max(float(own), critical[-1]))
    for i in range(k):
        for j in range(i + 1, k):
            spans = [(a, b) for a in range(i + 1) for b in range(j, k)]
            apart[i, j] = all(
                ordered[a] - ordered[b] > critical[b - a + 1] * error for a, b in spans
            )
    return apart | apart.T


@pytest.mark.parametrize("seed", range(4))
def test_regwq_follows_its_definition(seed):
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 3, 6) + np.arange(6)
    comparison = range_tests.compare_means(means, standard_error=1.0, df=math.inf, method="regwq")
    assert np.array_equal(comparison.significant, regwq_by_definition(means, 1.0, math.inf))
    assert 0 < np.count_nonzero(np.triu(comparison.significant)) < 15


def test_regwq_on_welsch_s_means():
    """As Newman and Keuls, but a span of three needs 3.91, not 3.49: 18.92 to 15.41 has less."""
    means = [8.29, 8.96, 12.57, 15.41, 16.5, 18.92]
    alike = {(18.92, 16.5), (18.92, 15.41), (16.5, 15.41), (15.41, 12.57), (8.96, 8.29)}
    comparison = range_tests.compare_means(means, standard_error=1, df=30, method="regwq")
    ordered = sorted(means, reverse=True)
    assert (
        differing_pairs(comparison)
        == {(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]} - alike
    )


def test_one_system_is_one_group_and_an_unknown_method_lists_what_exists():
    assert range_tests.compare_means([1.0], standard_error=1, df=5, method="tukey").groups == [[0]]
    with pytest.raises(ValueError, match="tukey, regwq, newman-keuls"):
        range_tests.compare_means([1, 2], standard_error=1, df=5, method="scheffe")
