"""Krippendorff's alpha as labels came, with its interval at some points."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.agreement import (
    N_REPLICATES,
    MeasurementLevel,
    alpha_of_coincidences,
    alpha_of_counts,
)
from metrics.core.agreement.counts import CodedLabels, group
from metrics.core.agreement.unit_samples import GroupedUnits

MOST_POINTS = 60
POINTS_A_BAND = 10  # from one point with an interval to the next
SETTLED_WITHIN = 0.05  # of the last alpha


class ArrivalPoint(NamedTuple):
    """Alpha of the first labels that came.

    n_labels : how many; n_pairs : that have two of them or more
    alpha : None while it is undefined; low, high : its interval, None where none was computed
    """

    n_labels: int
    n_pairs: int
    alpha: float | None
    low: float | None
    high: float | None


def alpha_as_labels_came(
    labels: CodedLabels,
    group_of_pair: NDArray[np.int64],
    *,
    level: MeasurementLevel | str,
    has_intervals: bool = True,
) -> list[ArrivalPoint]:
    """Alpha of the first n of N labels, at 60 numbers n at most, evenly spaced and N the last.

    labels : in the order in which they came; units are pairs, values all grades in their order
    group_of_pair : (U,) of labels.units: whole groups are drawn for the interval, which every tenth
        point has, counted back from the last one; has_intervals : False for none

    Krippendorff 2011. Equals alpha of each of these first parts alone.
    """
    n = len(labels.unit)
    steps = np.unique(np.linspace(0, n, min(n, MOST_POINTS) + 1).round().astype(np.int64))[1:]
    # a pair with one label adds nothing
    has_several = np.bincount(labels.unit, minlength=len(labels.units)) > 1
    groups = group_of_pair[has_several]
    arrival = np.flatnonzero(has_several[labels.unit])
    row = (np.cumsum(has_several) - 1)[labels.unit[arrival]]
    cell = row * len(labels.values) + labels.value[arrival]
    ends = np.searchsorted(arrival, steps)
    counts = np.zeros(len(groups) * len(labels.values), dtype=np.int64)
    points, start = [], 0
    for number, (n_labels, end) in enumerate(zip(steps.tolist(), ends.tolist(), strict=True)):
        counts += np.bincount(cell[start:end], minlength=len(counts))
        start = end
        table = counts.reshape(len(groups), len(labels.values))
        size = table.sum(axis=1)
        is_pairable = size >= 2
        table, size = table[is_pairable], size[is_pairable]
        share = table / (size - 1)[:, None]
        coincidences = share.T @ table - np.diag(share.sum(axis=0))
        alpha = alpha_of_coincidences(coincidences, labels.values, MeasurementLevel(level))
        low = high = None
        has_band = has_intervals and (len(steps) - 1 - number) % POINTS_A_BAND == 0
        if alpha is not None and has_band:
            kinds = group(table, labels.values)
            banded = alpha_of_counts(
                kinds,
                level=level,
                n_replicates=N_REPLICATES,
                grouped_units=GroupedUnits.of(table, groups[is_pairable], kinds),
            )
            low, high = banded.low, banded.high
        points.append(ArrivalPoint(n_labels, len(table), alpha, low, high))
    return points


def settled_at(points: list[ArrivalPoint]) -> int | None:
    """The number of labels from which on alpha stayed within .05 of the last one.

    None where there is no last one, and where the point before it was farther off.
    """
    if len(points) < 2 or (last := points[-1].alpha) is None:
        return None
    first = None
    for point in reversed(points[:-1]):
        if point.alpha is None or abs(point.alpha - last) > SETTLED_WITHIN:
            break
        first = point.n_labels
    return first
