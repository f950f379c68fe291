"""Finding byte-string ids among others by the million."""

import secrets
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

LONGEST_WORDS = 512
ROWS_AT_ONCE = 1 << 15  # they and what is made of them stay in the processor's cache
# Drawn anew by each process: nobody can choose ids that all fall together.
_KEYS = np.frombuffer(secrets.token_bytes(8 * LONGEST_WORDS), dtype="<u8") | np.uint64(1)


def as_words(ids: NDArray[np.bytes_]) -> NDArray[np.uint64]:
    """(n, W) the bytes of ids as little-endian words, filled with zeros."""
    size = -(-max(ids.dtype.itemsize, 1) // 8) * 8
    whole = ids if ids.dtype.itemsize == size else ids.astype(f"S{size}")
    return np.ascontiguousarray(whole).view("<u8").reshape(len(ids), size // 8)


def hashed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(n,) one 64-bit hash for each row of words; rows that differ in zeros at the end alone have the same."""
    mixed = np.zeros(len(words), dtype=np.uint64)
    for key, column in zip(_KEYS, words.T, strict=False):
        part = column * key
        part ^= part >> np.uint64(32)
        part *= np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= part
    mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0x9E3779B97F4A7C15)


class Vocabulary:
    """Ids, none twice, in which others can be looked up: a table of hashes, in which bytes decide.

    ids : (K,)
    """

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        words = as_words(ids) if len(ids) else np.zeros((1, 1), dtype=np.uint64)
        self._columns = list(np.ascontiguousarray(words.T))
        bits = max((2 * len(ids)).bit_length(), 4)  # a quarter to half of the table is in use
        self._shift, self._last = np.uint64(64 - bits), (1 << bits) - 1
        self._table = np.full(1 << bits, -1, dtype=np.int32)
        left = np.arange(len(ids), dtype=np.int32)
        slot = self._home(words[: len(ids)])
        while len(left):
            free = self._table[slot] < 0
            self._table[slot[free]] = left[free]  # of several that want one slot the last has it
            without = self._table[slot] != left
            left, slot = left[without], (slot[without] + 1) & self._last

    def find(self, ids: NDArray[np.bytes_]) -> NDArray[np.int32]:
        """(n,) place of each id among those known, -1 where it is not there."""
        words = as_words(ids)
        parts = [self._find(words[at : at + ROWS_AT_ONCE]) for at in range(0, len(words), ROWS_AT_ONCE)]
        return np.concatenate([np.empty(0, dtype=np.int32), *parts])

    def _find(self, words: NDArray[np.uint64]) -> NDArray[np.int32]:
        slot = self._home(words)
        place = self._table.take(slot)
        left = np.flatnonzero(self._differ(words, place))
        while len(left):  # an empty slot ends the search, another id's leads to the next
            left = left[place[left] >= 0]
            slot[left] = (slot[left] + 1) & self._last
            place[left] = self._table.take(slot[left])
            left = left[self._differ(words[left], place[left])]
        return place

    def _home(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (hashed(words) >> self._shift).astype(np.int64)

    def _differ(self, words: NDArray[np.uint64], place: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(n,) whether words are not those of the known id at each place; true where there is none."""
        differ = place < 0
        for column in range(max(words.shape[1], len(self._columns))):
            ours = words[:, column] if column < words.shape[1] else np.uint64(0)
            known = self._columns[column].take(place, mode="wrap") if column < len(self._columns) else np.uint64(0)
            differ |= ours != known
        return differ


def lookup(ids: NDArray[np.bytes_], vocabulary: NDArray[np.bytes_]) -> NDArray[np.int32]:
    """(n,) place of each id in `vocabulary` (no id twice), or -1 where it is not there."""
    return Vocabulary(vocabulary).find(ids)


class Distinct:
    """How many different ids there were, told apart by their hashes.

    Of ten million ids two have the same hash with a chance of 3 in a million; then one too few is counted. Eight
    bytes an id, and as much again while they are put in order.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.uint64)
        self._new: list[NDArray[np.uint64]] = []
        self._n_new = 0

    def add(self, ids: NDArray[np.bytes_]) -> None:
        """Count these ids."""
        fresh = np.unique(hashed(as_words(ids)))
        self._new.append(fresh)
        self._n_new += len(fresh)
        if self._n_new > max(len(self._known), 1 << 16):
            self._merge()

    def __len__(self) -> int:
        self._merge()
        return len(self._known)

    def _merge(self) -> None:
        self._known = np.unique(np.concatenate([self._known, *self._new]))
        self._new, self._n_new = [], 0


def unknown_keys(ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """(n,) a key below 0 for each id that no item has: the same for the same id, today and in any other run.

    63 bits of BLAKE2b, with which nobody finds two ids of one key: of ten million ids two have the same with a chance
    of 5 in a million.
    """
    _, first, place = np.unique(hashed(as_words(ids)), return_index=True, return_inverse=True)
    digests = b"".join(blake2b(each, digest_size=8).digest() for each in ids[first].tolist())
    keys = np.frombuffer(digests, dtype="<i8") | np.int64(-(1 << 63))
    return np.asarray(keys[place])
