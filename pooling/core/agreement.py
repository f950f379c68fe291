"""Overlap and RBO of every two of a set of runs: all runs and many source items go down the ranks together.

Equals overlap.py's functions, which compare two runs. At each depth only one target a run is new, so that the agreement
of all pairs of runs grows by one look-up a pair: what is met costs nothing to find again.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.overlap import Sums
from pooling.core.selections import Integers, RankedPairs, grouped

Matrix = NDArray[np.float64]
_CELLS_A_BLOCK = 1_000_000
_NOWHERE = np.iinfo(np.int32).max


class Agreement(NamedTuple):
    """(S, S) each, symmetric, means over the source items that both runs answer; NaN where there are none.

    overlap : share of the first k that both hold; rbo : extrapolated, Webber, Moffat & Zobel 2010, Eq. 32
    """

    overlap: Matrix
    rbo: Matrix


class _Block(NamedTuple):
    """Some source items, B of them, and N targets of all of them; one more stands for none.

    rank : (N + 1, S) what each run gives each target; at : (B, S, D) the target at each rank; depth : (B, S)
    """

    rank: NDArray[np.int32]
    at: NDArray[np.int64]
    depth: Integers


def agreement(runs: Sequence[RankedPairs], *, k: int, p: float) -> Agreement:
    """How far each two of the S runs agree. Runs have the ranks 1, 2, ... without a gap in each ranking."""
    n_runs = len(runs)
    totals, count = np.zeros((2, n_runs, n_runs)), np.zeros((n_runs, n_runs))
    for block in _blocks(runs):
        both = (block.depth[:, :, None] > 0) & (block.depth[:, None, :] > 0)
        count += both.sum(axis=0)
        for each, values in enumerate(_values(block, k, p)):
            totals[each] += np.where(both, values, 0).sum(axis=0)
    means = np.divide(totals, count, out=np.full_like(totals, np.nan), where=count > 0)
    return Agreement(*means)


def _values(block: _Block, k: int, p: float) -> tuple[Matrix, Matrix]:
    """(B, S, S) overlap and RBO."""
    one, other = block.depth[:, :, None], block.depth[:, None, :]
    short, long = np.minimum(one, other), np.maximum(one, other)
    deepest = block.at.shape[2]
    sums = Sums(p, int(long.max(initial=0)))
    before = sums.over(np.zeros(deepest, dtype=np.int64), np.arange(deepest))  # sum of p**d / d above each depth
    met = np.zeros(short.shape, dtype=np.int32)
    met_short, met_near, begun = (np.zeros(short.shape) for _ in range(3))
    ends = set(np.unique(short).tolist())
    for depth in range(1, deepest + 1):
        held = block.rank.take(block.at[:, :, depth - 1].ravel(), axis=0).reshape(short.shape)
        earlier = (held < depth).view(np.int8)
        new = earlier + earlier.swapaxes(1, 2) + (held == depth).view(np.int8)
        met += new
        begun += new * before[depth - 1]
        if depth in ends:
            np.copyto(met_short, met, where=short == depth)
        if depth <= k:
            np.copyto(met_near, met)
    seen = met * sums.over(np.zeros_like(long), long) - begun  # each target from where both hold it down to the end
    rate = np.divide(met_short, short, out=np.zeros(short.shape), where=short > 0)
    carried = rate * (sums.power(short, long) - short * sums.over(short, long))
    tail = np.divide(met - met_short, long, out=np.zeros(short.shape), where=long > 0) + rate
    return met_near / k, (1 - p) / p * (seen + carried) + tail * np.power(p, long)


def _blocks(runs: Sequence[RankedPairs]) -> Iterator[_Block]:
    """The rows of all runs, some source items at a time, so many that a block stays small."""
    order, starts = grouped(runs)
    if not len(order):
        return
    of_row = np.repeat(np.arange(len(runs)), [len(run.rank) for run in runs])[order]
    rank = np.concatenate([run.rank for run in runs])[order]
    known, source = np.unique(np.concatenate([run.source for run in runs])[order], return_inverse=True)
    pair = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order))))
    first_row = np.searchsorted(source, np.arange(len(known) + 1))  # rows are by source
    size = np.maximum(np.diff(pair[np.minimum(first_row, len(pair) - 1)]), len(runs)) * len(runs)
    low = 0
    while low < len(known):
        high = min(low + max(1, int(np.searchsorted(np.cumsum(size[low:]), _CELLS_A_BLOCK))), len(known))
        rows = slice(first_row[low], first_row[high])
        target = pair[rows] - pair[first_row[low]]
        n_targets, deepest = int(target[-1]) + 1, int(rank[rows].max())
        place = (source[rows] - low, of_row[rows])
        ranks = np.full((n_targets + 1, len(runs)), _NOWHERE, dtype=np.int32)
        ranks[target, of_row[rows]] = rank[rows]
        at = np.full((high - low, len(runs), deepest), n_targets, dtype=np.int64)
        at[*place, rank[rows] - 1] = target
        depth = np.zeros(at.shape[:2], dtype=np.int64)
        np.maximum.at(depth, place, rank[rows])
        yield _Block(ranks, at, depth)
        low = high
