"""Rates of all pairs at once against one pair after the other, and bins against a recount."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.systems.error_rates import (
    bin_width,
    difference_bins,
    error_rates,
    pair_rates,
)
from metrics.core.comparisons import swaps
from tests.metrics.core.comparisons.printed_error_rate import reer_independent
from tests.sizes import cases


@st.composite
def tables(draw) -> np.ndarray:
    """Scores in tenths with ties, equal runs and constant leads among them."""
    n_runs = draw(st.integers(2, 5))
    row = st.lists(st.integers(0, 10), min_size=n_runs, max_size=n_runs)
    table = np.array(draw(st.lists(row, min_size=2, max_size=9)), dtype=np.float64) / 10
    if draw(st.booleans()):
        table[:, 1] = table[:, 0]
    elif draw(st.booleans()):
        table[:, 1] = table[:, 0] + 0.25
    return table


@cases(300)
@given(tables(), st.integers(1, 100))
def test_all_pairs_at_once_are_as_each_by_itself(table, size):
    ours = pair_rates(table, n_queries=size)
    for p, (i, j) in enumerate(combinations(range(table.shape[1]), 2)):
        d = table[:, i] - table[:, j]
        if np.ptp(d) < 1e-9:  # one pair by itself has rounding where no spread is
            expected = [0.5 if abs(d.mean()) < 1e-9 else 0.0] * 2
            assert [ours.reer_paired[p], ours.reversal[p]] == expected
            continue
        x, y = table[:, i], table[:, j]
        assert ours.difference[p] == pytest.approx(abs(d.mean()), abs=1e-12)
        formulas = {
            "reer_paired": swaps.reer_paired,
            "reer_independent": reer_independent,
            "reversal": swaps.reversal,
        }
        for name, formula in formulas.items():
            alone = formula(x, y, n_queries=size)
            assert getattr(ours, name)[p] == pytest.approx(alone, abs=1e-9)


def test_the_printed_formula_and_the_reversal_of_a_pair_by_scipy():
    x, y = np.array([0.2, 0.5, 0.9, 0.4]), np.array([0.1, 0.6, 0.5, 0.2])
    ours = pair_rates(np.stack([x, y], axis=1), n_queries=25)
    z = -(x.mean() - y.mean()) / np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 25)
    below = stats.norm.cdf(z)
    assert ours.reer_independent[0] == pytest.approx(2 * below * (1 - below))
    t = stats.ttest_rel(x, y).statistic
    assert ours.reversal[0] == pytest.approx(stats.t.cdf(-abs(t) / np.sqrt(1 + 4 / 25), 3))


def test_the_printed_formula_is_below_the_paired_one_where_scores_go_apart():
    together = np.array([[0.1, 0.2], [0.4, 0.5], [0.7, 0.6], [0.9, 0.95]])
    apart = np.column_stack([together[:, 0], together[::-1, 1]])
    for table, is_above in ((together, True), (apart, False)):
        rates = pair_rates(table, n_queries=4)
        assert (rates.reer_independent[0] > rates.reer_paired[0]) == is_above


def test_the_rate_of_a_bin_is_how_often_two_new_sets_of_topics_disagree():
    """Of two independent means of new topics the one is below 0 and the other above, by SciPy."""
    table = np.array(
        [[0.20, 0.10, 0.55], [0.50, 0.55, 0.30], [0.90, 0.60, 0.80], [0.40, 0.50, 0.95]]
    )
    ours = error_rates(table, sizes=[5, 50])
    of_pairs = [table[:, i] - table[:, j] for i, j in combinations(range(3), 2)]
    means = [abs(difference.mean()) for difference in of_pairs]
    assert means == pytest.approx([0.0625, 0.15, 0.2125])
    assert np.flatnonzero(ours.n_pairs).tolist() == [6, 15, 21]
    for m, size in enumerate((5, 50)):
        for b, difference in zip((6, 15, 21), of_pairs, strict=True):
            error = stats.sem(difference) * np.sqrt(len(difference) / size)
            new_mean = stats.norm(difference.mean(), error)
            disagree = 2 * new_mean.cdf(0) * new_mean.sf(0)
            assert ours.reer_paired[m, b] == pytest.approx(disagree, abs=1e-12)
    # the first bin by hand: differences .10, -.05, .30, -.10, whose variance is .0339583
    z = 0.0625 / np.sqrt((0.0375**2 + 0.1125**2 + 0.2375**2 + 0.1625**2) / 3 / 5)
    below = (1 - math.erf(z / np.sqrt(2))) / 2
    assert ours.reer_paired[0, 6] == pytest.approx(2 * below * (1 - below), abs=1e-12)


@cases(200)
@given(tables())
def test_bins_hold_the_pairs_by_their_difference(table):
    ours = error_rates(table, sizes=[5, 50])
    held = [[] for _ in ours.n_pairs]
    for i, j in combinations(range(table.shape[1]), 2):
        difference = abs(table[:, i].mean() - table[:, j].mean())
        held[int(round(difference / ours.edges[1], 6))].append((i, j))
    assert ours.n_pairs.tolist() == [len(pairs) for pairs in held]
    for m, size in enumerate((5, 50)):
        rates = pair_rates(table, n_queries=size)
        numbers = dict(zip(combinations(range(table.shape[1]), 2), range(99), strict=False))
        for b, pairs in enumerate(held):
            mean = np.mean([rates.reversal[numbers[pair]] for pair in pairs]) if pairs else np.nan
            assert ours.reversal[m, b] == pytest.approx(mean, nan_ok=True)


def test_the_smallest_difference_to_trust_is_that_from_which_on_all_are_within():
    ours = error_rates(np.array([[0.1, 0.2], [0.3, 0.1]]), sizes=[10, 20])._replace(
        edges=np.array([0, 0.01, 0.02, 0.03, 0.04, 0.05]),
        n_pairs=np.array([9, 5, 0, 3, 1]),
        reer_paired=np.array([[0.4, 0.04, np.nan, 0.2, 0.03], [0.4, 0.04, np.nan, 0.02, 0.06]]),
    )
    assert ours.trusted_from(0.05) == [0.04, None]
    assert ours.trusted_from(0.3) == [0.01, 0.01]
    assert ours.trusted_from(0.5) == [0.0, 0.0]


def test_bins_are_a_hundredth_wide_or_as_wide_as_ten_to_fifty_of_them_need():
    assert [bin_width(x) for x in (0.1, 0.099, 0.05, 0.049, 0.02, 0.009, 0.00101, 3e-15)] == [
        *(0.01, 0.005, 0.005, 0.002, 0.002, 0.0005, 0.0001, 2e-16),
    ]
    assert [bin_width(x) for x in (0, 0.49, 0.5, 0.99, 1, 2.4, 2.5, 60)] == [
        *(0.01, 0.01, 0.02, 0.02, 0.05, 0.05, 0.1, 2.0),
    ]
    assert difference_bins(np.array([0.0, 0.29, 0.3 - 1e-17, 0.57]), 0.01).tolist() == [
        *(0, 29, 30, 57),
    ]


@pytest.mark.parametrize("scale", [1e-14, 1e-3, 1e-2])
def test_small_scores_have_the_bins_of_large_ones_on_their_scale(scale):
    rng = np.random.default_rng(2)
    table = 0.1 * rng.random((20, 6)) + np.linspace(0, 0.15, 6)
    ours, scaled = (error_rates(s * table, sizes=[20]) for s in (1, scale))
    assert scaled.edges == pytest.approx(scale * ours.edges)
    assert scaled.n_pairs.tolist() == ours.n_pairs.tolist()
    assert scaled.reer_paired.tolist()[0] == pytest.approx(
        ours.reer_paired.tolist()[0], nan_ok=True
    )
    (edge,) = ours.trusted_from(0.05)
    assert scaled.trusted_from(0.05) == [pytest.approx(scale * edge)]


def test_edges_of_narrow_bins_have_no_trace_of_rounding():
    table = np.random.default_rng(2).random((4, 1)) + np.array([[0, 0.001, 0.0025]])
    edges = error_rates(table, sizes=[4]).edges.tolist()
    assert edges == [0.0, *(float(f"{number * 2}e-4") for number in range(1, 14))]


@pytest.mark.parametrize(("offset", "by"), [(0, 1e-7), (1e9, 0.25)])
def test_pairs_that_differ_by_little_beside_their_scores_keep_their_spread(offset, by):
    x = offset + np.random.default_rng(5).integers(0, 1_024, 40) / 1_024
    step = by * np.random.default_rng(6).integers(0, 1_024, 40) / 1_024
    ours = pair_rates(np.column_stack([x, x + step]), n_queries=40)
    alone = swaps.reversal(x + step - x, np.zeros(40))
    assert ours.reversal[0] == pytest.approx(alone, rel=1e-6)
    noise = step - step.mean()
    level = pair_rates(np.column_stack([x, x + noise]), n_queries=40)
    assert level.reer_paired[0] == pytest.approx(0.5, abs=1e-3)
