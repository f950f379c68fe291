"""Coincidences of values on the same units, and agreement on each value by itself."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.counts import UnitCounts


class ValueAgreement(NamedTuple):
    """Agreement on one value.

    agreement : how often another label of a unit is this value, too, where one is; None where no
        unit with two labels has it
    n_labels : labels of this value on units with two labels or more
    """

    agreement: float | None
    n_labels: int


def coincidences(unit_counts: UnitCounts) -> NDArray[np.float64]:
    """(V, V) how often values c and k occur on the same unit: Krippendorff's coincidence matrix.

    A unit with m labels adds each of its ordered pairs of labels 1 / (m - 1) times, so that the
    matrix sums to the number of labels on units with two or more, and row c to those of value c.
    All zero without such a unit. Krippendorff, Computing Krippendorff's alpha-reliability, 2011,
    section C.
    """
    size = unit_counts.counts.sum(axis=1)
    pairable = size >= 2
    counts = unit_counts.counts[pairable].astype(np.float64)
    weight = unit_counts.frequency[pairable] / (size[pairable] - 1)
    sums = np.einsum("p,pc,pk->ck", weight, counts, counts)
    return sums - np.diag(weight @ counts)


def by_value(coincidence_matrix: NDArray[np.float64]) -> list[ValueAgreement]:
    """Agreement on each value of a coincidence matrix, in its order.

    The diagonal over the row's sum: specific agreement (Fleiss 1971, doi:10.1037/h0031619, eq. 11
    for equal numbers of labels; of two people and two values it is positive and negative
    agreement).
    """
    sums = coincidence_matrix.sum(axis=1)
    return [
        ValueAgreement(float(coincidence_matrix[i, i] / n) if n > 0 else None, round(float(n)))
        for i, n in enumerate(sums.tolist())
    ]


def one_against_rest(unit_counts: UnitCounts, value: int) -> UnitCounts:
    """The same units with two values: 1 for the value with this number, 0 for any other."""
    own_counts = unit_counts.counts[:, value]
    counts = np.stack([unit_counts.counts.sum(axis=1) - own_counts, own_counts], axis=1)
    kinds, kind_of_row = np.unique(counts, axis=0, return_inverse=True)
    frequency = np.bincount(
        kind_of_row.ravel(), weights=unit_counts.frequency, minlength=len(kinds)
    ).astype(np.int64)
    return UnitCounts(kinds, frequency, np.array([0, 1]))
