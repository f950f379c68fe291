"""The pace of a campaign in labels a day, and means with intervals for forecasts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

MIN_DAYS = 3  # days with labels, below which no forecast is made
MAX_DAYS = 14  # the newest days with labels, from which the pace is computed


class Pace(NamedTuple):
    """Labels a day with labels: mean and its 95 % interval over n_days."""

    value: float
    low: float
    high: float
    n_days: int


def pace(counts: Sequence[int], *, confidence: float = 0.95) -> Pace | None:
    """The mean of daily counts and an interval for the rate behind it.

    None for fewer than three days.
    counts : labels of each day that had any, oldest first; only the newest fourteen count

    Days of people vary more than a Poisson process, so its exact interval (Garwood 1936,
    doi:10.1093/biomet/28.3-4.437) is taken of counts divided by their dispersion, variance over
    mean, at least 1 (quasi-Poisson: Wedderburn 1974, doi:10.1093/biomet/61.3.439). With dispersion
    1 it equals the chi-square interval of scipy.
    """
    recent = np.asarray(counts[-MAX_DAYS:], dtype=np.float64)
    if len(recent) < MIN_DAYS:
        return None
    mean = float(recent.mean())
    dispersion = max(1.0, float(recent.var(ddof=1)) / mean)
    events = float(recent.sum()) / dispersion
    scale = dispersion / len(recent)
    low = scale * float(special.gammaincinv(events, (1 - confidence) / 2))
    high = scale * float(special.gammaincinv(events + 1, (1 + confidence) / 2))
    return Pace(mean, low, high, len(recent))


class Mean(NamedTuple):
    """A mean with its 95 % interval; the ends are None for fewer than two values."""

    value: float
    low: float | None
    high: float | None
    n: int


def mean_of(values: np.ndarray) -> Mean | None:
    """The mean and its normal interval, 1.96 standard errors to both sides, not below 0.

    None without values.
    """
    if not len(values):
        return None
    mean = float(values.mean())
    if len(values) < 2:
        return Mean(mean, None, None, 1)
    reach = 1.959963984540054 * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    return Mean(mean, max(0.0, mean - reach), mean + reach, len(values))
