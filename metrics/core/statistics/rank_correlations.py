"""Rank correlations of two numbers of each query, with intervals over groups."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special, stats

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval
from metrics.core.statistics.resampling import draw_indices, on_grid, seed_of

N_REPLICATES, N_KENDALL, BLOCK = 1_000, 400, 100
LEAST_DEFINED = 0.99  # share of the replicates in which both numbers vary
Masses = NDArray[np.float64]


class RankCorrelation(NamedTuple):
    """A rank correlation over n queries; None where one of the numbers does not vary."""

    value: float | None
    interval: Interval
    n: int


def spearman_with_interval(x: ArrayLike, y: ArrayLike, *, groups: Groups) -> RankCorrelation:
    """Spearman's rho of (Q,) x and y, and its 95 % interval for other groups like these.

    Pearson's correlation of mid-ranks, each query with its weight; without weights it equals
    scipy.stats.spearmanr. The interval is Student's, with one degree of freedom less than groups,
    on Fisher's z (1915, doi:10.2307/2331838), whose standard error is that over 1,000 samples of
    the groups with replacement. There is none for fewer than four groups, groups of which a few
    decide everything, a rho of 1 or -1, and where of more than one sample in a hundred rho is that
    or undefined, as of a handful of queries. The seed is a hash of the numbers, and the order of
    the queries changes nothing.
    """
    x, y = _numbers(x), _numbers(y)
    table = _CellTable.of(x, y, groups)
    value = float(table.correlations(table.masses(np.ones((1, groups.n))))[0])
    if not _may_have_interval(value, groups):
        return _without_interval(value, len(x))
    rng = np.random.default_rng(seed_of(np.stack([x, y], axis=1)))
    replicates = np.concatenate(
        [
            table.correlations(table.masses(_draws(groups.n, rng)))
            for _ in range(N_REPLICATES // BLOCK)
        ]
    )
    return RankCorrelation(value, _fisher_interval(value, replicates, groups.n), len(x))


def kendall_with_interval(x: ArrayLike, y: ArrayLike, *, groups: Groups) -> RankCorrelation:
    """Kendall's tau-b of (Q,) x and y, and its 95 % interval for other groups like these.

    Every query counts alike, whatever its weight. Equals scipy.stats.kendalltau, which computes it;
    the interval is as that of `spearman_with_interval`, from 400 samples of the groups.
    """
    x, y = _numbers(x), _numbers(y)
    value = float(stats.kendalltau(x, y).statistic)
    if not _may_have_interval(value, groups):
        return _without_interval(value, len(x))
    rng = np.random.default_rng(seed_of(np.stack([x, y], axis=1)))
    # by their content, so that the order of the queries does not matter
    queries = np.lexsort((y, x, groups.of_query))
    by_group = np.split(queries, np.cumsum(groups.size)[:-1])
    by_group.sort(key=lambda group: (x[group].tolist(), y[group].tolist()))
    replicates = []
    for _ in range(N_KENDALL):
        sample = np.concatenate([by_group[g] for g in draw_indices(groups.n, groups.n, rng=rng)])
        replicates.append(float(stats.kendalltau(x[sample], y[sample]).statistic))
    interval = _fisher_interval(value, np.array(replicates), groups.n)
    return RankCorrelation(value, interval, len(x))


def _numbers(values: ArrayLike) -> Masses:
    """The values as numbers, with one 0: -0 is equal to it, but has another hash."""
    return np.asarray(np.asarray(values, dtype=np.float64) + 0.0)


def _may_have_interval(value: float, groups: Groups) -> bool:
    """False where no sample of the groups says how far other ones would differ."""
    return groups.n >= 4 and not groups.is_lopsided and abs(value) <= 1 - 1e-12


def _without_interval(value: float, n: int) -> RankCorrelation:
    return RankCorrelation(
        None if np.isnan(value) else float(np.clip(value, -1, 1)), NO_INTERVAL, n
    )


def _fisher_interval(value: float, replicates: Masses, n_groups: int) -> Interval:
    """Student's interval on Fisher's z, whose standard error is that of the replicates."""
    is_defined = np.isfinite(replicates) & (np.abs(replicates) < 1 - 1e-12)
    if np.mean(is_defined) < LEAST_DEFINED:
        return NO_INTERVAL
    error = float(np.std(np.arctanh(replicates[is_defined]), ddof=1))
    half = float(special.stdtrit(n_groups - 1, 0.975)) * error
    low, high = np.tanh(np.arctanh(value) + np.array([-half, half])).tolist()
    return Interval(low, high)


def _draws(n_groups: int, rng: np.random.Generator) -> Masses:
    """(BLOCK, G) how often each group is in each of some samples of as many groups."""
    indices = draw_indices(n_groups, BLOCK * n_groups, rng=rng).reshape(BLOCK, n_groups)
    indices += np.arange(BLOCK)[:, None] * n_groups
    counts = np.bincount(indices.ravel(), minlength=BLOCK * n_groups)
    return counts.reshape(BLOCK, n_groups).astype(np.float64)


class _CellTable(NamedTuple):
    """The distinct pairs (x, y) of the queries, and how much of each group every one of them has.

    x, y : (C,) the ranks of the pair's values among the distinct ones, from 0
    by_group : (C, G) total weight
    """

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    by_group: sparse.csr_array

    @classmethod
    def of(cls, x: Masses, y: Masses, groups: Groups) -> "_CellTable":
        codes = np.stack([np.unique(values, return_inverse=True)[1] for values in (x, y)])
        pairs, cell = np.unique(codes, axis=1, return_inverse=True)
        weight = np.ones(len(x)) if groups.weight is None else on_grid(groups.weight, len(x))
        by_group = sparse.csr_array(
            (weight, (cell.ravel(), groups.of_query)), shape=(pairs.shape[1], groups.n)
        )
        return cls(pairs[0], pairs[1], _by_content(by_group))

    def masses(self, draws: Masses) -> Masses:
        """(R, C) weight of every pair in R samples of the groups."""
        return np.asarray((self.by_group @ draws.T).T)

    def correlations(self, masses: Masses) -> Masses:
        """(R,) rho of each sample; NaN where a number does not vary in it."""
        x, y = _mid_ranks(self.x, masses), _mid_ranks(self.y, masses)
        covariance = (masses * x * y).sum(axis=1)
        spread = (masses * x * x).sum(axis=1) * (masses * y * y).sum(axis=1)
        # Of ranks that do not vary rounding leaves a trace, of about 1e-30 in this unit. Where in
        # each number a single query of Q differs it is 1 / (16 Q^2).
        least = 1e-20 * masses.sum(axis=1) ** 6
        undefined = np.full(len(masses), np.nan)
        return np.divide(covariance, np.sqrt(spread), out=undefined, where=spread > least)


def _by_content(by_group: sparse.csr_array) -> sparse.csr_array:
    """The columns in the order of what they hold, so that the order of queries does not matter."""
    columns = by_group.tocsc()
    columns.sum_duplicates()
    ends = zip(columns.indptr, columns.indptr[1:], strict=False)
    content = [(columns.indices[a:b].tolist(), columns.data[a:b].tolist()) for a, b in ends]
    order = sorted(range(len(content)), key=content.__getitem__)
    return sparse.csr_array(columns[:, order])


def _mid_ranks(code: NDArray[np.int64], masses: Masses) -> Masses:
    """(R, C) mid-ranks of every pair's value in each sample, less their mean."""
    n_values = int(code.max()) + 1
    indicator = sparse.csr_array((np.ones(len(code)), (np.arange(len(code)), code)))
    by_value = np.asarray(masses @ indicator).reshape(len(masses), n_values)
    ranks = (np.cumsum(by_value, axis=1) - by_value / 2)[:, code]
    mean = (masses * ranks).sum(axis=1) / masses.sum(axis=1)
    return np.asarray(ranks - mean[:, None])
