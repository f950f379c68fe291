"""The number of positives that each query has, by the labels of several sources."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class SourcePositives(NamedTuple):
    """The positives of each of Q queries by one label source.

    name : the source in words; n : (Q,) number of positive targets of each query, 0 or more
    """

    name: str
    n: NDArray[np.int64]


class PositivesDistribution(NamedTuple):
    """The distribution of the number of positives of a query, by one label source.

    n_positive : positives of all queries; n_without : queries that have none
    quartiles : the first, the median and the third, linear between neighbours as numpy has them
    mean, interval : over queries, and what other queries like these would give at 95 %
    values, n_queries : ascending numbers of positives that occur, and of the queries that have them
    """

    name: str
    n_positive: int
    n_without: int
    quartiles: tuple[float, float, float]
    mean: float
    interval: Interval
    values: list[int]
    n_queries: list[int]

    @property
    def median(self) -> float:
        """The median number of positives of a query."""
        return self.quartiles[1]


def positives_per_query(
    sources: Sequence[SourcePositives], *, groups: Groups
) -> list[PositivesDistribution]:
    """Describe the number of positives of a query by each label source; none without queries.

    groups : of the Q queries; intervals of means are by them, and means have their weights
    These are counts of the labels at hand: of what nobody labelled nothing is known. FIRE
    (Rodriguez et al. 2022), Figure 11; ECCV Caption (Chun et al. 2022), Figure 3 (a).
    """
    return [_distribution(source, groups) for source in sources if len(source.n)]


def _distribution(source: SourcePositives, groups: Groups) -> PositivesDistribution:
    values, n_queries = np.unique(source.n, return_counts=True)
    positives = source.n.astype(np.float64)
    low, median, high = np.quantile(source.n, [0.25, 0.5, 0.75]).tolist()
    interval = NO_INTERVAL
    if len(values) > 1:
        (interval,) = mean_intervals(positives[None, :], are_shares=False, groups=groups)
    return PositivesDistribution(
        name=source.name,
        n_positive=int(source.n.sum()),
        n_without=int(np.count_nonzero(source.n == 0)),
        quartiles=(low, median, high),
        mean=float(groups.mean(positives)),
        interval=interval,
        values=values.tolist(),
        n_queries=n_queries.tolist(),
    )
