"""The rule of equality: numbers that rounding alone can take apart are equal.

It goes by the size of the scores, never by a number of decimals: docs/numbers.md, "Equal numbers".
"""

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups

STEP = 2.0**-50  # four steps of float64 at 1
OF_SUMS = 1e-12  # of the largest sum: as of 1,100 scores from 0 to 1


def rounding(scores: NDArray[np.float64]) -> float:
    """The most that rounding alone can make of the difference of two scores, or of two means.

    scores : (n, ...) finite, whose means are those over n; 0 for none
    Four steps of float64 at the largest score in size, as decimals have no exact numbers; and n
    times as much of the distance between the smallest score and the largest, for sums of n in any
    order, on a grid too (`metrics.core.statistics.resampling.on_grid`).
    """
    if not scores.size:
        return 0.0
    low, high = float(scores.min()), float(scores.max())
    return STEP * (max(-low, high) + len(scores) * (high - low))


def rounding_of_shares(scores: NDArray[np.float64], groups: Groups) -> float:
    """The most that rounding alone can make of the difference of two of `Groups.shares`.

    scores : (Q, ...) finite. A group of more queries than the others has a larger share in the
    mean, and so has its rounding.
    """
    return rounding(scores) * float(groups.mass.max()) * groups.n / groups.n_queries


def rounding_of_sums(sums: NDArray[np.float64]) -> float:
    """The most that rounding alone can make of the difference of two sums or means, as of bounds.

    sums : finite, or NaN, which does not count; what was added up is not at hand; 0 for none
    """
    return OF_SUMS * float(np.nanmax(np.abs(sums), initial=0.0))


def without_offset(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores less the one nearest to 0 where that costs no digit: differences are what they were.

    scores : finite. It costs none where all have one sign and none is more than twice another one
    (Sterbenz 1974); sums of what is left are then as exact as their differences allow. Where one
    is, they are returned as they are.
    """
    if not scores.size:
        return scores
    low, high = float(scores.min()), float(scores.max())
    if low > 0 and high <= 2 * low:
        return scores - low
    return scores - high if high < 0 and 2 * high <= low else scores


def means_for_order(scores: NDArray[np.float64], groups: Groups) -> NDArray[np.float64]:
    """(S,) means of (Q, S) finite scores to order S systems by: those that are equal are ties.

    Their differences are those of the means; what all scores have in common may be missing.
    """
    return with_ties(groups.mean(without_offset(scores)), within=rounding(scores))


def with_ties(numbers: NDArray[np.float64], *, within: float) -> NDArray[np.float64]:
    """(n,) numbers, those that differ by rounding alone made equal: the smallest of them.

    numbers : finite, or NaN, which stays; within : how far apart two neighbours are equal (see
        `rounding`)
    """
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    is_first = np.append(True, ~(np.diff(ascending) <= within))[: len(numbers)]
    ties = np.empty(len(numbers))
    ties[order] = ascending[is_first][np.cumsum(is_first) - 1]
    return ties
