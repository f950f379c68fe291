"""Difficulty of topics, and how much each of them parts the runs."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.rounding import rounding, with_ties, without_offset


class TopicDifficulty(NamedTuple):
    """T topics by the scores of S runs.

    mean, spread : (T,) mean and standard deviation (ddof = 1) over the runs
    distance : (T,) mean absolute difference of two runs on the topic
    share : (T,) the topic's part of the absolute differences of all pairs of runs on all topics,
        1 in all; None where all runs are equal on each topic
    best_run : (T,) number of the best run, the first of several; n_best : (T,) how many are as good
    hardest_first : (T,) numbers of the topics by mean, equal ones in their own order
    """

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    distance: NDArray[np.float64]
    share: NDArray[np.float64] | None
    best_run: NDArray[np.int64]
    n_best: NDArray[np.int64]
    hardest_first: NDArray[np.int64]


def topic_difficulty(
    values: NDArray[np.float64],
    *,
    smaller_is_better: bool,
    weight: NDArray[np.float64] | None = None,
) -> TopicDifficulty:
    """Describe each topic by the scores of the runs on it.

    values : (T, S) finite, S >= 2; weight : (T,) topics that each represents, None for 1 each;
        it counts in the share
    The sum over pairs is that of Gini's mean difference, from sorted scores: S log S a topic.
    """
    n_runs = values.shape[1]
    mean = values.mean(axis=1)
    # the i-th smallest score is the larger one of i pairs and the smaller one of n - 1 - i
    sign = 2.0 * np.arange(n_runs) - (n_runs - 1)
    total = np.sort(values, axis=1) @ sign
    total[values.min(axis=1) == values.max(axis=1)] = 0
    distances = total if weight is None else total * weight
    goodness = -values if smaller_is_better else values
    # less what all have in common, for their order alone
    easiness = without_offset(goodness).mean(axis=1)
    return TopicDifficulty(
        mean=mean,
        spread=values.std(axis=1, ddof=1),
        distance=total / (n_runs * (n_runs - 1) / 2),
        share=distances / distances.sum() if distances.any() else None,
        best_run=np.argmax(goodness, axis=1),
        n_best=np.count_nonzero(goodness == goodness.max(axis=1, keepdims=True), axis=1),
        # means of the same scores in another order are equal
        hardest_first=np.argsort(with_ties(easiness, within=rounding(values.T)), kind="stable"),
    )


def blocks(n: int, *, most: int) -> list[tuple[int, int]]:
    """Cut 0..n-1 into at most so many blocks of nearly equal size: first and last of each."""
    edges = np.linspace(0, n, min(n, most) + 1).round().astype(int).tolist()
    return [(first, end - 1) for first, end in pairwise(edges)]
