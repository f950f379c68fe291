"""Sampling of queries without replacement: the error of a sample's mean against the population's.

The population is finite: the variance of the mean of N of Q is (1 - N/Q) S^2 / N, S^2 with Q - 1,
and 0 where all are drawn (Cochran 1977, Sampling Techniques, section 2.6). For queries like these,
see `resampling`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.statistics.resampling import draw_indices, on_grid

# Indices and values of the draws stay in the processor's cache, and their numbers fit into 16 bits.
_DRAWS_A_BLOCK = 1 << 16
# a hypergeometric draw of one value costs about as much as drawing this many queries
_DRAWS_A_VALUE = 25


def subset_errors(
    scores: ArrayLike, sizes: Sequence[int], *, rng: np.random.Generator, n_samples: int = 10_000
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) means of that many different queries minus the mean of all.

    Exactly 0 for all of them.
    scores : (Q,) finite; sizes : 1 to Q each, else ValueError
    Each set of N queries is equally likely, and the samples of a size are independent of one
    another. For samples of more than half of the queries the complement is drawn. A sample of a
    size begins with the sample of the next smaller size, as in `resampled_means`, and where scores
    take few values their counts are drawn at once, which is the same distribution. Memory does not
    grow with n_samples x size.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    n = len(scores)
    if min(sizes, default=1) < 1 or max(sizes, default=1) > n:
        raise ValueError(
            f"A sample without replacement has 1 to {n:,} queries, as many as there are."
        )
    scores = on_grid(scores, max(2 * n, _DRAWS_A_BLOCK))
    total = scores.sum()
    draw_sizes = sorted({min(size, n - size) for size in sizes} - {0})
    sums = {0: np.zeros(n_samples)}
    if draw_sizes:
        values, count = np.unique(scores, return_counts=True)
        if len(values) * _DRAWS_A_VALUE * len(draw_sizes) <= draw_sizes[-1]:
            sums_of_sizes = _sums_by_value(values, count, draw_sizes, n_samples, rng)
        else:
            sums_of_sizes = _sums(scores, draw_sizes, n_samples, rng)
        sums |= dict(zip(draw_sizes, sums_of_sizes, strict=True))
    means = [(sums[size] if size <= n - size else total - sums[n - size]) / size for size in sizes]
    return np.array(means).reshape(len(sizes), n_samples) - total / n


def _sums_by_value(
    values: NDArray[np.float64],
    count: NDArray[np.int64],
    sizes: list[int],
    n_samples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) sums of nested samples, drawn as numbers of queries of each value."""
    n_left = np.repeat(count[:, None], n_samples, axis=1)
    sums, total = np.empty((len(sizes), n_samples)), np.zeros(n_samples)
    for row, (shorter, size) in zip(sums, pairwise([0, *sizes]), strict=True):
        n_to_draw, n_others = np.full(n_samples, size - shorter), n_left.sum(axis=0)
        for value_number, value in enumerate(values):
            n_others -= n_left[value_number]
            n_drawn = rng.hypergeometric(n_left[value_number], n_others, n_to_draw)
            n_left[value_number] -= n_drawn
            n_to_draw -= n_drawn
            total += n_drawn * value
        row[:] = total
    return sums


def _sums(
    scores: NDArray[np.float64], sizes: list[int], n_samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) sums of nested samples, the largest of at most half of the queries.

    Indices are drawn with replacement, a row a sample, and each counts once. Which of equal indices
    counts, and so how far a row must be read for N different ones, depends on where in the row
    indices are equal, never on their values: so each set of N is equally likely, also in the rows
    that remain after those with too few different indices are dropped.
    """
    n, sums, n_ready = len(scores), np.empty((len(sizes), n_samples)), 0
    length = _length(n, sizes[-1])
    shape = max(1, min(n_samples, _DRAWS_A_BLOCK // length)), length
    number = np.arange(
        shape[0] * length, dtype=np.uint16 if shape[0] * length <= 1 << 16 else np.uint32
    ).reshape(shape)
    last_number_of, last_numbers = np.empty(n, dtype=number.dtype), np.empty_like(number)
    start = number[:, :1].astype(np.int64)
    values = np.zeros(number.size + 1)  # a 0 behind the last, for the part that ends with the block
    while n_ready < n_samples:
        indices = draw_indices(n, number.size, rng=rng).reshape(shape)
        for row, numbers, last_in_row in zip(indices, number, last_numbers, strict=True):
            last_number_of[row] = numbers  # of equal indices one number stays
            # every index is in range; "clip" spares numpy the check
            last_number_of.take(row, out=last_in_row, mode="clip")
        is_counted = last_numbers == number
        n_different = np.cumsum(is_counted, dtype=np.int32)  # over all rows of the block
        n_before = n_different[start] - is_counted[:, :1]
        has_enough = (n_different[start + length - 1] - n_before >= sizes[-1]).ravel()
        end = np.searchsorted(n_different, n_before[has_enough] + sizes) + 1
        part = np.hstack([start[has_enough], end])[: n_samples - n_ready]
        np.multiply(scores.take(indices, mode="clip"), is_counted, out=values[:-1].reshape(shape))
        part_sums = np.add.reduceat(values, part.ravel()).reshape(part.shape)[:, :-1]
        sums[:, n_ready : n_ready + len(part)] = np.cumsum(part_sums, axis=1).T
        n_ready += len(part)
    return sums


def _length(n: int, size: int) -> int:
    """Number of draws that almost always hold `size` different ones, size <= n / 2.

    The mean and 3 deviations of the coupon collector's problem: a new index, where i of n are
    drawn, takes n / (n - i) tries on the average.
    """
    mean = -n * log1p(-size / n)
    variance = n * (size / (n - size) + log(1 - size / n))
    return ceil(mean + 3 * sqrt(max(0.0, variance))) + 1
