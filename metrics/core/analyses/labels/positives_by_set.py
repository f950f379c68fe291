"""The positives of the same queries by several label sources, as times those by the first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, NO_SPREAD, Interval, mean_intervals
from metrics.core.statistics.resampling import on_grid


class SourceTotal(NamedTuple):
    """The positives of Q queries by one label source.

    n_positive : of all queries; n_with : queries that have one
    mean, interval : positives of a query, and what other queries like these would give at 95 %
    factor, factor_interval : mean over that by the first source; None where that one has none
    """

    n_positive: int
    n_with: int
    mean: float
    interval: Interval
    factor: float | None
    factor_interval: Interval


def positives_by_set(n_positive: NDArray[np.int64], *, groups: Groups) -> list[SourceTotal]:
    """Count the positives by each of S label sources, and set them against those by the first.

    n_positive : (S, Q) positive targets of each query by each source, S and Q 1 or more
    groups : of the Q queries; means, factors and intervals have their weights
    The interval of a mean is Student's by groups. That of a factor is Student's on the logarithm,
    with the variance of its linearisation over groups, to which each query adds what it has by
    both sources: that of a Poisson regression of both with clustered errors. Its degrees of freedom
    are the groups that have a positive by the source with fewer such groups, less one. There is
    none of fewer than two such groups, of groups of which a few decide everything, and where both
    sources keep one ratio in each group. ECCV Caption (Chun et al. 2022), Table 3.
    """
    counts = n_positive.astype(np.float64)
    means = np.asarray(groups.mean(counts.T)).tolist()
    intervals = mean_intervals(counts, are_shares=False, groups=groups)
    return [
        SourceTotal(
            n_positive=int(row.sum()),
            n_with=int(np.count_nonzero(row)),
            mean=mean,
            interval=interval,
            factor=mean / means[0] if means[0] else None,
            factor_interval=_factor_interval(row, counts[0], groups),
        )
        for row, mean, interval in zip(counts, means, intervals, strict=True)
    ]


def _factor_interval(
    row: NDArray[np.float64], first: NDArray[np.float64], groups: Groups
) -> Interval:
    """The interval of the ratio of the means of two (Q,) numbers of positives, 0 or more."""
    totals = [groups.weighted(counts).sum() for counts in (row, first)]
    has_positive = [np.unique(groups.of_query[counts > 0]) for counts in (row, first)]
    fewest = min(map(len, has_positive))
    if fewest < 2 or groups.is_lopsided:
        return NO_INTERVAL
    # what each query adds to the logarithm of the ratio, to first order
    effect = groups.weighted(row) / totals[0] - groups.weighted(first) / totals[1]
    sums = groups.add_by_group(on_grid(effect, groups.n_queries))
    variance = groups.n / (groups.n - 1) * float(np.square(sums).sum())
    if not variance > NO_SPREAD**2:
        return NO_INTERVAL
    ratio = float(totals[0] / totals[1])
    half = float(special.stdtrit(fewest - 1, 0.975)) * variance**0.5
    return Interval(float(ratio * np.exp(-half)), float(ratio * np.exp(half)))
