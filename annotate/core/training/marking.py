"""Marking of training answers: accuracy, Spearman's rank correlation, and whether they pass."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Grades = NDArray[np.int64]


class TrainingResult(NamedTuple):
    """The result of one try at the training pairs.

    n, n_right : numbers of answers, and of right ones
    score : the measure's value; None where it is not defined
    passed : whether the score reaches the pass mark; an undefined score does not
    """

    n: int
    n_right: int
    score: float | None
    passed: bool


def accuracy(answers: Grades, truth: Grades) -> float | None:
    """The share of answers with exactly the right grade.

    answers, truth : (N,) answered and right grades, pair by pair
    Returns a number in [0, 1]; None without answers.
    """
    return float(np.mean(answers == truth)) if len(answers) else None


def spearman(answers: Grades, truth: Grades) -> float | None:
    """Spearman's rank correlation of answered and right grades; equal grades share their mean rank.

    answers, truth : (N,) answered and right grades, pair by pair
    Returns a number in [-1, 1]; None for fewer than two answers, and where all answers or all right
    grades are equal: then there is no order to compare. Pearson's correlation of the ranks
    (Spearman 1904, doi:10.2307/1412159; with ties as Kendall & Gibbons 1990, chapter 3). Equals
    scipy.stats.spearmanr where that is a number.
    """
    if len(answers) < 2 or len(set(answers.tolist())) < 2 or len(set(truth.tolist())) < 2:
        return None
    return float(np.corrcoef(_mean_ranks(answers), _mean_ranks(truth))[0, 1])


def _mean_ranks(grades: Grades) -> NDArray[np.float64]:
    """Ranks from 1, (N,); equal grades share the mean of the ranks they take up together."""
    _, grade_index, counts = np.unique(grades, return_inverse=True, return_counts=True)
    last_ranks = np.cumsum(counts)
    return np.asarray((last_ranks - (counts - 1) / 2)[grade_index], dtype=np.float64)


MEASURES = {"accuracy": accuracy, "spearman": spearman}


def mark_answers(
    answers: Grades, truth: Grades, *, measure: str, pass_mark: float
) -> TrainingResult:
    """Mark one try at the training pairs.

    measure : a key of MEASURES; pass_mark : the smallest score that passes
    """
    score = MEASURES[measure](answers, truth)
    passed = score is not None and score >= pass_mark - 1e-9
    return TrainingResult(len(answers), int(np.sum(answers == truth)), score, passed)
