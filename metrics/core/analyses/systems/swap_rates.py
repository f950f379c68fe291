"""Swap rates measured on disjoint sets of topics, with a band, beside the predicted reversal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.systems.error_rates import (
    bin_edges,
    bin_width,
    pair_rates,
    width_of_step,
)
from metrics.core.comparisons.permutation_tests import Report, report_nothing
from metrics.core.comparisons.swaps import SwapCurve, swap_curve
from metrics.core.statistics.intervals import Z_95, Interval
from metrics.core.statistics.resampling import seed_of, sorted_rows

FEWEST_TRIALS, MOST_TRIALS = 200, 1_000
FEWEST_IN_HALF = 20
WORK = 2_000_000  # pairs of runs, and tens of topics, in all trials
RESAMPLES = 100
PREDICTIONS = 50
MOST_BINS = 1_000
BELOW = 1 - 1e-10  # of a width: a difference that is on an edge but for rounding is above it


class SwapRates(NamedTuple):
    """Swap rates of two disjoint sets of topics, by the difference of two runs on the first one.

    size : topics of each of the sets
    n_trials : pairs of sets; curve : of B bins, measured in these
    errors : (B,) standard errors of the rates, NaN where too few resamples have the bin
    predicted : (B,) mean reversal that the first set alone predicts, NaN where none is there
    overall : rate of all comparisons; overall_interval : its band
    """

    size: int
    n_trials: int
    curve: SwapCurve
    errors: NDArray[np.float64]
    predicted: NDArray[np.float64]
    overall: float
    overall_interval: Interval

    def band(self, number: int) -> Interval:
        """The band of a bin's rate: 1.96 standard errors to each side, within 0 and 1."""
        return _band(float(self.curve.rate[number]), float(self.errors[number]))

    def low_from(self, level: float, *, fewest: int) -> float | None:
        """The smallest edge from which on every bin has a rate within the level; None for none.

        fewest : comparisons of a bin that counts
        """
        bins = np.flatnonzero(self.curve.pairs >= fewest)
        above = np.flatnonzero(self.curve.rate[bins] > level)
        first = int(above[-1]) + 1 if len(above) else 0
        return float(self.curve.edges[bins[first]]) if first < len(bins) else None


