"""Generalizability: Brennan's printed tables, gt4ireval's printed output, and simulated worlds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.comparisons.generalizability import (
    MeanSquares,
    SignalRatio,
    generalizability,
    mean_squares,
)
from metrics.core.statistics.intervals import Interval
from tests.real_data import FOLDER, needs_real_data
from tests.sizes import cases

# Brennan 2001, Table 6.2: ten persons, twelve items
BRENNAN = MeanSquares(10.2963, 11.6273, 2.7872, 10, 12)
# gt4ireval's README: the best 30 of the 40 runs of TREC-3 on 50 topics
TREC_3 = MeanSquares(0.15074, 0.85296, 0.010152, 30, 50)


def test_brennans_tables_with_intervals_at_80_per_cent():
    """Tables 6.2 and 6.5, to the digits printed."""
    ours = generalizability(BRENNAN, confidence=0.8)
    assert ours.components[:3] == pytest.approx((0.6258, 0.8840, 2.7872), abs=1e-4)
    value, interval = ours.relative.coefficient(12)
    assert (value, *interval) == pytest.approx((0.729, 0.541, 0.876), abs=6e-4)
    value, interval = ours.absolute.coefficient(12)
    assert (value, *interval) == pytest.approx((0.672, 0.457, 0.845), abs=6e-4)


@pytest.mark.parametrize(
    ("n_topics", "relative", "absolute"),
    [
        (50, (0.93265, 0.89311, 0.96287), (0.78613, 0.66141, 0.88039)),
        (100, (0.96515, 0.94354, 0.98109), (0.88026, 0.79621, 0.93639)),
        (150, (0.97649, 0.96164, 0.98731), (0.91686, 0.85423, 0.95668)),
    ],
)
def test_gt4ireval_prints_the_same_of_trec_3(n_topics, relative, absolute):
    ours = generalizability(TREC_3)
    assert ours.components[:3] == pytest.approx((0.0028117, 0.028093, 0.010152), rel=5e-5)
    value, interval = ours.relative.coefficient(n_topics)
    assert (value, *interval) == pytest.approx(relative, abs=2e-5)
    value, interval = ours.absolute.coefficient(n_topics)
    assert (value, *interval) == pytest.approx(absolute, abs=2e-5)


def test_gt4ireval_needs_as_many_topics_for_95_hundredths():
    ours = generalizability(TREC_3)
    assert ours.relative.topics_for(0.95) == (69, (37, 114))
    assert ours.absolute.topics_for(0.95) == (259, (130, 487))


@cases(300)
@given(
    st.lists(st.lists(st.integers(0, 10), min_size=3, max_size=3), min_size=2, max_size=8),
    st.sampled_from([0.8, 0.9, 0.95]),
)
def test_fewer_topics_do_not_reach_the_level_and_ends_enclose_the_estimate(rows, level):
    ours = generalizability(mean_squares(np.array(rows) / 10))
    for ratio in (ours.relative, ours.absolute):
        n, _ = ratio.topics_for(level)
        if n is None:
            assert not ratio.value
            continue
        assert ratio.coefficient(n)[0] >= level - 1e-9
        assert n == 1 or ratio.coefficient(n - 1)[0] < level + 1e-9
        low, high = ratio.interval
        if low is not None:
            assert 0 <= low <= ratio.value * (1 + 1e-9) and ratio.value <= high * (1 + 1e-9)


def test_components_are_those_of_a_mixed_model_fitted_by_restricted_likelihood():
    """Of a balanced table with no estimate below 0 the two are the same."""
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(11)
    n_topics, n_systems = 14, 6
    scores = (
        rng.normal(size=(n_topics, 1))
        + 0.7 * rng.normal(size=(1, n_systems))
        + 0.5 * rng.normal(size=(n_topics, n_systems))
    )
    topic, system = np.indices(scores.shape)
    effects = [np.eye(n_topics)[topic.ravel()], np.eye(n_systems)[system.ravel()]]
    structure = sm.regression.mixed_linear_model.VCSpec(
        ["topic", "system"], [[["t"] * n_topics], [["s"] * n_systems]], [[effects[0]], [effects[1]]]
    )
    fit = sm.MixedLM(
        scores.ravel(), np.ones(scores.size), groups=np.ones(scores.size), exog_vc=structure
    ).fit(reml=True)
    ours = generalizability(mean_squares(scores)).components
    assert (ours.topics, ours.systems, ours.error) == pytest.approx(
        (*fit.vcomp, fit.scale), rel=2e-3
    )


def test_an_estimate_below_0_is_0_and_named():
    alike = generalizability(MeanSquares(0.01, 0.5, 0.02, 5, 10))
    assert alike.components.systems == 0 and alike.components.negative == ("systems",)
    assert alike.relative.value == 0 and alike.relative.topics_for(0.9)[0] is None
    assert alike.relative.interval.low == 0
    level = generalizability(MeanSquares(0.5, 0.01, 0.02, 5, 10))
    assert level.components.topics == 0 and level.components.negative == ("topics",)


def test_without_noise_one_topic_is_enough_and_without_anything_nothing_is_defined():
    constant = mean_squares(np.array([[0.1, 0.4], [0.2, 0.5], [0.7, 1.0]]))
    assert constant.error == 0
    ours = generalizability(constant)
    assert ours.relative == SignalRatio(math.inf, Interval(None, None))
    assert ours.relative.coefficient(3)[0] == 1 and ours.relative.topics_for(0.95)[0] == 1
    nothing = generalizability(mean_squares(np.full((3, 3), 0.1)))
    assert nothing.relative.value is None and nothing.relative.coefficient(3)[0] is None


def one_score_apart(n_topics: int, n_systems: int, by: float) -> np.ndarray:
    """Runs that are equal but on the first topic, where one of them has another score."""
    scores = np.repeat(np.random.default_rng(3).integers(1, 10_000, (n_topics, 1)), n_systems, 1)
    scores = scores / 10_000
    scores[0, -1] += by
    return scores


@pytest.mark.parametrize("by", [1.0, 0.1, -0.05, 1e-4, 1e-6])
@pytest.mark.parametrize(("n_topics", "n_systems"), [(50, 2), (60, 4), (7, 3)])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6])
def test_mean_squares_that_are_equal_but_for_rounding_are_equal(n_topics, n_systems, by, scale):
    squares = mean_squares(scale * one_score_apart(n_topics, n_systems, by))
    assert squares.systems == squares.error > 0
    ours = generalizability(squares)
    assert ours.components.systems == ours.relative.value == ours.absolute.value == 0
    assert "systems" not in ours.components.negative
    assert ours.relative.topics_for(0.9)[0] is ours.absolute.topics_for(0.9)[0] is None


def test_a_single_score_above_0_makes_all_three_mean_squares_equal():
    scores = np.zeros((60, 4))
    scores[0, 3] = 1
    assert mean_squares(scores)[:3] == (pytest.approx(1 / 240),) * 3
    assert generalizability(mean_squares(scores)).components.topics == 0


def test_mean_squares_that_differ_in_the_sixth_digit_do():
    scores = one_score_apart(50, 2, 0.1)
    scores[1:, 1] += 1e-7
    squares = mean_squares(scores)
    assert squares.systems > squares.error


def test_the_interval_of_the_relative_ratio_covers_the_true_one():
    """2,000 worlds of normal effects: 95 % of them, give or take three standard errors."""
    rng = np.random.default_rng(7)
    n_worlds, n_topics, n_systems, true = 2_000, 20, 8, 0.25
    covered = 0
    for _ in range(n_worlds):
        scores = (
            rng.normal(size=(n_topics, 1))
            + math.sqrt(true) * rng.normal(size=(1, n_systems))
            + rng.normal(size=(n_topics, n_systems))
        )
        low, high = generalizability(mean_squares(scores)).relative.interval
        covered += low <= true <= high
    assert covered / n_worlds == pytest.approx(0.95, abs=0.015)


@needs_real_data
def test_the_best_runs_of_trec_3_have_the_mean_squares_that_gt4ireval_prints():
    path = FOLDER / "trec_topic_run_matrices" / "adhoc3.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1)
    best = np.argsort(-scores.mean(axis=0))[:30]
    assert mean_squares(scores[:, best])[:3] == pytest.approx(TREC_3[:3], rel=5e-5)
