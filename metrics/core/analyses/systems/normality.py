"""Normality of scores, and of what topics and systems do not explain, system by system."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.anova import anderson_darling, residuals
from metrics.core.comparisons.significance import benjamini_hochberg
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.rounding import rounding_of_shares, without_offset

FEWEST = 8  # values that the test takes
RATE = 0.05  # of false discoveries


class Normality(NamedTuple):
    """Anderson and Darling's test of one sample; None where all its values are equal.

    p : by itself; adjusted_p : Benjamini and Hochberg's over the samples that are tested
    """

    a_squared: float | None
    p: float | None
    adjusted_p: float | None

    @property
    def is_rejected(self) -> bool | None:
        """True if it is rejected as normal at the rate of false discoveries."""
        return None if self.adjusted_p is None else self.adjusted_p < RATE


class NormalityTable(NamedTuple):
    """The tests of S systems on n topics, or groups of them: of scores and of residuals."""

    n: int
    scores: list[Normality]
    residuals: list[Normality]


def normality_table(scores: NDArray[np.float64], *, groups: Groups) -> NormalityTable:
    """Test whether the scores of each of S systems are normal, and their residuals.

    scores : (T, S) finite; groups : of the T topics, eight or more (ValueError)
    Where topics come in groups, a group's share in the mean over all topics (`Groups.shares`) takes
    the place of a topic's score, as in the analysis of variance. Residuals are what the means of
    its topics and systems leave, and what it takes for normal. TRECVID (Hauptmann & Lin 2005),
    footnote 1, of scores; equals statsmodels normal_ad and multipletests.
    """
    if groups.n < FEWEST:
        raise ValueError(f"A test of normality takes {FEWEST} topics, or groups of them, or more.")
    scores = np.asarray(scores, dtype=np.float64)
    least = rounding_of_shares(scores, groups)
    shares = groups.shares(without_offset(scores))
    return NormalityTable(len(shares), _tests(shares, least), _tests(residuals(shares), least))


def _tests(values: NDArray[np.float64], least: float) -> list[Normality]:
    """Test each column whose values differ by more than `least`, which is rounding."""
    is_tested = np.ptp(values, axis=0) > least
    a_squared, p = np.full((2, values.shape[1]), np.nan)
    for column in np.flatnonzero(is_tested).tolist():
        a_squared[column], p[column] = anderson_darling(values[:, column])
    adjusted_p = np.full(len(p), np.nan)
    adjusted_p[is_tested] = benjamini_hochberg(p[is_tested])
    rows = zip(is_tested, a_squared.tolist(), p.tolist(), adjusted_p.tolist(), strict=True)
    return [
        Normality(*numbers) if is_real else Normality(None, None, None)
        for is_real, *numbers in rows
    ]
