"""Which values stand beside which on the same units: coincidences, and agreement on each value by itself."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.counts import UnitCounts


class OnValue(NamedTuple):
    """Agreement on one value.

    agreement : how often another label of a unit is this value, too, where one is; None where no unit with two labels
        has it
    n_labels : labels of this value on units with two labels or more
    """

    agreement: float | None
    n_labels: int


def coincidences(counted: UnitCounts) -> NDArray[np.float64]:
    """(V, V) how often value c and value k stand beside one another: Krippendorff's coincidence matrix.

    A unit with m labels adds each of its ordered pairs of labels 1 / (m - 1) times, so that the matrix sums to the
    number of labels on units with two or more, and row c to those of value c. All zero without such a unit.
    Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section C.
    """
    size = counted.counts.sum(axis=1)
    pairable = size >= 2
    counts = counted.counts[pairable].astype(np.float64)
    weight = counted.frequency[pairable] / (size[pairable] - 1)
    together = np.einsum("p,pc,pk->ck", weight, counts, counts)
    return together - np.diag(weight @ counts)


def by_value(together: NDArray[np.float64]) -> list[OnValue]:
    """Agreement on each value of a coincidence matrix, in its order.

    The diagonal over the row's sum: specific agreement (Fleiss 1971, doi:10.1037/h0031619, eq. 11 for equal numbers of
    labels; of two people and two values it is positive and negative agreement).
    """
    sums = together.sum(axis=1)
    return [OnValue(float(together[i, i] / n) if n > 0 else None, round(float(n))) for i, n in enumerate(sums.tolist())]


def against_the_rest(counted: UnitCounts, place: int) -> UnitCounts:
    """The same units with two values only: the one at `place` (as 1) and any other (as 0)."""
    mine = counted.counts[:, place]
    counts = np.stack([counted.counts.sum(axis=1) - mine, mine], axis=1)
    kinds, where = np.unique(counts, axis=0, return_inverse=True)
    frequency = np.bincount(where.ravel(), weights=counted.frequency, minlength=len(kinds)).astype(np.int64)
    return UnitCounts(kinds, frequency, np.array([0, 1]))
