"""The distribution of the error that a score has on a sample of the queries."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import seed_of
from metrics.core.statistics.sample_errors import sample_errors

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
HALF, MOST = SHARES.index(0.5), SHARES.index(0.95)


class ErrorDistribution(NamedTuple):
    """Errors of the mean over `size` queries: the mean of a sample less the mean of all.

    deviation : standard deviation of the errors
    distances : for each of SHARES the smallest distance that such a share of samples stays within
    """

    size: int
    deviation: float
    distances: list[float]


def error_distributions(
    scores: NDArray[np.float64], sizes: Sequence[int], *, groups: Groups, n_samples: int = 10_000
) -> list[ErrorDistribution]:
    """The errors of samples of the given queries, drawn without replacement, for each size.

    scores : (Q,) finite; groups : of the Q queries, of which the weights alone matter, as single
        queries are drawn, as a pool does
    sizes : 1 to Q each (ValueError); n_samples : a size, where scores take more than two values
    Nothing depends on the order of the queries, nor one size on another. Cochran 1977, Sampling
    Techniques, sections 2.6 and 3.4.
    """
    values = np.sort(groups.apart.shares(scores))
    seed, rows = seed_of(values[:, None]), []
    for size in sizes:
        errors = sample_errors(values, [size], of_these=True, seed=seed, n_samples=n_samples)[size]
        rows.append(ErrorDistribution(size, errors.deviation, errors.distances.quantiles(SHARES)))
    return rows
