"""Parts of the variance of scores that topics and systems make."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.anova import residuals, two_way
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.rounding import rounding_of_shares, without_offset


class VarianceSource(NamedTuple):
    """A source of variance: systems, topics, the error, or the total.

    mean_square : None of the total; f, p : of systems and topics, None where nothing is left to the
        error, as F has no bound then
    share : sum of squares over that of the total (eta squared); None where all scores are equal
    omega : omega squared of systems and topics: the same less what the error alone would make, 0
        where that is more; None where share is
    """

    sum_of_squares: float
    df: int
    mean_square: float | None
    f: float | None
    p: float | None
    share: float | None
    omega: float | None


class VarianceTable(NamedTuple):
    """The table of an analysis of variance of n topics, or groups of them."""

    n: int
    systems: VarianceSource
    topics: VarianceSource
    error: VarianceSource
    total: VarianceSource


def variance_table(scores: NDArray[np.float64], *, groups: Groups) -> VarianceTable:
    """Analyse the variance of S systems on T topics, without interaction.

    scores : (T, S) finite; groups : of the T topics, two or more (ValueError)
    Where topics come in groups, a group's share in the mean over all topics (`Groups.shares`) takes
    the place of a topic's score. Equal is what differs by rounding alone. TRECVID (Hauptmann & Lin
    2005), Equation 2; omega squared: Hays 1963, Statistics for Psychologists. Equals statsmodels
    anova_lm.
    """
    scores = np.asarray(scores, dtype=np.float64)
    least = rounding_of_shares(scores, groups)
    shares = groups.shares(without_offset(scores))
    anova = two_way(shares)
    total = anova.ss_systems + anova.ss_topics + anova.ss_error
    is_constant = bool(np.ptp(shares) <= least)
    has_error = not is_constant and bool(np.ptp(residuals(shares)) > least)
    n, n_systems = shares.shape

    def share_of(sum_of_squares: float) -> float | None:
        return None if is_constant else sum_of_squares / total

    def source_of(sum_of_squares: float, df: int, f: float, p: float) -> VarianceSource:
        by_error = df * anova.ms_error
        return VarianceSource(
            sum_of_squares=sum_of_squares,
            df=df,
            mean_square=sum_of_squares / df,
            f=f if has_error else None,
            p=p if has_error else None,
            share=share_of(sum_of_squares),
            omega=None
            if is_constant
            else max(0.0, (sum_of_squares - by_error) / (total + anova.ms_error)),
        )

    return VarianceTable(
        n=n,
        systems=source_of(anova.ss_systems, anova.df_systems, anova.f_systems, anova.p_systems),
        topics=source_of(anova.ss_topics, anova.df_topics, anova.f_topics, anova.p_topics),
        error=VarianceSource(
            anova.ss_error,
            anova.df_error,
            anova.ms_error,
            None,
            None,
            share_of(anova.ss_error),
            None,
        ),
        total=VarianceSource(total, n * n_systems - 1, None, None, None, share_of(total), None),
    )
