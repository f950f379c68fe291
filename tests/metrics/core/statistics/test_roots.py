"""Roots of many equations at once, against scipy's own."""

import numpy as np
import pytest
from scipy.optimize import elementwise

from metrics.core.statistics.roots import roots


@pytest.mark.parametrize("power", [1, 3, 9])
def test_roots_equal_scipy(power):
    expected = np.linspace(0.01, 90, 200)
    low, high = np.full(200, 1e-3), np.full(200, 100.0)
    solutions = roots(lambda x: np.tanh((x**power - expected**power) / expected**power), low, high)
    peer = elementwise.find_root(
        lambda x, w: np.tanh((x**power - w**power) / w**power), (low, high), args=(expected,)
    ).x
    np.testing.assert_allclose(solutions, peer, atol=3e-10)
    np.testing.assert_allclose(solutions, expected, atol=3e-10)


def test_a_root_at_an_end_is_found():
    assert roots(lambda x: x - 1, np.ones(1), np.full(1, 2.0)) == pytest.approx(1)


def test_without_a_change_of_sign_there_is_no_root():
    with pytest.raises(ValueError, match="same sign"):
        roots(lambda x: x**2 + 1, np.zeros(2), np.ones(2))
