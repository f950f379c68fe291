"""Samples of two-valued scores against every sample, and against scipy's distributions."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from metrics.core.statistics.two_values import TwoValues

SCORES = np.array([0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25])


@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("of_these", [True, False])
def test_errors_and_chances_are_those_of_all_samples_there_are(of_these, size):
    samples = combinations(SCORES, size) if of_these else product(SCORES, repeat=size)
    means = np.array([np.mean(sample) - SCORES.mean() for sample in samples])
    two_values = TwoValues.of(SCORES)
    assert two_values == (7, 3, 0.5)
    errors, chances = two_values.errors(size, of_these=of_these)
    assert (np.diff(errors) > 0).all() and chances.sum() == pytest.approx(1)
    for error, chance in zip(errors, chances, strict=True):
        assert np.isclose(means, error).mean() == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("scores", [[0.3, 0.3, 0.3], [0.1, 0.2, 0.3], [0.5]])
def test_one_value_and_three_are_not_two(scores):
    assert TwoValues.of(np.array(scores)) is None


def test_more_than_there_are_cannot_be_drawn_once_each():
    with pytest.raises(ValueError, match="1 to 7 queries"):
        TwoValues.of(SCORES).errors(8, of_these=True)
    assert len(TwoValues.of(SCORES).errors(8, of_these=False)[0]) == 9


@pytest.mark.parametrize("error", [0.01, 0.03, 0.05, 0.2, 0.6, 1.5])
@pytest.mark.parametrize(("n", "n_high"), [(200, 90), (200, 1), (57, 56), (1_000, 250)])
@pytest.mark.parametrize("of_these", [True, False])
def test_from_the_size_on_samples_stay_within_and_below_it_they_do_not(of_these, n, n_high, error):
    """By scipy's cumulative chances of every size, far beyond where the last falls short."""
    sizes = np.arange(1, n + 1 if of_these else 40_000)
    share = n_high / n
    high = stats.hypergeom(n, n_high, sizes) if of_these else stats.binom(sizes, share)
    most, least = np.floor(sizes * (share + error) + 1e-9), np.ceil(sizes * (share - error) - 1e-9)
    is_short = high.cdf(most) - high.cdf(least - 1) < 0.95 - 1e-9
    expected = sizes[is_short][-1] + 1 if is_short.any() else 1
    for step in (1.0, 0.25):
        population = TwoValues(n, n_high, step)
        assert population.size_within(step * error, 0.95, of_these=of_these) == expected


def test_two_hundred_queries_for_a_hundredth():
    """Of 191 of 200 with 60 hits only 86.9 % are within .01; from 195 on enough are."""
    assert TwoValues(200, 60, 1.0).size_within(0.01, 0.95, of_these=True) == 195
    for size, share in ((191, 0.869), (194, 0.933), (195, 0.971)):
        hits = stats.hypergeom(200, 60, size)
        within = [k for k in range(61) if abs(k / size - 0.3) <= 0.01]
        assert sum(hits.pmf(k) for k in within) == pytest.approx(share, abs=0.001)
