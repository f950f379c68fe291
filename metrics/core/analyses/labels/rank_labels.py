"""The grades of the pairs at each rank of runs, over the queries."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals

DEEPEST = 20  # rank that is looked at
LEAST_PART = 0.5  # of the largest share of graded pairs, for a rank to be shown


class RankedLabels(NamedTuple):
    """The labels of the pairs that one run returned for Q queries.

    query, rank, grade : (H,) of the pairs that people gave a grade: index of the query, rank from
        1 on, grade
    propagated_rank : (P,) ranks of pairs of duplicates that take the grades of their originals
    open_rank : (D,) ranks of pairs with labels that are no grade yet
    depth : (Q,) number of targets that the run returned, unknown ones among them
    """

    name: str
    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    grade: NDArray[np.int64]
    propagated_rank: NDArray[np.int64]
    open_rank: NDArray[np.int64]
    depth: NDArray[np.int64]


class GradeShare(NamedTuple):
    """The n graded pairs of a kind, their share, and its 95 % interval."""

    n: int
    share: float
    interval: Interval


class RankShares(NamedTuple):
    """The pairs at one rank or more: all, those with a grade, and those whose labels are none.

    n_graded, n_propagated : with a grade of their own, and with their originals'
    by_level : for each level, of the graded ones; positive : from the threshold up; None where no
        pair has a grade
    """

    n: int
    n_graded: int
    n_propagated: int
    n_open: int
    by_level: list[GradeShare] | None
    positive: GradeShare | None

    @property
    def n_unjudged(self) -> int:
        """The pairs without a label that counts, and the unknown targets."""
        return self.n - self.n_graded - self.n_propagated - self.n_open


class RunShares(NamedTuple):
    """The shares of a run at ranks 1, 2, ..., and at all of them together."""

    name: str
    by_rank: list[RankShares]
    whole: RankShares


class RankTable(NamedTuple):
    """The shares of runs at ranks 1 to `last_rank`, and of all runs together.

    last_rank : 0 where none of the first ranks has a graded pair; then there are no runs
    n_deeper : graded pairs beyond it, each once for each run
    """

    last_rank: int
    runs: list[RunShares]
    whole: RankShares | None
    n_deeper: int


def labels_by_rank(
    runs: Sequence[RankedLabels], levels: Sequence[int], *, threshold: int, groups: Groups
) -> RankTable:
    """Count the grades of the pairs at each rank of each run.

    levels : the grades, in the order of the result; threshold : the smallest grade of a positive
    groups : of the Q queries; shares have their weights, and intervals are by them
    The last rank is the deepest of the first 20 at which the share of graded pairs, of all runs
    together, is at least half of the largest at any rank: what few pairs deeper down have a grade
    were chosen by other runs. ECCV Caption (Chun et al. 2022), Table B.2.
    """
    ranks = np.arange(1, DEEPEST + 1)
    n_pairs = np.array([(run.depth[:, None] >= ranks).sum(axis=0) for run in runs])
    n_graded = np.array([_at_ranks(run.rank) for run in runs])
    if not n_graded.any():
        return RankTable(0, [], None, sum(len(run.rank) for run in runs))
    judged_share = n_graded.sum(axis=0) / np.maximum(n_pairs.sum(axis=0), 1)
    last_rank = int(ranks[judged_share >= LEAST_PART * judged_share.max()].max())
    count = _Counting(levels, threshold, groups)
    run_shares = []
    for run, n_at_rank in zip(runs, n_pairs, strict=True):
        n_propagated, n_open = _at_ranks(run.propagated_rank), _at_ranks(run.open_rank)
        by_rank = [
            count.shares(
                run.query[run.rank == rank],
                run.grade[run.rank == rank],
                n=int(n_at_rank[rank - 1]),
                n_propagated=int(n_propagated[rank - 1]),
                n_open=int(n_open[rank - 1]),
            )
            for rank in range(1, last_rank + 1)
        ]
        run_shares.append(RunShares(run.name, by_rank, count.together(by_rank, [run], last_rank)))
    everything = [rank_shares for run in run_shares for rank_shares in run.by_rank]
    whole = count.together(everything, runs, last_rank)
    n_deeper = sum(int(np.count_nonzero(run.rank > last_rank)) for run in runs)
    return RankTable(last_rank, run_shares, whole, n_deeper)


def _at_ranks(rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """(DEEPEST,) how many pairs stand at each rank."""
    return np.bincount(rank[rank <= DEEPEST], minlength=DEEPEST + 1)[1:]


class _Counting(NamedTuple):
    """The levels, threshold and groups by which graded pairs are counted."""

    levels: Sequence[int]
    threshold: int
    groups: Groups

    def together(
        self, by_rank: Sequence[RankShares], runs: Sequence[RankedLabels], last_rank: int
    ) -> RankShares:
        """The shares of all ranks of some runs up to the last; a pair counts once for each run."""
        is_near = [run.rank <= last_rank for run in runs]
        return self.shares(
            np.concatenate([run.query[near] for run, near in zip(runs, is_near, strict=True)]),
            np.concatenate([run.grade[near] for run, near in zip(runs, is_near, strict=True)]),
            n=sum(shares.n for shares in by_rank),
            n_propagated=sum(shares.n_propagated for shares in by_rank),
            n_open=sum(shares.n_open for shares in by_rank),
        )

    def shares(
        self,
        query: NDArray[np.int64],
        grade: NDArray[np.int64],
        *,
        n: int,
        n_propagated: int,
        n_open: int,
    ) -> RankShares:
        """The shares of graded pairs; those of one group of queries resemble one another."""
        if not len(grade):
            return RankShares(n, 0, n_propagated, n_open, None, None)
        of_pair = pair_groups(self.groups, query)
        kinds = np.array([*(grade == level for level in self.levels), grade >= self.threshold])
        intervals = mean_intervals(kinds.astype(np.float64), are_shares=True, groups=of_pair)
        means = of_pair.mean(kinds.T.astype(np.float64)).tolist()
        *by_level, positive = map(GradeShare, kinds.sum(axis=1).tolist(), means, intervals)
        return RankShares(n, len(grade), n_propagated, n_open, by_level, positive)
