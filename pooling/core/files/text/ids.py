"""Look-up of byte-string ids by the million."""

import secrets
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import distinct

LONGEST_WORDS = 512
ROWS_AT_ONCE = 1 << 15  # they and the arrays made of them stay in the processor's cache
# Drawn anew by each process: nobody can choose ids that all fall together.
_KEYS = np.frombuffer(secrets.token_bytes(8 * LONGEST_WORDS), dtype="<u8") | np.uint64(1)


def as_words(ids: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """Return the bytes of ids as (n, W) little-endian words, filled with zeros."""
    size = -(-max(ids.dtype.itemsize, 1) // 8) * 8
    whole = ids if ids.dtype.itemsize == size else ids.astype(f"S{size}")
    return np.ascontiguousarray(whole).view("<u8").reshape(len(ids), size // 8)


def hash_words(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return (n,) 64-bit hashes, one a row of words.

    Rows that differ only in zeros at the end share one.
    """
    mixed = np.zeros(len(words), dtype=np.uint64)
    for key, column in zip(_KEYS, words.T, strict=False):
        part = column * key
        part ^= part >> np.uint64(32)
        part *= np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= part
    mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0x9E3779B97F4A7C15)


class Vocabulary:
    """Distinct ids in which other ids can be looked up: a table of hashes, in which bytes decide.

    ids : (K,)
    """

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        words = as_words(ids) if len(ids) else np.zeros((1, 1), dtype=np.uint64)
        self._columns = list(np.ascontiguousarray(words.T))
        bits = max((2 * len(ids)).bit_length(), 4)  # a quarter to half of the table is in use
        self._shift, self._last = np.uint64(64 - bits), (1 << bits) - 1
        self._table = np.full(1 << bits, -1, dtype=np.int32)
        rows = np.arange(len(ids), dtype=np.int32)
        slot = self._home(words[: len(ids)])
        while len(rows):
            free = self._table[slot] < 0
            # of several with the same slot the last has it
            self._table[slot[free]] = rows[free]
            is_displaced = self._table[slot] != rows
            rows, slot = rows[is_displaced], (slot[is_displaced] + 1) & self._last

    def find(self, ids: NDArray[np.bytes_]) -> NDArray[np.int32]:
        """Return the (n,) positions of ids in the vocabulary, -1 where it lacks one."""
        words = as_words(ids)
        parts = [
            self._find(words[at : at + ROWS_AT_ONCE]) for at in range(0, len(words), ROWS_AT_ONCE)
        ]
        return np.concatenate([np.empty(0, dtype=np.int32), *parts])

    def _find(self, words: NDArray[np.uint64]) -> NDArray[np.int32]:
        slot = self._home(words)
        position = self._table.take(slot)
        open_rows = np.flatnonzero(self._differ(words, position))
        while len(open_rows):  # an empty slot ends the search, another id's leads to the next
            open_rows = open_rows[position[open_rows] >= 0]
            slot[open_rows] = (slot[open_rows] + 1) & self._last
            position[open_rows] = self._table.take(slot[open_rows])
            open_rows = open_rows[self._differ(words[open_rows], position[open_rows])]
        return position

    def _home(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hash_words(words) >> self._shift).astype(np.int64)

    def _differ(self, words: NDArray[np.uint64], position: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(n,) whether words differ from those of the vocabulary's id at each position.

        True where it has none.
        """
        differ = position < 0
        for column in range(max(words.shape[1], len(self._columns))):
            words_of_column = words[:, column] if column < words.shape[1] else np.uint64(0)
            vocabulary_words = (
                self._columns[column].take(position, mode="wrap")
                if column < len(self._columns)
                else np.uint64(0)
            )
            differ |= words_of_column != vocabulary_words
        return differ


def lookup(ids: NDArray[np.bytes_], vocabulary: NDArray[np.bytes_]) -> NDArray[np.int32]:
    """Return the (n,) positions of ids in `vocabulary` (no id twice), -1 where it lacks one."""
    return Vocabulary(vocabulary).find(ids)


class DistinctIds:
    """Counter of distinct ids, distinguished by their hashes.

    Of ten million ids two have the same hash with a chance of 3 in a million; then one too few is
    counted. Eight bytes an id, and as much again while they are put in order.
    """

    def __init__(self) -> None:
        self._hashes = np.empty(0, dtype=np.uint64)
        self._new: list[NDArray[np.uint64]] = []
        self._n_new = 0

    def add(self, ids: NDArray[np.bytes_]) -> None:
        """Count these ids."""
        hashes = distinct(hash_words(as_words(ids)))
        self._new.append(hashes)
        self._n_new += len(hashes)
        if self._n_new > max(len(self._hashes), 1 << 16):
            self._merge()

    def __len__(self) -> int:
        self._merge()
        return len(self._hashes)

    def _merge(self) -> None:
        self._hashes = np.unique(np.concatenate([self._hashes, *self._new]))
        self._new, self._n_new = [], 0


def unknown_keys(ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """Return (n,) keys below 0 for ids that no item has: the same for the same id in every run.

    63 bits of BLAKE2b, with which nobody finds two ids of one key: of ten million ids two have the
    same with a chance of 5 in a million.
    """
    _, first, index = np.unique(hash_words(as_words(ids)), return_index=True, return_inverse=True)
    digests = b"".join(blake2b(id_, digest_size=8).digest() for id_ in ids[first].tolist())
    keys = np.frombuffer(digests, dtype="<i8") | np.int64(-(1 << 63))
    return np.asarray(keys[index])
