"""Retrieval experiment error rates and reversals of all pairs of runs, by observed difference."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.statistics.rounding import rounding, rounding_of_sums, without_offset

_CLOSE = 1e-6  # of the runs' own variances: what is left of those of less is taken from the scores
_MOST_BINS, _FEWEST_BINS = 50, 10


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
    least, scores = rounding(scores), without_offset(scores)
    mean = scores.mean(axis=0)
    central = scores - mean
    covariance = central.T @ central / (n - 1)
    own = np.diag(covariance)
    independent = own[first] + own[second]
    paired = independent - 2 * covariance[first, second]
    for pair in np.flatnonzero(paired <= _CLOSE * independent).tolist():
        paired[pair] = (scores[:, first[pair]] - scores[:, second[pair]]).var(ddof=1)
    paired[paired <= least**2] = 0
    independent[independent <= least**2] = 0
    difference = np.abs(mean[first] - mean[second])
    difference[difference <= max(least, rounding_of_sums(mean))] = 0
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
    """The width of bins of differences up to the largest: .01, that of TRECVID's Figure 1.

    Where there were more than 50, it is the next of .02, .05, .1, ... that gives so many; where
    fewer than ten, the next of .005, .002, .001, ... that gives so many.
    """
    step = 0
    while largest / width_of_step(step) >= _MOST_BINS:
        step += 1
    # ten but for rounding are ten
    while 0 < largest / width_of_step(step) < _FEWEST_BINS * (1 - 1e-9):
        step -= 1
    return width_of_step(step)


def width_of_step(step: int) -> float:
    """The width at a step of 1, 2 and 5 times powers of ten: .01 at 0, .02 at 1, .005 at -1."""
    power, remainder = divmod(step, 3)
    return float(f"{(1, 2, 5)[remainder]}e{power - 2}")


def bin_edges(n_bins: int, width: float) -> NDArray[np.float64]:
    """(n_bins + 1,) edges of bins from 0 on, as decimals and so without traces of rounding."""
    return np.array([float(f"{number * width:.10g}") for number in range(n_bins + 1)])


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
    return ErrorRates(bin_edges(n_bins, width), n_pairs, list(sizes), *means)
