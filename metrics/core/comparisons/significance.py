"""Paired significance tests of two systems over the same queries, and corrections for many tests.

x, y : (Q,) scores of two systems on the same queries. Smucker, Allan & Carterette 2007,
    doi:10.1145/1321440.1321528, compare the tests. Where queries come in groups, `paired_test`
    gives each test a value a group instead.
"""

from collections.abc import Callable
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import is_reversed, resampled_means, seed_of
from pooling.core.likeness.correlation import mid_ranks

_CELLS_A_BLOCK = 2_000_000


class PairedTest(NamedTuple):
    """Outcome of one two-sided test of x against y.

    difference : mean of x - y
    p_value : in [0, 1]; 1 where the systems do not differ on any query; NaN for a single query, or
        a single group
    n : queries in the test, n_tied : queries left out as ties; groups, where queries come in groups
    """

    name: str
    difference: float
    statistic: float
    p_value: float
    n: int
    n_tied: int = 0


def paired_t(x: ArrayLike, y: ArrayLike) -> PairedTest:
    """Student's paired t test. Equals scipy.stats.ttest_rel."""
    d = _differences(x, y)
    spread = d.std(ddof=1) if len(d) > 1 else np.nan
    mean = d.mean()
    if spread == 0 or np.isnan(spread):
        return _outcome("t", d, float("nan"), 0.0 if d.any() else 1.0)
    t = mean / (spread / np.sqrt(len(d)))
    return _outcome("t", d, t, 2 * special.stdtr(len(d) - 1, -abs(t)))


def wilcoxon(x: ArrayLike, y: ArrayLike) -> PairedTest:
    """Wilcoxon's signed rank test by the normal approximation with continuity and tie correction.

    Zero differences are dropped. The statistic is the sum of the ranks of positive differences.
    Wilcoxon 1945, doi:10.2307/3001968. Equals R's wilcox.test(paired=TRUE, exact=FALSE) and
    scipy.stats.wilcoxon(correction=True, method="asymptotic").
    """
    d = _differences(x, y)
    nonzero = d[d != 0]
    n = len(nonzero)
    if not n:
        return _outcome("wilcoxon", d, 0.0, 1.0, n_tied=len(d))
    rank = mid_ranks(np.abs(nonzero))
    total = rank[nonzero > 0].sum()
    _, ties = np.unique(rank, return_counts=True)
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - np.sum(ties**3 - ties) / 48)
    deviation = total - n * (n + 1) / 4
    z = max(abs(deviation) - 0.5, 0.0) / spread
    return _outcome("wilcoxon", d, total, 2 * special.ndtr(-z), n_tied=len(d) - n)


def sign(x: ArrayLike, y: ArrayLike, *, tolerance: float = 0.0) -> PairedTest:
    """Exact sign test; differences of at most `tolerance` are ties and dropped.

    The statistic counts x > y.
    """
    d = _differences(x, y)
    nonzero = d[np.abs(d) > tolerance]
    wins, n = int(np.count_nonzero(nonzero > 0)), len(nonzero)
    p = min(1.0, 2 * float(special.bdtr(min(wins, n - wins), n, 0.5))) if n else 1.0
    return _outcome("sign", d, wins, p, n_tied=len(d) - n)


