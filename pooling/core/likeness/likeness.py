"""Likeness of every two runs of a set, all at once: overlap, RBO, Kendall's tau, favourites.

Equals what two runs alone have; here each target that two runs share is read
once for all measures, block of source items by block.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import is_first
from pooling.core.likeness.run_agreement import agreement
from pooling.core.strategies.selections import Integers, RankedPairs, group_by_pair

Matrix = NDArray[np.float64]
_CELLS_A_BLOCK = 1_000_000
_SHARED_A_BLOCK = 400_000  # they fit into a processor's cache


class Likeness(NamedTuple):
    """Likeness of every two runs by several measures: (S, S) each.

    Means over the source items that both runs answer; NaN where there are none.

    n_sources : number of those source items
    overlap : share of the first k, of the longer ranking where both are shorter, that both hold
    rbo : extrapolated; truncated : its sum over the first k depths alone, below 1 for a run with
        itself; tau : Kendall's, over shared targets, where two are shared at least; all symmetric
    favourite : mean rank that the column's run gives the row's top target, one more than its depth
        where it lacks it
    """

    n_sources: Integers
    overlap: Matrix
    rbo: Matrix
    truncated: Matrix
    tau: Matrix
    favourite: Matrix


class LikenessOfParts(NamedTuple):
    """Likeness over several parts of the source items; n_tau : (S, S) source items with a tau."""

    likeness: Likeness
    n_tau: Integers


class _RankedRows(NamedTuple):
    """All runs' rows by source and target; source counts from 0."""

    source: Integers
    run: Integers
    rank: Integers
    starts: Integers


class _RunPairTargets(NamedTuple):
    """Targets that two runs share: the source item, the runs (first < second) and their ranks."""

    source: Integers
    first: Integers
    second: Integers
    first_rank: Integers
    second_rank: Integers


class _Sum:
    """A sum over source items, and the number of them."""

    def __init__(self, n_runs: int) -> None:
        self._total, self._count = np.zeros((n_runs, n_runs)), np.zeros((n_runs, n_runs))

    def add(self, values: Matrix, is_defined: NDArray[np.bool_]) -> None:
        """Add the values that are defined; values, is_defined : (Q, S, S)."""
        self._total += np.where(is_defined, values, 0).sum(axis=0)
        self._count += is_defined.sum(axis=0)

    def add_mean(self, mean: Matrix, n: Integers) -> None:
        """Add n source items by their mean, NaN for none; mean, n : (S, S)."""
        self._total += np.where(n > 0, mean, 0) * n
        self._count += n

    @property
    def n(self) -> Integers:
        """(S, S) number of source items."""
        return self._count.astype(np.int64)

    def mean(self) -> Matrix:
        """Mean over source items; NaN where nothing was defined."""
        return np.divide(
            self._total, self._count, out=np.full_like(self._total, np.nan), where=self._count > 0
        )


def likeness(runs: Sequence[RankedPairs], *, k: int, p: float) -> Likeness:
    """Likeness of each two of the S runs. Webber, Moffat & Zobel 2010 for RBO, Eq. 32.

    runs : ranks 1, 2, ... without a gap in each ranking
    """
    return likeness_of_parts([runs], n_runs=len(runs), k=k, p=p).likeness


def likeness_of_parts(
    parts: Iterable[Sequence[RankedPairs]], *, n_runs: int, k: int, p: float
) -> LikenessOfParts:
    """Likeness of each two of the S runs, whose rows of some source items come part by part.

    parts : the S runs' rows of other source items each time, so that few are sorted at once
    """
    overlap, rbo, truncated, tau, favourite = (_Sum(n_runs) for _ in range(5))
    n_sources = np.zeros((n_runs, n_runs), dtype=np.int64)
    above = np.triu(np.ones((n_runs, n_runs), dtype=bool))
    for runs in parts:
        rows, depth = _rows(runs)
        n_before = n_sources.copy()
        for low, high, shared_targets in _blocks(rows, depth):
            block_depth = depth[low:high]
            both = (block_depth[:, :, None] > 0) & (block_depth[:, None, :] > 0)
            n_sources += both.sum(axis=0)
            of_block = shared_targets._replace(source=shared_targets.source - low)
            upper_tau = _tau(of_block, block_depth)
            value = np.where(above, upper_tau, upper_tau.swapaxes(1, 2))
            tau.add(value, both & ~np.isnan(value))
            favourite.add(_favourite(of_block, block_depth), both)
        of_part = agreement(runs, k=k, p=p)
        for values, mean in zip((overlap, rbo, truncated), of_part, strict=True):
            values.add_mean(mean, n_sources - n_before)
    means = (values.mean() for values in (overlap, rbo, truncated, tau, favourite))
    return LikenessOfParts(Likeness(n_sources, *means), tau.n)


def _rows(runs: Sequence[RankedPairs]) -> tuple[_RankedRows, Integers]:
    """The rows, and (Q, S) how deep each run answers each source item."""
    order, starts = group_by_pair(runs)
    source = np.concatenate([run.source for run in runs])[order]
    rank = np.concatenate([run.rank for run in runs])[order]
    run = np.repeat(np.arange(len(runs)), [len(run_rows.rank) for run_rows in runs])[order]
    source_keys, source = np.unique(source, return_inverse=True)
    depth = np.bincount(source * len(runs) + run, minlength=len(source_keys) * len(runs)).reshape(
        len(source_keys), len(runs)
    )
    return _RankedRows(source, run, rank, starts), depth


