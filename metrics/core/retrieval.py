"""Set and rank measures of binary relevance: precision, recall, F, R-precision, reciprocal and first ranks, the curve.

All take `Positives` and return (Q,) float64 like metrics.core.ranking.
"""

import numpy as np
from numpy.typing import NDArray

from metrics.core.ranking import PerQuery, Positives, hits, share, total_by_query

RECALL_POINTS = tuple(point / 10 for point in range(11))


def precision(found: Positives, *, k: int) -> PerQuery:
    """P@k: positives among the first k, over k, also where fewer were retrieved. Range [0, 1]. Equals trec_eval P_k."""
    return hits(found, k) / k


def recall(found: Positives, *, k: int) -> PerQuery:
    """R@k: positives among the first k, over all positives. Range [0, 1]. Equals trec_eval recall_k.

    The cross-modal papers' "Recall@K" is C@k; the two are equal only where each query has one positive.
    """
    return share(hits(found, k), found.total)


def f_measure(found: Positives, *, k: int, beta: float = 1.0) -> PerQuery:
    """F(beta)@k: (1 + beta^2) P R / (beta^2 P + R) of P@k and R@k; 0 where both are 0. Range [0, 1].

    van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    p, r = precision(found, k=k), recall(found, k=k)
    return share((1 + beta**2) * p * r, beta**2 * p + r)


def r_precision(found: Positives, *, cap: int | None = None) -> PerQuery:
    """Rprec: positives among the first R, over R; with cap, R is min(R, cap); None or 0 is no cap. Range [0, 1].

    Divides by R also where fewer were retrieved. Equals trec_eval Rprec; eccv_caption divides by the number
    retrieved, which is the same for rankings of at least R targets. With cap = 50 and the matches of zeta = 0 it is the
    PMRP of ECCV Caption's paper; PCME's is the mean over zeta in metrics.core.plausible.
    """
    depth = np.minimum(found.total, cap) if cap else found.total
    inside = found.rank <= depth[found.query]
    return share(total_by_query(found.query[inside], len(found.depth)), depth)


def reciprocal_rank(found: Positives, *, k: int | None = None) -> PerQuery:
    """RR: 1 over the rank of the first positive, 0 where there is none (within k). Range [0, 1].

    Equals trec_eval recip_rank.
    """
    first = found.nth == 1 if k is None else (found.nth == 1) & (found.rank <= k)
    return total_by_query(found.query[first], len(found.depth), 1 / found.rank[first])


def first_rank(found: Positives) -> PerQuery:
    """Rank of the first positive; MedR is the median of it and MeanR the mean. Range [1, inf]; smaller is better.

    Infinite where the query has positives and none was retrieved: it stands somewhere beyond the end of the list, and
    nobody knows where. NaN for a query without a positive, which has no such rank.
    """
    rank = np.where(found.total > 0, np.inf, np.nan)
    first = found.nth == 1
    rank[found.query[first]] = found.rank[first]
    return rank


def mean_rank(ranks: PerQuery, *, weight: PerQuery | None = None) -> float:
    """Mean over the queries that have a positive; infinite where one was missed, NaN where no query has any.

    weight : (Q,) how many queries each stands for
    """
    is_known = ~np.isnan(ranks)
    known = ranks[is_known]
    return float(np.average(known, weights=None if weight is None else weight[is_known])) if len(known) else np.nan


def median_rank(ranks: PerQuery, *, weight: PerQuery | None = None) -> float:
    """Median over the queries that have a positive; infinite where half of them were missed, NaN as for the mean.

    weight : (Q,) how many queries each stands for: then where half of them all have a smaller or equal rank
    """
    if weight is not None:
        is_known = ~np.isnan(ranks)
        order = np.argsort(ranks[is_known], kind="stable")
        reached = np.cumsum(weight[is_known][order])
        if not len(order):
            return np.nan
        return float(ranks[is_known][order][np.searchsorted(reached, reached[-1] / 2)])
    known = np.sort(ranks[~np.isnan(ranks)])
    if not len(known):
        return np.nan
    low, high = known[(len(known) - 1) // 2], known[len(known) // 2]
    return float(low if low == high else (low + high) / 2)


def interpolated_precision(found: Positives, *, recall: float) -> PerQuery:
    """IPrec@r: the largest precision at any depth that reaches recall r. Range [0, 1].

    Equals trec_eval iprec_at_recall_r. Recall r is reached with int(r * R + .9) positives, trec_eval 9's rounding
    (version 10 rounds otherwise); 0 where the run never gets there.
    """
    best = _best_precision_from(found)
    needed = np.maximum((recall * found.total + 0.9).astype(np.int64), 1)
    reached = found.nth == needed[found.query]
    value = np.zeros(len(found.depth))
    value[found.query[reached]] = best[reached]
    return value


def eleven_point_average(found: Positives) -> PerQuery:
    """IPrec11: mean of the interpolated precision at recall 0, .1, ..., 1. Range [0, 1]. Equals trec_eval 11pt_avg."""
    return precision_recall_curve(found).mean(axis=1)


def precision_recall_curve(found: Positives) -> NDArray[np.float64]:
    """(Q, 11) interpolated precision at recall 0, .1, ..., 1; the mean over queries is the usual curve."""
    return np.stack([interpolated_precision(found, recall=point) for point in RECALL_POINTS], axis=1)


def _best_precision_from(found: Positives) -> NDArray[np.float64]:
    """(H,) the largest precision at this positive or a later one of the same query.

    A running maximum from the back over all queries at once: precisions become their places in sorted order, and each
    query is lifted by a whole multiple so that a later query can never exceed an earlier one. Exact, as it is done in
    integers.
    """
    values, place = np.unique(found.nth / found.rank, return_inverse=True)
    lift = (len(found.depth) - found.query) * len(values)
    best: NDArray[np.int64] = np.maximum.accumulate((place + lift)[::-1])[::-1] - lift
    result: NDArray[np.float64] = values[best]
    return result
