"""The order of runs by several measures or labels: means, ranks, and pairs that change order."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.measures import Measure
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class RunMean(NamedTuple):
    """The average of a measure over a run's queries; None where it is not defined.

    interval : at 95 %, of the mean over other queries like these
    """

    value: float | None
    interval: Interval


class PairOrders(NamedTuple):
    """Numbers of pairs of runs that two measures order alike, or against one another.

    equal : those that are equal by one of the measures at least
    """

    same: int
    opposite: int
    equal: int


def run_means(
    values: NDArray[np.float64],
    measure: Measure,
    *,
    groups: Groups,
    with_intervals: bool = True,
) -> list[RunMean]:
    """Average a measure over the queries of S runs.

    values : (S, Q); groups : of the Q queries, with their weights
    with_intervals : False where a value is no plain one of its query, as estimates are
    A mean has an interval by groups (`mean_intervals`), a median has none.
    """
    averages = [measure.average(row, weight=groups.weight) for row in values]
    intervals = [NO_INTERVAL] * len(values)
    if with_intervals and measure.is_mean and values.size:
        intervals = mean_intervals(values, are_shares=measure.is_share, groups=groups)
    return [
        RunMean(average, interval) if np.isfinite(average) else RunMean(None, NO_INTERVAL)
        for average, interval in zip(averages, intervals, strict=True)
    ]


def run_ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """(S, M) rank of S runs by each of M columns: 1 and the number of runs that are better.

    scores : (S, M), larger better; NaN where there is none, and then the rank is 0
    Equal runs share the better rank; a column in which all are equal orders nothing, and its ranks
    are 0. ECCV Caption (Chun et al. 2022), Figures 5 and E.3.
    """
    is_better = scores[None, :, :] > scores[:, None, :]
    ranks = 1 + np.count_nonzero(is_better, axis=1)
    is_order = ranks.max(axis=0, initial=1) > 1
    return np.where(np.isnan(scores) | ~is_order, 0, ranks)


def rank_spans(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(S,) places between the best and the worst of each run's ranks; 0 for fewer than two.

    ranks : (S, M) as of `run_ranks`; 0 is no rank
    """
    worst = np.max(ranks, axis=1, initial=0)
    # no rank is worse than any, so that it is never the best
    best = np.min(np.where(ranks > 0, ranks, worst[:, None]), axis=1, initial=len(ranks) + 1)
    return np.maximum(worst - best, 0)


def pair_orders(first: Sequence[float], second: Sequence[float]) -> PairOrders:
    """Compare the orders of all pairs of S runs by two lists of S scores, larger better."""
    signs = [
        np.sign(np.subtract.outer(scores, scores)) for scores in map(np.asarray, (first, second))
    ]
    upper = np.triu_indices(len(first), k=1)
    product = (signs[0] * signs[1])[upper]
    return PairOrders(
        int(np.count_nonzero(product > 0)),
        int(np.count_nonzero(product < 0)),
        int(np.count_nonzero(product == 0)),
    )
