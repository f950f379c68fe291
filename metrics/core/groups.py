"""Queries that belong together, such as the captions of one video: what is drawn, tossed or analysed is a group.

Queries of one group resemble one another, so a mean over them is less certain than its number of queries suggests. The
target stays the mean over queries; what is taken for independent are the groups. Where each query is a group of its
own, every value here is the query's own, to the last digit.

Queries that were drawn by strata stand for as many as their strata hold: with these weights the mean over them
estimates the mean over all that they were drawn of, sum N_h mean_h / sum N_h (Cochran 1977, Sampling Techniques,
section 5.3). Their spread is taken as if they had been drawn without strata, which is rather too much than too little.

Miller 2024, arXiv:2411.00640, section 2.2; Kish 1965, Survey Sampling, chapter 5; of groups that differ in size
Cameron & Miller 2015, doi:10.3368/jhr.50.2.317.
"""

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.resampling import on_grid

FEWEST = 5  # groups, as many as they count: of fewer, where they differ much, no spread can be told


class Groups(NamedTuple):
    """Which of G groups each of Q queries belongs to.

    of_query : (Q,) 0..G-1, numbered as they first occur; size : (G,) queries of each, 1 or more
    weight : (Q,) above 0, 1 on the average: what each query stands for; None where all stand for as many
    """

    of_query: NDArray[np.int64]
    size: NDArray[np.int64]
    weight: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, keys: ArrayLike, *, weight: NDArray[np.float64] | None = None) -> Self:
        """The groups of queries by any sortable key of each: queries with one key are one group.

        weight : (Q,) how many queries each stands for, where they were drawn with chances that differ
        """
        _, first, code = np.unique(np.asarray(keys), return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first, kind="stable"), kind="stable")
        of_query = place[code.ravel()].astype(np.int64)
        if weight is not None:
            is_equal = not len(weight) or np.ptp(weight) <= 1e-9 * weight.max()
            weight = None if is_equal else weight / (math.fsum(weight) / len(weight))
        return cls(of_query, np.bincount(of_query, minlength=len(first)), weight)

    @classmethod
    def single(cls, n_queries: int) -> Self:
        """Each query by itself."""
        return cls(np.arange(n_queries), np.ones(n_queries, dtype=np.int64))

    @property
    def n(self) -> int:
        """How many groups there are."""
        return len(self.size)

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return len(self.of_query)

    @property
    def are_single(self) -> bool:
        """Whether each query is a group of its own."""
        return self.n == self.n_queries

    @property
    def are_plain(self) -> bool:
        """Whether each query is a group of its own and stands for as many as any other."""
        return self.are_single and self.weight is None

    @property
    def mass(self) -> NDArray[np.float64]:
        """(G,) what the queries of each group stand for together; Q in all. Exact, so their order does not matter."""
        if self.weight is None:
            return self.size.astype(np.float64)
        return self.added(on_grid(self.weight, self.n_queries))

    @property
    def n_effective(self) -> float:
        """As how many groups of one mass they count: (sum of masses)^2 / sum of squared masses (Kish 1965)."""
        return float(self.mass.sum() ** 2 / on_grid(np.square(self.mass), self.n).sum()) if self.n else 0.0

    @property
    def is_lopsided(self) -> bool:
        """Whether they differ so much that a few of them decide every mean; see `are_lopsided`."""
        return are_lopsided(self.n, self.n_effective)

    def within(self, queries: NDArray[np.bool_]) -> Self:
        """The groups of some of the queries."""
        return type(self).of(self.of_query[queries], weight=None if self.weight is None else self.weight[queries])

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(...) the mean over (Q, ...) values, or what the queries say of all that they were drawn of."""
        return np.asarray(np.average(values, axis=0, weights=self.weight))

    def weighted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q, ...) values times what each query stands for."""
        return values if self.weight is None else values * self._along(self.weight, values)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums over each group's queries of (Q, ...) values; exact, so that their order does not matter.

        All columns are rounded alike, so that two of them with equal values have equal sums.
        """
        values = self.weighted(values)
        if self.are_single:
            return values
        return self.added(on_grid(values.reshape(1, -1), self.n_queries).reshape(values.shape))

    def added(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums of (Q, ...) values as they are, such as those on a grid."""
        total = np.zeros((self.n, *values.shape[1:]))
        np.add.at(total, self.of_query, values)
        return total

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) sums a group, times G / Q: their mean is that over the queries.

        For what turns whole groups round: a group in which nothing differs stays at 0.
        """
        return self.sums(values) * (self.n / self.n_queries)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) means over each group's queries; of groups that differ in size, large and small ones count alike."""
        if self.are_single:
            return values
        return self.sums(values) / self._along(self.mass, values)

    def shares(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(G, ...) what each group adds to the mean over the queries, in a form whose mean is that mean.

        values : (Q, ...) finite. The mean over queries is a ratio of two sums over groups, and this is its
        linearisation: G / Q of the group's sum, and the mean for what the group is smaller or larger than others. Of
        groups of one size it is the groups' means. The variance of its mean is the cluster-robust one with G / (G - 1),
        that of statsmodels' OLS(...).fit(cov_type="cluster").
        """
        sums = self.sums(values)
        mean = sums.sum(axis=0) / self.n_queries
        rest = 1 - self._along(self.mass, values) * (self.n / self.n_queries)
        return sums * (self.n / self.n_queries) + mean * rest

    def _along(self, column: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        return column.reshape(-1, *[1] * (values.ndim - 1))


def are_lopsided(n_groups: int, n_effective: float) -> bool:
    """Whether groups count as fewer than five, and as fewer than three quarters of what they are."""
    return n_effective < min(FEWEST, 0.75 * n_groups)


class Design(NamedTuple):
    """What grouping costs a mean over queries.

    icc : intraclass correlation, at most 1; 0 where queries of a group are no more alike than others, below 0 where
        they are less. None where no group has two queries, there is one group, or all values are equal
    deff : design effect: how many times the variance of the mean is that of independent queries; None with icc, and
        where groups differ so much in size that the formula leaves nothing above 0
    """

    icc: float | None
    deff: float | None


def design(values: NDArray[np.float64], groups: Groups) -> Design:
    """Intraclass correlation and design effect of (Q,) finite values.

    ICC = (B - W) / (B + (n0 - 1) W) of the mean squares between and within groups, n0 = (Q - sum n^2 / Q) / (G - 1):
    the estimator of a one-way analysis of variance, Donner 1986, doi:10.2307/1403259; Shrout & Fleiss 1979's ICC(1, 1),
    doi:10.1037/0033-2909.86.2.420. DEFF = 1 + (m - 1) ICC with m = sum n^2 / Q, the size of the group of a query drawn
    at random: Kish 1965, section 5.4.
    """
    groups = groups._replace(weight=None)  # how alike queries are does not hang on how many they stand for
    n_groups, n = groups.n, groups.n_queries
    if n_groups < 2 or groups.are_single or values.min() == values.max():
        return Design(None, None)
    size = groups.size.astype(np.float64)
    mean = groups.means(values)
    between = float(size @ np.square(mean - values.mean())) / (n_groups - 1)
    within = float(np.square(values - mean[groups.of_query]).sum()) / (n - n_groups)
    usual_size = float(size @ size) / n
    n0 = (n - usual_size) / (n_groups - 1)
    spread = between + (n0 - 1) * within
    if not spread > 0:
        return Design(None, None)
    icc = (between - within) / spread
    deff = 1 + (usual_size - 1) * icc
    return Design(icc, deff if deff > 0 else None)
