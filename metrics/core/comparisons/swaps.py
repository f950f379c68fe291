"""Swap rates: the chance that other queries order two systems the other way round, in two forms.

`reversal` is about the observed order: the chance that another set of queries reverses it. REER,
the retrieval experiment error rate, is about two unseen sets: the chance that they disagree. Where
a paired test of many queries gives p = .05 the first is .083 and the second .049.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special


class SwapCurve(NamedTuple):
    """Empirical swap rates by observed difference.

    edges : (B + 1,) bins of the absolute difference of two systems' means on n queries
    pairs : (B,) comparisons in each bin; swaps : (B,) those which another n queries reversed
    """

    edges: NDArray[np.float64]
    pairs: NDArray[np.int64]
    swaps: NDArray[np.int64]

    @property
    def rate(self) -> NDArray[np.float64]:
        """(B,) swaps / pairs, NaN where no comparison fell into the bin."""
        return np.divide(
            self.swaps, self.pairs, out=np.full(len(self.pairs), np.nan), where=self.pairs > 0
        )


def reversal(x: ArrayLike, y: ArrayLike, *, n_queries: int | None = None) -> float:
    """The chance that another set of queries reverses the order of two systems observed on these.

    x, y : (T,) scores of two systems on the same queries, T >= 2 (ValueError)
    n_queries : size m of the other set, default T
    T(-|t| / sqrt(1 + T / m)) of Student's distribution with T - 1 degrees of freedom, t being the
    paired statistic: the observed mean is uncertain by s / sqrt(T), the new one by s / sqrt(m). For
    many queries it is Phi(-|d| / (s sqrt(1 / T + 1 / m))). Range [0, .5]; .5 for equal means, 0 for
    a constant lead. As m grows it falls to half the two-sided p of Student's t, not to 0: more new
    queries do not make the old ones more certain. A priori every true difference is taken for
    equally likely, and every magnitude of its spread. For systems crowded within the error of a
    score it is too low: a large difference of two such is rather a lucky one. Figures on real
    halves in docs/numbers.md. Swap rates as a measure of a collection: Urbano, Marrero & Martin
    2013, doi:10.1145/2484028.2484038.
    """
    x, y = _scores(x, y)
    d = x - y
    n = len(d)
    difference, spread = d.mean(), d.std(ddof=1)
    if spread == 0:
        return 0.5 if difference == 0 else 0.0
    return float(
        special.stdtr(n - 1, -abs(difference) / (spread * np.sqrt(1 / n + 1 / (n_queries or n))))
    )


def reer_paired(x: ArrayLike, y: ArrayLike, *, n_queries: int | None = None) -> float:
    """REER of two systems from their paired differences; observed swap rates agree with it.

    x, y : (T,) scores of two systems on the same queries, T >= 2 (ValueError)
    n_queries : size of the query sets in question, default T
    2 Phi(z) (1 - Phi(z)), z = -mean(x - y) / (s / sqrt(n)): TRECVID's Eq. 1 with the standard
    deviation s of the paired differences in place of those of two independent systems.
    Range [0, .5]. The observed difference is taken for the true one: the rate at which two new sets
    of queries disagree; `reversal` is the rate at which a new set disagrees with this one.
    """
    x, y = _scores(x, y)
    d = x - y
    return _rate(d.mean(), d.var(ddof=1), n_queries or len(d))


def swap_curve(
    scores: NDArray[np.float64],
    *,
    n_queries: int,
    rng: np.random.Generator,
    n_trials: int = 1000,
    width: float = 0.01,
) -> SwapCurve:
    """Swap rates of all pairs of systems over random disjoint pairs of query sets.

    scores : (T, S) of topics x systems; n_queries : size of each set, at most T / 2 (ValueError)
    Voorhees & Buckley 2002, doi:10.1145/564376.564432. An exact tie in one of the sets is half a
    swap, rounded over all.
    """
    n_topics, n_systems = scores.shape
    if not 1 <= n_queries <= n_topics // 2:
        raise ValueError(f"Two disjoint sets of {n_queries} queries do not fit into {n_topics}.")
    if not np.isfinite(scores).all():
        raise ValueError("A score is missing or not finite; leave out that topic or that system.")
    first_system, second_system = np.triu_indices(n_systems, k=1)
    n_bins = int(np.ceil((scores.max() - scores.min()) / width)) + 1
    pairs, swaps = np.zeros(n_bins, dtype=np.int64), np.zeros(n_bins)
    for _ in range(n_trials):
        sampled_topics = rng.permutation(n_topics)[: 2 * n_queries]
        first = scores[sampled_topics[:n_queries]].mean(axis=0)
        second = scores[sampled_topics[n_queries:]].mean(axis=0)
        d, e = (
            first[first_system] - first[second_system],
            second[first_system] - second[second_system],
        )
        bin_number = (np.abs(d) / width).astype(np.int64)
        pairs += np.bincount(bin_number, minlength=n_bins)
        swap_shares = (d * e < 0) + 0.5 * (d * e == 0)
        swaps += np.bincount(bin_number, weights=swap_shares, minlength=n_bins)
    edges = np.asarray(np.arange(n_bins + 1) * width, dtype=np.float64)
    return SwapCurve(edges, pairs, np.round(swaps).astype(np.int64))


def _scores(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if (
        x.shape != y.shape
        or x.ndim != 1
        or len(x) < 2
        or not (np.isfinite(x).all() and np.isfinite(y).all())
    ):
        raise ValueError(
            "Two systems are compared by their finite scores on the same queries, at least two."
        )
    return x, y


def _rate(difference: float, variance: float, n_queries: int) -> float:
    if variance == 0:
        return 0.5 if difference == 0 else 0.0
    below = special.ndtr(-abs(difference) / np.sqrt(variance / n_queries))
    return float(2 * below * (1 - below))