def randomization(
    x: ArrayLike, y: ArrayLike, *, rng: np.random.Generator, n_samples: int = 100_000
) -> PairedTest:
    """Fisher's randomization test of the mean difference: systems are swapped per query.

    p = (1 + samples at least as far from 0) / (1 + n_samples), which never claims an impossible 0.
    """
    d = _differences(x, y)
    if not d.any():
        return _outcome("randomization", d, 0.0, 1.0)
    observed = abs(d.sum())
    further, block = 0, max(1, _CELLS_A_BLOCK // len(d))
    for start in range(0, n_samples, block):
        heads = rng.integers(
            0, 2, size=(min(block, n_samples - start), len(d)), dtype=np.int8
        ).astype(np.float64)
        sums = d.sum() - 2 * (heads @ d)
        further += int(np.count_nonzero(np.abs(sums) >= observed * (1 - 1e-12)))
    return _outcome("randomization", d, d.mean(), (1 + further) / (1 + n_samples))


def bootstrap(
    x: ArrayLike, y: ArrayLike, *, rng: np.random.Generator, n_samples: int = 100_000
) -> PairedTest:
    """Paired bootstrap test by the shift method: how often resampled means stray as far as 0.

    p = (1 + such samples) / (1 + n_samples). Efron & Tibshirani 1993, chapter 16; Noreen 1989.
    """
    d = _differences(x, y)
    if not d.any():
        return _outcome("bootstrap", d, 0.0, 1.0)
    mean = d.mean()
    (means,) = resampled_means(d, [len(d)], rng=rng, n_samples=n_samples)
    further = int(np.count_nonzero(np.abs(means - mean) >= abs(mean) * (1 - 1e-12)))
    return _outcome("bootstrap", d, mean, (1 + further) / (1 + n_samples))


def mcnemar(x: ArrayLike, y: ArrayLike, *, are_groups: bool = False) -> PairedTest:
    """McNemar's test of scores that are 0 or 1, mid-p; the exact one is the sign test.

    The statistic counts x > y.
    McNemar 1947, doi:10.1007/BF02295996; mid-p as Fagerland, Lydersen & Laake 2013,
    doi:10.1186/1471-2288-13-91, advise.
    are_groups : x and y are sums over groups of queries. The statistic is then chi-squared of one
        degree of freedom, (sum D)^2 / sum D^2 of the groups' differences D, in which a group counts
        by its size: Obuchowski 1998 without its factor for few groups (Yang, Sun & Hardin 2010,
        doi:10.1002/bimj.201000035). For single queries it is McNemar's chi-squared without
        continuity correction. An approximation: with few groups rely on randomization
    """
    d = _differences(x, y)
    nonzero = d[d != 0]
    if not len(nonzero):
        return _outcome("mcnemar", d, 0.0, 1.0, n_tied=len(d))
    if are_groups:
        statistic = nonzero.sum() ** 2 / np.square(nonzero).sum()
        return _outcome(
            "mcnemar", d, statistic, special.chdtrc(1, statistic), n_tied=len(d) - len(nonzero)
        )
    wins, n = int(np.count_nonzero(nonzero > 0)), len(nonzero)
    fewer = min(wins, n - wins)
    p = 2 * special.bdtr(fewer, n, 0.5) - np.exp(_log_binomial(n, fewer) - n * np.log(2))
    return _outcome("mcnemar", d, wins, min(1.0, float(p)), n_tied=len(d) - n)


TESTS: dict[str, Callable[..., PairedTest]] = {
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "randomization": randomization,
    "bootstrap": bootstrap,
    "mcnemar": mcnemar,
}
ZERO_ONE_TESTS = ("mcnemar",)  # tests only of scores that are 0 or 1
SAMPLING_TESTS = ("randomization", "bootstrap")
# The value of a group in each test. Randomization swaps the systems in whole groups, whose sums
# change sign; ranks and signs take the group's mean; the others its share in the mean over all
# queries.
_VALUES_OF_GROUPS: dict[str, Callable[[Groups, NDArray[np.float64]], NDArray[np.float64]]] = {
    "t": Groups.shares,
    "wilcoxon": Groups.means,
    "sign": Groups.means,
    "randomization": Groups.totals,
    "bootstrap": Groups.shares,
    "mcnemar": Groups.totals,
}


def paired_test(
    name: str,
    x: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups | None = None,
    seed: int | None = None,
    n_samples: int = 10_000,
) -> PairedTest:
    """Run one of TESTS on x against y, over whole groups of queries where they come in groups.

    groups : of the Q queries; None takes each by itself. Where groups differ in size, Wilcoxon's
        and the sign test compare means a group, so that large and small ones count alike; the
        others are about the mean over queries.
    seed : of the samples; default: a hash of the values. The same values have the same p, in any
        order of the queries and whichever system is named first.
    """
    scores = np.stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)], axis=1)
    if not np.isfinite(scores).all():
        raise ValueError("A score is missing or not finite; leave that query out of both systems.")
    if name in ZERO_ONE_TESTS and not are_zero_one(scores):
        raise ValueError(f"The test {name} is of scores that are 0 or 1; another score was found.")
    groups = groups or Groups.single(len(scores))
    values = _VALUES_OF_GROUPS[name](groups, scores)
    columns = values[:, ::-1] if is_reversed(*values.T) else values
    options: dict[str, Any] = {}
    if name in SAMPLING_TESTS:
        rng = np.random.default_rng(seed_of(columns) if seed is None else seed)
        options = {"rng": rng, "n_samples": n_samples}
    elif name in ZERO_ONE_TESTS:
        options = {"are_groups": not groups.are_plain}
    outcome = TESTS[name](*values[np.lexsort(columns.T[::-1])].T, **options)
    difference = groups.weighted(scores[:, 0] - scores[:, 1])
    return (
        outcome if groups.are_plain else outcome._replace(difference=fsum(difference) / len(scores))
    )


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjusted p-values: below alpha where family-wise error alpha rejects the hypothesis.

    Holm 1979.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted_p = np.empty(len(p))
    adjusted_p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted_p


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjusted p-values controlling the false discovery rate. Benjamini & Hochberg 1995."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(-p, kind="stable")
    adjusted_p = np.empty(len(p))
    adjusted_p[order] = np.minimum(
        np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1)), 1
    )
    return adjusted_p


CORRECTIONS: dict[str, Callable[[ArrayLike], NDArray[np.float64]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
}


def _differences(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1 or not len(x):
        raise ValueError(
            "Two systems are compared by their scores on the same queries, at least one."
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("A score is missing or not finite; leave that query out of both systems.")
    return x - y


def _outcome(
    name: str, d: NDArray[np.float64], statistic: float, p: float, n_tied: int = 0
) -> PairedTest:
    """The outcome of a test of differences; NaN for a single query."""
    p_value = float(p) if len(d) > 1 else float("nan")
    return PairedTest(name, float(d.mean()), float(statistic), p_value, len(d) - n_tied, n_tied)


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Two-sided p of Fisher's exact test of two shares (hits, n).

    Fisher 1922, doi:10.2307/2340521. Equals scipy.stats.fisher_exact.
    """
    (hits, n), (later_hits, later_n) = first, second
    all_hits = hits + later_hits
    k = np.arange(max(0, all_hits - later_n), min(all_hits, n) + 1)
    log_ways = _log_binomial(n, k) + _log_binomial(later_n, all_hits - k)
    chance = np.exp(log_ways - _log_binomial(n + later_n, all_hits))
    return float(chance[chance <= chance[k == hits] * (1 + 1e-12)].sum())


def _log_binomial(n: int, k: NDArray[np.int64] | int) -> NDArray[np.float64]:
    return np.asarray(
        special.gammaln(n + 1)
        - special.gammaln(np.add(k, 1))
        - special.gammaln(np.subtract(n, k) + 1)
    )
