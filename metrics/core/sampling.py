"""How many queries must be judged: the error of a score and of a difference on N of them, and what a test shows.

Three numbers that are easily taken for one another. Error of a score: how far the mean of one run on N queries lies
from its mean on all (FIRE, 4.3). Error of a difference: the same of the mean difference of two runs on the same
queries, which is another number, as scores of two runs go together. Detectable difference: the smallest true difference
that a test on N queries shows with a wanted power. The first says nothing of which run is better.

Where queries come in groups, such as the captions of one video, whole groups are drawn and judged: N queries are then
N / m groups, m being the mean size of those there are. Nothing hangs on the order of the queries: what is drawn of is
sorted, and the seed is a hash of it.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from metrics.core.groups import Groups
from metrics.core.resampling import draw_places, is_turned, resampled_means, seed_of
from metrics.core.without_replacement import subset_errors

_DRAWS_A_BLOCK = 1 << 16
_RESAMPLED_UP_TO = 100_000  # queries; the mean of more is normal to every digit that resampling could show


class SampleSize(NamedTuple):
    """What judging `size` queries would give.

    n_groups : of how many groups they are; as many as queries where each is by itself
    of_these : the quantile of |mean of a sample - mean of all| that was asked for (95th percentile), of samples drawn
        without replacement of the queries there are: 0 for all of them, None for more
    like_these : the same of samples drawn with replacement, which stands for other queries like these
    """

    size: int
    n_groups: int
    of_these: float | None
    like_these: float


class Needed(NamedTuple):
    """Queries needed to show a difference, the power they give, and of how many groups they are.

    The numbers are None where none within reach gives that power.
    """

    n_queries: int | None
    power: float
    n_groups: int | None


class Middle(NamedTuple):
    """The one in the middle by spread, of runs or of pairs of runs.

    place : which of them; least, most : the spreads of the first and the last, as multiples of its own; 1 where it is 0
    """

    place: int
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
    """How far the mean of N of the Q scored queries strays, for each N, drawn without and with replacement.

    scores : (Q,) a run's score on each query, or the differences x - y of two runs; n_samples : samples a size
    groups : of the Q queries, two or more: whole ones are drawn, N / m of them rounded, one at least; None draws single
        queries
    seed : of the samples; None takes a hash of what is drawn of, see `seed_of_samples`
    The same for scores and their negatives, so whichever run is named first. Errors move in steps of 1/N where scores
    are 0 or 1. Memory does not grow with n_samples x N. Bootstrap: FIRE, section 4.3; finite population: Cochran 1977.
    """
    if min(sizes, default=1) < 1:
        raise ValueError("A sample has at least one query.")
    values, groups = _drawn_of(scores, groups)
    rng = np.random.default_rng(_seed_of(values) if seed is None else seed)
    n_groups = {size: _groups_of(size, groups) for size in sizes}
    strayed = _bootstrap_errors(values, list(n_groups.values()), rng=rng, n_samples=n_samples)
    inside = [size for size in n_groups if size <= groups.n_queries]
    of_these = subset_errors(values, [n_groups[size] for size in inside], rng=rng, n_samples=n_samples)
    errors = {size: float(np.quantile(np.abs(row), quantile)) for size, row in zip(inside, of_these, strict=True)}
    like_these = dict(zip(n_groups, np.quantile(np.abs(strayed), quantile, axis=1).tolist(), strict=True))
    return [SampleSize(int(size), n_groups[size], errors.get(size), like_these[size]) for size in sizes]


def queries_for_error(
    scores: ArrayLike,
    error: float,
    *,
    of_these: bool,
    groups: Groups | None = None,
    n_samples: int = 10_000,
    quantile: float = 0.95,
    seed: int | None = None,
) -> int:
    """About the smallest N whose error (see `sampling_error`) is at most `error`; at least 1.

    of_these : drawn without replacement, so at most Q; else with replacement
    Starts from the normal approximation and is corrected twice by what resampling shows, as the square of the error
    falls with 1/N, without replacement with 1/N - 1/Q; above 100,000 queries, or groups, the approximation stands.
    """
    values, groups = _drawn_of(scores, groups)
    if not error > 0:
        raise ValueError("The error asked for must be above 0.")
    draw, at_all, variance = _bootstrap_errors, 0.0, values.var()
    if of_these:
        draw, at_all, variance = subset_errors, 1 / groups.n, values.var(ddof=1)
    slope = special.ndtri((1 + quantile) / 2) ** 2 * variance
    size = _size_for(error, slope, at_all)
    for _ in range(2 if size <= _RESAMPLED_UP_TO else 0):
        if of_these and size >= groups.n:
            break
        rng = np.random.default_rng(_seed_of(values) if seed is None else seed)
        shown = np.quantile(np.abs(draw(values, [size], rng=rng, n_samples=n_samples)), quantile)
        size = _size_for(error, float(shown) ** 2 / (1 / size - at_all), at_all)
    needed = _queries_of(size, groups)
    return min(needed, groups.n_queries) if of_these else needed


def detectable_difference(
    differences: ArrayLike,
    sizes: Sequence[int],
    *,
    groups: Groups | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[float | None]:
    """The smallest true difference that a two-sided paired t test on N queries shows with chance `power`, for each N.

    differences : (Q,) x - y of two runs like those to be compared, two queries or more, for its spread alone
    groups : of the Q queries, two or more; the test is over groups, N / m of them rounded
    None for less than two groups, and where all differences are equal, which says nothing of how they vary. 0 where
    power is no more than alpha. The noncentral t distribution; inverts statsmodels TTestPower.solve_power.
    """
    d, groups = _drawn_of(differences, groups)
    spread = d.std(ddof=1) if d[0] != d[-1] else 0.0
    found = []
    for n in (_groups_of(size, groups) for size in sizes):
        if n < 2 or not spread:
            found.append(None)
        elif power <= alpha:
            found.append(0.0)
        else:
            furthest = _certain(special.stdtrit(n - 1, 1 - alpha / 2)) / np.sqrt(n)
            effect = optimize.brentq(lambda effect, n=n: _power_of_t(effect, n, alpha) - power, 0, furthest)
            found.append(float(effect * spread))
    return found


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
    d, groups = _drawn_of(differences, groups)
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


def seed_of_samples(scores: ArrayLike, groups: Groups | None = None) -> int:
    """The seed of what `sampling_error` draws where none is given: a hash of the scores in order."""
    return _seed_of(_drawn_of(scores, groups)[0])


def middle_run(scores: NDArray[np.float64], groups: Groups) -> Middle:
    """Of (Q, S) scores the run whose error is in the middle, the larger one of two."""
    return _middle(groups.shares(scores).std(axis=0))


def middle_pair(scores: NDArray[np.float64], pairs: Sequence[tuple[int, int]], groups: Groups) -> Middle:
    """Of pairs of runs the one whose difference has the error in the middle, the larger one of two.

    scores : (Q, S); pairs : two columns each, one pair or more
    """
    shares = groups.shares(scores)
    return _middle(np.array([(shares[:, i] - shares[:, j]).std() for i, j in pairs]))


def _middle(spreads: NDArray[np.float64]) -> Middle:
    """Rounded, so that what differs by the order of additions alone is a tie; of ties the first is taken."""
    ordered = np.sort(np.round(spreads, 12))
    middle = ordered[len(ordered) // 2]
    least, most = (float(ordered[end] / middle) if middle else 1.0 for end in (0, -1))
    return Middle(int(np.argmax(np.round(spreads, 12) == middle)), least, most)


def _checked(scores: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError("Scores are one number a query, at least one, none missing.")
    return scores


def _drawn_of(scores: ArrayLike, groups: Groups | None) -> tuple[NDArray[np.float64], Groups]:
    """(G,) what each group adds to the mean over the queries, sorted, and the groups; two of them or more."""
    scores = _checked(scores)
    groups = groups or Groups.single(len(scores))
    if groups.n < 2:
        raise ValueError("One query, or one group, says nothing of the spread; give two or more.")
    values = groups.shares(scores) + 0.0  # without -0, which is equal to 0 and has another hash
    return np.sort(0.0 - values if is_turned(values, np.zeros_like(values)) else values), groups


def _seed_of(values: NDArray[np.float64]) -> int:
    return seed_of(values[:, None])


def _bootstrap_errors(
    values: NDArray[np.float64], sizes: Sequence[int], *, rng: np.random.Generator, n_samples: int
) -> NDArray[np.float64]:
    """(len(sizes), n_samples) means of samples with replacement minus the mean of all."""
    return resampled_means(values, sizes, rng=rng, n_samples=n_samples) - values.mean()


def _size_for(error: float, slope: float, at_all: float) -> int:
    """The smallest n with slope * (1/n - at_all) <= error**2; at_all is 1 over all there are, or 0 without an end."""
    return max(1, ceil(1 / (error**2 / slope + at_all))) if slope else 1


def _groups_of(n_queries: int, groups: Groups) -> int:
    """How many groups so many queries are, rounded, one at least."""
    return max(1, round(n_queries * groups.n / groups.n_queries))


def _queries_of(n_groups: int, groups: Groups) -> int:
    """How many queries so many groups of the mean size are, rounded up."""
    return -(-n_groups * groups.n_queries // groups.n)


def _certain(bar: float) -> float:
    """The shift of a noncentral t at which its passing the bar is certain to any digit, with one degree of freedom."""
    return 6 * bar + 40


def _power_of_t(effect: float, n: int, alpha: float) -> float:
    bar = special.stdtrit(n - 1, 1 - alpha / 2)
    shift = effect * np.sqrt(n)
    if shift > _certain(bar):
        return 1.0
    upper = 1 - special.nctdtr(n - 1, shift, bar)
    if np.isnan(upper):  # beyond the reach of the series: the shift is so large that only the spread is left to chance
        upper = special.chdtr(n - 1, (n - 1) * (shift / bar) ** 2)
    lower = special.nctdtr(n - 1, shift, -bar)
    return float(upper + (0.0 if np.isnan(lower) else lower))
