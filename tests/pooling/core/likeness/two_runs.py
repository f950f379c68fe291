"""Likeness of two runs, a value a query: what that of all runs at once is held to.

All take two Rankings over the same Q queries and return (Q,) float64.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.likeness.overlap import Sums
from pooling.core.likeness.rankings import Rankings, shared_targets, top

PerQuery = NDArray[np.float64]
_CELLS_A_BLOCK = 4_000_000


class RankBiasedOverlap(NamedTuple):
    """RBO of two rankings known only down to their ends.

    ext : agreement down to the ends carried on below them: the value to report
    min, max : bounds over all possible unseen ranks; res = max - min
    truncated : the sum over the seen depths alone, below 1 for a ranking with itself; of the first
        ten of two rankings it is what FIRE's Table 3 prints
    """

    ext: PerQuery
    min: PerQuery
    max: PerQuery
    res: PerQuery
    truncated: PerQuery


def rank_of_favourite(first: Rankings, second: Rankings) -> PerQuery:
    """Rank that the second run gives the first run's top target.

    One more than its depth where it lacks it. NaN where the first run names none.
    """
    rank = second.depth + 1.0
    both = shared_targets(top(first, 1), second)
    rank[both.query] = both.second
    return np.where(first.depth > 0, rank, np.nan)


def kendall(first: Rankings, second: Rankings) -> PerQuery:
    """Kendall's tau over the targets both runs hold.

    Range [-1, 1]; NaN where they share fewer than two. Canonical order has no ties, so tau-a and
    tau-b are the same.
    """
    both = shared_targets(first, second)
    n_queries = len(first.indptr) - 1
    count = np.bincount(both.query, minlength=n_queries)
    start = np.cumsum(count) - count
    value = np.full(n_queries, np.nan)
    for size in np.unique(count[count > 1]):
        of_size = np.flatnonzero(count == size)
        for rows in np.array_split(of_size, -(-len(of_size) * size * size // _CELLS_A_BLOCK)):
            rank = both.second[start[rows][:, None] + np.arange(size)].astype(np.int32)
            discordant = np.count_nonzero(np.triu(rank[:, :, None] > rank[:, None, :]), axis=(1, 2))
            value[rows] = 1 - 4 * discordant / (size * (size - 1))
    return value


def rank_biased_overlap(first: Rankings, second: Rankings, *, p: float) -> RankBiasedOverlap:
    """RBO(p) of two runs, with its bounds.

    Range [0, 1]; two empty rankings agree (1), one empty one scores 0. p in (0, 1) is the weight's
    decay a rank: the expected depth of reading is 1 / (1 - p). Webber, Moffat & Zobel 2010,
    doi:10.1145/1852102.1852106, Eq. 32 for ext. Each shared target counts from depth max(its two
    ranks) on, so every sum over depths is a difference of two entries of a table of running sums,
    and a run costs what its shared targets cost.
    """
    if not 0 < p < 1:
        raise ValueError("p lies between 0 and 1, both excluded.")
    n_queries = len(first.indptr) - 1
    short, long = np.minimum(first.depth, second.depth), np.maximum(first.depth, second.depth)
    both = shared_targets(first, second)
    from_depth = np.maximum(both.first, both.second)
    sums = Sums(p, int((first.depth + second.depth).max(initial=0)))
    n_shared = np.bincount(both.query, minlength=n_queries)  # X_l
    # X_s
    n_shared_short = np.bincount(both.query[from_depth <= short[both.query]], minlength=n_queries)
    seen_sum = np.bincount(
        both.query, weights=sums.over(from_depth - 1, long[both.query]), minlength=n_queries
    )
    rate = np.divide(n_shared_short, short, out=np.zeros(n_queries), where=short > 0)
    extrapolation = rate * (sums.power(short, long) - short * sums.over(short, long))
    scale = (1 - p) / p
    tail = (
        np.divide(n_shared - n_shared_short, long, out=np.zeros(n_queries), where=long > 0) + rate
    )
    ext = scale * (seen_sum + extrapolation) + tail * np.power(p, long)
    rest = -np.log1p(-p) - sums.over(np.zeros_like(long), long)  # p**d / d over all deeper d
    low = scale * (seen_sum + n_shared * rest)
    end = long + short - n_shared
    gains = (
        _unseen_matches(first, second, sums)
        + 2 * sums.power(long, end)
        - end * sums.over(long, end)
    )
    high = scale * (seen_sum + gains + np.power(p, end + 1.0) / (1 - p))
    ext[long == 0] = 1.0
    return RankBiasedOverlap(
        ext, low, high, high - low, np.asarray(scale * seen_sum, dtype=np.float64)
    )


def _unseen_matches(first: Rankings, second: Rankings, sums: Sums) -> PerQuery:
    """The most that the shorter ranking's unseen ranks s + 1 .. l add.

    They name the longer's own targets in order.
    """
    n_queries = len(first.indptr) - 1
    match_sums = np.zeros(n_queries)
    for short, long in ((first, second), (second, first)):
        room = long.depth - short.depth
        if not np.any(room > 0):
            continue
        query = np.repeat(np.arange(n_queries), long.depth)
        own = np.ones(len(long.docs), dtype=bool)
        both = shared_targets(long, short)
        own[long.indptr[both.query] + both.first - 1] = False
        owner = query[own]
        count = np.bincount(owner, minlength=n_queries)
        nth = np.arange(1, len(owner) + 1) - np.repeat(np.cumsum(count) - count, count)
        rank = np.flatnonzero(own) - long.indptr[owner] + 1
        fits = nth <= room[owner]
        owner, begin = owner[fits], np.maximum(short.depth[owner] + nth, rank)[fits]
        match_sums += np.bincount(
            owner, weights=sums.over(begin - 1, long.depth[owner]), minlength=n_queries
        )
    return match_sums
