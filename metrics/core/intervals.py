"""Intervals beside numbers: Wilson's for shares, whatever a query's share may be, and Student's for other means.

Both say what other queries like these would give, or other groups of them; labels are taken as right. Neither draws
anything, so there is no seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.groups import Groups
from metrics.core.resampling import on_grid

NO_SPREAD = 1e-9  # of the largest value: what is closer to the mean than that differs by rounding alone
DECLINE = 0.75  # how fast successes tell how alike groups are, see `_wary`: by simulated worlds, docs/adr/0016
Z_95 = 1.959963984540054
Row = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper end; None where nothing can be said."""

    low: float | None
    high: float | None


NOTHING = Interval(None, None)


class Means(NamedTuple):
    """M means over the same queries: (M,) each, and the (M,) variances of these means, 0 where nothing differs."""

    mean: Row
    variance: Row


def mean_intervals(
    values: NDArray[np.float64],
    *,
    are_shares: ArrayLike,
    groups: Groups | None = None,
    confidence: float = 0.95,
) -> list[Interval]:
    """Intervals of M means over the same Q queries.

    values : (M, Q); a row that is not finite throughout has no interval
    are_shares : one for all, or (M,): whether values lie from 0 to 1 by what they are, as every measure but ranks; a
        difference of two shares is none
    groups : of the Q queries, which are what is taken for independent; None where each stands by itself

    Shares have Wilson's score interval with an effective number of queries (see `_effective`), so that it stays within
    0 and 1 and leans to the middle, as skewed scores need it: docs/adr/0016. Other means have Student's, mean -+ t s of
    the groups' linearised shares (`Groups.shares`) with a degree of freedom a group but one: what it leaves out, the
    paired t test rejects. No interval: of fewer than two groups, of groups of which a few decide the mean
    (`Groups.is_lopsided`), and where nothing differs and values are not 0 or 1 throughout, as nothing shows then how
    much other queries would differ.

    The same values have the same interval in whatever order, file and company: all sums are exact (see `on_grid`).
    """
    groups = groups or Groups.single(values.shape[1])
    found = [NOTHING] * len(values)
    rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    if groups.n < 2 or groups.is_lopsided or not len(rows):
        return found
    shares = np.broadcast_to(np.asarray(are_shares, dtype=bool), len(values))[rows]
    values, level = values[rows], (1 + confidence) / 2
    mean, variance = _means(values, groups)
    half = special.stdtrit(groups.n - 1, level) * np.sqrt(variance)
    low, high = mean - half, mean + half
    p = mean[shares]
    n = _effective(values[shares], Means(p, variance[shares]), groups, level)
    ends = score_interval(p, n, float(special.ndtri(level)))
    low[shares], high[shares] = np.minimum(ends[0], p), np.maximum(ends[1], p)
    has_interval = (variance > 0) | (shares & _are_0_or_1(values))
    for place in np.flatnonzero(has_interval).tolist():
        found[int(rows[place])] = Interval(float(low[place]), float(high[place]))
    return found


def _means(values: NDArray[np.float64], groups: Groups) -> Means:
    """The means over Q queries and their variances, as many groups being drawn anew.

    values : (M, Q) finite; groups : at least two. The variance is the cluster-robust one with G / (G - 1), that of
    the mean of `Groups.shares`. Sums are exact, each row by itself.
    """
    exact = on_grid(groups.weighted(values.T).T, groups.n_queries)
    sums = exact if groups.are_single else groups.added(exact.T).T
    mass = groups.mass
    mean = sums.sum(axis=1) / mass.sum()
    rest = sums - mean[:, None] * mass
    rest[np.abs(rest).max(axis=1) <= NO_SPREAD * np.abs(sums).max(axis=1)] = 0
    squares = on_grid(np.square(rest), groups.n).sum(axis=1)
    return Means(mean, squares * (groups.n / (groups.n - 1) / mass.sum() ** 2))


