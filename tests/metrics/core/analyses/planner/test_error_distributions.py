"""Distributions of sampling errors against all the samples that there are."""

from itertools import combinations

import numpy as np
import pytest

from metrics.core.analyses.planner.error_distributions import QUANTILES, error_distributions
from metrics.core.statistics.groups import Groups

SCORES = np.array([0.0, 1.0, 0.25, 0.5, 0.5, 0.75, 1.0, 0.1, 0.9, 0.0])


def all_errors(shares: np.ndarray, n: int) -> np.ndarray:
    """The error of every sample of n of the shares, ascending."""
    means = [np.mean(sample) for sample in combinations(shares, n)]
    return np.sort(np.array(means) - shares.mean())


@pytest.mark.parametrize("size", [2, 5])
def test_shares_and_quantiles_are_those_of_all_samples(size):
    (row,) = (
        distributions := error_distributions(
            SCORES, [size], groups=Groups.single(10), n_samples=40_000
        )
    ).of_sizes
    errors = all_errors(SCORES, size)
    for distance, share in zip(distributions.distances, row.shares, strict=True):
        # an end of a step is on it in one of the two, by rounding
        least, most = (np.mean(np.abs(errors) <= distance + slack) for slack in (-1e-9, 1e-9))
        assert least - 0.01 <= share <= most + 0.01
    assert row.deviation == pytest.approx(errors.std(), rel=0.02)
    assert row.quantiles == pytest.approx(np.quantile(errors, QUANTILES).tolist(), abs=0.03)
    assert row.within_95 == pytest.approx(np.quantile(np.abs(errors), 0.95), abs=0.03)
    assert row.within_half == pytest.approx(np.quantile(np.abs(errors), 0.5), abs=0.03)
    assert distributions.distances[0] == 0 and row.shares[-1] == 1


def test_single_queries_are_drawn_whatever_their_groups():
    groups = Groups.of(np.repeat(np.arange(5), 2))
    (row,) = error_distributions(np.sort(SCORES), [4], groups=groups, n_samples=40_000).of_sizes
    assert row.deviation == pytest.approx(all_errors(SCORES, 4).std(), rel=0.02)


def test_all_queries_have_no_error_and_the_order_of_queries_changes_nothing():
    whole, half = error_distributions(SCORES, [10, 5], groups=Groups.single(10)).of_sizes
    assert whole.deviation == 0 and whole.quantiles == [0.0] * 5 and (whole.shares == 1).all()
    turned = error_distributions(SCORES[::-1], [10, 5], groups=Groups.single(10)).of_sizes[1]
    assert (turned.shares == half.shares).all() and turned.quantiles == half.quantiles


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_shares_are_the_same_in_any_unit(unit):
    (row,) = error_distributions(SCORES, [4], groups=Groups.single(10)).of_sizes
    distributions = error_distributions(unit * SCORES, [4], groups=Groups.single(10))
    (other,) = distributions.of_sizes
    assert other.shares == pytest.approx(row.shares, abs=0.02)
    assert other.within_95 == pytest.approx(unit * row.within_95, rel=0.05)


def test_a_size_beyond_the_queries_is_refused():
    with pytest.raises(ValueError, match="1 to 10 queries"):
        error_distributions(SCORES, [11], groups=Groups.single(10))
