"""Retrieval experiment error rates and reversals of all pairs of runs, by observed difference."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

_NO_SPREAD = 1e-12  # of the runs' own variances or means: less is rounding
WIDTH = 0.01  # of the bins of TRECVID's Figure 1
_MOST_BINS = 50


class PairRates(NamedTuple):
    """(P,) rates of all P = S (S - 1) / 2 pairs of runs, in the order of `numpy.triu_indices`.

    difference : absolute difference of the means
    reer_paired, reversal : as the functions of these names in `metrics.core.comparisons.swaps`
    reer_independent : TRECVID's Eq. 1 as printed, with the variances of both systems added up. It
        treats them as independent although they answered the same queries: the rate is larger than
        that of pairs where the scores of two runs go together, smaller where they go apart
    """

    difference: NDArray[np.float64]
    reer_paired: NDArray[np.float64]
    reer_independent: NDArray[np.float64]
    reversal: NDArray[np.float64]


class ErrorRates(NamedTuple):
    """Mean rates of the pairs whose observed difference falls into each of B bins, by M sizes.

    edges : (B + 1,) of the bins [low, high) of the absolute difference; n_pairs : (B,)
    sizes : (M,) topics of each of the sets in question
    reer_paired, reer_independent, reversal : (M, B), NaN where no pair falls into the bin
    """

    edges: NDArray[np.float64]
    n_pairs: NDArray[np.int64]
    sizes: list[int]
    reer_paired: NDArray[np.float64]
    reer_independent: NDArray[np.float64]
    reversal: NDArray[np.float64]

    def trusted_from(self, level: float) -> list[float | None]:
        """Of each size the smallest edge from which on every bin has a mean REER within `level`.

        By the paired form; None where the last bin that has pairs is above the level.
        """
        edges: list[float | None] = []
        bins = np.flatnonzero(self.n_pairs)
        for row in self.reer_paired:
            above = np.flatnonzero(row[bins] > level)
            first = int(above[-1]) + 1 if len(above) else 0
            edges.append(float(self.edges[bins[first]]) if first < len(bins) else None)
        return edges


def pair_rates(scores: NDArray[np.float64], *, n_queries: int) -> PairRates:
    """The rates of all pairs of S runs at once, from the S x S matrix of their covariances.

    scores : (T, S) finite, T >= 2; n_queries : size of the sets in question
    TRECVID (Hauptmann & Lin 2005), Eq. 1, with the variance of the paired differences and as
    printed; the reversal as docs/numbers.md has it.
    """
    n, n_runs = scores.shape
    first, second = np.triu_indices(n_runs, k=1)
    mean = scores.mean(axis=0)
    central = scores - mean
    covariance = central.T @ central / (n - 1)
    own = np.diag(covariance)
    independent = own[first] + own[second]
    paired = independent - 2 * covariance[first, second]
    rounding = np.square(_NO_SPREAD * np.abs(scores).max())
    paired[paired <= _NO_SPREAD * independent + rounding] = 0
    independent[independent <= rounding] = 0
    difference = np.abs(mean[first] - mean[second])
    difference[difference <= _NO_SPREAD * np.abs(mean).max(initial=0)] = 0
    rates = []
    for variance, scale in (
        (paired, 1 / n_queries),
        (independent, 1 / n_queries),
        (paired, 1 / n + 1 / n_queries),
    ):
        # equal means are turned round half of the time, a constant lead never
        z = np.where(difference > 0, -np.inf, 0.0)
        np.divide(-difference, np.sqrt(variance * scale), out=z, where=variance > 0)
        rates.append(z)
    below, below_independent = special.ndtr(rates[0]), special.ndtr(rates[1])
    return PairRates(
        difference,
        2 * below * (1 - below),
        2 * below_independent * (1 - below_independent),
        special.stdtr(n - 1, rates[2]),
    )


def bin_width(largest: float) -> float:
    """The width of bins of differences: .01, or the next of .02, .05, .1, ... that gives 50."""
    width, factors = WIDTH, (2.0, 2.5, 2.0)
    step = 0
    while largest / width >= _MOST_BINS:
        width = float(f"{width * factors[step % 3]:.6g}")
        step += 1
    return width


def difference_bins(difference: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """(P,) number of the bin of each difference; on an edge but for rounding is above it."""
    return np.floor(difference / width + 1e-9).astype(np.int64)


def error_rates(scores: NDArray[np.float64], *, sizes: Sequence[int]) -> ErrorRates:
    """Average the rates of all pairs by bins of their difference, for each size of the sets.

    scores : (T, S) finite, T >= 2, S >= 2; sizes : 1 or more each
    """
    rates = [pair_rates(scores, n_queries=size) for size in sizes]
    difference = rates[0].difference
    width = bin_width(float(difference.max()))
    number = difference_bins(difference, width)
    n_bins = int(number.max()) + 1
    n_pairs = np.bincount(number, minlength=n_bins)
    means = [
        np.array(
            [
                np.divide(
                    np.bincount(number, weights=values, minlength=n_bins),
                    n_pairs,
                    out=np.full(n_bins, np.nan),
                    where=n_pairs > 0,
                )
                for values in of_sizes
            ]
        )
        for of_sizes in list(zip(*rates, strict=True))[1:]
    ]
    edges = np.round(np.arange(n_bins + 1) * width, 9)
    return ErrorRates(edges, n_pairs, list(sizes), *means)