def rests_on(share: float, interval: Interval) -> float | None:
    """How many independent successes or failures, whichever are fewer, Wilson's 95 % interval of a share is of.

    Read off its ends, which are the roots of (n + z^2) x^2 - (2 n p + z^2) x + n p^2: their product tells n.
    None where there is no interval, and where it has no width.
    """
    if interval.low is None or interval.high is None or interval.low == interval.high:
        return None
    p, low, high = share, interval.low, interval.high
    if p > 0.5:
        p, low, high = 1 - p, 1 - high, 1 - low
    if p <= 0 or low <= 0:
        return 0.0
    rest = p * p / (low * high) - 1
    return p * Z_95**2 / rest if rest > 0 else None


def wilson(n_right: int, n: int, *, z: float = Z_95) -> Interval:
    """Wilson's score interval of a share; (None, None) without trials.

    Wilson 1927, doi:10.1080/01621459.1927.10502953. Equals statsmodels' proportion_confint(method="wilson").
    """
    if not n:
        return NOTHING
    low, high = score_interval(np.array([n_right / n]), np.array([float(n)]), z)
    return Interval(float(low[0]), float(high[0]))


def _effective(values: NDArray[np.float64], means: Means, groups: Groups, level: float) -> Row:
    """(M,) independent queries of 0 or 1 that tell as much of each mean p as these values do, for Wilson's interval.

    p (1 - p) / variance of the mean: a score interval whose variance is taken to go with p (1 - p), as that of a share
    does, at the scale that is seen (quasi-binomial: Wedderburn 1974, doi:10.1093/biomet/61.3.439). As the scale is
    estimated, the number is made smaller by (z / t)^2.
    Where each value is 0 or 1 the scale is known but for what groups do to it. The number is that of the queries over
    the design effect, times (t of Q - 1 / t)^2, and at most Q: Korn & Graubard 1998, Survey Methodology 24:193; Dean &
    Pagano 2015, doi:10.1093/jssam/smv024. Of single queries without weights it is Q, and the interval Wilson's own.
    Where all are 0, or all 1, nothing shows how alike groups are, so each counts as one query; where nearly all are,
    little does (see `_wary`).
    t has as many degrees of freedom as groups, less one. Groups that differ in mass count as fewer, (sum of masses)^2 /
    sum of squared masses: Kish 1965; Carter, Schnepel & Steigerwald 2017, doi:10.1162/REST_a_00639.
    """
    (p, variance), n = means, groups.n_queries
    n_groups = groups.n_effective
    z, t, t_single = special.ndtri(level), special.stdtrit(max(n_groups - 1, 1.0), level), special.stdtrit(n - 1, level)
    known = p * (1 - p)
    seen = np.divide(known, variance, out=np.full(len(p), np.inf), where=variance > 0)
    graded = seen * (z / t) ** 2
    of_0_and_1 = np.minimum(seen / (1 - 1 / n) * (t_single / t) ** 2, n)
    if not groups.are_single:
        of_0_and_1 = _wary(of_0_and_1, p, n_groups)
    of_0_or_1 = np.where(known > 0, of_0_and_1, n_groups)
    return np.asarray(np.where(_are_0_or_1(values), of_0_or_1, graded))


def _wary(n: Row, p: Row, n_groups: float) -> Row:
    """(M,) effective numbers n of 0 and 1 in groups, smaller where few successes or failures show how alike groups are.

    Where few groups hold most of a small p, a sample without them has both a smaller mean and a smaller design effect.
    So the latter is averaged with that of groups whose queries are all alike, each of which counts as one query: with
    the weight e^(-DECLINE k) of k effective successes or failures, whichever are fewer. It is 1 where there are none.
    """
    alike = np.exp(-DECLINE * np.minimum(p, 1 - p) * n)
    return 1 / ((1 - alike) / n + alike / np.minimum(n, n_groups))


def _are_0_or_1(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(M,) whether each of a row's values is 0 or 1."""
    return np.asarray(((values == 0) | (values == 1)).all(axis=1))


def score_interval(share: Row, n: Row, z: float) -> tuple[Row, Row]:
    """Wilson's ends of (M,) shares of (M,) n trials each; n need not be a whole number."""
    middle = share + z * z / (2 * n)
    spread = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return np.maximum(low, 0.0), np.minimum(high, 1.0)
