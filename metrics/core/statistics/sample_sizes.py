"""Sample sizes: the error of a score and of a difference on N queries, and detectable differences.

Three numbers that are easily confused. Error of a score: how far the mean of one run on N queries
lies from its mean on all (FIRE, 4.3). Error of a difference: the same of the mean difference of two
runs on the same queries, which is another number, as scores of two runs are correlated. Detectable
difference: the smallest true difference that a test on N queries shows with a given power. The
first does not show which run is better.

Where queries come in groups, such as the captions of one video, samples of other queries like these
are of whole groups: N queries are then N / m groups of the mean size m. Samples of these queries
are of single ones, as a pool draws them: how alike the queries of a group are makes no difference
to a mean over those at hand. Nothing depends on the order of the queries: the population is sorted,
and the seed is a hash of it.
"""

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import draw_indices, is_reversed, seed_of
from metrics.core.statistics.rounding import rounding_of_sums, with_ties
from metrics.core.statistics.sample_errors import sample_errors
from metrics.core.statistics.two_values import TwoValues

_DRAWS_A_BLOCK = 1 << 16
# queries; the mean of more is normal to every digit that resampling could show
RESAMPLED_UP_TO = 100_000
MOST_QUERIES = 10_000_000  # or groups of them, that are told


class SampleSize(NamedTuple):
    """Sampling errors of a mean over `size` queries.

    n_groups : number of the groups that samples like these have; as many as queries where each is
        by itself
    of_these : the requested quantile (95th percentile) of |mean of a sample - mean of all|, of
        samples of single queries drawn without replacement from the given ones: 0 for all of them,
        None for more
    like_these : the same of samples of whole groups drawn with replacement, which represent other
        queries like these
    """

    size: int
    n_groups: int
    of_these: float | None
    like_these: float


class ErrorQuantiles(NamedTuple):
    """The distribution of the sampling error of a mean over `size` queries, as a `SampleSize` has.

    of_these, like_these : a number for each requested quantile; `of_these` is None for more queries
        than there are
    """

    size: int
    n_groups: int
    of_these: list[float] | None
    like_these: list[float]


class RequiredQueries(NamedTuple):
    """Queries needed to show a difference, the power they give, and the number of their groups.

    The numbers are None where no number up to the limit gives that power.
    """

    n_queries: int | None
    power: float
    n_groups: int | None


class MiddleBySpread(NamedTuple):
    """The run, or pair of runs, in the middle by spread.

    position : its index; least, most : the smallest and largest spread, as multiples of its own; 1
        where its own is 0
    """

    position: int
    least: float
    most: float


def sampling_error(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    groups: Groups | None = None,
    n_samples: int = 10_000,
    quantile: float = 0.95,
    seed: int | None = None,
) -> list[SampleSize]:
    """Error of the mean of N of the Q queries, for each N, drawn without and with replacement.

    scores : (Q,) a run's score on each query, or the differences x - y of two runs
    n_samples : samples a size
    groups : of the Q queries, two or more: with replacement whole ones are drawn, N / m of them
        rounded, one at least; None draws single queries
    seed : of the samples; None takes a hash of the population, see `seed_of_samples`
    The same for scores and their negatives, so whichever run is named first. Where scores take two
    values, errors move in steps of 1/N and are exact, without samples. Memory does not grow with
    n_samples x N. Bootstrap: FIRE, section 4.3; finite population: Cochran 1977.
    """
    rows = error_quantiles(
        scores, sizes, quantiles=[quantile], groups=groups, n_samples=n_samples, seed=seed
    )
    return [
        SampleSize(
            row.size,
            row.n_groups,
            None if row.of_these is None else row.of_these[0],
            row.like_these[0],
        )
        for row in rows
    ]


def error_quantiles(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    quantiles: Sequence[float],
    groups: Groups | None = None,
    n_samples: int = 10_000,
    seed: int | None = None,
) -> list[ErrorQuantiles]:
    """Quantiles of |mean of a sample - mean of all|, as `sampling_error` for several quantiles.

    Samples and arguments are those of `sampling_error`. A quantile is the smallest distance that at
    least such a share of the samples stays within.
    """
    if min(sizes, default=1) < 1:
        raise ValueError("A sample has at least one query.")
    values, groups = _group_values(scores, groups)
    n_groups = {size: _groups_of(size, groups) for size in sizes}
    errors_of = partial(
        sample_errors, seed=_seed_of(values) if seed is None else seed, n_samples=n_samples
    )
    like_these = errors_of(values, n_groups.values(), of_these=False)
    of_these = errors_of(
        _group_values(scores, groups.apart)[0],
        [size for size in n_groups if size <= groups.n_queries],
        of_these=True,
    )
    return [
        ErrorQuantiles(
            int(size),
            n_groups[size],
            of_these[size].distances.quantiles(quantiles) if size in of_these else None,
            like_these[n_groups[size]].distances.quantiles(quantiles),
        )
        for size in sizes
    ]


