"""Multiple comparisons by the studentized range: Tukey's HSD, REGWQ and Newman-Keuls.

Pseudo-groups.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from metrics.core.comparisons.anova import two_way
from metrics.core.statistics.roots import roots

METHODS = ("tukey", "regwq", "newman-keuls")
_STEPWISE = ("regwq", "newman-keuls")
_Z_NODES = 160
_CHEBYSHEV_NODES = 24


class Comparison(NamedTuple):
    """Pairwise verdicts on k systems.

    order : (k,) systems by mean, best first
    means : (k,) their means in that order
    significant : (k, k) bool in that order, symmetric: whether the systems at places i and j differ
    groups : places in pseudo-groups, best first: each is the head and all that follow it, before
        the first that differs from the head. Systems of one group do not differ from its head; the
        groups are no clusters
    """

    order: NDArray[np.int64]
    means: NDArray[np.float64]
    significant: NDArray[np.bool_]
    groups: list[list[int]]


def compare_systems(scores: NDArray[np.float64], *, method: str, alpha: float = 0.05) -> Comparison:
    """Compare all systems of (t, s) scores of topics x systems, by their analysis of variance."""
    anova = two_way(scores)
    return compare_means(
        scores.mean(axis=0),
        standard_error=float(np.sqrt(anova.ms_error / len(scores))),
        df=anova.df_error,
        method=method,
        alpha=alpha,
    )


def exceed_own_errors(
    scores: NDArray[np.float64], *, method: str, alpha: float = 0.05
) -> NDArray[np.bool_]:
    """(s, s) whether two of s systems differ by more than the error of their own differences.

    As `compare_means`, where the error of two means is s_d / sqrt(2 t) with t - 1 degrees of
    freedom, s_d being the standard deviation of their differences over the t topics. The analysis
    of variance takes one error for all pairs, so that a system which varies unlike the others seems
    to differ from its equals. A separate error for each pair is Games & Howell's for independent
    means, 1976, doi:10.3102/10769986001002113, and was recommended for means of the same topics by
    Maxwell 1980, doi:10.3102/10769986005003269.
    """
    n_topics, n_systems = scores.shape
    covariance = np.cov(scores.T)
    variance = np.diag(covariance)[:, None] + np.diag(covariance)[None, :] - 2 * covariance
    own_error = np.sqrt(np.maximum(variance, 0) / (2 * n_topics))
    means = scores.mean(axis=0)
    rank = np.empty(n_systems, dtype=np.int64)
    rank[np.argsort(-means, kind="stable")] = np.arange(n_systems)
    critical = critical_ranges(n_systems, n_topics - 1, alpha, method=method)[
        np.abs(rank[:, None] - rank[None, :])
    ]
    return np.asarray(np.abs(means[:, None] - means[None, :]) > critical * own_error)


def compare_means(
    means: ArrayLike, *, standard_error: float, df: float, method: str, alpha: float = 0.05
) -> Comparison:
    """Compare k normal means with a common standard error by studentized ranges.

    standard_error : has df degrees of freedom

    tukey : q(1 - alpha; k, df) standard errors for every pair, which holds the family-wise error:
        Tukey 1953
    regwq : the span of r means from place i differs where every wider span around it does and its
        range exceeds q(1 - alpha_r; r, df), alpha_r = 1 - (1 - alpha)^(r/k), but alpha for r of k -
        1 and k. It holds the family-wise error. Ryan 1960; Einot & Gabriel 1975; Welsch 1977,
        doi:10.1080/01621459.1977.10480615
    newman-keuls : as regwq with alpha for every r. It does not hold the family-wise error: Newman
        1939; Keuls 1952
    """
    if method not in METHODS:
        raise ValueError(f'There is no method "{method}"; there are: {", ".join(METHODS)}.')
    means = np.asarray(means, dtype=np.float64)
    if not np.isfinite(means).all() or not 0 < alpha < 1:
        raise ValueError("Means must be finite, and alpha lies between 0 and 1.")
    order = np.argsort(-means, kind="stable")
    descending_means = means[order]
    k = len(means)
    critical = critical_ranges(k, df, alpha, method=method) * standard_error
    span = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]) + 1
    significant = (descending_means[:, None] - descending_means[None, :] > critical[span - 1]) & (
        span > 1
    )
    if method in _STEPWISE:
        _close_spans(significant)
    significant |= significant.T
    return Comparison(order, descending_means, significant, pseudo_groups(significant))


def critical_ranges(k: int, df: float, alpha: float, *, method: str) -> NDArray[np.float64]:
    """(k,) critical range of r = 1..k of k means, in standard errors; see compare_means.

    Those of REGWQ are made monotone: alpha leaps from k - 2 means to k - 1, so that a wider span
    could need less than a span within it. It then needs as much, which can only make fewer differ.
    """
    plain = studentized_range_quantiles(k, df, alpha)
    if method == "newman-keuls":
        return plain
    if method == "tukey":
        return np.full(k, plain[-1])
    critical = np.append(studentized_range_quantiles(k, df, alpha, is_shared=True)[:-2], plain[-2:])
    return np.maximum.accumulate(critical)


def pseudo_groups(significant: NDArray[np.bool_]) -> list[list[int]]:
    """Groups of places, best first, of a (k, k) table of differences (TRECVID, section 4.3)."""
    groups, head = [], 0
    while head < len(significant):
        differs = np.flatnonzero(significant[head, head:])
        end = head + int(differs[0]) if len(differs) else len(significant)
        groups.append(list(range(head, end)))
        head = end
    return groups


@lru_cache(maxsize=64)
def studentized_range_quantiles(
    k: int, df: float, alpha: float, *, is_shared: bool = False
) -> NDArray[np.float64]:
    """(k,) q(1 - alpha; r, df) for ranges of r = 1..k means; 0 for r = 1.

    Equals scipy.stats.studentized_range.ppf.
    is_shared : alpha is that of all k means, of which r means have the part 1 - (1 - alpha)^(r/k)
    The distribution function is a sum over 160 x 48 (or 192) Gauss-Legendre nodes. Quantiles are
    smooth in log r, and r need not be whole, so for many means a polynomial through 24 quantiles
    gives the others to 1e-9.
    """
    if k < 2:
        return np.zeros(k)
    r = np.arange(2, k + 1, dtype=np.float64)

    def part_of_alpha(r: NDArray[np.float64]) -> NDArray[np.float64]:
        return (
            np.asarray(-np.expm1(r / k * np.log1p(-alpha))) if is_shared else np.full(len(r), alpha)
        )

    if k <= _CHEBYSHEV_NODES:
        quantiles = np.append(0.0, _quantiles(r, df, part_of_alpha(r)))
    else:
        angle = (np.arange(_CHEBYSHEV_NODES) + 0.5) * np.pi / _CHEBYSHEV_NODES
        node = np.asarray((np.log(2) + np.log(k)) / 2 + (np.log(k) - np.log(2)) / 2 * np.cos(angle))
        exact_quantiles = _quantiles(np.exp(node), df, part_of_alpha(np.exp(node)))
        quantiles = np.append(0.0, _interpolate(np.log(r), node, exact_quantiles, angle))
    quantiles.flags.writeable = False
    return quantiles


def _interpolate(
    x: NDArray[np.float64],
    node: NDArray[np.float64],
    value: NDArray[np.float64],
    angle: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The polynomial through values at Chebyshev nodes of the first kind.

    By the barycentric formula: Berrut & Trefethen 2004, doi:10.1137/S0036144502417715, equations
    4.2 and 5.3.
    """
    distance = x[:, None] - node[None, :]
    weight = np.where(np.arange(len(node)) % 2, -1.0, 1.0) * np.sin(angle)
    share = weight / np.where(distance == 0, 1.0, distance)
    hit_rows, hit_nodes = np.nonzero(distance == 0)
    share[hit_rows] = 0
    share[hit_rows, hit_nodes] = 1
    return np.asarray(share @ value / share.sum(axis=1))


