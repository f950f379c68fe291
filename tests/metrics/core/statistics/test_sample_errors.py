"""Distributions of errors: quantiles by hand, and samples of two values against exact chances."""

import numpy as np
import pytest

from metrics.core.statistics.sample_errors import SampleErrors, sample_errors
from metrics.core.statistics.two_values import TwoValues

ERRORS = SampleErrors.of(np.array([0.2, -0.1, 0.0, -0.2]), np.array([0.1, 0.5, 0.3, 0.1]))


def test_a_quantile_is_the_smallest_that_enough_samples_do_not_exceed():
    assert ERRORS.errors.tolist() == [-0.2, -0.1, 0.0, 0.2]
    assert ERRORS.quantiles([0.1, 0.11, 0.6, 0.9, 0.91, 1]) == [-0.2, -0.1, -0.1, 0.0, 0.2, 0.2]
    assert ERRORS.distances.quantiles([0.3, 0.31, 0.8, 0.81]) == [0.0, 0.1, 0.1, 0.2]


def test_the_deviation_is_around_the_mean():
    drawn = np.repeat([0.2, -0.1, 0.0, -0.2], [1, 5, 3, 1])
    assert ERRORS.deviation == pytest.approx(drawn.std())


@pytest.mark.parametrize("of_these", [True, False])
def test_two_values_are_exact_and_three_by_samples(of_these):
    two, three = np.repeat([0.0, 1.0], [30, 20]), np.repeat([0.0, 0.5, 1.0], [20, 20, 10])
    exact = sample_errors(two, [9, 4], of_these=of_these, seed=1, n_samples=7)
    population = TwoValues.of(two)
    assert population is not None
    for size in (4, 9):
        errors, chances = population.errors(size, of_these=of_these)
        assert (exact[size].errors == errors).all() and (exact[size].chances == chances).all()
    drawn = sample_errors(three, [9, 4], of_these=of_these, seed=1, n_samples=7)
    assert [len(drawn[size].errors) for size in (9, 4)] == [7, 7]
    # whose outcomes would be too many
    million = sample_errors(two, [1_000_001], of_these=False, seed=1, n_samples=7)
    assert len(million[1_000_001].errors) == 7
    spread = sample_errors(three, [4], of_these=of_these, seed=1, n_samples=20_000)[4].deviation
    shrinking = np.sqrt((50 - 4) / 49) if of_these else 1
    assert spread == pytest.approx(three.std() / 2 * shrinking, rel=0.03)
