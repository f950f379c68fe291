"""How many queries must be judged: the error of a mean on N of them, and the N that shows a difference (FIRE, 4.3).

Where queries come in groups, such as the captions of one video, whole groups are drawn and judged: N queries are then
N / m groups, m being the mean size of those there are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.groups import Groups
from metrics.core.resampling import draw_places, resampled_means

_DRAWS_A_BLOCK = 1 << 16
_RESAMPLED_UP_TO = 100_000  # queries; the mean of more is normal to every digit that resampling could show


class SampleSize(NamedTuple):
    """What judging `size` queries would give.

    error : the quantile of |mean of a sample - mean of all| that was asked for (95th percentile)
    low, high : the middle 95 % of the samples' means
    n_groups : of how many groups they are; as many as queries where each is by itself
    """

    size: int
    error: float
    low: float
    high: float
    n_groups: int


class Needed(NamedTuple):
    """Queries needed to show a difference, the power they give, and of how many groups they are.

    The numbers are None where none within reach gives that power.
    """

    n_queries: int | None
    power: float
    n_groups: int | None


def sampling_error(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    rng: np.random.Generator,
    groups: Groups | None = None,
    n_samples: int = 10_000,
    quantile: float = 0.95,
) -> list[SampleSize]:
    """Resample N of the Q scored queries with replacement, for each N, and see how far the mean strays.

    scores : (Q,) a system's score on each query; n_samples : samples a size
    groups : of the Q queries: whole ones are drawn, N / m of them rounded, one at least; None draws single queries
    Errors move in steps of 1/N where scores are 0 or 1. Memory does not grow with n_samples x N.
    """
    if min(sizes, default=1) < 1:
        raise ValueError("A sample has at least one query.")
    smallest, largest = np.min(scores, initial=np.inf), np.max(scores, initial=-np.inf)
    scores, groups = _grouped(scores, groups)
    found = []
    n_groups = [max(1, round(size * groups.n / groups.n_queries)) for size in sizes]
    drawn = resampled_means(scores, n_groups, rng=rng, n_samples=n_samples)
    for size, n, means in zip(sizes, n_groups, drawn, strict=True):
        error = float(np.quantile(np.abs(means - scores.mean()), quantile))
        # of groups that differ in size the linearised means could leave the range of the scores
        low, high = np.clip(np.quantile(means, [0.025, 0.975]), smallest, largest)
        found.append(SampleSize(int(size), error, float(low), float(high), n))
    return found


def queries_for_error(
    scores: ArrayLike,
    error: float,
    *,
    rng: np.random.Generator,
    groups: Groups | None = None,
    n_samples: int = 10_000,
    quantile: float = 0.95,
) -> int:
    """About the smallest N whose error (see `sampling_error`) is at most `error`; at least 1.

    Starts from the normal approximation and is corrected twice by what resampling shows, as errors fall with the root
    of N; above 100,000 queries, or groups, the approximation stands.
    """
    scores, groups = _grouped(scores, groups)
    if not error > 0:
        raise ValueError("The error asked for must be above 0.")
    size = max(1, int(np.ceil((special.ndtri((1 + quantile) / 2) * scores.std() / error) ** 2)))
    for _ in range(2 if size <= _RESAMPLED_UP_TO else 0):
        shown = sampling_error(scores, [size], rng=rng, n_samples=n_samples, quantile=quantile)[0].error
        size = max(1, int(np.ceil(size * (shown / error) ** 2)))
    return _queries_of(size, groups)


def queries_for_difference(
    differences: ArrayLike,
    difference: float,
    *,
    groups: Groups | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    limit: int = 10_000_000,
) -> Needed:
    """Queries with which a two-sided paired t test at `alpha` shows a true difference `difference` with chance `power`.

    differences : (Q,) x - y of two systems like those to be compared, two queries or more, for its spread alone
    groups : of the Q queries, two or more; the test is over groups, and limit is one of groups
    The noncentral t distribution, solved for n >= 2; equals statsmodels TTestPower.solve_power.
    """
    d, groups = _grouped(differences, groups)
    if len(d) < 2:
        raise ValueError("One query, or one group, says nothing of the spread of the differences; give two or more.")
    spread = d.std(ddof=1)
    if spread == 0:
        return Needed(_queries_of(2, groups), 1.0, 2)
    effect = abs(difference) / spread
    if not effect:
        return Needed(None, alpha, None)
    low, high = 2, limit
    if _power_of_t(effect, limit, alpha) < power:
        return Needed(None, _power_of_t(effect, limit, alpha), None)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _power_of_t(effect, middle, alpha) >= power else (middle + 1, high)
    return Needed(_queries_of(low, groups), _power_of_t(effect, low, alpha), low)


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

    The differences are shifted so that their mean is `difference`, then resampled. ValueError for n below 2.
    """
    if n_queries < 2:
        raise ValueError("A t test needs two queries or more.")
    d = _checked(differences)
    d = d - d.mean() + difference
    hits, rows = 0, max(1, _DRAWS_A_BLOCK // n_queries)
    bar = special.stdtrit(n_queries - 1, 1 - alpha / 2)
    for start in range(0, n_samples, rows):
        n_rows = min(rows, n_samples - start)
        drawn = d.take(draw_places(len(d), n_rows * n_queries, rng=rng)).reshape(n_rows, n_queries)
        spread = drawn.std(axis=1, ddof=1) / np.sqrt(n_queries)
        hits += int(np.count_nonzero(np.abs(drawn.mean(axis=1)) > bar * spread))
    return hits / n_samples


def _checked(scores: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    return scores


def _grouped(scores: ArrayLike, groups: Groups | None) -> tuple[NDArray[np.float64], Groups]:
    """(G,) what each group adds to the mean over the queries, and the groups."""
    scores = _checked(scores)
    groups = groups or Groups.single(len(scores))
    return groups.shares(scores), groups


def _queries_of(n_groups: int, groups: Groups) -> int:
    """How many queries so many groups of the mean size are, rounded up."""
    return -(-n_groups * groups.n_queries // groups.n)


def _power_of_t(effect: float, n: int, alpha: float) -> float:
    bar = special.stdtrit(n - 1, 1 - alpha / 2)
    shift = effect * np.sqrt(n)
    if shift > bar + 30:
        return 1.0  # beyond the reach of the series behind nctdtr, which gives NaN there
    upper = 1 - special.nctdtr(n - 1, shift, bar)
    lower = special.nctdtr(n - 1, shift, -bar)
    return float(upper + (0.0 if np.isnan(lower) else lower))
