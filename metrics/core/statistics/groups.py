"""Groups of queries, such as the captions of one video, which are drawn as a whole.

Queries of one group resemble one another, so a mean over them is less certain than its number of
queries suggests. The target stays the mean over queries; the groups are taken for independent.
Where each query is a group of its own, every value here is the query's own, to the last digit.

Queries that were drawn by strata represent as many as their strata hold: with these weights the
mean over them estimates the mean over the population, sum N_h mean_h / sum N_h (Cochran 1977,
Sampling Techniques, section 5.3). Their spread is taken as if they had been drawn without strata,
which is rather too much than too little.

Miller 2024, arXiv:2411.00640, section 2.2; Kish 1965, Survey Sampling, chapter 5; of groups that
differ in size Cameron & Miller 2015, doi:10.3368/jhr.50.2.317.
"""

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.statistics.resampling import on_grid

FEWEST = 5  # effective groups: of fewer that differ much in size no spread can be estimated


class Groups(NamedTuple):
    """The group, of G groups, that each of Q queries belongs to.

    of_query : (Q,) 0..G-1, numbered as they first occur; size : (G,) queries of each, 1 or more
    weight : (Q,) above 0, 1 on the average: how many queries each represents; None where all are
        equal
    """

    of_query: NDArray[np.int64]
    size: NDArray[np.int64]
    weight: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, keys: ArrayLike, *, weight: NDArray[np.float64] | None = None) -> Self:
        """Group queries by any sortable key of each: queries with one key are one group.

        weight : (Q,) how many queries each represents, where they were drawn with unequal chances
        """
        _, first, code = np.unique(np.asarray(keys), return_index=True, return_inverse=True)
        rank_of_code = np.argsort(np.argsort(first, kind="stable"), kind="stable")
        of_query = rank_of_code[code.ravel()].astype(np.int64)
        if weight is not None:
            is_equal = not len(weight) or np.ptp(weight) <= 1e-9 * weight.max()
            weight = None if is_equal else weight / (math.fsum(weight) / len(weight))
        return cls(of_query, np.bincount(of_query, minlength=len(first)), weight)

    @classmethod
    def single(cls, n_queries: int) -> Self:
        """Each query by itself."""
        return cls(np.arange(n_queries), np.ones(n_queries, dtype=np.int64))

    @property
    def apart(self) -> Self:
        """The same queries, each by itself, with their weights."""
        return type(self).of(np.arange(self.n_queries), weight=self.weight)

    @property
    def n(self) -> int:
        """The number of groups."""
        return len(self.size)

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.of_query)

    @property
    def are_single(self) -> bool:
        """True if each query is a group of its own."""
        return self.n == self.n_queries

    @property
    def are_plain(self) -> bool:
        """True if each query is a group of its own and all have the same weight."""
        return self.are_single and self.weight is None

    @property
    def mass(self) -> NDArray[np.float64]:
        """(G,) total weight of each group; Q in all.

        Exact, so the order of queries does not matter.
        """
        if self.weight is None:
            return self.size.astype(np.float64)
        return self.add_by_group(on_grid(self.weight, self.n_queries))

    @property
    def n_effective(self) -> float:
        """Effective number of groups: (sum of masses)^2 / sum of squared masses (Kish 1965)."""
        return (
            float(self.mass.sum() ** 2 / on_grid(np.square(self.mass), self.n).sum())
            if self.n
            else 0.0
        )

    @property
    def is_lopsided(self) -> bool:
        """True if the groups differ so much that a few of them decide every mean.

        See `are_lopsided`.
        """
        return are_lopsided(self.n, self.n_effective)

    def within(self, queries: NDArray[np.bool_]) -> Self:
        """The groups of some of the queries."""
        return type(self).of(
            self.of_query[queries], weight=None if self.weight is None else self.weight[queries]
        )

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(...) the mean over (Q, ...) values.

        With weights the estimate for the whole population.
        """
        return np.asarray(np.average(values, axis=0, weights=self.weight))

    def weighted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q, ...) values times the weight of each query."""
        return values if self.weight is None else values * self._along(self.weight, values)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums over each group's queries of (Q, ...) values.

        Values are rounded to a grid first: their sums are exact in any order.
        All columns are rounded alike, so that two of them with equal values have equal sums.
        """
        values = self.weighted(values)
        if self.are_single:
            return values
        return self.add_by_group(
            on_grid(values.reshape(1, -1), self.n_queries).reshape(values.shape)
        )

    def add_by_group(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums of (Q, ...) values, neither weighted nor rounded: for those on a grid."""
        total = np.zeros((self.n, *values.shape[1:]))
        np.add.at(total, self.of_query, values)
        return total

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums a group, times G / Q: their mean is that over the queries.

        For tests that reverse whole groups: a group in which nothing differs stays at 0.
        """
        return self.sums(values) * (self.n / self.n_queries)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) means over each group's queries, in which large and small groups count alike."""
        if self.are_single:
            return values
        return self.sums(values) / self._along(self.mass, values)

    def shares(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) each group's share in the mean over the queries.

        The mean of the shares is that mean.
        values : (Q, ...) finite. The mean over queries is a ratio of two sums over groups, and this
            is
        its linearisation: G / Q of the group's sum, plus the mean times the group's shortfall in
        size. For groups of one size it is the groups' means. The variance of its mean is the
        cluster-robust one with G / (G - 1), that of statsmodels' OLS(...).fit(cov_type="cluster").
        """
        sums = self.sums(values)
        mean = sums.sum(axis=0) / self.n_queries
        shortfall = 1 - self._along(self.mass, values) * (self.n / self.n_queries)
        return sums * (self.n / self.n_queries) + mean * shortfall

    def _along(
        self, column: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return column.reshape(-1, *[1] * (values.ndim - 1))


def are_lopsided(n_groups: int, n_effective: float) -> bool:
    """True if the effective number of groups is below five and below 3/4 of their number."""
    return n_effective < min(FEWEST, 0.75 * n_groups)


class Design(NamedTuple):
    """Effect of grouping on the precision of a mean over queries.

    icc : intraclass correlation, at most 1; 0 where queries of a group are no more alike than
        others, below 0 where they are less alike. None where no group has two queries, there is one
        group, or all values are equal
    deff : design effect: variance of the mean over that of independent queries; None where icc is,
        and where groups differ so much in size that the formula gives nothing above 0
    """

    icc: float | None
    deff: float | None


def design(values: NDArray[np.float64], groups: Groups) -> Design:
    """Intraclass correlation and design effect of (Q,) finite values.

    ICC = (B - W) / (B + (n0 - 1) W) of the mean squares between and within groups, n0 = (Q - sum
    n^2 / Q) / (G - 1): the estimator of a one-way analysis of variance, Donner 1986,
    doi:10.2307/1403259; Shrout & Fleiss 1979's ICC(1, 1), doi:10.1037/0033-2909.86.2.420. DEFF = 1
    + (m - 1) ICC with m = sum n^2 / Q, the size of the group of a query drawn at random: Kish 1965,
    section 5.4.
    """
    groups = groups._replace(weight=None)  # how alike queries are does not depend on their weights
    n_groups, n = groups.n, groups.n_queries
    if n_groups < 2 or groups.are_single or values.min() == values.max():
        return Design(None, None)
    size = groups.size.astype(np.float64)
    mean = groups.means(values)
    between = float(size @ np.square(mean - values.mean())) / (n_groups - 1)
    within = float(np.square(values - mean[groups.of_query]).sum()) / (n - n_groups)
    mean_size = float(size @ size) / n
    n0 = (n - mean_size) / (n_groups - 1)
    spread = between + (n0 - 1) * within
    if not spread > 0:
        return Design(None, None)
    icc = (between - within) / spread
    deff = 1 + (mean_size - 1) * icc
    return Design(icc, deff if deff > 0 else None)
