"""How many queries must be judged: the error of a mean on N of them, and the N that shows a difference (FIRE, 4.3)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

_DRAWS_A_BLOCK = 1 << 18  # their indices and values stay in the processor's cache
_DRAWS_A_VALUE = 25  # a multinomial draw of one value costs about as much as drawing this many queries
_THREADS = 2


class SampleSize(NamedTuple):
    """What judging `size` queries would give.

    error : the quantile of |mean of a sample - mean of all| that was asked for (95th percentile)
    low, high : the middle 95 % of the samples' means
    """

    size: int
    error: float
    low: float
    high: float


class Needed(NamedTuple):
    """Queries needed to show a difference, and the power they give; None where no number within reach does."""

    n_queries: int | None
    power: float


def sampling_error(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    rng: np.random.Generator,
    n_samples: int = 10_000,
    quantile: float = 0.95,
) -> list[SampleSize]:
    """Resample N of the Q scored queries with replacement, for each N, and see how far the mean strays.

    scores : (Q,) a system's score on each query; n_samples : samples a size
    Errors move in steps of 1/N where scores are 0 or 1. Memory does not grow with n_samples x N.
    """
    scores = _checked(scores)
    found = []
    for size in sizes:
        means = resampled_means(scores, size, rng=rng, n_samples=n_samples)
        error = float(np.quantile(np.abs(means - scores.mean()), quantile))
        low, high = np.quantile(means, [0.025, 0.975])
        found.append(SampleSize(int(size), error, float(low), float(high)))
    return found


def resampled_means(
    scores: ArrayLike, size: int, *, rng: np.random.Generator, n_samples: int = 10_000
) -> NDArray[np.float64]:
    """(n_samples,) means of `size` queries drawn with replacement.

    Where scores take few values (C@k, RR@10) their counts are drawn at once, a multinomial draw a sample, which is
    the same distribution. Else queries are drawn in blocks, each with a generator of its own, so that the result does
    not depend on how many threads share the blocks.
    """
    scores = _checked(scores)
    if size < 1:
        raise ValueError("A sample has at least one query.")
    values, count = np.unique(scores, return_counts=True)
    if len(values) * _DRAWS_A_VALUE <= size:
        draws = rng.multinomial(size, count / count.sum(), size=n_samples)
        return np.asarray(draws @ values / size, dtype=np.float64)
    rows = max(1, _DRAWS_A_BLOCK // size)
    lengths = [min(rows, n_samples - start) for start in range(0, n_samples, rows)]

    def draw(length: int, block_rng: np.random.Generator) -> NDArray[np.float64]:
        return np.asarray(scores.take(block_rng.integers(0, len(scores), (length, size))).mean(axis=1))

    with ThreadPoolExecutor(_THREADS) as pool:
        return np.concatenate(list(pool.map(draw, lengths, rng.spawn(len(lengths)))))


def interval(
    scores: ArrayLike, *, rng: np.random.Generator, n_samples: int = 10_000, confidence: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of a mean over its queries."""
    scores = _checked(scores)
    means = resampled_means(scores, len(scores), rng=rng, n_samples=n_samples)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def queries_for_error(
    scores: ArrayLike, error: float, *, rng: np.random.Generator, n_samples: int = 10_000, quantile: float = 0.95
) -> int:
    """About the smallest N whose error (see `sampling_error`) is at most `error`; at least 1.

    Starts from the normal approximation and is corrected twice by what resampling shows, as errors fall with the root
    of N.
    """
    scores = _checked(scores)
    size = max(1, int(np.ceil((special.ndtri((1 + quantile) / 2) * scores.std() / error) ** 2)))
    for _ in range(2):
        shown = sampling_error(scores, [size], rng=rng, n_samples=n_samples, quantile=quantile)[0].error
        size = max(1, int(np.ceil(size * (shown / error) ** 2)))
    return size


def queries_for_difference(
    differences: ArrayLike, difference: float, *, alpha: float = 0.05, power: float = 0.8, limit: int = 10_000_000
) -> Needed:
    """Queries with which a two-sided paired t test at `alpha` shows a true difference `difference` with chance `power`.

    differences : (Q,) x - y of two systems like those to be compared, for its spread alone
    The noncentral t distribution, solved for n >= 2; equals statsmodels TTestPower.solve_power.
    """
    d = _checked(differences)
    spread = d.std(ddof=1)
    if spread == 0:
        return Needed(2, 1.0)
    effect = abs(difference) / spread
    if not effect:
        return Needed(None, alpha)
    low, high = 2, limit
    if _power_of_t(effect, limit, alpha) < power:
        return Needed(None, _power_of_t(effect, limit, alpha))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power_of_t(effect, middle, alpha) >= power else (middle + 1, high)
    return Needed(low, _power_of_t(effect, low, alpha))


def simulated_power(
    differences: ArrayLike,
    difference: float,
    n_queries: int,
    *,
    rng: np.random.Generator,
    n_samples: int = 2000,
    alpha: float = 0.05,
) -> float:
    """Power of the paired t test on n queries by resampling: for scores too far from normal to trust the formula.

    The differences are shifted so that their mean is `difference`, then resampled.
    """
    d = _checked(differences)
    d = d - d.mean() + difference
    hits, rows = 0, max(1, _DRAWS_A_BLOCK // n_queries)
    bar = special.stdtrit(n_queries - 1, 1 - alpha / 2)
    for start in range(0, n_samples, rows):
        drawn = d.take(rng.integers(0, len(d), (min(rows, n_samples - start), n_queries)))
        spread = drawn.std(axis=1, ddof=1) / np.sqrt(n_queries)
        hits += int(np.count_nonzero(np.abs(drawn.mean(axis=1)) > bar * spread))
    return hits / n_samples


def _checked(scores: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or np.isnan(scores).any():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    return scores


def _power_of_t(effect: float, n: int, alpha: float) -> float:
    bar = special.stdtrit(n - 1, 1 - alpha / 2)
    shift = effect * np.sqrt(n)
    if shift > bar + 30:
        return 1.0  # beyond the reach of the series behind nctdtr, which gives NaN there
    upper = 1 - special.nctdtr(n - 1, shift, bar)
    lower = special.nctdtr(n - 1, shift, -bar)
    return float(upper + (0.0 if np.isnan(lower) else lower))
