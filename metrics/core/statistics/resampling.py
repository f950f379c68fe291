"""Resampling of queries with replacement, for every bootstrap of a mean over them."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DRAWS_A_BLOCK = 1 << 16  # their indices and values stay in the processor's cache
# a multinomial draw of one value costs about as much as drawing this many queries
_DRAWS_A_VALUE = 25
_WORD = 1 << 63  # numbers up to nearly 2^64 are rejected too often
REPLICATES_A_BLOCK = 100


def sorted_rows(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q, S) scores with their queries sorted by value: equal scores make equal tables.

    For random draws along the queries, with `seed_of` the scores.
    """
    return scores[np.lexsort(scores.T[::-1])]


def seed_of(scores: NDArray[np.float64]) -> int:
    """The seed of random draws for (Q, S) scores: a hash of the sorted scores."""
    table = np.ascontiguousarray(sorted_rows(scores), dtype="<f8")
    digest = hashlib.sha256(repr(table.shape).encode() + table.tobytes()).digest()
    return int.from_bytes(digest[:7], "big")  # short enough to be typed


def is_reversed(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """True if two systems' scores must be swapped to be compared, the better one first.

    So that random draws for two systems are the same whichever is named first.
    """
    difference = first - second
    return bool(tuple(np.sort(difference)) < tuple(np.sort(-difference)))


def draw_indices(n: int, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """(size,) indices drawn with replacement from 0..n-1, every one equally likely.

    One whole number below n**d is d indices at once, its digits to base n: drawing the number costs
    far more than splitting it, and as many digits as fit into 63 bits are taken (four for up to
    55,108 queries).
    """
    digits = 1
    while digits < 8 and n ** (digits + 1) <= _WORD:
        digits += 1
    number = rng.integers(0, n**digits, -(-size // digits), dtype=np.uint64)
    indices = np.empty((digits, len(number)), dtype=np.uint64)
    base = np.uint64(n)
    for row in indices[:-1]:
        quotient = number // base  # with a product and a difference three times as fast as divmod
        np.multiply(quotient, base, out=row)
        np.subtract(number, row, out=row)
        number = quotient
    indices[-1] = number
    return indices.view(np.int64).ravel()[:size]


@lru_cache(maxsize=4)
def resamples(n: int, n_replicates: int, *, seed: int) -> NDArray[np.uint8]:
    """(n_replicates, n) how often each of n queries or groups is in each sample of n of them.

    Cached, as every refresh needs the same ones. The chance of a count beyond 255 is below 1e-500.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for start in range(0, n_replicates, REPLICATES_A_BLOCK):
        n_rows = min(REPLICATES_A_BLOCK, n_replicates - start)
        indices = draw_indices(n, n_rows * n, rng=rng).reshape(n_rows, n)
        indices += np.arange(n_rows)[:, None] * n
        counts = np.bincount(indices.ravel(), minlength=n_rows * n)
        rows.append(counts.astype(np.uint8).reshape(n_rows, n))  # 8 times as small
    sample_counts = np.concatenate(rows)
    sample_counts.flags.writeable = False
    return sample_counts


def on_grid(values: NDArray[np.float64], n_added: int) -> NDArray[np.float64]:
    """Round values, each row by a power of two, so that every sum of n_added of them is exact.

    values : (..., Q) finite. The step is below n_added x the row's largest magnitude x 2**-50. Sums
        then do not depend on the order of additions, so neither on the processor, the blocks nor
        the library that adds.
    """
    largest = np.frexp(np.abs(values).max(axis=-1, initial=0.0, keepdims=True))[1]
    bits = 52 - int(np.frexp(n_added)[1]) - largest
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, bits)), -bits))


def resampled_means(
    scores: ArrayLike, sizes: Sequence[int], *, rng: np.random.Generator, n_samples: int = 10_000
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) means of that many queries drawn with replacement.

    scores : (Q,) finite; sizes : 1 or more each
    A sample of a size begins with the sample of the next smaller size. Each size's samples are
    independent of one another, which is all that its quantiles need; sizes share their random
    draws, so that their differences vary less. Where scores take few values (C@k, RR@10) their
    counts are drawn at once, which is the same distribution. Memory does not grow with n_samples x
    size.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    if min(sizes, default=1) < 1:
        raise ValueError("A sample has at least one query.")
    scores = on_grid(scores, max(sizes, default=1))
    values, count = np.unique(scores, return_counts=True)
    total, means = np.zeros(n_samples), {}
    for shorter, size in pairwise([0, *sorted(set(sizes))]):
        n_added = size - shorter
        if len(values) * _DRAWS_A_VALUE <= n_added:
            total = total + rng.multinomial(n_added, count / count.sum(), size=n_samples) @ values
        else:
            total = total + _sums(scores, n_added, n_samples, rng)
        means[size] = total / size
    return np.array([means[size] for size in sizes]).reshape(len(sizes), n_samples)


def _sums(
    scores: NDArray[np.float64], size: int, n_samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(n_samples,) sums of `size` queries, a block of samples at a time."""
    if size > _DRAWS_A_BLOCK:
        half = size // 2
        return _sums(scores, half, n_samples, rng) + _sums(scores, size - half, n_samples, rng)
    sums = np.empty(n_samples)
    rows = _DRAWS_A_BLOCK // size
    for start in range(0, n_samples, rows):
        block = sums[start : start + rows]
        indices = draw_indices(len(scores), len(block) * size, rng=rng)
        # every index is in range; "clip" spares numpy the check
        scores.take(indices, mode="clip").reshape(len(block), size).sum(axis=1, out=block)
    return sums
