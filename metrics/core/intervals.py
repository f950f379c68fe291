"""Intervals beside numbers: the percentile bootstrap of means over queries or groups, and Wilson's for a share."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.groups import Groups
from metrics.core.resampling import on_grid, resampled_sums, resamples

N_REPLICATES = 1_000


class Interval(NamedTuple):
    """Lower and upper end; None where nothing can be said."""

    low: float | None
    high: float | None


def mean_intervals(
    values: NDArray[np.float64],
    *,
    groups: Groups | None = None,
    n_replicates: int = N_REPLICATES,
    confidence: float = 0.95,
) -> list[Interval]:
    """Percentile bootstrap intervals of M means over the same Q queries.

    values : (M, Q); a row that is not finite throughout has no interval
    groups : of the Q queries: whole groups are drawn, as many as there are, and the mean is over all their queries;
        None draws single queries. Queries that are all of one group have no interval.
    The same values have the same interval, on whatever page, in whatever file and order: a row is sorted, and the
    samples depend on the number of groups and n_replicates alone, that number being the seed. So it does not matter
    what a row is computed together with, and the samples of one number are drawn once for all rows.
    Every sum is exact (see `on_grid`), so that the result cannot depend on the order of additions, the number of rows
    or the machine. FIRE (Rodriguez et al. 2022) section 4.3 resamples queries so. Equals scipy.stats.bootstrap's
    percentile method, but for chance; with groups of one size that of their means.
    """
    groups = groups or Groups.single(values.shape[1])
    if not groups.n or (groups.n == 1 and not groups.are_single):
        return [Interval(None, None)] * len(values)
    sums, sizes = _sorted_sums(values, groups)
    drawn = resamples(groups.n, n_replicates, seed=groups.n)
    means = resampled_sums(sums, drawn) / (groups.n_queries if sizes is None else resampled_sums(sizes, drawn))
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return [
        Interval(None, None) if np.isnan(a) or np.isnan(b) else Interval(float(a), float(b))
        for a, b in zip(low, high, strict=True)
    ]


def _sorted_sums(values: NDArray[np.float64], groups: Groups) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """(G, M) sums of the groups, ascending in each column, and (G, M) their masses; None where all have one."""
    exact = on_grid(groups.weighted(values.T).T, groups.n * int(groups.size.max()))
    mass = on_grid(groups.mass, groups.n)
    sums = exact if groups.are_single else groups.added(exact.T).T
    if (mass == mass[0]).all():
        return np.sort(sums, axis=1).T, None
    sizes = np.broadcast_to(mass, sums.shape)
    order = np.lexsort((sizes, sums), axis=1)
    return np.take_along_axis(sums, order, axis=1).T, np.take_along_axis(sizes, order, axis=1).T


def wilson(n_right: int, n: int, *, z: float = 1.959963984540054) -> Interval:
    """Wilson's score interval of a share; (None, None) without trials.

    Wilson 1927, doi:10.1080/01621459.1927.10502953. Equals statsmodels' proportion_confint(method="wilson").
    """
    if not n:
        return Interval(None, None)
    share = n_right / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))
