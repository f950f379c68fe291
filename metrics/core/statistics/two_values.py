"""Means of samples of scores that take two values, such as C@1: exact, so without drawing any.

The higher scores in a sample of N of Q queries are hypergeometric where queries are drawn without
replacement, and binomial where with (Cochran 1977, Sampling Techniques, sections 3.4 and 3.6).
"""

from math import ceil, log
from sys import float_info
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

_SLACK = 1e-9  # of a count or a chance that is a bound but for rounding


class TwoValues(NamedTuple):
    """A population of scores that take two values.

    n : scores, n_high : those of the higher value, 1 to n - 1; step : the higher less the lower
    """

    n: int
    n_high: int
    step: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Self | None:
        """The population of (Q,) scores; None where they take one value, or more than two."""
        low, high = values.min(), values.max()
        is_high = values == high
        if low == high or not (is_high | (values == low)).all():
            return None
        return cls(len(values), int(is_high.sum()), float(high - low))

    def errors(
        self, size: int, *, of_these: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each error that the mean of a sample can have, ascending, and its chance.

        size : of the sample, 1 or more, `n` at most where of_these
        of_these : without replacement; ValueError for more than there are
        """
        if of_these and size > self.n:
            raise ValueError(
                f"A sample without replacement has 1 to {self.n:,} queries, as many as there are."
            )
        high = np.arange(size + 1)
        errors = self.step * (high / size - self.n_high / self.n)
        return errors, np.exp(self._log_chances(high, np.array(size), of_these=of_these))

    def size_within(self, error: float, share: float, *, of_these: bool) -> int:
        """The sample from which on the share of samples within the error is never smaller.

        error : above 0; of_these : without replacement, so `n` at most
        The chance falls and rises a little from one size to the next, as the higher scores within
        the error are whole numbers: a smaller sample may be within it by luck.
        """
        reach = min(max(error / self.step, float_info.epsilon), 1.0)  # so its square is a number
        largest = _size_of_bernstein(reach, self.n_high / self.n, 1 - share)
        sizes = np.arange(1, (min(largest, self.n) if of_these else largest) + 1)
        share_high = self.n_high / self.n
        most = np.floor(sizes * (share_high + reach) + _SLACK).clip(max=sizes)
        least = np.ceil(sizes * (share_high - reach) - _SLACK).clip(min=0)
        chances = self._up_to(most, sizes, of_these) - self._up_to(least - 1, sizes, of_these)
        too_few = sizes[chances < share - _SLACK]
        return int(too_few[-1]) + 1 if len(too_few) else 1

    def _log_chances(
        self, high: NDArray[np.int64], size: NDArray[np.int64], *, of_these: bool
    ) -> NDArray[np.float64]:
        """Logarithms of the chances of so many higher scores in a sample."""
        if of_these:
            log_chances = stats.hypergeom.logpmf(high, self.n, self.n_high, size)
        else:
            log_chances = stats.binom.logpmf(high, size, self.n_high / self.n)
        return np.asarray(log_chances)

    def _up_to(
        self, high: NDArray[np.float64], sizes: NDArray[np.int64], of_these: bool
    ) -> NDArray[np.float64]:
        """The chance of at most so many higher scores, at each of the sizes 1, 2, 3 and so on.

        high : (N,) whole, from -1 to the size, rising by 0 or 1 from each size to the next
        Without replacement from the chance at the size before: it falls by the samples that hold
        so many and get one more, and rises by those that hold one more where one more is allowed.
        """
        if not of_these:
            return np.asarray(stats.binom.cdf(high, sizes, self.n_high / self.n))
        chances = np.exp(self._log_chances(high.astype(np.int64), sizes, of_these=True))
        gains = np.where(np.diff(high) > 0, chances[1:], 0.0)
        share_high_left = (self.n_high - high[:-1]) / (self.n - sizes[:-1])
        first = 0.0 if high[0] < 0 else (chances[0] if high[0] < 1 else 1.0)
        return np.cumsum(np.concatenate([[first], gains - chances[:-1] * share_high_left]))


def _size_of_bernstein(reach: float, share_high: float, risk: float) -> int:
    """A size from which on no more than the risk is further off than `reach`: Bernstein's bound.

    It holds without replacement as well (Hoeffding 1963, section 6).
    """
    variance = share_high * (1 - share_high)
    return ceil(log(2 / risk) * (2 * variance + 2 / 3 * reach) / reach**2)