def _blocks(rows: _RankedRows, depth: Integers) -> Iterator[tuple[int, int, _RunPairTargets]]:
    """Ranges of source items, none with more cells or shared targets than fit, and the latter."""
    n_queries, n_runs = depth.shape
    size = np.diff(np.append(rows.starts, len(rows.source)))
    n_shared_targets = np.bincount(
        rows.source[rows.starts], weights=size * (size - 1) / 2, minlength=n_queries
    )
    running = np.append(0, np.cumsum(n_shared_targets))
    low = 0
    while low < n_queries:
        high = int(np.searchsorted(running, running[low] + _SHARED_A_BLOCK, side="right")) - 1
        high = min(max(high, low + 1), low + max(1, _CELLS_A_BLOCK // n_runs**2), n_queries)
        first, last = np.searchsorted(rows.source[rows.starts], [low, high])
        yield low, high, _shared_targets(rows, rows.starts[first:last], size[first:last])
        low = high


def _shared_targets(rows: _RankedRows, starts: Integers, size: Integers) -> _RunPairTargets:
    """Every two runs that hold one target, for all targets from these starts on.

    Targets that equally many runs hold are handled together.
    """
    row_pairs = [np.empty((2, 0), dtype=np.int64)]
    for n in np.unique(size[size > 1]):
        first, second = np.triu_indices(n, k=1)
        base = starts[size == n][:, None]
        row_pairs.append(np.stack([(base + first).ravel(), (base + second).ravel()]))
    first, second = np.concatenate(row_pairs, axis=1)
    # Rows of one target are in the order of runs.
    return _RunPairTargets(
        rows.source[first], rows.run[first], rows.run[second], rows.rank[first], rows.rank[second]
    )


def _favourite(shared_targets: _RunPairTargets, depth: Integers) -> Matrix:
    values = np.repeat(depth[:, None, :] + 1.0, depth.shape[1], axis=1)
    top = shared_targets.first_rank == 1
    values[shared_targets.source[top], shared_targets.first[top], shared_targets.second[top]] = (
        shared_targets.second_rank[top]
    )
    top = shared_targets.second_rank == 1
    values[shared_targets.source[top], shared_targets.second[top], shared_targets.first[top]] = (
        shared_targets.first_rank[top]
    )
    at = np.arange(depth.shape[1])
    values[:, at, at] = 1.0
    return values


def _tau(shared_targets: _RunPairTargets, depth: Integers) -> Matrix:
    """1 - 2 * share of the pairs of shared targets that the runs order differently.

    NaN for fewer than two.
    """
    shape: tuple[int, int] = depth.shape  # type: ignore[assignment]  # two axes
    n_queries, n_runs = shape
    # index of each shared target's cell in a flat (source, run, run) table
    rows = shared_targets.source * n_runs + shared_targets.first
    cells = rows * n_runs + shared_targets.second
    totals = np.bincount(cells, minlength=n_queries * n_runs**2)
    n_met = totals.reshape(n_queries, n_runs, n_runs).astype(np.float64)
    discordant = _inversions(cells, shared_targets.first_rank, shared_targets.second_rank, shape)
    pairs = n_met * (n_met - 1) / 2
    values = np.full(pairs.shape, np.nan)
    np.divide(2 * discordant, pairs, out=values, where=pairs > 0)
    at = np.arange(n_runs)
    values[:, at, at] = np.where(depth > 1, 0.0, np.nan)
    return 1 - values


def _inversions(
    cells: Integers, first: Integers, second: Integers, shape: tuple[int, int]
) -> Matrix:
    """For each cell, how many pairs of its shared targets the two ranks order differently.

    Bit by bit of the second rank from the highest, all cells at once: two targets that part at a
    bit are out of order if the one with the bit comes first. Then those without it go in front,
    each part in its old order.
    """
    n_bits = int(max(first.max(initial=0), second.max(initial=0))).bit_length()
    order = np.argsort(cells << n_bits | first)
    cell, value = cells[order], second[order]
    total = np.zeros(shape[0] * shape[1] ** 2)
    for bit in range(n_bits - 1, -1, -1):
        starts = np.flatnonzero(is_first(cell << n_bits | value >> bit + 1))
        lengths = np.diff(np.append(starts, len(cell)))
        has = value >> bit & 1
        running = np.cumsum(has)
        # itself too, where it has the bit
        before = running - np.repeat(running[starts] - has[starts], lengths)
        total += np.bincount(cell, weights=np.where(has == 1, 0, before), minlength=len(total))
        begin = np.repeat(starts, lengths)
        n_without = (
            np.repeat(lengths - np.add.reduceat(has, starts), lengths) if len(starts) else begin
        )
        position = np.where(has == 1, begin + n_without + before - 1, np.arange(len(cell)) - before)
        new_value = np.empty_like(value)
        new_value[position] = value
        value = new_value
    return total.reshape(shape[0], shape[1], shape[1])
