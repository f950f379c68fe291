"""Generalizability theory: how far scores of runs on some topics stand for those on all topics.

A score is the sum of an effect of the run, one of the topic, and a rest of both together. Both runs
and topics are taken for random samples. Brennan 2001, Generalizability Theory, chapters 2 and 6; of
retrieval experiments Urbano, Marrero & Martin 2013, doi:10.1145/2484028.2484038 (gt4ireval).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from metrics.core.comparisons.anova import two_way
from metrics.core.statistics.intervals import Interval
from metrics.core.statistics.rounding import rounding

_EQUAL = 1e-9  # of the larger mean square: two that are closer are equal but for rounding
_MANY = 1e12  # degrees of freedom of a known variance


class MeanSquares(NamedTuple):
    """Mean squares of an analysis of variance of S runs on T topics, and S and T."""

    systems: float
    topics: float
    error: float
    n_systems: int
    n_topics: int


class Components(NamedTuple):
    """Variance components of one score; an estimate below 0 is 0.

    negative : the names of those that were below 0
    """

    systems: float
    topics: float
    error: float
    negative: tuple[str, ...]


class SignalRatio(NamedTuple):
    """The variance of the runs over that of one topic's noise, with its interval.

    value : infinite without noise, None where there is no variance at all
    interval : (None, None) without noise
    The coefficient of n topics is n r / (1 + n r), which grows with the ratio r.
    """

    value: float | None
    interval: Interval

    def coefficient(self, n_topics: float) -> tuple[float | None, Interval]:
        """The coefficient of means over so many topics, and its interval."""
        low, high = (_coefficient(end, n_topics) for end in self.interval)
        return _coefficient(self.value, n_topics), Interval(low, high)

    def topics_for(self, level: float) -> tuple[int | None, Interval]:
        """The number of topics that the coefficient needs to reach the level, and its interval.

        None where no number is enough: where the ratio, or an end of its interval, is 0.
        """
        low, high = self.interval
        return _topics(self.value, level), Interval(_topics(high, level), _topics(low, level))


class Generalizability(NamedTuple):
    """Ratios that say how far scores of S runs on T topics stand for all topics.

    relative : ratio of E rho squared, of the order and the differences of the runs
    absolute : ratio of Phi, of the scores themselves, where a hard sample of topics is an error too
    """

    components: Components
    relative: SignalRatio
    absolute: SignalRatio


def mean_squares(scores: NDArray[np.float64], *, least: float | None = None) -> MeanSquares:
    """The mean squares of (T, S) finite scores, T >= 2, S >= 2 (ValueError).

    least : what rounding alone makes of a difference; None where scores are not summed by group

    What is rounding is 0, and those of systems and topics that are that of the error but for
    rounding are equal to it: no variance is then estimated of them.
    """
    table = two_way(scores)
    least = rounding(scores) if least is None else least
    error = 0.0 if table.ms_error <= least**2 else table.ms_error

    def beside_error(mean_square: float) -> float:
        larger = max(mean_square, error)
        # of rounding d a mean square m makes (sqrt(m) + d)^2, with some more for topics and runs
        unknown = _EQUAL * larger + least * (4 * math.sqrt(larger) + least)
        return error if abs(mean_square - error) <= unknown else mean_square

    return MeanSquares(
        beside_error(table.ms_systems),
        beside_error(table.ms_topics),
        error,
        scores.shape[1],
        scores.shape[0],
    )


def generalizability(squares: MeanSquares, *, confidence: float = 0.95) -> Generalizability:
    """Variance components and the two ratios, with intervals for normal effects.

    Of E rho squared Feldt's, exact: Feldt 1965, doi:10.1007/BF02289499. Of Phi that of Arteaga,
    Jeyaratnam & Franklin 1982, doi:10.1080/03610928208828337. Equals gt4ireval. An end below 0 is
    0.
    """
    s, t, e, n_systems, n_topics = squares
    estimates = {"systems": (s - e) / n_topics, "topics": (t - e) / n_systems, "error": e}
    negative = tuple(name for name, value in estimates.items() if value < 0)
    components = Components(
        systems=max(estimates["systems"], 0.0),
        topics=max(estimates["topics"], 0.0),
        error=e,
        negative=negative,
    )
    df_systems, df_topics = n_systems - 1, n_topics - 1
    df_error = df_systems * df_topics
    relative_ends: list[float | None] = []
    absolute_ends: list[float | None] = []
    for share in ((1 + confidence) / 2, (1 - confidence) / 2):
        # quantiles of F with the degrees of freedom of error, of the topics, of a known variance
        f_error, f_topics, f_known = (
            float(special.fdtri(df_systems, freedom, share))
            for freedom in (df_error, df_topics, _MANY)
        )
        if not e:
            relative_ends.append(None)
            absolute_ends.append(None)
            continue
        relative_ends.append(max(0.0, (s / e / f_error - 1) / n_topics))
        above = s * s - f_known * s * e + (f_known - f_error) * f_error * e * e
        below = (n_systems - 1) * f_known * s * e + f_topics * s * t
        absolute_ends.append(max(0.0, n_systems * above / below / n_topics) if below else 0.0)
    return Generalizability(
        components,
        SignalRatio(_ratio(components.systems, components.error), Interval(*relative_ends)),
        SignalRatio(
            _ratio(components.systems, components.topics + components.error),
            Interval(*absolute_ends),
        ),
    )


def _ratio(signal: float, noise: float) -> float | None:
    if noise:
        return signal / noise
    return math.inf if signal else None


def _coefficient(ratio: float | None, n_topics: float) -> float | None:
    if ratio is None or math.isinf(ratio):
        return None if ratio is None else 1.0
    return n_topics * ratio / (1 + n_topics * ratio)


def _topics(ratio: float | None, level: float) -> int | None:
    if not ratio:
        return None
    # ten digits: a number that is whole but for rounding is no larger one
    return max(1, math.ceil(round(level / (1 - level) / ratio, 10)))
