"""The distribution of the error that a score has on a sample of the queries."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import seed_of
from metrics.core.statistics.without_replacement import subset_errors

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


class ErrorDistribution(NamedTuple):
    """Errors of the mean over `size` queries: the mean of a sample less the mean of all.

    deviation : standard deviation of the errors; quantiles : of the errors, those of QUANTILES
    within_half, within_95 : the distance that so many of 100 samples stay within
    shares : (P,) of the samples within each of the distances
    """

    size: int
    deviation: float
    quantiles: list[float]
    within_half: float
    within_95: float
    shares: NDArray[np.float64]


class ErrorDistributions(NamedTuple):
    """The distributions at some sizes; distances : (P,) ascending, from 0 to the largest error."""

    distances: NDArray[np.float64]
    of_sizes: list[ErrorDistribution]


def error_distributions(
    scores: NDArray[np.float64],
    sizes: Sequence[int],
    *,
    groups: Groups,
    n_samples: int = 10_000,
    n_distances: int = 61,
) -> ErrorDistributions:
    """The errors of samples of the given queries, drawn without replacement, for each size.

    scores : (Q,) finite; groups : of the Q queries, of which the weights alone matter, as single
        queries are drawn, as a pool does
    sizes : 1 to Q each (ValueError); n_samples : a size
    Nothing depends on the order of the queries. Cochran 1977, Sampling Techniques, section 2.6.
    """
    values = np.sort(groups.apart.shares(scores))
    rng = np.random.default_rng(seed_of(values[:, None]))
    errors = subset_errors(values, sizes, rng=rng, n_samples=n_samples)
    rounding = 1e-10 * float(np.abs(values).max(initial=0))  # of the grid that samples are on
    distances = np.linspace(0, float(np.abs(errors).max(initial=0)), n_distances)
    rows = []
    for size, row in zip(sizes, errors, strict=True):
        sizes_of_errors = np.sort(np.abs(row))
        # an error that is a distance but for rounding is within it
        shares = np.searchsorted(sizes_of_errors, distances + rounding, side="right") / n_samples
        half, most = np.quantile(sizes_of_errors, [0.5, 0.95]).tolist()
        quantiles = np.quantile(row, QUANTILES).tolist()
        rows.append(ErrorDistribution(size, float(row.std()), quantiles, half, most, shares))
    return ErrorDistributions(distances, rows)
