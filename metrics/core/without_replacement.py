"""Queries drawn without replacement: how far the mean of a sample lies from the mean of all that it is drawn of.

The population is finite: the variance of the mean of N of Q is (1 - N/Q) S^2 / N, S^2 with Q - 1, and 0 where all are
drawn (Cochran 1977, Sampling Techniques, section 2.6). For queries like these, see `resampling`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.resampling import draw_places, on_grid

_DRAWS_A_BLOCK = 1 << 16  # their places and values stay in the processor's cache, and their numbers fit into 16 bits
_DRAWS_A_VALUE = 25  # a hypergeometric draw of one value costs about as much as drawing this many queries


def subset_errors(
    scores: ArrayLike, sizes: Sequence[int], *, rng: np.random.Generator, n_samples: int = 10_000
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) means of that many different queries minus the mean of all; exactly 0 for all of them.

    scores : (Q,) finite; sizes : 1 to Q each, else ValueError
    Each set of N queries is equally likely, and the samples of a size are independent of one another. Of more than half
    of the queries those are drawn that are left out. A sample of a size begins with the sample of the next smaller
    size, as in `resampled_means`, and where scores take few values their counts are drawn at once, which is the same
    distribution. Memory does not grow with n_samples x size.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    n = len(scores)
    if min(sizes, default=1) < 1 or max(sizes, default=1) > n:
        raise ValueError(f"A sample without replacement has 1 to {n:,} queries, as many as there are.")
    scores = on_grid(scores, max(2 * n, _DRAWS_A_BLOCK))
    total = scores.sum()
    drawn = sorted({min(size, n - size) for size in sizes} - {0})
    sums = {0: np.zeros(n_samples)}
    if drawn:
        values, count = np.unique(scores, return_counts=True)
        if len(values) * _DRAWS_A_VALUE * len(drawn) <= drawn[-1]:
            found = _sums_by_value(values, count, drawn, n_samples, rng)
        else:
            found = _sums(scores, drawn, n_samples, rng)
        sums |= dict(zip(drawn, found, strict=True))
    means = [(sums[size] if size <= n - size else total - sums[n - size]) / size for size in sizes]
    return np.array(means).reshape(len(sizes), n_samples) - total / n


def _sums_by_value(
    values: NDArray[np.float64], count: NDArray[np.int64], sizes: list[int], n_samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) sums of nested samples, drawn as how many queries of each value they take."""
    left = np.repeat(count[:, None], n_samples, axis=1)
    sums, total = np.empty((len(sizes), n_samples)), np.zeros(n_samples)
    for row, (shorter, size) in zip(sums, pairwise([0, *sizes]), strict=True):
        wanted, others = np.full(n_samples, size - shorter), left.sum(axis=0)
        for place, value in enumerate(values):
            others -= left[place]
            drawn = rng.hypergeometric(left[place], others, wanted)
            left[place] -= drawn
            wanted -= drawn
            total += drawn * value
        row[:] = total
    return sums


def _sums(
    scores: NDArray[np.float64], sizes: list[int], n_samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) sums of nested samples, the largest of at most half of the queries.

    Places are drawn with replacement, a row a sample, and each counts once. Which of equal places counts, and so how
    far a row must be read for N different ones, hangs on where in the row places are equal, never on which they are:
    so each set of N is equally likely, also in the rows that are left after those with too few different places.
    """
    n, sums, n_ready = len(scores), np.empty((len(sizes), n_samples)), 0
    length = _length(n, sizes[-1])
    shape = max(1, min(n_samples, _DRAWS_A_BLOCK // length)), length
    number = np.arange(shape[0] * length, dtype=np.uint16 if shape[0] * length <= 1 << 16 else np.uint32).reshape(shape)
    last, standing = np.empty(n, dtype=number.dtype), np.empty_like(number)
    start = number[:, :1].astype(np.int64)
    values = np.zeros(number.size + 1)  # a 0 behind the last, for the part that ends with the block
    while n_ready < n_samples:
        places = draw_places(n, number.size, rng=rng).reshape(shape)
        for row, numbers, stand in zip(places, number, standing, strict=True):
            last[row] = numbers  # of equal places one number stays
            last.take(row, out=stand, mode="clip")  # every place is inside; "clip" spares numpy the check
        counts = standing == number
        n_different = np.cumsum(counts, dtype=np.int32)  # over all rows of the block
        before = n_different[start] - counts[:, :1]
        enough = (n_different[start + length - 1] - before >= sizes[-1]).ravel()
        end = np.searchsorted(n_different, before[enough] + sizes) + 1
        part = np.hstack([start[enough], end])[: n_samples - n_ready]
        np.multiply(scores.take(places, mode="clip"), counts, out=values[:-1].reshape(shape))
        added = np.add.reduceat(values, part.ravel()).reshape(part.shape)[:, :-1]
        sums[:, n_ready : n_ready + len(part)] = np.cumsum(added, axis=1).T
        n_ready += len(part)
    return sums


def _length(n: int, size: int) -> int:
    """Draws with replacement of which almost always `size` are different, size <= n / 2: mean and 3 deviations.

    The coupon collector's: the draw for a new place where i of n are known takes n / (n - i) tries on the average.
    """
    mean = -n * log1p(-size / n)
    variance = n * (size / (n - size) + log(1 - size / n))
    return ceil(mean + 3 * sqrt(max(0.0, variance))) + 1
