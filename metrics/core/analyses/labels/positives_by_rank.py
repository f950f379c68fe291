"""The ranks at which a run has the positives of its queries, by the origin of their labels."""

from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals

CUT = 10  # ranks that measures usually look at
N_SINGLE = 20  # first ranks, each a bin of its own


class RankedPositives(NamedTuple):
    """The P positives of Q queries in a run, and how deep people judged it.

    query : (P,) 0..Q-1; rank : (P,) 1 or more, 0 where the run does not have the target
    origin : (P,) 0..K-1, which label sources call it positive
    judged_rank : (J,) ranks of the retrieved targets that people gave a grade
    depth : (Q,) targets that the run has for each query
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    origin: NDArray[np.int64]
    judged_rank: NDArray[np.int64]
    depth: NDArray[np.int64]


class RankBin(NamedTuple):
    """The targets of all queries at some ranks.

    first, last : ranks, both within; n_positive : by origin
    n_judged : those that people gave a grade; n_ranked : all that the run has there
    """

    first: int
    last: int
    n_positive: list[int]
    n_judged: int
    n_ranked: int

    @property
    def label(self) -> str:
        """The ranks in words: "7", "21 to 50"."""
        if self.first == self.last:
            return f"{self.first:,}"
        return f"{self.first:,} to {self.last:,}"


class PairShare(NamedTuple):
    """A part of the positives: how many by origin, their share of all and its 95 % interval."""

    n_positive: list[int]
    share: float
    interval: Interval


class PositivesByRank(NamedTuple):
    """The positives in a run.

    bins : of ascending ranks, down to the deepest
    within, beyond, absent : the parts in the first ten ranks, further down, and not in the run
    """

    bins: list[RankBin]
    within: PairShare
    beyond: PairShare
    absent: PairShare


def positives_by_rank(
    positives: RankedPositives, *, groups: Groups, n_origins: int, deepest: int
) -> PositivesByRank:
    """Count one positive or more by rank and origin.

    groups : of the Q queries; deepest : the largest rank of the bins, of this run or of others too
    Ranks 1 to 20 are a bin each; further bins end at 50, 100, 200, 500, 1,000 and so on. A share
    is of the positives of all queries, each with the weight of its query; its interval is that of
    a share (`mean_intervals`) by the groups of the queries. FIRE (Rodriguez et al. 2022), Figure
    12.
    """
    ends = _ends(deepest)
    starts = np.append(0, ends[:-1]) + 1
    at = np.searchsorted(ends, positives.rank)
    is_ranked = positives.rank > 0
    cell = at[is_ranked] * n_origins + positives.origin[is_ranked]
    n_positive = np.bincount(cell, minlength=len(ends) * n_origins).reshape(-1, n_origins)
    n_judged = np.bincount(np.searchsorted(ends, positives.judged_rank), minlength=len(ends))
    bins = [
        RankBin(
            first=int(start),
            last=int(end),
            n_positive=n_positive[number].tolist(),
            n_judged=int(n_judged[number]),
            n_ranked=int(np.clip(positives.depth - start + 1, 0, end - start + 1).sum()),
        )
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    is_within = is_ranked & (positives.rank <= CUT)
    parts = np.stack([is_within, is_ranked & ~is_within, ~is_ranked])
    of_pairs = pair_groups(groups, positives.query)
    values = parts.astype(np.float64)
    intervals = mean_intervals(values, are_shares=True, groups=of_pairs)
    shares = [
        PairShare(
            np.bincount(positives.origin[part], minlength=n_origins).tolist(), share, interval
        )
        for part, share, interval in zip(
            parts, np.asarray(of_pairs.mean(values.T)).tolist(), intervals, strict=True
        )
    ]
    return PositivesByRank(bins, *shares)


def _ends(deepest: int) -> NDArray[np.int64]:
    """The last rank of each bin, the last of which holds the deepest rank; at least one bin."""
    ends = list(range(1, min(max(deepest, 1), N_SINGLE) + 1))
    steps = (factor * 10**power for power in count(1) for factor in (2, 5, 10))
    while ends[-1] < deepest:
        end = next(steps)
        if end > ends[-1]:
            ends.append(end)
    return np.array(ends, dtype=np.int64)
