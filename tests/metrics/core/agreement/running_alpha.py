"""Krippendorff's alpha updated label by label, at a cost independent of the number of units."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.agreement import MeasurementLevel, alpha_of_coincidences


class RunningAlpha:
    """Alpha of the labels added and not removed so far, equal to that of the whole batch.

    Units of m labels are summed separately for each m, as whole numbers: sum of n_c (n_k - [c =
    k]). Nothing is rounded until `value` divides by m - 1, so any number of additions and removals
    leaves no drift.
    """

    def __init__(self, domain: Sequence[float] | Sequence[str]) -> None:
        """domain : every value a label can have, in order."""
        self._values = np.asarray(domain)
        self._position = {value: position for position, value in enumerate(self._values.tolist())}
        self._counts: dict[Hashable, list[int]] = {}
        self._sums: dict[int, NDArray[np.int64]] = {}

    def add(self, unit: Hashable, value: float | str) -> None:
        """Add a label. Raises KeyError for a value outside the domain."""
        self._change(unit, self._position[value], 1)

    def remove(self, unit: Hashable, value: float | str) -> None:
        """Remove a label. Raises KeyError where the unit has no such label."""
        position = self._position[value]
        if not self._counts.get(unit, [0] * len(self._values))[position]:
            raise KeyError(f"Unit {unit!r} has no label {value!r}.")
        self._change(unit, position, -1)

    def value(self, level: MeasurementLevel | str) -> float | None:
        """Current alpha.

        None while it is undefined (no unit with two labels, or one value throughout).
        """
        total = np.zeros((len(self._values), len(self._values)))
        for size, sums in self._sums.items():
            total += sums / (size - 1)
        return alpha_of_coincidences(total, self._values, MeasurementLevel(level))

    def _change(self, unit: Hashable, position: int, step: int) -> None:
        counts = self._counts.setdefault(unit, [0] * len(self._values))
        self._account(counts, -1)
        counts[position] += step
        self._account(counts, 1)
        if not any(counts):
            del self._counts[unit]

    def _account(self, counts: list[int], sign: int) -> None:
        """Add (or subtract) a unit's pairs of labels; only the sums of its values change."""
        size = sum(counts)
        if size < 2:
            return
        if size not in self._sums:
            self._sums[size] = np.zeros((len(counts), len(counts)), dtype=np.int64)
        sums = self._sums[size]
        used_positions = [position for position, count in enumerate(counts) if count]
        for c in used_positions:
            for k in used_positions:
                sums[c, k] += sign * counts[c] * (counts[k] - (c == k))
