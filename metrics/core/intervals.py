"""Intervals beside numbers: the percentile bootstrap of means over queries, and Wilson's for a share."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.resampling import draw_places, on_grid

N_REPLICATES = 1_000
_ROWS_A_BLOCK = 100


class Interval(NamedTuple):
    """Lower and upper end; None where nothing can be said."""

    low: float | None
    high: float | None


def mean_intervals(
    values: NDArray[np.float64], *, n_replicates: int = N_REPLICATES, confidence: float = 0.95
) -> list[Interval]:
    """Percentile bootstrap intervals of M means over the same Q queries.

    values : (M, Q); a row that is not finite throughout has no interval
    The same values have the same interval, on whatever page, in whatever file and order: a row is sorted, and the
    samples depend on Q and n_replicates alone, Q being the seed. So it does not matter what a row is computed together
    with, and the samples of one Q are drawn once for all rows.
    Every sum is exact (see `on_grid`), so that the result cannot depend on the order of additions, the number of rows
    or the machine. FIRE (Rodriguez et al. 2022) section 4.3 resamples queries so. Equals scipy.stats.bootstrap's
    percentile method, but for chance.
    """
    n_queries = values.shape[1]
    if not n_queries:
        return [Interval(None, None)] * len(values)
    counts = _resamples(n_queries, n_replicates)
    exact = on_grid(np.sort(values, axis=1), n_queries).T
    sums = np.concatenate(
        [
            counts[start : start + _ROWS_A_BLOCK].astype(np.float64) @ exact
            for start in range(0, n_replicates, _ROWS_A_BLOCK)
        ]
    )
    low, high = np.quantile(sums / n_queries, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return [
        Interval(None, None) if np.isnan(a) or np.isnan(b) else Interval(float(a), float(b))
        for a, b in zip(low, high, strict=True)
    ]


@lru_cache(maxsize=4)
def _resamples(n_queries: int, n_replicates: int) -> NDArray[np.uint8]:
    """(n_replicates, n_queries) how often each query is in each sample; kept, as every refresh asks for the same."""
    rng = np.random.default_rng(n_queries)
    rows = []
    for start in range(0, n_replicates, _ROWS_A_BLOCK):
        n_rows = min(_ROWS_A_BLOCK, n_replicates - start)
        drawn = draw_places(n_queries, n_rows * n_queries, rng=rng).reshape(n_rows, n_queries)
        drawn += np.arange(n_rows)[:, None] * n_queries
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_queries)
        rows.append(counts.astype(np.uint8).reshape(n_rows, n_queries))  # 8 times as small
    return np.concatenate(rows)


def wilson(n_right: int, n: int, *, z: float = 1.959963984540054) -> Interval:
    """Wilson's score interval of a share; (None, None) without trials.

    Wilson 1927, doi:10.1080/01621459.1927.10502953. Equals statsmodels' proportion_confint(method="wilson").
    """
    if not n:
        return Interval(None, None)
    share = n_right / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))
