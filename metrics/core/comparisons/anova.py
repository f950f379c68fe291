"""Two-way analysis of variance of scores by topics and systems, and a test of normality."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.statistics.rounding import without_offset


class Anova(NamedTuple):
    """Sums of squares, degrees of freedom, mean squares of systems, topics and the rest.

    F and p of the first two.
    """

    ss_systems: float
    ss_topics: float
    ss_error: float
    df_systems: int
    df_topics: int
    df_error: int
    ms_systems: float
    ms_topics: float
    ms_error: float
    f_systems: float
    f_topics: float
    p_systems: float
    p_topics: float


def two_way(scores: NDArray[np.float64]) -> Anova:
    """Analysis of variance of t topics x s systems, one score a cell, without interaction.

    scores : (t, s), at least 2 x 2, finite: leave out a run or a topic with missing cells
        (ValueError)
    F is infinite and p 0 where nothing is left to error, NaN where a cause explains nothing either.
    An interaction could not be told from error. TRECVID's Eq. 2; Scheffe 1959, chapter 4. Equals
    statsmodels anova_lm.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError(
            "Analysis of variance needs two topics or more x two systems or more, without gaps."
        )
    scores = without_offset(scores)  # squares of what all have in common would drown the rest
    t, s = scores.shape
    grand = scores.mean()
    system_effect, topic_effect = scores.mean(axis=0) - grand, scores.mean(axis=1) - grand
    error = residuals(scores)
    ss = t * np.sum(system_effect**2), s * np.sum(topic_effect**2), np.sum(error**2)
    df = s - 1, t - 1, (s - 1) * (t - 1)
    ms_systems, ms_topics, ms_error = (
        float(total / freedom) for total, freedom in zip(ss, df, strict=True)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        f_systems, f_topics = np.divide(ms_systems, ms_error), np.divide(ms_topics, ms_error)
    return Anova(
        ss_systems=float(ss[0]),
        ss_topics=float(ss[1]),
        ss_error=float(ss[2]),
        df_systems=df[0],
        df_topics=df[1],
        df_error=df[2],
        ms_systems=ms_systems,
        ms_topics=ms_topics,
        ms_error=ms_error,
        f_systems=float(f_systems),
        f_topics=float(f_topics),
        p_systems=float(special.fdtrc(df[0], df[2], f_systems)),
        p_topics=float(special.fdtrc(df[1], df[2], f_topics)),
    )


def residuals(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """(t, s) finite scores less the effects of their topics and systems: what `two_way` squares."""
    scores = without_offset(scores)
    grand = scores.mean()
    system_effect, topic_effect = scores.mean(axis=0) - grand, scores.mean(axis=1) - grand
    return np.asarray(scores - grand - system_effect[None, :] - topic_effect[:, None])


def anderson_darling(sample: NDArray[np.float64]) -> tuple[float, float]:
    """Anderson and Darling's test of normality, mean and spread unknown: (A squared, p-value).

    NaN for fewer than 8 values or a constant sample. Small-sample correction and p-value of
    D'Agostino & Stephens 1986, Table 4.9. Equals statsmodels normal_ad.
    """
    x = np.sort(np.asarray(sample, dtype=np.float64))
    n = len(x)
    if n < 8 or x[0] == x[-1]:
        return float("nan"), float("nan")
    z = (x - x.mean()) / x.std(ddof=1)
    odd = 2 * np.arange(1, n + 1) - 1
    a = float(-n - np.mean(odd * (special.log_ndtr(z) + special.log_ndtr(-z[::-1]))))
    corrected = a * (1 + 0.75 / n + 2.25 / n**2)
    return a, float(_normal_p(corrected))


def _normal_p(a: float) -> float:
    if a < 0.2:
        return 1 - np.exp(-13.436 + 101.14 * a - 223.73 * a**2)
    if a < 0.34:
        return 1 - np.exp(-8.318 + 42.796 * a - 59.938 * a**2)
    if a < 0.6:
        return np.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    return np.exp(1.2937 - 5.709 * a + 0.0186 * a**2) if a < 13 else 0.0
