"""Overlap and RBO of every two of a set of runs.

All runs and many source items go down the ranks together.

Equals what two runs alone have. At each depth only one target a run is new,
so that the agreement of all pairs of runs grows by one look-up a pair: a target that both hold is
looked up once.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.likeness.overlap import Sums
from pooling.core.strategies.selections import Integers, RankedPairs, group_by_pair

Matrix = NDArray[np.float64]
_CELLS_A_BLOCK = 1_000_000
_NOWHERE = np.iinfo(np.int32).max


class RunAgreement(NamedTuple):
    """Overlap and RBO of every two runs: (S, S) each, symmetric.

    Means over the source items that both runs answer; NaN where there are none.

    overlap : share of the first k, of the longer ranking where both are shorter, that both hold
    rbo : extrapolated, Webber, Moffat & Zobel 2010, Eq. 32
    truncated : the sum of RBO over the first k depths alone, as FIRE's Table 3 prints it for
        k = 10
    """

    overlap: Matrix
    rbo: Matrix
    truncated: Matrix


class _SourceBlock(NamedTuple):
    """B source items, and the N targets of all of them; one more target stands for none.

    rank : (N + 1, S) of each target in each run; target : (B, S, D) the one at each rank; depth :
        (B, S)
    """

    rank: NDArray[np.int32]
    target: NDArray[np.int64]
    depth: Integers


def agreement(runs: Sequence[RankedPairs], *, k: int, p: float) -> RunAgreement:
    """Overlap and RBO of each two of the S runs.

    Runs have the ranks 1, 2, ... without a gap in each ranking.
    """
    n_runs = len(runs)
    totals, count = np.zeros((3, n_runs, n_runs)), np.zeros((n_runs, n_runs))
    for block in _blocks(runs):
        both = (block.depth[:, :, None] > 0) & (block.depth[:, None, :] > 0)
        count += both.sum(axis=0)
        for measure, values in enumerate(_values(block, k, p)):
            totals[measure] += np.where(both, values, 0).sum(axis=0)
    means = np.divide(totals, count, out=np.full_like(totals, np.nan), where=count > 0)
    return RunAgreement(*means)


def _values(block: _SourceBlock, k: int, p: float) -> tuple[Matrix, Matrix, Matrix]:
    """Overlap, RBO, and RBO's sum over the first k depths of a block, (B, S, S) each."""
    first_depth, second_depth = block.depth[:, :, None], block.depth[:, None, :]
    short, long = np.minimum(first_depth, second_depth), np.maximum(first_depth, second_depth)
    deepest = block.target.shape[2]
    sums = Sums(p, int(long.max(initial=0)))
    # sum of p**d / d above each depth
    before = sums.over(np.zeros(deepest, dtype=np.int64), np.arange(deepest))
    n_shared = np.zeros(short.shape, dtype=np.int32)
    n_shared_short, n_shared_near, weight_before, near_weight_before = (
        np.zeros(short.shape) for _ in range(4)
    )
    ends = set(np.unique(short).tolist())
    for depth in range(1, deepest + 1):
        ranks = block.rank.take(block.target[:, :, depth - 1].ravel(), axis=0).reshape(short.shape)
        earlier = (ranks < depth).view(np.int8)
        n_new = earlier + earlier.swapaxes(1, 2) + (ranks == depth).view(np.int8)
        n_shared += n_new
        weight_before += n_new * before[depth - 1]
        if depth in ends:
            np.copyto(n_shared_short, n_shared, where=short == depth)
        if depth <= k:
            np.copyto(n_shared_near, n_shared)
            np.copyto(near_weight_before, weight_before)
    # each target from where both hold it down to the end
    none = np.zeros_like(long)
    seen_sum = n_shared * sums.over(none, long) - weight_before
    near_sum = n_shared_near * sums.over(none, np.minimum(long, k)) - near_weight_before
    rate = np.divide(n_shared_short, short, out=np.zeros(short.shape), where=short > 0)
    extrapolation = rate * (sums.power(short, long) - short * sums.over(short, long))
    tail = (
        np.divide(n_shared - n_shared_short, long, out=np.zeros(short.shape), where=long > 0) + rate
    )
    scale = (1 - p) / p
    rbo = scale * (seen_sum + extrapolation) + tail * np.power(p, long)
    # of the longer of both tops, so that a run is wholly like itself also where it is short
    overlap = n_shared_near / np.clip(long, 1, k)
    return overlap, rbo, scale * near_sum


def _blocks(runs: Sequence[RankedPairs]) -> Iterator[_SourceBlock]:
    """The rows of all runs in blocks of some source items, so few that a block stays small."""
    order, starts = group_by_pair(runs)
    if not len(order):
        return
    run_of_row = np.repeat(np.arange(len(runs)), [len(run.rank) for run in runs])[order]
    rank = np.concatenate([run.rank for run in runs])[order]
    source_keys, source = np.unique(
        np.concatenate([run.source for run in runs])[order], return_inverse=True
    )
    pair = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    first_row = np.searchsorted(source, np.arange(len(source_keys) + 1))  # rows are by source
    size = np.maximum(np.diff(pair[np.minimum(first_row, len(pair) - 1)]), len(runs)) * len(runs)
    low = 0
    while low < len(source_keys):
        high = min(
            low + max(1, int(np.searchsorted(np.cumsum(size[low:]), _CELLS_A_BLOCK))),
            len(source_keys),
        )
        rows = slice(first_row[low], first_row[high])
        target_number = pair[rows] - pair[first_row[low]]
        n_targets, deepest = int(target_number[-1]) + 1, int(rank[rows].max())
        cell = (source[rows] - low, run_of_row[rows])
        ranks = np.full((n_targets + 1, len(runs)), _NOWHERE, dtype=np.int32)
        ranks[target_number, run_of_row[rows]] = rank[rows]
        target_at_rank = np.full((high - low, len(runs), deepest), n_targets, dtype=np.int64)
        target_at_rank[*cell, rank[rows] - 1] = target_number
        depth = np.zeros(target_at_rank.shape[:2], dtype=np.int64)
        np.maximum.at(depth, cell, rank[rows])
        yield _SourceBlock(ranks, target_at_rank, depth)
        low = high
