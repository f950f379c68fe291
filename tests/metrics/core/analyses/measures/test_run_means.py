"""Averages of runs with their intervals: against numpy, SciPy and statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.measures.run_orders import run_means
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL

RNG = np.random.default_rng(12)
HITS = (RNG.random((3, 60)) < np.array([[0.2], [0.5], [0.9]])).astype(np.float64)
RANKS = RNG.integers(1, 40, (3, 60)).astype(np.float64)
SINGLE = Groups.single(60)


def test_shares_of_hits_have_their_mean_and_wilsons_interval():
    for row, mean in zip(HITS, run_means(HITS, parse_one("C@1"), groups=SINGLE), strict=True):
        assert mean.value == pytest.approx(np.mean(row), abs=1e-12)
        expected = proportion_confint(int(row.sum()), 60, method="wilson")
        assert mean.interval == pytest.approx(expected, abs=1e-9)


def test_mean_ranks_have_students_interval():
    for row, mean in zip(RANKS, run_means(RANKS, parse_one("MeanR"), groups=SINGLE), strict=True):
        assert mean.value == pytest.approx(np.mean(row), abs=1e-12)
        expected = stats.t.interval(0.95, 59, loc=np.mean(row), scale=stats.sem(row))
        assert mean.interval == pytest.approx(expected, abs=1e-9)


def test_weights_and_groups_are_those_of_the_queries():
    groups = Groups.of(np.repeat(np.arange(20), 3), weight=np.repeat([1.0, 3.0], 30))
    means = run_means(RANKS, parse_one("MeanR"), groups=groups)
    expected = [np.average(row, weights=np.repeat([1.0, 3.0], 30)) for row in RANKS]
    assert [mean.value for mean in means] == pytest.approx(expected, abs=1e-12)
    plain = run_means(RANKS, parse_one("MeanR"), groups=SINGLE)
    assert all(mean.interval != other.interval for mean, other in zip(means, plain, strict=True))


def test_a_median_has_no_interval_and_a_rank_beyond_a_list_no_average():
    medians = run_means(RANKS, parse_one("MedR"), groups=SINGLE)
    assert [mean.value for mean in medians] == [float(np.median(row)) for row in RANKS]
    assert {mean.interval for mean in medians} == {NO_INTERVAL}
    missing = RANKS.copy()
    missing[1, 0] = np.inf
    (_, mean, _) = run_means(missing, parse_one("MeanR"), groups=SINGLE)
    assert mean == (None, NO_INTERVAL)


def test_estimates_have_no_interval_here():
    means = run_means(HITS, parse_one("P@1"), groups=SINGLE, with_intervals=False)
    assert {mean.interval for mean in means} == {NO_INTERVAL}
    assert [mean.value for mean in means] == pytest.approx(HITS.mean(axis=1).tolist())
