"""The table of an analysis of variance: against statsmodels, of topics and of groups of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from metrics.core.analyses.systems.variance import variance_table
from metrics.core.statistics.groups import Groups
from tests.real_data import FOLDER, needs_real_data
from tests.sizes import cases


def package_table(scores: np.ndarray) -> pd.DataFrame:
    """The table of statsmodels, of a row a score."""
    t, s = scores.shape
    frame = pd.DataFrame(
        {"y": scores.ravel(), "topic": np.repeat(range(t), s), "run": np.tile(range(s), t)}
    )
    return anova_lm(ols("y ~ C(topic) + C(run)", frame).fit())


def check(table, expected: pd.DataFrame) -> None:
    total = expected.sum_sq.sum()
    names = {"C(run)": table.systems, "C(topic)": table.topics, "Residual": table.error}
    for name, source in names.items():
        row = expected.loc[name]
        assert source.sum_of_squares == pytest.approx(row.sum_sq, rel=1e-7, abs=1e-12)
        assert source.df == row.df
        assert source.mean_square == pytest.approx(row.mean_sq, rel=1e-7, abs=1e-12)
        assert source.share == pytest.approx(row.sum_sq / total, rel=1e-7, abs=1e-9)
    for name in ("C(run)", "C(topic)"):
        row, error = expected.loc[name], expected.loc["Residual"].mean_sq
        assert names[name].f == pytest.approx(row.F, rel=1e-6, abs=1e-9)
        assert names[name].p == pytest.approx(row["PR(>F)"], rel=1e-5, abs=1e-12)
        omega = (row.sum_sq - row.df * error) / (total + error)
        assert names[name].omega == pytest.approx(max(omega, 0), rel=1e-6, abs=1e-9)
    assert table.error.f is table.error.p is table.error.omega is None
    assert table.total.sum_of_squares == pytest.approx(total)
    assert table.total.df == expected.df.sum()


@cases(60)
@given(st.integers(0, 10_000), st.integers(3, 9), st.integers(3, 5))
def test_it_equals_statsmodels(seed, t, s):
    rng = np.random.default_rng(seed)
    scores = rng.random((t, s)) + rng.random((t, 1)) + np.linspace(0, rng.random(), s)
    table = variance_table(scores, groups=Groups.single(t))
    assert table.n == t
    check(table, package_table(scores))


def test_of_groups_of_one_size_it_is_that_of_their_means():
    rng = np.random.default_rng(3)
    keys = rng.permutation(np.repeat(range(8), 3))
    scores = rng.random((24, 4)) + keys[:, None] / 8
    means = np.array([scores[keys == key].mean(axis=0) for key in dict.fromkeys(keys)])
    table = variance_table(scores, groups=Groups.of(keys))
    assert table.n == 8
    check(table, package_table(means))


def test_equal_scores_have_no_shares_and_no_f():
    table = variance_table(np.full((4, 3), 0.1), groups=Groups.single(4))
    for source in (table.systems, table.topics):
        assert (source.f, source.p, source.share, source.omega) == (None,) * 4
    assert table.total.share is None and table.total.sum_of_squares == pytest.approx(0)


@pytest.mark.parametrize("offset", [0, -1e9, 1e9])
def test_what_all_scores_have_in_common_changes_nothing(offset):
    """At a billion scores keep seven decimals: each part is as that of what is over."""
    parts = np.random.default_rng(6).integers(0, 1_024, (8, 3)) / 1_024
    alone = variance_table(parts, groups=Groups.single(8))
    beside = variance_table(offset + parts, groups=Groups.single(8))
    for ours, expected in zip(beside[1:], alone[1:], strict=True):
        assert ours.sum_of_squares == pytest.approx(expected.sum_of_squares)
        assert ours.share == pytest.approx(expected.share)
    assert beside.systems.f == pytest.approx(alone.systems.f)


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e12])
def test_scores_are_equal_that_rounding_alone_takes_apart(scale):
    equal = np.full((8, 3), 0.3) * scale
    equal[2, 1] = np.nextafter(equal[2, 1], np.inf)
    assert variance_table(equal, groups=Groups.single(8)).total.share is None
    equal[2, 1] *= 1 + 1e-13
    assert variance_table(equal, groups=Groups.single(8)).total.share is not None


def test_a_lead_that_is_the_same_on_each_topic_leaves_no_error_at_a_billion():
    scores = 1e9 + np.random.default_rng(7).random((8, 1)) + np.array([[0.1, 0.3, 0.2]])
    table = variance_table(scores, groups=Groups.single(8))
    assert table.systems.f is None and table.systems.share > 0


def test_where_nothing_is_left_to_error_f_is_not_given():
    scores = np.array([[0.1], [0.2], [0.7]]) + np.array([[0.1, 0.3, 0.2]])
    table = variance_table(scores, groups=Groups.single(3))
    assert table.systems.f is table.systems.p is table.topics.f is table.topics.p is None
    assert table.systems.share + table.topics.share == pytest.approx(1)
    assert table.systems.omega == pytest.approx(table.systems.share)


def test_one_topic_or_group_is_refused():
    with pytest.raises(ValueError, match="two topics"):
        variance_table(np.array([[0.1, 0.2]]), groups=Groups.single(1))
    with pytest.raises(ValueError, match="two topics"):
        variance_table(np.array([[0.1, 0.2], [0.3, 0.1]]), groups=Groups.of([0, 0]))


@needs_real_data
def test_the_129_runs_of_trec_8():
    path = FOLDER / "trec_topic_run_matrices/adhoc8_ap.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1)
    table = variance_table(scores, groups=Groups.single(len(scores)))
    assert table.systems.f == pytest.approx(34.46, abs=5e-3)
    assert (table.systems.df, table.topics.df, table.error.df) == (128, 49, 6272)
