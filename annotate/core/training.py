"""What answers to pairs of known grade say: accuracy, Spearman's rank correlation, and whether they pass."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Grades = NDArray[np.int64]


class Result(NamedTuple):
    """How one go at the training pairs ended.

    n, n_right : answers, and those that name the right grade
    score : the measure's value; None where it is not defined
    passed : whether the score reaches the mark; what is not defined does not
    """

    n: int
    n_right: int
    score: float | None
    passed: bool


def accuracy(given: Grades, right: Grades) -> float | None:
    """The share of answers that name exactly the right grade.

    given, right : (N,) grades, pair by pair
    Returns a number in [0, 1]; None without answers.
    """
    return float(np.mean(given == right)) if len(given) else None


def spearman(given: Grades, right: Grades) -> float | None:
    """Spearman's rank correlation of the grades given with the right ones, equal grades sharing their mean rank.

    given, right : (N,) grades, pair by pair
    Returns a number in [-1, 1]; None for fewer than two answers, and where all answers or all right grades are equal:
    then there is no order to compare. Pearson's correlation of the ranks (Spearman 1904, doi:10.2307/1412159; with
    ties as Kendall & Gibbons 1990, chapter 3). Equals scipy.stats.spearmanr where that is a number.
    """
    if len(given) < 2 or len(set(given.tolist())) < 2 or len(set(right.tolist())) < 2:
        return None
    return float(np.corrcoef(_mean_ranks(given), _mean_ranks(right))[0, 1])


def _mean_ranks(grades: Grades) -> NDArray[np.float64]:
    """Ranks from 1, (N,); equal grades share the mean of the ranks they take up together."""
    _, place, n = np.unique(grades, return_inverse=True, return_counts=True)
    last = np.cumsum(n)
    return np.asarray((last - (n - 1) / 2)[place], dtype=np.float64)


MEASURES = {"accuracy": accuracy, "spearman": spearman}


def result(given: Grades, right: Grades, *, measure: str, pass_mark: float) -> Result:
    """Mark a go at the training pairs.

    measure : a key of MEASURES; pass_mark : the smallest score that passes
    """
    score = MEASURES[measure](given, right)
    passed = score is not None and score >= pass_mark - 1e-9
    return Result(len(given), int(np.sum(given == right)), score, passed)
