"""Differences of systems: their order with letters and pseudo-groups, and each pair of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.run_comparison import Verdicts, decide
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals
from metrics.core.statistics.rounding import means_for_order, rounding


class PlacedSystem(NamedTuple):
    """A system at its place, best first.

    system : its column; rank : 1 and the number of systems that are better; equal means share one
    interval : of the mean at 95 %, for other topics like these
    letters : two systems share one exactly where they do not differ; group : of its pseudo-group,
        1 for the best
    n_differing : systems that it differs from
    """

    system: int
    rank: int
    mean: float
    interval: Interval
    letters: list[str]
    group: int
    n_differing: int


class SystemDifferences(NamedTuple):
    """Systems at their places, best first, by `verdicts`; n_differing of n_pairs pairs differ.

    least : the most that rounding alone can make of a difference of two means
    """

    systems: list[PlacedSystem]
    verdicts: Verdicts
    n_differing: int
    n_pairs: int
    least: float = 0.0


class PairDifference(NamedTuple):
    """Two systems by their columns, the better one first, and the mean of first less second.

    interval : of the difference at 95 %, of this pair alone; differ : by the verdicts on all pairs
    """

    first: int
    second: int
    difference: float
    interval: Interval
    differ: bool


def system_differences(
    scores: NDArray[np.float64],
    *,
    groups: Groups,
    method: str,
    are_shares: bool = False,
    smaller_is_better: bool = False,
    verdicts: Verdicts | None = None,
) -> SystemDifferences:
    """Order S systems by their mean scores on T topics, and say which of them differ at .05.

    scores : (T, S) finite, two or more of each; groups : of the T topics, two or more (ValueError)
    method : one of METHODS of metrics.core.comparisons.run_comparison, which `decide` explains
    are_shares : scores lie from 0 to 1 by definition
    verdicts : of `decide` by this method, where they are there already
    TRECVID (Hauptmann & Lin 2005), sections 4.2 and 4.3, Figures 2 to 7.
    """
    values = np.asarray(scores, dtype=np.float64)
    if verdicts is None:
        verdicts = decide(-values if smaller_is_better else values, groups=groups, method=method)
    means = groups.mean(values)
    larger_better = means_for_order(-values if smaller_is_better else values, groups)
    ranks = 1 + np.count_nonzero(larger_better[None, :] > larger_better[:, None], axis=1)
    intervals = mean_intervals(values.T, are_shares=are_shares, groups=groups)
    group_of_position = {
        position: number
        for number, positions in enumerate(verdicts.groups, start=1)
        for position in positions
    }
    n_differing = np.count_nonzero(verdicts.significant, axis=1)
    systems = [
        PlacedSystem(
            system=system,
            rank=int(ranks[system]),
            mean=float(means[system]),
            interval=intervals[system],
            letters=verdicts.letters[position],
            group=group_of_position[position],
            n_differing=int(n_differing[position]),
        )
        for position, system in enumerate(verdicts.order.tolist())
    ]
    n = len(systems)
    return SystemDifferences(
        systems, verdicts, int(n_differing.sum()) // 2, n * (n - 1) // 2, rounding(values)
    )


def pair_differences(
    scores: NDArray[np.float64], verdicts: Verdicts, *, groups: Groups
) -> list[PairDifference]:
    """Measure the difference of each pair of S systems, in the order of the verdicts on them.

    scores : (T, S) as `system_differences` has them. The interval is Student's of the paired
    differences, the paired t test's; it is of one pair, and knows nothing of the others.
    """
    values = np.asarray(scores, dtype=np.float64)
    order = verdicts.order.tolist()
    pairs = []
    for position, first in enumerate(order[:-1]):
        partners = order[position + 1 :]
        # a run against all behind it at a time: never all pairs by all topics
        differences = (values[:, [first]] - values[:, partners]).T
        rows = zip(
            partners,
            groups.mean(differences.T).tolist(),
            mean_intervals(differences, are_shares=False, groups=groups),
            verdicts.significant[position, position + 1 :].tolist(),
            strict=True,
        )
        pairs += [PairDifference(first, *row) for row in rows]
    return pairs
