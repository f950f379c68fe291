"""Duplicates: items that repeat others, and the pairs that stand for the same question."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]


class Copies(NamedTuple):
    """Pairs that repeat others: of the same originals, at least one of the two a duplicate.

    row : (M,) the position of the pair that each repeats; source, target : (M,)
    """

    row: Keys
    source: Keys
    target: Keys


class Originals(NamedTuple):
    """The duplicates of a collection; no original is a duplicate itself.

    item : (D,) ascending keys of duplicates; original : (D,) the item that each repeats
    """

    item: Keys
    original: Keys

    def __bool__(self) -> bool:
        """True if there are duplicates."""
        return bool(len(self.item))

    def of(self, keys: Keys) -> Keys:
        """Return each item's original, or the item itself where it repeats none. keys : (N,)."""
        if not self:
            return keys
        position = np.minimum(np.searchsorted(self.item, keys), len(self.item) - 1)
        return np.where(self.item[position] == keys, self.original[position], keys)

    def copies(self, source: Keys, target: Keys) -> Copies:
        """Return the pairs that repeat these, which are of originals; a duplicate's have none.

        source, target : (N,) keys of the items of each pair
        """
        source_row, sources = self._with_duplicates(source)
        target_row, targets = self._with_duplicates(target[source_row])
        row = source_row[target_row]
        copies = Copies(row, sources[target_row], targets)
        is_copy = (copies.source != source[row]) | (copies.target != target[row])
        is_copy &= ~np.isin(source[row], self.item) & ~np.isin(target[row], self.item)
        return Copies(*(column[is_copy] for column in copies))

    def _with_duplicates(self, keys: Keys) -> tuple[Keys, Keys]:
        """Return the items and their duplicates, with the position in `keys` of each."""
        order = np.argsort(self.original, kind="stable")
        originals, items = self.original[order], self.item[order]
        first = np.searchsorted(originals, keys, side="left")
        n = np.searchsorted(originals, keys, side="right") - first
        row = np.repeat(np.arange(len(keys)), n)
        within = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
        duplicates = items[first[row] + within]
        return np.concatenate([np.arange(len(keys)), row]), np.concatenate([keys, duplicates])


NO_ORIGINALS = Originals(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
