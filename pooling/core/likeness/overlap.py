"""Overlap of two runs, a value a query, and the running sums of rank-biased overlap."""

import numpy as np
from numpy.typing import NDArray

from pooling.core.likeness.rankings import Rankings, shared_targets, top

PerQuery = NDArray[np.float64]


def overlap(first: Rankings, second: Rankings, *, k: int) -> PerQuery:
    """Share of the first k that both runs hold: |S_k and T_k| / max(|S_k|, |T_k|); symmetric.

    Range [0, 1]; 1 for the same targets in any order, so for a run with itself, also where fewer
    than k were retrieved. 0 where neither retrieved any. Jaccard's index is another number.
    """
    tops = top(first, k), top(second, k)
    both = shared_targets(*tops)
    longer = np.maximum(*(np.diff(rankings.indptr) for rankings in tops))
    return np.bincount(both.query, minlength=len(longer)) / np.maximum(longer, 1)


class Sums:
    """Running sums of p**d and p**d / d up to a depth."""

    def __init__(self, p: float, depth: int) -> None:
        ranks = np.arange(1, depth + 1)
        self._power = np.append(0.0, np.cumsum(np.power(p, ranks)))
        self._over = np.append(0.0, np.cumsum(np.power(p, ranks) / ranks))

    def power(self, after: NDArray[np.int64], to: NDArray[np.int64]) -> PerQuery:
        """Sum of p**d over after < d <= to."""
        return self._power[to] - self._power[after]

    def over(self, after: NDArray[np.int64], to: NDArray[np.int64]) -> PerQuery:
        """Sum of p**d / d over after < d <= to."""
        return self._over[to] - self._over[after]