def _quantiles(
    r: NDArray[np.float64], df: float, alpha: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n,) q(1 - alpha; r, df) of (n,) r and alpha, all roots at once.

    Below Bonferroni's bound: the range exceeds q where one of r (r - 1) / 2 pairs differs by as
    much. So far out with so few degrees of freedom that the nodes do not reach, it is that bound
    itself, which lets a little fewer differ.
    """
    bound = -np.sqrt(2) * special.stdtrit(df, alpha / (r * (r - 1)))
    is_within = studentized_range_cdf(bound, r, df) > 1 - alpha
    r, alpha = r[is_within], alpha[is_within]
    low, high = np.full(len(r), 1e-3), bound[is_within]
    bound[is_within] = roots(lambda q: studentized_range_cdf(q, r, df) - (1 - alpha), low, high)
    return bound


def studentized_range_cdf(q: ArrayLike, r: ArrayLike, df: float) -> NDArray[np.float64]:
    """Distribution function of the studentized range of r normal means at q; df may be infinite.

    The range is in units of an independent standard error of df degrees of freedom.
    q, r : (n,). The integral over the standard error s of the normal range's distribution at q s.
    """
    q = np.atleast_1d(np.asarray(q, dtype=np.float64))
    r = np.atleast_1d(np.asarray(r, dtype=np.float64))
    s, weight = _error_nodes(df)
    return np.clip(_normal_range_cdf(q[:, None] * s[None, :], r) @ weight, 0, 1)


def _normal_range_cdf(width: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, S) chance that r standard normals lie within w.

    r * integral of phi(z) (Phi(z) - Phi(z - w))^(r - 1).
    """
    z, weight = np.polynomial.legendre.leggauss(_Z_NODES)
    z, weight = 8.5 * z, 8.5 * weight * np.exp(-((8.5 * z) ** 2) / 2) / np.sqrt(2 * np.pi)
    inside = special.ndtr(z) - special.ndtr(z - width[..., None])
    return r[:, None] * (np.power(inside, (r - 1)[:, None, None]) @ weight)


def _error_nodes(df: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights for the mean over s = sqrt(chi-squared / df), even in log s.

    Their weights sum to 1.
    With few degrees of freedom the smallest s decide far-out quantiles, by powers of ten.
    """
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    low, high = (np.log(special.chdtri(df, tail) / df) / 2 for tail in (1 - 1e-14, 1e-14))
    node, weight = np.polynomial.legendre.leggauss(48 if df >= 20 else 192)
    log_s = (high + low) / 2 + (high - low) / 2 * node
    log_density = df * (log_s - np.exp(2 * log_s) / 2)
    weight = weight * np.exp(log_density - log_density.max())
    return np.exp(log_s), weight / weight.sum()


def _close_spans(significant: NDArray[np.bool_]) -> None:
    """Revoke, in place, spans inside those that are not significant, the widest first."""
    k = len(significant)
    for span in range(k - 1, 0, -1):
        first = np.arange(k - span)
        wider = np.ones(k - span, dtype=bool)
        if span < k - 1:
            outer = np.diagonal(significant, span + 1)
            wider[1:] &= outer
            wider[:-1] &= outer
        significant[first, first + span] &= wider
