"""Queries drawn with replacement, for every bootstrap of a mean over them."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DRAWS_A_BLOCK = 1 << 16  # their places and values stay in the processor's cache
_DRAWS_A_VALUE = 25  # a multinomial draw of one value costs about as much as drawing this many queries
_WORD = 1 << 63  # numbers up to nearly 2^64 are drawn anew too often
REPLICATES_A_BLOCK = 100


def in_order(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q, S) scores with their queries in the order of their values: the same scores are one table, in whatever order.

    For what draws at random along the queries, with `seed_of` them.
    """
    return scores[np.lexsort(scores.T[::-1])]


def seed_of(scores: NDArray[np.float64]) -> int:
    """The seed of what is drawn for (Q, S) scores: a hash of them in order."""
    table = np.ascontiguousarray(in_order(scores), dtype="<f8")
    digest = hashlib.sha256(repr(table.shape).encode() + table.tobytes()).digest()
    return int.from_bytes(digest[:7], "big")  # short enough to be typed


def is_turned(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two systems' scores stand the other way round than they are compared: the better one comes first.

    So that what is drawn for two systems is the same whichever is named first.
    """
    difference = first - second
    return bool(tuple(np.sort(difference)) < tuple(np.sort(-difference)))


def draw_places(n: int, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """(size,) places drawn with replacement from 0..n-1, every one equally likely.

    One whole number below n**d is d places at once, its digits to base n: drawing the number costs far more than taking
    it apart, and as many digits as fit into 63 bits are taken (four for up to 55,108 queries).
    """
    digits = 1
    while digits < 8 and n ** (digits + 1) <= _WORD:
        digits += 1
    number = rng.integers(0, n**digits, -(-size // digits), dtype=np.uint64)
    places = np.empty((digits, len(number)), dtype=np.uint64)
    base = np.uint64(n)
    for row in places[:-1]:
        rest = number // base  # with a product and a difference three times as fast as divmod
        np.multiply(rest, base, out=row)
        np.subtract(number, row, out=row)
        number = rest
    places[-1] = number
    return places.view(np.int64).ravel()[:size]


@lru_cache(maxsize=4)
def resamples(n: int, n_replicates: int, *, seed: int) -> NDArray[np.uint8]:
    """(n_replicates, n) how often each of n queries or groups is in each sample of n of them.

    Kept, as every refresh asks for the same. A count beyond 255 would take a chance below 1e-500.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for start in range(0, n_replicates, REPLICATES_A_BLOCK):
        n_rows = min(REPLICATES_A_BLOCK, n_replicates - start)
        drawn = draw_places(n, n_rows * n, rng=rng).reshape(n_rows, n)
        drawn += np.arange(n_rows)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n)
        rows.append(counts.astype(np.uint8).reshape(n_rows, n))  # 8 times as small
    drawn_counts = np.concatenate(rows)
    drawn_counts.flags.writeable = False
    return drawn_counts


def on_grid(values: NDArray[np.float64], n_added: int) -> NDArray[np.float64]:
    """Values rounded to multiples of the power of two at which every sum of n_added of them, a row of them, is exact.

    values : (..., Q) finite. The step is below n_added x the row's largest magnitude x 2**-50. Sums then do not depend
        on the order of additions, so neither on the processor, the blocks nor the library that adds.
    """
    largest = np.frexp(np.abs(values).max(axis=-1, initial=0.0, keepdims=True))[1]
    bits = 52 - int(np.frexp(n_added)[1]) - largest
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, bits)), -bits))


def resampled_means(
    scores: ArrayLike, sizes: Sequence[int], *, rng: np.random.Generator, n_samples: int = 10_000
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) means of that many queries drawn with replacement.

    scores : (Q,) finite; sizes : 1 or more each
    A sample of a size begins with the sample of the next smaller size. Each size's samples are independent of one
    another, which is all that its quantiles need; sizes share chance, so that their differences are the calmer for it.
    Where scores take few values (C@k, RR@10) their counts are drawn at once, which is the same distribution. Memory
    does not grow with n_samples x size.
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
        more = size - shorter
        if len(values) * _DRAWS_A_VALUE <= more:
            total = total + rng.multinomial(more, count / count.sum(), size=n_samples) @ values
        else:
            total = total + _sums(scores, more, n_samples, rng)
        means[size] = total / size
    return np.array([means[size] for size in sizes]).reshape(len(sizes), n_samples)


def _sums(scores: NDArray[np.float64], size: int, n_samples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(n_samples,) sums of `size` queries, a block of samples at a time."""
    if size > _DRAWS_A_BLOCK:
        half = size // 2
        return _sums(scores, half, n_samples, rng) + _sums(scores, size - half, n_samples, rng)
    sums = np.empty(n_samples)
    rows = _DRAWS_A_BLOCK // size
    for start in range(0, n_samples, rows):
        into = sums[start : start + rows]
        places = draw_places(len(scores), len(into) * size, rng=rng)
        # every place is inside; "clip" spares numpy the check
        scores.take(places, mode="clip").reshape(len(into), size).sum(axis=1, out=into)
    return sums
