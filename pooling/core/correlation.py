"""Rank correlations of two lists of scores for the same things: systems by two measures, items by two runs."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau (a): (concordant - discordant) / all pairs. Range [-1, 1], a tie counting 0; NaN for n < 2.

    Kendall 1938, doi:10.1093/biomet/30.1-2.81. O(n log n).
    """
    x, y = np.asarray(x), np.asarray(y)
    pairs = len(x) * (len(x) - 1) / 2
    if not pairs:
        return float("nan")
    untied = np.sqrt((pairs - _tied_pairs(x)) * (pairs - _tied_pairs(y)))
    return kendall_tau_b(x, y) * untied / pairs if untied else 0.0


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: pairs tied in either list leave the denominator. Range [-1, 1]; NaN where a list is constant.

    Kendall 1945, doi:10.1093/biomet/33.3.239. Equals scipy.stats.kendalltau. O(n log n).
    """
    return float(stats.kendalltau(x, y).statistic)


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> float:
    """tau-AP: like tau, but a swap near the top of `estimate` costs more. Range [-1, 1]; asymmetric.

    NaN for n < 2 or where a list holds ties, for which it is not defined.
    2 / (n - 1) * sum over places i >= 2 of C(i) / (i - 1) - 1, where C(i) of the things above place i in the estimate
    are rightly above it. Yilmaz, Aslam & Robertson 2008, doi:10.1145/1390334.1390435. Equals R's ircor::tauAP.
    """
    truth, estimate = np.asarray(truth, dtype=np.float64), np.asarray(estimate, dtype=np.float64)
    n = len(truth)
    if n < 2 or len(np.unique(truth)) < n or len(np.unique(estimate)) < n:
        return float("nan")
    ordered = truth[np.argsort(-estimate)]
    above = np.tril(ordered[None, :] > ordered[:, None], k=-1).sum(axis=1)
    return float(2 / (n - 1) * np.sum(above[1:] / np.arange(1, n)) - 1)


def symmetric_tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """Mean of tau-AP taken both ways."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rho: Pearson's correlation of mid-ranks. Range [-1, 1]; NaN where a list is constant."""
    x, y = np.asarray(x), np.asarray(y)
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return float("nan")
    return float(stats.spearmanr(x, y).statistic)


def _tied_pairs(x: np.ndarray) -> float:
    count = np.unique(x, return_counts=True)[1]
    return float(np.sum(count * (count - 1) / 2))
