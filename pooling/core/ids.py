"""Finding byte-string ids among others by the million."""

import numpy as np
from numpy.typing import NDArray


def as_words(ids: NDArray[np.bytes_], width: int | None = None) -> NDArray[np.uint64]:
    """(n, W) the bytes of ids as little-endian words, filled with zeros up to `width` bytes (default: their own)."""
    size = -(-max(width or 0, ids.dtype.itemsize, 1) // 8) * 8
    whole = ids if ids.dtype.itemsize == size else ids.astype(f"S{size}")
    return np.ascontiguousarray(whole).view("<u8").reshape(len(ids), size // 8)


def hashed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(n,) one 64-bit hash for each row of words; equal rows have equal hashes."""
    mixed = np.zeros(len(words), dtype=np.uint64)
    for column in words.T:
        mixed = (mixed ^ column) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= mixed >> np.uint64(29)
    return mixed * np.uint64(0x9E3779B97F4A7C15)


def lookup(ids: NDArray[np.bytes_], vocabulary: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """(n,) place of each id in `vocabulary` (no id twice), or -1 where it is not there.

    Hashes are compared first and bytes after, so the answer is exact; two ids of one hash fall back to comparing
    bytes alone.
    """
    if not len(vocabulary) or not len(ids):
        return np.full(len(ids), -1, dtype=np.int64)
    width = max(ids.dtype.itemsize, vocabulary.dtype.itemsize)
    ours, known = as_words(ids, width), as_words(vocabulary, width)
    known_hash = hashed(known)
    order = np.argsort(known_hash)
    ordered = known_hash[order]
    if np.any(ordered[1:] == ordered[:-1]):
        return _lookup_by_bytes(ids, vocabulary)
    wanted = hashed(ours)
    place = _candidates(wanted, ordered)
    rows = np.flatnonzero(place >= 0)
    found = order[place[rows]]
    found[np.any(ours[rows] != known[found], axis=1)] = -1
    result = np.full(len(ids), -1, dtype=np.int64)
    result[rows] = found
    return result


def _candidates(wanted: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Place of each hash in the ordered ones, -1 where none starts with the same bits."""
    bits = np.uint64(64 - max(int(len(ordered) * 16).bit_length(), 10))
    present = np.zeros(1 << int(64 - bits), dtype=bool)
    present[ordered >> bits] = True
    rows = np.flatnonzero(present[wanted >> bits])
    place = np.full(len(wanted), -1, dtype=np.int64)
    place[rows] = np.minimum(np.searchsorted(ordered, wanted[rows]), len(ordered) - 1)
    return place


def _lookup_by_bytes(ids: NDArray[np.bytes_], vocabulary: NDArray[np.bytes_]) -> NDArray[np.int64]:
    order = np.argsort(vocabulary)
    place = order[np.minimum(np.searchsorted(vocabulary, ids, sorter=order), len(vocabulary) - 1)]
    return np.where(vocabulary[place] == ids, place, -1)
