"""Cochran's Q, whether any systems differ, for scores that are 0 or 1, such as C@1."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.comparisons.permutation_tests import (
    affordable_samples,
    differing_rows,
    randomized_q_p,
)
from metrics.core.statistics.groups import Groups

_MOST_SAMPLES = 2_000  # a p of .05 is then off by some .005


def are_zero_one(scores: NDArray[np.float64]) -> bool:
    """True if every score is 0 or 1; False without scores."""
    return bool(scores.size) and bool(((scores == 0) | (scores == 1)).all())


class CochranQ(NamedTuple):
    """Cochran's Q, the test that all systems have the same chance of a 1.

    statistic : NaN where systems differ on no query
    df : of chi-squared; None where p is by permutation
    p_value : in [0, 1]; NaN where it would take too long
    n_samples : permutations; 0 where p is by chi-squared
    """

    statistic: float
    df: int | None
    p_value: float
    n_samples: int


def cochran(
    scores: NDArray[np.float64], groups: Groups | None = None, *, seed: int | None = None
) -> CochranQ:
    """Cochran's Q of (Q, S) scores that are 0 or 1, else ValueError.

    (S - 1) (S sum C^2 - N^2) / (S N - sum R^2), where C are the numbers of ones of the systems, R
    those of the queries and N that of all: Cochran 1950, doi:10.1093/biomet/37.3-4.256. Equals
    statsmodels.stats.contingency_tables.cochrans_q.
    groups : of the Q queries. Chi-squared takes each query for independent; where they come in
        groups, or have weights, the groups' sums are permuted as a whole instead, and p is how
        often that spreads the systems as far
    """
    if scores.ndim != 2 or scores.shape[1] < 2 or not are_zero_one(scores):
        raise ValueError("Cochran's Q is of the scores of two systems or more, each 0 or 1.")
    groups = groups or Groups.single(len(scores))
    n_systems = scores.shape[1]
    by_system, by_query = scores.sum(axis=0), scores.sum(axis=1)
    total = by_query.sum()
    denominator = n_systems * total - np.square(by_query).sum()
    df = n_systems - 1
    if not denominator > 0:
        return CochranQ(float("nan"), df if groups.are_plain else None, 1.0, 0)
    statistic = float(df * (n_systems * np.square(by_system).sum() - total**2) / denominator)
    if groups.are_plain:
        return CochranQ(statistic, df, float(special.chdtrc(df, statistic)), 0)
    rows = groups.totals(scores)
    n_samples = min(_MOST_SAMPLES, affordable_samples(*differing_rows(rows).shape))
    p = randomized_q_p(rows, n_samples=n_samples, seed=seed) if n_samples else float("nan")
    return CochranQ(statistic, None, p, n_samples)
