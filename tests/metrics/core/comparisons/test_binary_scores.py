"""Scores that are 0 or 1: Cochran's Q and McNemar's test, statsmodels, and worlds in groups."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats import contingency_tables

from metrics.core.comparisons.binary_scores import are_zero_one, cochran
from metrics.core.comparisons.significance import paired_test
from metrics.core.statistics.groups import Groups


def hits(seed: int, chance, n: int = 80) -> np.ndarray:
    return (np.random.default_rng(seed).random((n, len(chance))) < np.asarray(chance)).astype(float)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chance", [[0.3, 0.4], [0.3, 0.5, 0.6], [0.1, 0.2, 0.9, 0.3, 0.3]])
def test_q_equals_statsmodels(seed, chance):
    scores = hits(seed, chance)
    test, expected = cochran(scores), contingency_tables.cochrans_q(scores)
    assert (test.statistic, test.p_value) == pytest.approx(
        (expected.statistic, expected.pvalue), rel=1e-9
    )
    assert (test.df, test.n_samples) == (expected.df, 0)


def test_q_of_runs_that_no_query_tells_apart_is_not_defined():
    test = cochran(np.tile([[1.0], [0.0]], (5, 3)))
    assert math.isnan(test.statistic) and test.p_value == 1
    for scores in (np.full((5, 3), 0.5), np.ones((5, 1)), np.ones(5)):
        with pytest.raises(ValueError, match="0 or 1"):
            cochran(scores)
    assert are_zero_one(np.array([True, False])) and not are_zero_one(np.zeros((0, 3)))
    assert not are_zero_one(np.array([0, 1, np.nan]))


def test_q_over_groups_permutes_their_sums():
    """Captions in ten groups: as single queries the runs seem to differ, as groups they may not."""
    scores = np.repeat(hits(3, [0.35, 0.5, 0.65], n=10), 10, axis=0)
    groups = Groups.of(np.repeat(np.arange(10), 10))
    alone, grouped = cochran(scores), cochran(scores, groups)
    assert alone.p_value < 1e-9 < 0.02 < grouped.p_value
    assert (grouped.statistic, grouped.df, grouped.n_samples) == (alone.statistic, None, 2_000)
    few = cochran(hits(3, [0.35, 0.5, 0.65], n=10))
    # that of the ten; chi-squared is rough there
    assert grouped.p_value == pytest.approx(few.p_value, abs=0.15)
    assert cochran(scores[::-1], groups) == grouped


def test_q_by_permutation_is_near_chi_squared_where_queries_are_many_and_alone():
    scores = hits(5, [0.5, 0.45, 0.4], n=400)
    half = Groups.of(np.arange(400), weight=np.where(np.arange(400) == 0, 1.001, 1.0))
    assert not half.are_plain
    assert cochran(scores, half).p_value == pytest.approx(cochran(scores).p_value, abs=0.05)


def test_q_of_too_many_groups_to_permute_has_no_p():
    scores = hits(0, [0.5] * 40, n=60_000)
    test = cochran(scores, Groups.of(np.arange(60_000) // 2))
    assert math.isnan(test.p_value) and test.statistic > 0


def table(x: np.ndarray, y: np.ndarray) -> list[list[int]]:
    return [[int(np.sum((x == i) & (y == j))) for j in (1, 0)] for i in (1, 0)]


@pytest.mark.parametrize("seed", range(6))
def test_mcnemar_is_the_mid_p_of_statsmodels_exact_test(seed):
    x, y = hits(seed, [0.4, 0.5 + seed / 20], n=60).T
    counts = table(x, y)
    exact = contingency_tables.mcnemar(counts, exact=True)
    b, c = counts[0][1], counts[1][0]
    test = paired_test("mcnemar", x, y)
    # Fagerland, Lydersen & Laake: the exact p less the chance of what was found; with b = c the
    # exact p is cut at 1
    expected = 1 if b == c else exact.pvalue - stats.binom.pmf(b, b + c, 0.5)
    assert test.p_value == pytest.approx(expected, abs=1e-12)
    assert (test.statistic, test.n, test.n_tied) == (b, b + c, 60 - b - c)
    assert paired_test("sign", x, y).p_value == pytest.approx(exact.pvalue, abs=1e-12)
    assert paired_test("mcnemar", y, x).p_value == test.p_value


def test_mcnemar_over_groups_is_obuchowski_s_chi_squared():
    """By the counts b and c of each group.

    Of groups of one query statsmodels' chi-squared without correction.
    """
    x, y = hits(1, [0.4, 0.6], n=90).T
    group = np.arange(90) // 3
    b = np.bincount(group, weights=(x > y))
    c = np.bincount(group, weights=(x < y))
    test = paired_test("mcnemar", x, y, groups=Groups.of(group))
    statistic = (b - c).sum() ** 2 / ((b - c) ** 2).sum()
    assert test.statistic == pytest.approx(statistic)
    assert test.p_value == pytest.approx(stats.chi2.sf(statistic, 1))
    assert (test.n, test.n_tied) == (np.count_nonzero(b != c), np.count_nonzero(b == c))
    weighted = Groups.of(np.arange(90), weight=np.where(np.arange(90) == 0, 1 + 1e-6, 1.0))
    plain = contingency_tables.mcnemar(table(x, y), exact=False, correction=False)
    assert paired_test("mcnemar", x, y, groups=weighted).p_value == pytest.approx(
        plain.pvalue, rel=1e-4
    )


def test_mcnemar_in_groups_finds_a_difference_in_5_percent_of_worlds_without_one():
    rng, groups, n_in_groups, n_single = (
        np.random.default_rng(2),
        Groups.of(np.repeat(np.arange(60), 8)),
        0,
        0,
    )
    for _ in range(1_000):
        chance = np.clip(rng.random((60, 2)), 0.02, 0.98)[groups.of_query]
        x, y = (rng.random((480, 2)) < chance).astype(float).T
        n_in_groups += paired_test("mcnemar", x, y, groups=groups).p_value < 0.05
        n_single += paired_test("mcnemar", x, y).p_value < 0.05
    assert n_in_groups / 1_000 == pytest.approx(0.05, abs=0.025)
    assert n_single / 1_000 > 0.15


def test_mcnemar_refuses_other_scores():
    with pytest.raises(ValueError, match="0 or 1"):
        paired_test("mcnemar", [0.5, 1], [0, 1])