def queries_for_error(
    scores: ArrayLike,
    error: float,
    *,
    of_these: bool,
    groups: Groups | None = None,
    n_samples: int = 10_000,
    quantile: float = 0.95,
    seed: int | None = None,
) -> int | None:
    """The smallest N from which on errors (see `sampling_error`) are at most `error`; at least 1.

    of_these : single queries drawn without replacement, so at most Q; else whole groups with
        replacement
    Exact where scores take two values; else about that: it starts from the normal approximation and
    is corrected twice by resampling, as the square of the error falls with 1/N, without replacement
    with 1/N - 1/Q. Above 100,000 queries, or groups, the approximation stands for both; None
    above ten million.
    """
    groups = groups or Groups.single(len(np.asarray(scores)))
    values, groups = _group_values(scores, groups.apart if of_these else groups)
    if not error > 0:
        raise ValueError("The error asked for must be above 0.")
    inverse_population = 1 / groups.n if of_these else 0.0
    slope = special.ndtri((1 + quantile) / 2) ** 2 * values.var(ddof=1 if of_these else 0)
    size, two_values = _size_for(error, slope, inverse_population), TwoValues.of(values)
    n_corrections = 0 if two_values or size > RESAMPLED_UP_TO else 2
    if two_values and size <= RESAMPLED_UP_TO:
        size = two_values.size_within(error, quantile, of_these=of_these)
    for _ in range(n_corrections):
        if of_these and size >= groups.n:
            break
        errors = sample_errors(
            values,
            [size],
            of_these=of_these,
            seed=_seed_of(values) if seed is None else seed,
            n_samples=n_samples,
        )[size]
        (shown_error,) = errors.distances.quantiles([quantile])
        slope = shown_error**2 / (1 / size - inverse_population)
        size = _size_for(error, slope, inverse_population)
    if of_these:
        return min(_queries_of(size, groups), groups.n_queries)
    return _queries_of(size, groups) if size <= MOST_QUERIES else None


def detectable_difference(
    differences: ArrayLike,
    sizes: Sequence[int],
    *,
    groups: Groups | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[float | None]:
    """Smallest true difference that a two-sided paired t test shows with chance `power`.

    For each N of `sizes`.
    differences : (Q,) x - y of two runs like those to be compared, two queries or more, for its
        spread alone
    groups : of the Q queries, two or more; the test is over groups, N / m of them rounded
    None for less than two groups, and where all differences are equal, so that their spread is
    unknown. 0 where power is no more than alpha. The noncentral t distribution; inverts statsmodels
    TTestPower.solve_power.
    """
    d, groups = _group_values(differences, groups)
    spread = d.std(ddof=1) if d[0] != d[-1] else 0.0
    detectable: list[float | None] = []
    for n in (_groups_of(size, groups) for size in sizes):
        if n < 2 or not spread:
            detectable.append(None)
        elif power <= alpha:
            detectable.append(0.0)
        else:
            furthest = _certain_shift(special.stdtrit(n - 1, 1 - alpha / 2)) / np.sqrt(n)
            effect = optimize.brentq(
                lambda effect, n=n: _power_of_t(effect, n, alpha) - power, 0, furthest
            )
            detectable.append(float(effect * spread))
    return detectable


def queries_for_difference(
    differences: ArrayLike,
    difference: float,
    *,
    groups: Groups | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    limit: int = MOST_QUERIES,
) -> RequiredQueries:
    """Queries with which a two-sided paired t test shows a true difference with chance `power`.

    differences : (Q,) x - y of two systems like those to be compared, two queries or more, for its
        spread alone
    groups : of the Q queries, two or more; the test is over groups, and `limit` is a number of
        groups
    The noncentral t distribution, solved for n >= 2; equals statsmodels TTestPower.solve_power.
    """
    d, groups = _group_values(differences, groups)
    spread = d.std(ddof=1)
    if spread == 0:
        return RequiredQueries(_queries_of(2, groups), 1.0, 2)
    effect = abs(difference) / spread
    if not effect:
        return RequiredQueries(None, alpha, None)
    low, high = 2, limit
    if _power_of_t(effect, limit, alpha) < power:
        return RequiredQueries(None, _power_of_t(effect, limit, alpha), None)
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _power_of_t(effect, middle, alpha) >= power else (middle + 1, high)
        )
    return RequiredQueries(_queries_of(low, groups), _power_of_t(effect, low, alpha), low)


