"""Confidence intervals of means over queries: Wilson's for shares, Student's for other means.

Both are about other queries like these, or other groups of them; labels are taken as right. Neither
resamples, so there is no seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import on_grid

# of the largest value: values closer to the mean than that differ by rounding alone
NO_SPREAD = 1e-9
# How fast successes show how alike groups are, see `_reduced_for_few_successes`: by simulated
# worlds, docs/adr/0016
DECLINE = 0.75
Z_95 = 1.959963984540054
Row = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper end; None where there is no interval."""

    low: float | None
    high: float | None

    @property
    def per_cent(self) -> "Interval":
        """The interval of a share, in per cent."""
        return Interval(*(None if end is None else 100 * end for end in self))

    @property
    def reciprocal(self) -> "Interval":
        """The interval of 1 over a number above 0; none without one."""
        if self.low is None or self.high is None:
            return self
        return Interval(1 / self.high, 1 / self.low)


NO_INTERVAL = Interval(None, None)


class Means(NamedTuple):
    """(M,) means over the same queries, and their (M,) variances, 0 where nothing differs."""

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
    are_shares : one for all, or (M,): whether values lie from 0 to 1 by definition, as those of
        every measure but ranks; a difference of two shares is no share
    groups : of the Q queries, taken for independent; None where each query stands by itself

    Shares have Wilson's score interval with an effective number of queries (see
    `_effective_queries`), so that it stays within 0 and 1 and leans to the middle, as skewed scores
    need it: docs/adr/0016. Other means have Student's, mean -+ t s of the groups' linearised shares
    (`Groups.shares`) with G - 1 degrees of freedom: the paired t test rejects every value outside
    it. No interval: for fewer than two groups, for groups of which a few decide the mean
    (`Groups.is_lopsided`), and where nothing differs and values are not 0 or 1 throughout, as
    nothing shows then how much other queries would differ.

    The same values have the same interval in any order, file and selection of means: all sums are
    exact (see `on_grid`).
    """
    groups = groups or Groups.single(values.shape[1])
    intervals = [NO_INTERVAL] * len(values)
    finite_rows = np.flatnonzero(np.isfinite(values).all(axis=1))
    if groups.n < 2 or groups.is_lopsided or not len(finite_rows):
        return intervals
    is_share = np.broadcast_to(np.asarray(are_shares, dtype=bool), len(values))[finite_rows]
    values, level = values[finite_rows], (1 + confidence) / 2
    mean, variance = _means(values, groups)
    half = special.stdtrit(groups.n - 1, level) * np.sqrt(variance)
    low, high = mean - half, mean + half
    p = mean[is_share]
    n = _effective_queries(values[is_share], Means(p, variance[is_share]), groups, level)
    ends = score_interval(p, n, float(special.ndtri(level)))
    low[is_share], high[is_share] = np.minimum(ends[0], p), np.maximum(ends[1], p)
    has_interval = (variance > 0) | (is_share & _are_0_or_1(values))
    for row in np.flatnonzero(has_interval).tolist():
        intervals[int(finite_rows[row])] = Interval(float(low[row]), float(high[row]))
    return intervals


def _means(values: NDArray[np.float64], groups: Groups) -> Means:
    """The means over Q queries and their variances under resampling of the groups.

    values : (M, Q) finite; groups : at least two. The variance is the cluster-robust one with G /
        (G - 1), that of
    the mean of `Groups.shares`. Sums are exact, each row by itself.
    """
    exact = on_grid(groups.weighted(values.T).T, groups.n_queries)
    sums = exact if groups.are_single else groups.add_by_group(exact.T).T
    mass = groups.mass
    mean = sums.sum(axis=1) / mass.sum()
    residual = sums - mean[:, None] * mass
    residual[np.abs(residual).max(axis=1) <= NO_SPREAD * np.abs(sums).max(axis=1)] = 0
    squares = on_grid(np.square(residual), groups.n).sum(axis=1)
    return Means(mean, squares * (groups.n / (groups.n - 1) / mass.sum() ** 2))


def effective_successes(share: float, interval: Interval) -> float | None:
    """Effective number of successes or failures, the smaller, of a share's 95 % interval.

    Read off its ends, which are the roots of (n + z^2) x^2 - (2 n p + z^2) x + n p^2: n follows
    from their product. None where there is no interval, and where it has no width.
    """
    if interval.low is None or interval.high is None or interval.low == interval.high:
        return None
    p, low, high = share, interval.low, interval.high
    if p > 0.5:
        p, low, high = 1 - p, 1 - high, 1 - low
    if p <= 0 or low <= 0:
        return 0.0
    ratio = p * p / (low * high) - 1
    return p * Z_95**2 / ratio if ratio > 0 else None


def wilson(n_right: int, n: int, *, z: float = Z_95) -> Interval:
    """Wilson's score interval of a share; (None, None) without trials.

    Wilson 1927, doi:10.1080/01621459.1927.10502953. Equals statsmodels'
    proportion_confint(method="wilson").
    """
    if not n:
        return NO_INTERVAL
    low, high = score_interval(np.array([n_right / n]), np.array([float(n)]), z)
    return Interval(float(low[0]), float(high[0]))


def _effective_queries(
    values: NDArray[np.float64], means: Means, groups: Groups, level: float
) -> Row:
    """(M,) effective numbers of queries, for Wilson's interval.

    p (1 - p) / variance of the mean: a score interval whose variance is taken to be proportional to
    p (1 - p), as that of a share is, at the observed scale (quasi-binomial: Wedderburn 1974,
    doi:10.1093/biomet/61.3.439). As the scale is estimated, the number is made smaller by (z /
    t)^2. Where each value is 0 or 1 the scale is known but for the effect of groups, see
    `effective_trials`. t has as many degrees of freedom as groups, less one.
    Groups that differ in mass count as fewer, (sum of masses)^2 / sum of squared masses: Kish 1965;
    Carter, Schnepel & Steigerwald 2017, doi:10.1162/REST_a_00639.
    """
    n_groups = groups.n_effective
    t = special.stdtrit(max(n_groups - 1, 1.0), level)
    graded = _trials_of_variance(*means) * (special.ndtri(level) / t) ** 2
    binary = effective_trials(
        *means,
        n=groups.n_queries,
        n_groups=n_groups,
        are_single=groups.are_single,
        level=level,
    )
    return np.asarray(np.where(_are_0_or_1(values), binary, graded))


def effective_trials(
    p: Row,
    variance: Row,
    *,
    n: Row | int,
    n_groups: Row | float,
    are_single: NDArray[np.bool_] | bool,
    level: float = 0.975,
) -> Row:
    """(M,) effective numbers of trials that are right or wrong, for Wilson's interval of a share.

    p, variance : (M,) the shares, and their variances under resampling of groups
    n : trials; n_groups : effective ones; are_single : each trial is a group; of each share or all
    level : of the upper end

    The number is that of the trials over the design effect, times (t of n - 1 / t)^2, and at most
    n: Korn & Graubard 1998, Survey Methodology 24:193; Dean & Pagano 2015,
    doi:10.1093/jssam/smv024. For single trials without weights it is n, and the interval Wilson's
    own. Where all are wrong, or all right, nothing shows how alike groups are, so each counts as
    one trial; where nearly all are, little does (see `_reduced_for_few_successes`).
    """
    t = special.stdtrit(np.maximum(n_groups - 1, 1.0), level)
    t_single = special.stdtrit(n - 1, level)
    ratio = _trials_of_variance(p, variance) / (1 - 1 / n) * (t_single / t) ** 2
    trials = np.minimum(ratio, n)
    trials = np.where(are_single, trials, _reduced_for_few_successes(trials, p, n_groups))
    return np.where(p * (1 - p) > 0, trials, n_groups)


def _trials_of_variance(p: Row, variance: Row) -> Row:
    """(M,) numbers of independent trials with this variance of their share."""
    return np.divide(p * (1 - p), variance, out=np.full(len(p), np.inf), where=variance > 0)


def _reduced_for_few_successes(n: Row, p: Row, n_groups: Row | float) -> Row:
    """(M,) effective numbers of queries in groups, reduced where successes or failures are few.

    Where few groups hold most of a small p, a sample without them has both a smaller mean and a
    smaller design effect. So the latter is averaged with that of groups whose queries are all
    alike, each of which counts as one query: with the weight e^(-DECLINE k) of k effective
    successes or failures, whichever are fewer. It is 1 where there are none.
    """
    weight = np.exp(-DECLINE * np.minimum(p, 1 - p) * n)
    return 1 / ((1 - weight) / n + weight / np.minimum(n, n_groups))


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
