"""Means over a finite population of queries, estimated from a stratified sample of them.

Of a stratum that was drawn whole nothing is left to chance, so the error shrinks with the share
that was drawn: the correction for a finite population. Means over other queries like these are more
uncertain: for those see `intervals.mean_intervals`. Groups of queries do not matter here: queries
were drawn, and nothing else is random.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.statistics.intervals import NO_INTERVAL, NO_SPREAD, Interval, score_interval
from metrics.core.statistics.resampling import on_grid

Row = NDArray[np.float64]


class StratifiedDraw(NamedTuple):
    """The stratum that each of Q queries was drawn from, at random and without replacement.

    stratum : (Q,) 0..H-1, each of them at least once
    size : (H,) queries that each stratum holds, drawn or not
    """

    stratum: NDArray[np.int64]
    size: Row

    @property
    def n_drawn(self) -> Row:
        """(H,) queries of each stratum that were drawn."""
        return np.bincount(self.stratum, minlength=len(self.size)).astype(np.float64)

    @property
    def share_left(self) -> Row:
        """(H,) share of each stratum that was not drawn."""
        return np.maximum(1 - self.n_drawn / self.size, 0.0)


class StratifiedMean(NamedTuple):
    """The mean over the whole population, its variance over draws, and its degrees of freedom.

    variance : NaN where a single query was drawn from a larger stratum
    freedom : degrees of freedom of the variance; infinite where the variance is 0
    """

    mean: float
    variance: float
    freedom: float


def stratified_mean(values: Row, draw: StratifiedDraw) -> StratifiedMean:
    """Estimate the mean over all queries from (Q,) finite values of those that were drawn.

    The mean is sum W_h mean_h, W_h = N_h / N, its variance sum W_h^2 (1 - n_h / N_h) s_h^2 / n_h,
    and the degrees of freedom are Satterthwaite's: Cochran 1977, Sampling Techniques, equations
    5.13 and 5.16. Sums are exact, so that the order of the queries does not matter.
    """
    n, share = draw.n_drawn, draw.size / draw.size.sum()
    means = np.bincount(draw.stratum, weights=on_grid(values, len(values))) / n
    squares = on_grid(np.square(values - means[draw.stratum]), len(values))
    spread = np.bincount(draw.stratum, weights=squares) / np.maximum(n - 1, 1)
    spread[(n < 2) & (draw.share_left > 0)] = np.nan
    parts = share**2 * draw.share_left * spread / n
    variance = float(parts.sum())
    freedom = variance**2 / float(np.sum(parts**2 / np.maximum(n - 1, 1))) if variance else np.inf
    return StratifiedMean(float(share @ means), variance, freedom)


def stratified_intervals(
    values: NDArray[np.float64], draw: StratifiedDraw, *, are_shares: bool, confidence: float = 0.95
) -> list[Interval]:
    """Intervals of M means over a population from which Q queries were drawn.

    See `stratified_mean`.
    values : (M, Q) of the drawn queries; a row that is not finite throughout has no interval
    are_shares : whether values lie from 0 to 1 by definition

    Shares have Wilson's with an effective number of queries, mean (1 - mean) / variance, made
    smaller by (z / t)^2 (Korn & Graubard 1998, Survey Methodology 24:193). Where each value is 0 or
    1, a stratum whose drawn values are all equal would add nothing: there each stratum has Wilson's
    interval of n_h / (1 - n_h / N_h) trials, and the ends are combined as the roots of the sums of
    their squared weighted distances from the means (Zou & Donner 2008, doi:10.1002/sim.3095). Other
    means have Student's. Where every stratum was drawn whole, both ends are the mean. No interval:
    where a single query was drawn from a larger stratum, and where the drawn values do not differ
    within strata and are not 0 or 1 throughout.
    """
    return [_interval(row, draw, are_shares, (1 + confidence) / 2) for row in values]


def _interval(values: Row, draw: StratifiedDraw, are_shares: bool, level: float) -> Interval:
    if not np.isfinite(values).all():
        return NO_INTERVAL
    mean, variance, freedom = stratified_mean(values, draw)
    z, t = float(special.ndtri(level)), float(special.stdtrit(freedom, level))
    if not draw.share_left.any():
        return Interval(mean, mean)
    if are_shares and np.isin(values, (0, 1)).all() and not np.isnan(variance):
        return _binary_interval(values, draw, z)
    if np.isnan(variance) or not variance > NO_SPREAD**2 * mean**2:
        return NO_INTERVAL
    if not are_shares:
        return Interval(mean - t * variance**0.5, mean + t * variance**0.5)
    low, high = score_interval(
        np.array([mean]), np.array([mean * (1 - mean) / variance * (z / t) ** 2]), z
    )
    return Interval(min(float(low[0]), mean), max(float(high[0]), mean))


def _binary_interval(values: Row, draw: StratifiedDraw, z: float) -> Interval:
    """Interval of a mean of values 0 or 1: Wilson's of each stratum, with their ends combined."""
    n, share = draw.n_drawn, draw.size / draw.size.sum()
    p = np.bincount(draw.stratum, weights=values) / n
    low, high = p.copy(), p.copy()
    is_partly_drawn = draw.share_left > 0
    low[is_partly_drawn], high[is_partly_drawn] = score_interval(
        p[is_partly_drawn], (n / np.maximum(draw.share_left, 1e-12))[is_partly_drawn], z
    )
    mean = float(share @ p)
    below, above = (float(np.sum(np.square(share * (p - end)))) ** 0.5 for end in (low, high))
    return Interval(max(0.0, mean - below), min(1.0, mean + above))
