"""Bins of whole numbers, such as lengths of texts: equally wide, few, with round edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COVERED_SHARE = 0.98  # of the numbers, at least, lies in bins of equal width


class Bins(NamedTuple):
    """Equally wide bins of whole numbers; the last one may be open.

    start : (B,) ascending, the smallest number of each bin; the first one holds the least number
    width : 1 or more; is_open : True if the last bin holds every number from its start on
    """

    start: NDArray[np.int64]
    width: int
    is_open: bool

    def number(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """(Q,) the bin of each value, 0..B-1."""
        return np.minimum((values - self.start[0]) // self.width, len(self.start) - 1)

    @property
    def edges(self) -> list[tuple[int, int | None]]:
        """The first and the last number of each bin; None for the last of an open one."""
        ends: list[int | None] = [start + self.width - 1 for start in self.start.tolist()]
        if self.is_open:
            ends[-1] = None
        return list(zip(self.start.tolist(), ends, strict=True))

    @property
    def labels(self) -> list[str]:
        """The bins in words: "1 to 20", "21 to 40", "41 or more"; of a single number that one."""
        return [
            f"{first:,} or more"
            if last is None
            else f"{first:,}"
            if first == last
            else f"{first:,} to {last:,}"
            for first, last in self.edges
        ]


def bins_of(values: NDArray[np.int64], *, n_bins: int, least: int) -> Bins:
    """Bins for values of `least` or more, `n_bins` at most; at least one value.

    Their edges are `least` and multiples of their width above it, beginning with the bin of the
    smallest value. The width is the least of 1, 2, 5, 10, 20, 50, ... with which so many hold 98 %
    of the values; what lies beyond is in the last one, which is open then.
    """
    above = values - least
    smallest, largest = int(above.min()), int(above.max())
    # the least number up to which so many lie: no quantile between neighbours, nor beyond
    usual = int(np.quantile(above, COVERED_SHARE, method="inverted_cdf"))
    widths = (factor * 10**power for power in range(18) for factor in (1, 2, 5))
    width = next(width for width in widths if usual // width - smallest // width < n_bins)
    first = smallest // width
    count = min(largest // width - first + 1, n_bins)
    start = least + width * (first + np.arange(count))
    return Bins(start, width, is_open=largest + least >= int(start[-1]) + width)
