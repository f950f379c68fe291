"""Distributions of sampling errors against all the samples that there are."""

from itertools import combinations

import numpy as np
import pytest

from metrics.core.analyses.planner.error_distributions import SHARES, error_distributions
from metrics.core.statistics.groups import Groups

SCORES = np.array([0.0, 1.0, 0.25, 0.5, 0.5, 0.75, 1.0, 0.1, 0.9, 0.0])
HITS = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0])


def all_errors(scores: np.ndarray, n: int) -> np.ndarray:
    """The error of every sample of n of the scores."""
    return np.array([np.mean(sample) for sample in combinations(scores, n)]) - scores.mean()


@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize(("scores", "chance"), [(SCORES, 0.01), (HITS, 1e-9)])
def test_distances_are_those_of_all_samples(scores, chance, size):
    """By samples but for chance; two values exactly."""
    (row,) = error_distributions(scores, [size], groups=Groups.single(10), n_samples=40_000)
    errors = all_errors(scores, size)
    assert row.deviation == pytest.approx(errors.std(), rel=max(2 * chance, 1e-9))
    for share, distance in zip(SHARES, row.distances, strict=True):
        # the shares of samples nearer than it and up to it lie on both sides
        nearer, up_to = (np.mean(np.abs(errors) < distance + slack) for slack in (-1e-9, 1e-9))
        assert nearer - chance <= share <= up_to + chance


def test_single_queries_are_drawn_whatever_their_groups():
    groups = Groups.of(np.repeat(np.arange(5), 2))
    (row,) = error_distributions(np.sort(SCORES), [4], groups=groups, n_samples=40_000)
    assert row.deviation == pytest.approx(all_errors(SCORES, 4).std(), rel=0.02)


def test_all_queries_have_no_error_and_order_and_other_sizes_change_nothing():
    whole, half = error_distributions(SCORES, [10, 5], groups=Groups.single(10))
    assert whole == (10, 0.0, [0.0] * len(SHARES))
    assert error_distributions(SCORES[::-1], [5], groups=Groups.single(10)) == [half]


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_distances_are_in_the_unit_of_the_scores(unit):
    (row,) = error_distributions(SCORES, [4], groups=Groups.single(10))
    (scaled,) = error_distributions(unit * SCORES, [4], groups=Groups.single(10))
    assert scaled.distances == pytest.approx([unit * x for x in row.distances], rel=0.1)


@pytest.mark.parametrize("scores", [SCORES, HITS])
def test_a_size_beyond_the_queries_is_refused(scores):
    with pytest.raises(ValueError, match="1 to 10 queries"):
        error_distributions(scores, [11], groups=Groups.single(10))
