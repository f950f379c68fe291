"""The distribution of a sample's mean less the mean of all, exact or by samples."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.resampling import resampled_means
from metrics.core.statistics.two_values import TwoValues
from metrics.core.statistics.without_replacement import subset_errors

MOST_EXACT = 1_000_000  # queries of a sample
_SLACK = 1e-9  # of a sum of chances


class SampleErrors(NamedTuple):
    """The errors of samples of one size, ascending, and the chance of each; chances sum to 1."""

    errors: NDArray[np.float64]
    chances: NDArray[np.float64]

    @classmethod
    def of(cls, errors: NDArray[np.float64], chances: NDArray[np.float64]) -> Self:
        """The distribution of errors in any order."""
        order = np.argsort(errors)
        return cls(errors[order], chances[order])

    @property
    def distances(self) -> "SampleErrors":
        """The same of the errors without their signs."""
        return SampleErrors.of(np.abs(self.errors), self.chances)

    @property
    def deviation(self) -> float:
        """The standard deviation of the errors."""
        mean = self.chances @ self.errors
        return float(np.sqrt(self.chances @ (self.errors - mean) ** 2))

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """The smallest error that at least so many samples do not exceed, for each share."""
        last = np.searchsorted(np.cumsum(self.chances), np.asarray(shares) - _SLACK)
        return [float(error) for error in self.errors[last.clip(max=len(self.errors) - 1)]]


def sample_errors(
    values: NDArray[np.float64],
    sizes: Iterable[int],
    *,
    of_these: bool,
    seed: int,
    n_samples: int,
) -> dict[int, SampleErrors]:
    """The distribution by size: exact where scores take two values, up to a million, else drawn.

    values : (Q,) finite scores, sorted by the caller where their order must not matter
    sizes : 1 or more each; of_these : without replacement, so at most Q (ValueError)
    """
    sizes = list(sizes)
    # of more the outcomes would not fit into memory
    two_values = TwoValues.of(values) if max(sizes, default=0) <= MOST_EXACT else None
    rng = np.random.default_rng(seed)
    if two_values:
        return {
            size: SampleErrors.of(*two_values.errors(size, of_these=of_these)) for size in sizes
        }
    if of_these:
        errors = subset_errors(values, sizes, rng=rng, n_samples=n_samples)
    else:
        errors = resampled_means(values, sizes, rng=rng, n_samples=n_samples) - values.mean()
    chances = np.full(n_samples, 1 / n_samples)
    return {size: SampleErrors.of(row, chances) for size, row in zip(sizes, errors, strict=True)}
