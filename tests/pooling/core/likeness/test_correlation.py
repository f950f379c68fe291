"""Rank correlations: the values of R's ircor, SciPy, and what is undefined."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pooling.core.likeness import correlation
from tests.sizes import cases

# Example data and values of J. Urbano's R package ircor (its manual and tests), three pairs of ten
# scores each.
X = [
    [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
    [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
    [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
]
Y = [
    [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
    [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
    [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
]
SCORES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=20)


@pytest.mark.parametrize(
    ("at", "tau", "tau_ap", "symmetric"),
    [(0, 0.9111, 0.8519, 0.8333), (1, 0.2889, 0.2504, 0.288), (2, -0.6889, -0.6971, -0.668)],
)
def test_the_examples_of_ircor_come_out(at, tau, tau_ap, symmetric):
    assert correlation.kendall_tau(X[at], Y[at]) == pytest.approx(tau, abs=5e-5)
    assert correlation.tau_ap(X[at], Y[at]) == pytest.approx(tau_ap, abs=5e-5)
    assert correlation.symmetric_tau_ap(X[at], Y[at]) == pytest.approx(symmetric, abs=5e-5)


@pytest.mark.parametrize(("at", "tau_b"), [(0, 0.9398), (1, 0.3765), (2, -0.651)])
def test_tau_b_of_the_rounded_examples_comes_out(at, tau_b):
    x, y = ([round(value, 1) for value in row] for row in (X[at], Y[at]))
    assert correlation.kendall_tau_b(x, y) == pytest.approx(tau_b, abs=5e-5)


@pytest.mark.parametrize("n", range(2, 40))
def test_equal_orders_have_a_tau_of_exactly_1(n):
    assert correlation.kendall_tau_b(np.arange(n), np.arange(n)) == 1
    assert correlation.kendall_tau_b(np.arange(n), -np.arange(n)) == -1


@cases(200)
@given(SCORES)
def test_tau_counts_pairs_as_its_definition_says(rows):
    x, y = (np.array(side) for side in zip(*rows, strict=True))
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(len(x)) for j in range(i)]
    assert correlation.kendall_tau(x, y) == pytest.approx(np.mean(signs), abs=1e-12)


@cases(100)
@given(st.permutations(range(12)), st.permutations(range(12)))
def test_tau_ap_follows_its_definition_and_tau_is_its_mean_over_random_starts(x, y):
    order = sorted(range(12), key=lambda item: -y[item])
    share = [np.mean([x[order[j]] > x[order[i]] for j in range(i)]) for i in range(1, 12)]
    assert correlation.tau_ap(x, y) == pytest.approx(2 * np.mean(share) - 1, abs=1e-12)


@cases(100)
@given(SCORES)
def test_spearman_equals_pearson_of_midranks(rows):
    x, y = (np.array(side) for side in zip(*rows, strict=True))
    rho = correlation.spearman(x, y)
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert math.isnan(rho)
    else:
        expected = stats.pearsonr(stats.rankdata(x), stats.rankdata(y)).statistic
        assert rho == pytest.approx(expected, abs=1e-12)


def test_a_constant_list_or_a_single_thing_has_no_tau_b_and_ties_have_no_tau_ap():
    assert math.isnan(correlation.kendall_tau_b([1, 1, 1], [1, 2, 3]))
    assert math.isnan(correlation.kendall_tau([1], [1]))
    assert math.isnan(correlation.tau_ap([1, 1, 2], [1, 2, 3]))
    assert correlation.kendall_tau([1, 1, 1], [1, 2, 3]) == 0


def test_tau_b_and_mid_ranks_equal_scipy_with_ties_and_without():
    rng = np.random.default_rng(2)
    for n in (2, 3, 10, 300):
        for most in (2, 5, 10_000):
            x, y = rng.integers(0, most, (2, n)) / 7
            assert correlation.kendall_tau_b(x, y) == pytest.approx(
                stats.kendalltau(x, y).statistic, abs=1e-12, nan_ok=True
            )
            assert correlation.mid_ranks(x).tolist() == stats.rankdata(x).tolist()
    assert np.isnan(correlation.kendall_tau_b([1, np.nan, 2], [1, 2, 3]))
    assert np.isnan(correlation.spearman([1, np.nan, 2], [1, 2, 3]))
