"""Distributions of positives: against the statistics module, statsmodels and SciPy."""

import statistics
from collections import Counter

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.collection.positives import SourcePositives, positives_per_query
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

COUNTS = st.lists(st.integers(0, 9) | st.integers(0, 500), min_size=2, max_size=60)
UNEQUAL = np.repeat(np.arange(40), np.random.default_rng(8).integers(1, 12, 40))
POSITIVES = np.random.default_rng(3).poisson(1.5, len(UNEQUAL)) * (1 + UNEQUAL % 3)


def distribution(n, groups: Groups | None = None):
    n = np.array(n, dtype=np.int64)
    groups = groups or Groups.single(len(n))
    (ours,) = positives_per_query([SourcePositives("labels", n)], groups=groups)
    return ours


@cases(300)
@given(COUNTS)
def test_counts_and_quartiles_are_those_of_the_standard_library(n):
    ours = distribution(n)
    by_value = Counter(n)
    assert ours.n_positive == sum(n)
    assert ours.n_without == by_value[0]
    assert ours.values == sorted(by_value)
    assert ours.n_queries == [by_value[value] for value in sorted(by_value)]
    assert all(type(k) is int for k in [*ours.values, *ours.n_queries, ours.n_positive])
    quartiles = statistics.quantiles(n, n=4, method="inclusive")
    assert ours.quartiles == pytest.approx(quartiles, abs=1e-9)
    assert ours.median == pytest.approx(statistics.median(n), abs=1e-9)
    assert ours.mean == pytest.approx(statistics.fmean(n), abs=1e-9)


def test_a_single_query_has_a_distribution_without_interval():
    ours = distribution([3])
    assert (ours.n_positive, ours.n_without, ours.quartiles) == (3, 0, (3.0, 3.0, 3.0))
    assert (ours.mean, ours.interval) == (3.0, NO_INTERVAL)
    assert (ours.values, ours.n_queries) == ([3], [1])


def test_without_queries_there_is_no_distribution():
    none = SourcePositives("labels", np.zeros(0, dtype=np.int64))
    assert positives_per_query([none, none], groups=Groups.single(0)) == []
    assert positives_per_query([], groups=Groups.single(3)) == []


def test_every_source_has_its_own_distribution_in_the_order_of_the_sources():
    numbers = {"reference set": [1, 1, 1, 1], "labels": [0, 4, 2, 9], "both": [1, 5, 3, 9]}
    sources = [SourcePositives(name, np.array(n)) for name, n in numbers.items()]
    ours = positives_per_query(sources, groups=Groups.single(4))
    assert [one_source.name for one_source in ours] == list(numbers)
    assert ours == [distribution(n)._replace(name=name) for name, n in numbers.items()]


def test_the_interval_of_the_mean_is_scipys_students():
    theirs = stats.ttest_1samp(POSITIVES, 0).confidence_interval()
    assert distribution(POSITIVES).interval == pytest.approx(tuple(theirs), abs=1e-9)


def test_over_groups_the_interval_is_statsmodels_cluster_robust_one():
    fit = sm.OLS(POSITIVES, np.ones(len(POSITIVES))).fit(
        cov_type="cluster", cov_kwds={"groups": UNEQUAL}, use_t=True
    )
    ours = distribution(POSITIVES, Groups.of(UNEQUAL))
    assert ours.interval == pytest.approx(tuple(fit.conf_int()[0]), abs=1e-9)
    assert ours.mean == pytest.approx(fit.params[0], abs=1e-12)


def test_weights_enter_the_mean_and_its_interval_alone():
    weight = np.where(UNEQUAL % 2 == 0, 3.0, 1.0)
    groups = Groups.of(UNEQUAL, weight=weight)
    ours, plain = distribution(POSITIVES, groups), distribution(POSITIVES, Groups.of(UNEQUAL))
    expected = recounts.weighted_mean(POSITIVES.tolist(), weight.tolist())
    assert ours.mean == pytest.approx(expected, abs=1e-12)
    assert ours.mean != pytest.approx(plain.mean, abs=1e-3)
    assert [ours.interval] == mean_intervals(
        POSITIVES[None, :].astype(float), are_shares=False, groups=groups
    )
    assert ours == plain._replace(mean=ours.mean, interval=ours.interval)


def test_counts_of_0_and_1_are_no_shares():
    """Student's interval, which may reach below 0 and beyond 1, and none where nothing differs."""
    n = [1, 0, 0, 0]
    theirs = stats.ttest_1samp(n, 0).confidence_interval()
    assert distribution(n).interval == pytest.approx(tuple(theirs), abs=1e-12)
    assert distribution([1, 1, 1, 1]).interval == NO_INTERVAL
    assert distribution(POSITIVES[:5], Groups.of(np.zeros(5))).interval == NO_INTERVAL
