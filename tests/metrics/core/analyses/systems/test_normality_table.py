"""Tests of normality run by run: against statsmodels, of scores and of residuals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.diagnostic import normal_ad
from statsmodels.stats.multitest import multipletests

from metrics.core.analyses.systems.normality import Normality, normality_table
from metrics.core.statistics.groups import Groups
from tests.sizes import cases

NOT_TESTED = Normality(None, None, None)


def check(tests: list[Normality], columns: list[np.ndarray]) -> None:
    """Hold the tests to those of statsmodels of as many samples."""
    expected = [normal_ad(column) for column in columns]
    is_rejected, adjusted_p, *_ = multipletests([p for _, p in expected], 0.05, "fdr_bh")
    for test, (a_squared, p), adjusted in zip(tests, expected, adjusted_p, strict=True):
        assert test.a_squared == pytest.approx(a_squared, rel=1e-6)
        assert test.p == pytest.approx(p, rel=1e-5, abs=1e-12)
        assert test.adjusted_p == pytest.approx(adjusted, rel=1e-5, abs=1e-12)
    assert [test.is_rejected for test in tests] == is_rejected.tolist()


def residuals_of(scores: np.ndarray) -> list[np.ndarray]:
    """The residuals that a linear model of topics and runs leaves, a column a run."""
    t, s = scores.shape
    frame = pd.DataFrame(
        {"y": scores.ravel(), "topic": np.repeat(range(t), s), "run": np.tile(range(s), t)}
    )
    return list(ols("y ~ C(topic) + C(run)", frame).fit().resid.to_numpy().reshape(t, s).T)


@cases(60)
@given(st.integers(0, 10_000), st.integers(8, 25), st.integers(2, 5))
def test_it_equals_statsmodels(seed, t, s):
    rng = np.random.default_rng(seed)
    scores = np.where(np.arange(s) % 2, rng.normal(0.5, 0.1, (t, s)), rng.beta(0.4, 3, (t, s)))
    table = normality_table(scores, groups=Groups.single(t))
    assert table.n == t
    check(table.scores, list(scores.T))
    check(table.residuals, residuals_of(scores))


def test_of_groups_of_one_size_it_is_that_of_their_means():
    rng = np.random.default_rng(3)
    keys = rng.permutation(np.repeat(range(12), 3))
    scores = rng.beta(0.4, 3, (36, 4))
    means = np.array([scores[keys == key].mean(axis=0) for key in dict.fromkeys(keys)])
    table = normality_table(scores, groups=Groups.of(keys))
    assert table.n == 12
    check(table.scores, list(means.T))


def test_skewed_scores_are_rejected_and_normal_ones_are_not():
    rng = np.random.default_rng(4)
    scores = np.hstack([rng.normal(0.5, 0.1, (200, 3)), rng.beta(0.3, 3, (200, 3))])
    table = normality_table(scores, groups=Groups.single(200))
    assert [test.is_rejected for test in table.scores] == [False] * 3 + [True] * 3


def test_a_run_without_spread_is_not_tested_nor_counted_among_the_tests():
    rng = np.random.default_rng(5)
    scores = rng.random((20, 3))
    scores[:, 1] = 0.1
    table = normality_table(scores, groups=Groups.single(20))
    assert table.scores[1] == NOT_TESTED and table.scores[1].is_rejected is None
    check([table.scores[0], table.scores[2]], [scores[:, 0], scores[:, 2]])


def test_residuals_that_are_rounding_are_not_tested():
    scores = np.linspace(0.1, 0.7, 9)[:, None] + np.array([0.1, 0.3, 0.2])
    table = normality_table(scores, groups=Groups.single(9))
    assert table.residuals == [NOT_TESTED] * 3
    check(table.scores, list(scores.T))


@pytest.mark.parametrize("offset", [-1e9, 1e9])
def test_what_all_scores_have_in_common_changes_nothing(offset):
    """At a billion scores keep seven decimals, enough for the tests of what is over."""
    parts = np.random.default_rng(6).integers(0, 1_024, (20, 3)) / 1_024
    table = normality_table(offset + parts, groups=Groups.single(20))
    check(table.scores, list(parts.T))
    check(table.residuals, residuals_of(parts))


def test_scores_a_step_of_their_numbers_apart_are_equal():
    scores = 1e9 + np.random.default_rng(6).random((20, 3))
    scores[:, 1] = 1e9
    scores[3, 1] = np.nextafter(1e9, np.inf)
    assert normality_table(scores, groups=Groups.single(20)).scores[1] == NOT_TESTED


def test_equal_scores_have_no_test():
    table = normality_table(np.zeros((9, 2)), groups=Groups.single(9))
    assert table.scores == table.residuals == [NOT_TESTED] * 2


def test_fewer_than_eight_topics_are_refused():
    with pytest.raises(ValueError, match="takes 8 topics"):
        normality_table(np.random.default_rng(0).random((7, 3)), groups=Groups.single(7))
