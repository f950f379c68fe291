"""Rank correlations of two lists of scores: of systems by two measures, or of items by two runs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau (a): (concordant - discordant) / all pairs.

    Range [-1, 1], a tie counting 0; NaN for n < 2. Kendall 1938, doi:10.1093/biomet/30.1-2.81. O(n
    log n).
    """
    x, y = np.asarray(x), np.asarray(y)
    pairs = len(x) * (len(x) - 1) / 2
    if not pairs:
        return float("nan")
    n_untied = np.sqrt((pairs - _tied_pairs(x)) * (pairs - _tied_pairs(y)))
    return kendall_tau_b(x, y) * n_untied / pairs if n_untied else 0.0


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: pairs tied in either list leave the denominator.

    Range [-1, 1]; NaN where a list is constant. NaN in a list, or fewer than two things, make it
    NaN. Kendall 1945, doi:10.1093/biomet/33.3.239. Equals scipy.stats.kendalltau; Knight's way
    (1966, doi:10.1080/01621459.1966.10480879), O(n log^2 n).
    """
    x, y = np.asarray(x), np.asarray(y)
    n = len(x)
    tied_x, tied_y = _tied_pairs(x), _tied_pairs(y)
    pairs = n * (n - 1) / 2
    if _undefined(x) or _undefined(y) or pairs in (tied_x, tied_y):
        return float("nan")
    code_x, code_y = (np.unique(values, return_inverse=True)[1] for values in (x, y))
    tied_both = _tied_pairs(code_x * n + code_y)
    discordant = _inversions(code_y[np.lexsort((code_y, code_x))])
    concordant_less = pairs - tied_x - tied_y + tied_both - 2 * discordant
    # one root of the product: 1 is exact where the two orders are equal
    tau = concordant_less / np.sqrt((pairs - tied_x) * (pairs - tied_y))
    return float(np.clip(tau, -1, 1))


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> float:
    """tau-AP: like tau, but a swap near the top of `estimate` costs more.

    Range [-1, 1]; asymmetric. NaN for n < 2 or where a list holds ties, for which it is not
    defined. 2 / (n - 1) * sum over places i >= 2 of C(i) / (i - 1) - 1, where C(i) of the things
    above place i in the estimate are rightly above it. Yilmaz, Aslam & Robertson 2008,
    doi:10.1145/1390334.1390435. Equals R's ircor::tauAP.
    """
    truth, estimate = np.asarray(truth, dtype=np.float64), np.asarray(estimate, dtype=np.float64)
    n = len(truth)
    if n < 2 or len(np.unique(truth)) < n or len(np.unique(estimate)) < n:
        return float("nan")
    truth_by_estimate = truth[np.argsort(-estimate)]
    above = np.tril(truth_by_estimate[None, :] > truth_by_estimate[:, None], k=-1).sum(axis=1)
    return float(2 / (n - 1) * np.sum(above[1:] / np.arange(1, n)) - 1)


def symmetric_tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """Mean of tau-AP taken both ways."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rho: Pearson's correlation of mid-ranks.

    Range [-1, 1]; NaN where a list is constant.
    """
    x, y = np.asarray(x), np.asarray(y)
    if _undefined(x) or _undefined(y) or len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return float("nan")
    return float(np.corrcoef(mid_ranks(x), mid_ranks(y))[0, 1])


def mid_ranks(x: ArrayLike) -> NDArray[np.float64]:
    """(n,) ranks from 1, smallest first; equal values share the mean of theirs.

    Equals scipy.stats.rankdata.
    """
    _, inverse, count = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[inverse]


def _undefined(x: np.ndarray) -> bool:
    return bool(np.isnan(np.asarray(x, dtype=np.float64)).any())


def _inversions(code: NDArray[np.int64]) -> int:
    """Number of pairs of (n,) whole numbers from 0 in falling order, bit by bit from above."""
    total = 0
    for bit in range(int(code.max(initial=0)).bit_length() - 1, -1, -1):
        # numbers alike above stand together by now
        above, is_one = code >> (bit + 1), (code >> bit) & 1
        n_ones = np.cumsum(is_one)
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        before = np.repeat(n_ones[begins] - is_one[begins], np.diff(np.append(begins, len(code))))
        total += int(np.sum((n_ones - before)[is_one == 0]))
        code = code[np.argsort(code >> bit, kind="stable")]
    return total


def _tied_pairs(x: np.ndarray) -> float:
    count = np.unique(x, return_counts=True)[1]
    return float(np.sum(count * (count - 1) / 2))
