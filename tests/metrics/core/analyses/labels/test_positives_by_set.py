"""Positives by set: ECCV Caption's published Table 3, statsmodels, and a recount."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.labels.positives_by_set import positives_by_set
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

PACKAGE = importlib.util.find_spec("eccv_caption")
LISTS = Path(PACKAGE.origin).parent / "data"
SETS = ("original", "cxc", "eccv")
N = 160
rng = np.random.default_rng(11)
FIRST = 1 + rng.poisson(1.0, N)
SECOND = FIRST + rng.poisson(3.0, N)
GROUP = rng.integers(0, 35, N)
WEIGHT = rng.integers(1, 4, N)


def eccv_lists(kind: str, name: str) -> dict[str, list[object]]:
    return json.loads((LISTS / f"{name}_{kind}.json").read_bytes())


@pytest.mark.parametrize(
    ("kind", "n_queries", "counts", "factors"),
    [
        ("caption_to_image", 1_332, [1_332, 1_895, 11_279], [1.0, 1.42, 8.47]),
        ("image_to_caption", 1_261, [6_305, 8_906, 22_550], [1.0, 1.41, 3.58]),
    ],
)
def test_the_lists_of_eccv_caption_give_its_table_3(kind, n_queries, counts, factors):
    lists = [eccv_lists(kind, name) for name in SETS]
    queries = list(lists[-1])  # those that ECCV Caption drew
    assert len(queries) == n_queries
    n_positive = np.array([[len(table[query]) for query in queries] for table in lists])
    ours = positives_by_set(n_positive, groups=Groups.single(n_queries))
    assert [total.n_positive for total in ours] == counts
    assert [round(total.factor, 2) for total in ours] == factors
    assert [total.n_with for total in ours] == [n_queries] * 3
    for total in ours[1:]:
        assert total.factor_interval.low < total.factor < total.factor_interval.high


@cases(300)
@given(
    st.integers(1, 4).flatmap(
        lambda n_sets: st.lists(
            st.tuples(*[st.integers(0, 4)] * n_sets, st.integers(1, 3)), min_size=1, max_size=40
        )
    )
)
def test_counts_means_and_factors_are_those_of_a_recount(queries):
    *columns, weight = (list(column) for column in zip(*queries, strict=True))
    groups = Groups.of(np.arange(len(weight)), weight=np.array(weight, dtype=float))
    ours = positives_by_set(np.array(columns), groups=groups)
    means = [recounts.weighted_mean(column, weight) for column in columns]
    for total, column, mean in zip(ours, columns, means, strict=True):
        assert total.n_positive == sum(column)
        assert total.n_with == sum(number > 0 for number in column)
        assert total.mean == pytest.approx(mean, abs=1e-12)
        if means[0] == 0:
            assert (total.factor, total.factor_interval) == (None, NO_INTERVAL)
        else:
            assert total.factor == pytest.approx(mean / means[0], rel=1e-12)
        if total.factor_interval != NO_INTERVAL:
            low, high = total.factor_interval
            assert low < total.factor < high


@pytest.mark.parametrize("group", [np.arange(N), GROUP], ids=["single", "grouped"])
@pytest.mark.parametrize("weight", [np.ones(N, dtype=int), WEIGHT], ids=["plain", "unequal"])
def test_the_interval_of_a_factor_is_that_of_statsmodels_clustered_poisson_regression(
    group, weight
):
    """Beside G / (G - 1) of the groups its variance has (n - 1) / (n - 2) of rows, which goes."""
    groups = Groups.of(group, weight=weight.astype(float))
    _, ours = positives_by_set(np.stack([FIRST, SECOND]), groups=groups)
    copies = np.repeat(np.arange(N), weight)
    counts = np.concatenate([FIRST[copies], SECOND[copies]])
    is_second = np.repeat([0.0, 1.0], len(copies))
    fit = sm.GLM(counts, sm.add_constant(is_second), family=sm.families.Poisson()).fit(
        cov_type="cluster", cov_kwds={"groups": np.tile(group[copies], 2)}, tol=1e-13
    )
    error = fit.bse[1] * np.sqrt((len(counts) - 2) / (len(counts) - 1))
    half = stats.t.ppf(0.975, len(set(group.tolist())) - 1) * error
    expected = np.exp(fit.params[1] + np.array([-half, half]))
    assert ours.factor_interval == pytest.approx(tuple(expected), rel=1e-6)


def test_the_interval_of_a_mean_is_scipys_students():
    ours, _ = positives_by_set(np.stack([FIRST, SECOND]), groups=Groups.single(N))
    theirs = stats.ttest_1samp(FIRST, 0).confidence_interval()
    assert ours.interval == pytest.approx(tuple(theirs), abs=1e-9)


def test_groups_without_a_positive_leave_few_degrees_of_freedom():
    """Of a set with positives in three groups little is known, however many others there are."""
    few = np.where(np.arange(N) < 3, 1, 0)
    _, ours = positives_by_set(np.stack([few, SECOND]), groups=Groups.single(N))
    effect = SECOND / SECOND.sum() - few / few.sum()
    error = (N / (N - 1) * (effect**2).sum()) ** 0.5
    half = stats.t.ppf(0.975, 2) * error
    assert np.log(ours.factor_interval.high / ours.factor) == pytest.approx(half, rel=1e-9)


def test_there_is_no_interval_where_nothing_shows_a_spread():
    twice = np.stack([FIRST, 2 * FIRST])
    assert positives_by_set(twice, groups=Groups.single(N))[1].factor_interval == NO_INTERVAL
    one_group = Groups.of(np.zeros(N))
    ours = positives_by_set(np.stack([FIRST, SECOND]), groups=one_group)[1]
    assert (ours.interval, ours.factor_interval) == (NO_INTERVAL, NO_INTERVAL)
    (alone,) = positives_by_set(np.array([[3]]), groups=Groups.single(1))
    assert alone == (3, 1, 3.0, NO_INTERVAL, 1.0, NO_INTERVAL)
