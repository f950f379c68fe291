"""Bootstrap samples of units, or of groups of them, by the kinds of their labels."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics.core.agreement.counts import UnitCounts
from metrics.core.statistics.resampling import REPLICATES_A_BLOCK, resamples

_CELLS_A_BLOCK = 4_000_000


class GroupedUnits(NamedTuple):
    """Units by group and kind: n units of a kind in a group, such as the pairs of one query.

    group : (R,) any whole numbers; kind : (R,) rows of `UnitCounts.counts`; n : (R,) whole numbers
    """

    group: NDArray[np.int64]
    kind: NDArray[np.int64]
    n: NDArray[np.int64]

    @classmethod
    def of(
        cls, counts: NDArray[np.int64], group: NDArray[np.int64], unit_counts: UnitCounts
    ) -> Self:
        """Group the units with two labels or more, from (U, V) counts of values and (U,) groups.

        unit_counts : the same units by their kinds
        """
        is_pairable = counts.sum(axis=1) >= 2
        if not is_pairable.any():
            return cls(*np.zeros((3, 0), dtype=np.int64))
        rows, row = np.unique(counts[is_pairable], axis=0, return_inverse=True)
        number_of_kind = {
            tuple(kind): number for number, kind in enumerate(unit_counts.counts.tolist())
        }
        kind = np.array(
            [number_of_kind[tuple(row_counts)] for row_counts in rows.tolist()], dtype=np.int64
        )
        return cls(
            group[is_pairable],
            kind[row.ravel()],
            np.ones(int(np.count_nonzero(is_pairable)), dtype=np.int64),
        )


class UnitSamples:
    """Samples of as many units, or groups of them, as there are.

    kinds : of the units, in the order of the samples' columns
    n_groups : None where single units are drawn
    """

    def __init__(
        self, kinds: UnitCounts, groups: GroupedUnits | None, n_samples: int, seed: int | None
    ) -> None:
        """groups : numbered from 0; None draws single units."""
        self.kinds, position = _sorted_kinds(kinds)
        self._n_samples = n_samples
        self._groups = None if groups is None else _sorted_by_content(groups, position)
        self.n_groups = None if self._groups is None else self._groups.shape[0]
        usual_seed = _seed_of(self.kinds) if self.n_groups is None else self.n_groups
        self.seed = usual_seed if seed is None else seed

    def weights(self) -> Iterator[NDArray[np.float64]]:
        """(B, P) how many units of each kind are in each sample, some samples at a time."""
        if self._groups is not None:
            group_counts = resamples(self._groups.shape[0], self._n_samples, seed=self.seed)
            for start in range(0, self._n_samples, REPLICATES_A_BLOCK):
                block = group_counts[start : start + REPLICATES_A_BLOCK].T.astype(np.float64)
                yield (self._groups.T @ block).T
            return
        rng, n_units = np.random.default_rng(self.seed), int(self.kinds.frequency.sum())
        # drawing units is a multinomial draw of their kinds
        share = self.kinds.frequency / n_units
        n_at_once = max(1, _CELLS_A_BLOCK // len(share))
        for start in range(0, self._n_samples, n_at_once):
            size = min(n_at_once, self._n_samples - start)
            yield rng.multinomial(n_units, share, size=size).astype(np.float64)


def pairable_groups(
    grouped_units: GroupedUnits, pairable: NDArray[np.bool_]
) -> GroupedUnits | None:
    """The groups, from 0, with their pairable units by pairable kind.

    None where each group holds one unit.
    """
    keep = pairable[grouped_units.kind] & (grouped_units.n > 0)
    kind = (np.cumsum(pairable) - 1)[grouped_units.kind[keep]]
    group = np.unique(grouped_units.group[keep], return_inverse=True)[1].reshape(-1)
    n = grouped_units.n[keep]
    return None if (np.bincount(group, weights=n) == 1).all() else GroupedUnits(group, kind, n)


def _sorted_kinds(kinds: UnitCounts) -> tuple[UnitCounts, NDArray[np.int64]]:
    """Sort the distinct kinds, without unused values; also (P,) the position of each kind."""
    is_used = kinds.counts.any(axis=0)
    rows, position = np.unique(kinds.counts[:, is_used], axis=0, return_inverse=True)
    frequency = np.bincount(position.ravel(), weights=kinds.frequency, minlength=len(rows)).astype(
        np.int64
    )
    return UnitCounts(rows, frequency, kinds.values[is_used]), position.ravel()


def _seed_of(kinds: UnitCounts) -> int:
    """A hash of sorted kinds."""
    checksum = hashlib.sha256(repr(kinds.counts.shape).encode())
    for column in (kinds.counts, kinds.frequency):
        checksum.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
    # short enough to be typed, and a whole number for JSON
    return int.from_bytes(checksum.digest()[:7], "big")


def _sorted_by_content(groups: GroupedUnits, position: NDArray[np.int64]) -> sparse.csr_array:
    """(G, P) numbers of units by group and kind, in an order of groups by content alone.

    position : (P,) of each kind among the sorted kinds
    """
    n_kinds = int(position.max()) + 1
    table = sparse.csr_array((groups.n.astype(np.float64), (groups.group, position[groups.kind])))
    table.resize(table.shape[0], n_kinds)
    # Groups with equal hashes hold the same, but for a chance of 1 in 2**50; their order among
    # themselves is no matter.
    kind_hashes = (
        np.random.default_rng(n_kinds).integers(0, 1 << 20, size=(n_kinds, 3)).astype(np.float64)
    )
    group_hashes = table @ kind_hashes
    return table[np.lexsort(group_hashes.T)]