def simulated_power(
    differences: ArrayLike,
    difference: float,
    n_queries: int,
    *,
    rng: np.random.Generator,
    n_samples: int = 2000,
    alpha: float = 0.05,
) -> float:
    """Power of the paired t test on n queries by resampling, for scores far from normal.

    The differences are shifted so that their mean is `difference`, then resampled. ValueError for n
    below 2.
    """
    if n_queries < 2:
        raise ValueError("A t test needs two queries or more.")
    d = _check_scores(differences)
    d = d - d.mean() + difference
    hits, rows = 0, max(1, _DRAWS_A_BLOCK // n_queries)
    bar = special.stdtrit(n_queries - 1, 1 - alpha / 2)
    for start in range(0, n_samples, rows):
        n_rows = min(rows, n_samples - start)
        samples = d.take(draw_indices(len(d), n_rows * n_queries, rng=rng)).reshape(
            n_rows, n_queries
        )
        spread = samples.std(axis=1, ddof=1) / np.sqrt(n_queries)
        hits += int(np.count_nonzero(np.abs(samples.mean(axis=1)) > bar * spread))
    return hits / n_samples


def seed_of_samples(scores: ArrayLike, groups: Groups | None = None) -> int:
    """The default seed of `sampling_error`: a hash of the sorted scores."""
    return _seed_of(_group_values(scores, groups)[0])


def middle_run(scores: NDArray[np.float64], groups: Groups) -> MiddleBySpread:
    """The run of (Q, S) scores whose error is in the middle, the larger one of two."""
    return _middle(groups.shares(scores).std(axis=0))


def middle_pair(
    scores: NDArray[np.float64], pairs: Sequence[tuple[int, int]], groups: Groups
) -> MiddleBySpread:
    """The pair of runs whose difference has the error in the middle, the larger one of two.

    scores : (Q, S); pairs : two columns each, one pair or more
    """
    shares = groups.shares(scores)
    return _middle(np.array([(shares[:, i] - shares[:, j]).std() for i, j in pairs]))


def _middle(spreads: NDArray[np.float64]) -> MiddleBySpread:
    """The first middle one of spreads, of which those equal, or 0, but for rounding are so."""
    beside_0 = np.append(0.0, spreads)
    spreads = with_ties(beside_0, within=rounding_of_sums(spreads))[1:]
    ascending_spreads = np.sort(spreads)
    middle = ascending_spreads[len(ascending_spreads) // 2]
    least, most = (float(ascending_spreads[end] / middle) if middle else 1.0 for end in (0, -1))
    return MiddleBySpread(int(np.argmax(spreads == middle)), least, most)


def _check_scores(scores: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    return scores


def _group_values(scores: ArrayLike, groups: Groups | None) -> tuple[NDArray[np.float64], Groups]:
    """(G,) each group's share in the mean over the queries, sorted, and the groups; two or more."""
    scores = _check_scores(scores)
    groups = groups or Groups.single(len(scores))
    if groups.n < 2:
        raise ValueError("One query, or one group, says nothing of the spread; give two or more.")
    values = groups.shares(scores) + 0.0  # without -0, which is equal to 0 and has another hash
    return np.sort(0.0 - values if is_reversed(values, np.zeros_like(values)) else values), groups


def _seed_of(values: NDArray[np.float64]) -> int:
    return seed_of(values[:, None])


def _size_for(error: float, slope: float, inverse_population: float) -> int:
    """The smallest n with slope * (1/n - inverse_population) <= error**2.

    inverse_population : 1 over the size of the population, 0 for an infinite one
    """
    if not slope:
        return 1
    inverse = error * error / slope + inverse_population
    return max(1, ceil(1 / max(inverse, 1 / (MOST_QUERIES + 1))))  # for further ones one more


def _groups_of(n_queries: int, groups: Groups) -> int:
    """Number of groups of this many queries, rounded, one at least."""
    return max(1, round(n_queries * groups.n / groups.n_queries))


def _queries_of(n_groups: int, groups: Groups) -> int:
    """Number of queries of this many groups of the mean size, rounded up."""
    return -(-n_groups * groups.n_queries // groups.n)


def _certain_shift(bar: float) -> float:
    """The shift at which a noncentral t of one degree of freedom certainly exceeds the bar."""
    return 6 * bar + 40


def _power_of_t(effect: float, n: int, alpha: float) -> float:
    bar = special.stdtrit(n - 1, 1 - alpha / 2)
    shift = effect * np.sqrt(n)
    if shift > _certain_shift(bar):
        return 1.0
    upper = 1 - special.nctdtr(n - 1, shift, bar)
    if np.isnan(upper):  # the series fails: with so large a shift only the spread is random
        upper = special.chdtr(n - 1, (n - 1) * (shift / bar) ** 2)
    lower = special.nctdtr(n - 1, shift, -bar)
    return float(upper + (0.0 if np.isnan(lower) else lower))