def swap_rates(
    scores: NDArray[np.float64],
    *,
    size: int,
    n_trials: int | None = None,
    report: Report = report_nothing,
) -> SwapRates:
    """Measure how often two disjoint random sets of topics order two runs in opposite ways.

    scores : (T, S) finite, S >= 2; size : of each set, from 2 to T / 2 (ValueError)
    n_trials : default: as many as an acceptable time allows
    report : told how many of the resamples are done, which take most of the time
    Voorhees & Buckley 2002, doi:10.1145/564376.564432; an exact tie in one of the sets is half a
    swap. The standard error is the bootstrap's, of drawing other topics (see `error_of_halves`).
    The draws follow from the values, in any order of the topics.
    """
    scores = sorted_rows(scores)
    rng = np.random.default_rng(seed_of(scores))
    n_topics, n_runs = scores.shape
    work = n_runs * (n_runs - 1) // 2 + n_topics // 10
    n_trials = n_trials or max(FEWEST_TRIALS, min(MOST_TRIALS, WORK // work))
    whole_width = width_of_bins(scores)
    width = whole_width * BELOW
    curve = swap_curve(scores, n_queries=size, rng=rng, n_trials=n_trials, width=width)
    curve = curve._replace(edges=bin_edges(len(curve.pairs), whole_width))
    n_bins = len(curve.pairs)
    predicted = predicted_reversals(
        scores, size=size, n_sets=min(n_trials, PREDICTIONS), width=width, n_bins=n_bins, rng=rng
    )
    errors, overall_error = resampled_errors(
        scores,
        curve,
        size=size,
        n_trials=max(FEWEST_IN_HALF, n_trials // 40),
        rng=rng,
        report=report,
    )
    overall = float(curve.swaps.sum() / curve.pairs.sum())
    return SwapRates(
        size=size,
        n_trials=n_trials,
        curve=curve,
        errors=errors,
        predicted=predicted,
        overall=overall,
        overall_interval=_band(overall, overall_error),
    )


def width_of_bins(scores: NDArray[np.float64]) -> float:
    """The width of the bins for (T, S) scores, the same for sets of each size.

    As `bin_width` of the largest difference of means; narrower than .01 only where those on halves
    of the topics, two standard errors further, are so small too. There are MOST_BINS at most.
    """
    largest = float(np.ptp(scores.mean(axis=0)))
    covariance = np.cov(scores.T)
    own = np.diag(covariance)
    paired = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0)
    on_halves = largest + 2 * float(np.sqrt(paired.max() / (len(scores) // 2)))
    width = max(bin_width(largest), min(bin_width(on_halves), width_of_step(0)))
    step, narrowest = 0, float(np.ptp(scores)) / MOST_BINS
    while width_of_step(step) >= narrowest > 0:
        step -= 1
    while width_of_step(step) < narrowest:
        step += 1
    return max(width, width_of_step(step)) if narrowest else width


def predicted_reversals(
    scores: NDArray[np.float64],
    *,
    size: int,
    n_sets: int,
    width: float,
    n_bins: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """(B,) mean reversal that one set alone predicts, by its difference; NaN where none is there.

    n_sets : that are drawn; width : of the bins
    """
    n_predicted, reversals = np.zeros(n_bins), np.zeros(n_bins)
    for _ in range(n_sets):
        rates = pair_rates(scores[rng.permutation(len(scores))[:size]], n_queries=size)
        number = np.minimum((rates.difference / width).astype(np.int64), n_bins - 1)
        n_predicted += np.bincount(number, minlength=n_bins)
        reversals += np.bincount(number, weights=rates.reversal, minlength=n_bins)
    predicted = np.full(n_bins, np.nan)
    np.divide(reversals, n_predicted, out=predicted, where=n_predicted > 0)
    return predicted


def resampled_errors(
    scores: NDArray[np.float64],
    measured: SwapCurve,
    *,
    size: int,
    n_trials: int,
    rng: np.random.Generator,
    report: Report = report_nothing,
) -> tuple[NDArray[np.float64], float]:
    """(B,) standard errors of the rates of the bins, and that of the rate of all comparisons.

    n_trials : of each half of a resample
    """
    n_bins, width = len(measured.pairs), float(measured.edges[1]) * BELOW
    pairs, swaps = np.zeros((2, 2, RESAMPLES, n_bins))
    for resample in range(RESAMPLES):
        report(resample, RESAMPLES)
        resampled_scores = scores[rng.integers(0, len(scores), len(scores))]
        for half in range(2):
            curve = swap_curve(
                resampled_scores, n_queries=size, rng=rng, n_trials=n_trials, width=width
            )
            pairs[half, resample, : len(curve.pairs)] = curve.pairs
            swaps[half, resample, : len(curve.pairs)] = curve.swaps
    report(RESAMPLES, RESAMPLES)
    errors = np.full(n_bins, np.nan)
    for number in range(n_bins):
        has_bin = (pairs[:, :, number] > 0).all(axis=0)
        if np.count_nonzero(has_bin) >= RESAMPLES / 2:
            errors[number] = error_of_halves(swaps[:, has_bin, number] / pairs[:, has_bin, number])
    return errors, error_of_halves(swaps.sum(axis=2) / pairs.sum(axis=2))


def error_of_halves(rates: NDArray[np.float64]) -> float:
    """The standard error of a rate from (2, R) rates of two independent halves of R resamples.

    Their covariance is the variance between resamples without the chance of a half's trials. Where
    that chance is large it is not well known and may come out below 0: its own standard error, of
    normal rates, is added, so that no band is of width 0 by luck.
    """
    variance = np.cov(rates)
    covariance = float(variance[0, 1])
    doubt = np.sqrt((variance[0, 0] * variance[1, 1] + covariance**2) / (rates.shape[1] - 1))
    return float(np.sqrt(max(covariance, 0.0) + doubt))


def _band(rate: float, error: float) -> Interval:
    if not np.isfinite(rate) or not np.isfinite(error):
        return Interval(None, None)
    return Interval(max(0.0, rate - Z_95 * error), min(1.0, rate + Z_95 * error))
