"""The union of rankings without one long sort: a row a source, all runs' targets side by side.

Short rows of 32-bit numbers are sorted several times faster than one long column of all pairs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Table = NDArray[np.unsignedinteger]
SCALE = 10**12  # of sums of weights
EMPTY = 3  # cells for each one that is filled, beyond which a table does not pay
AT_ONCE = 1 << 16  # cells whose sorting and reading stay in a processor's cache


class Stretches(NamedTuple):
    """One run by source, at least one; its rankings best first, none empty, no target twice in one.

    source : (S,) ascending; target : (N,) ranking after ranking, or (S, depth); lengths : (S,) of
        the rankings
    """

    source: Integers
    target: Integers
    lengths: Integers


class UnionPairs(NamedTuple):
    """Pairs by source and target, none twice, with the best rank of each; int64."""

    source: Integers
    target: Integers
    best_rank: Integers


class _Shape(NamedTuple):
    """Layout of a table of runs.

    low, high : the smallest and largest source; base : subtracted from every target; void : stands
        for no target, larger than any
    depths : columns of each run; rank_bits : low bits of a cell, which hold the rank
    """

    low: int
    high: int
    base: int
    void: int
    depths: list[int]
    rank_bits: int
    dtype: type


def union_of(runs: Sequence[Stretches]) -> UnionPairs | None:
    """All pairs of the runs, or None where their table is too empty or their keys do not fit."""
    built = _build_table(runs)
    return None if built is None else _read_pairs(*built)


def best_of(runs: Sequence[Stretches], weights: NDArray[np.float64], n: int) -> UnionPairs | None:
    """Of each source the n pairs with the largest sums of weights over the runs that hold them.

    None as in `union_of`.

    weights : (D + 1,) of ranks, 0 or more, for all ranks there are. Sums are compared to 12 digits
        after the point; equal ones by the better best rank, then by the larger target.
    """
    built = _build_table(runs)
    if built is None:
        return None
    table, shape, n_filled = built
    width = table.shape[1]
    ranks = np.concatenate([np.arange(1, depth + 1, dtype=table.dtype) for depth in shape.depths])
    low_bits = shape.rank_bits + width.bit_length()
    if int(np.ceil(weights.max() * len(runs) * SCALE)).bit_length() + low_bits > 63:
        return None
    parts, step = [], max(1, AT_ONCE // width)
    void = shape.void if n_filled < table.size else None
    for row in range(0, len(table), step):
        rows = table[row : row + step]
        rows <<= shape.rank_bits
        rows |= ranks
        rows.sort(axis=1)
        parts.append(_best(rows, shape, void, weights=weights, n=n, low=shape.low + row))
    return UnionPairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _best(
    rows: Table, shape: _Shape, void: int | None, *, weights: NDArray[np.float64], n: int, low: int
) -> tuple[Integers, Integers, Integers]:
    """The best pairs of some sorted rows, of sources from `low` on, by source and target.

    The sort key is one number: the sum, then the reversed rank, then the column, which ascends with
    the target; 0 where no pair begins.
    """
    width, mask = rows.shape[1], (1 << shape.rank_bits) - 1
    column_bits = width.bit_length()
    rank, targets = (rows & rows.dtype.type(mask)).astype(np.int64).ravel(), rows >> shape.rank_bits
    first = np.flatnonzero(_is_first(targets, void))
    weight = weights.take(rank)
    if void is not None:  # cells without a target end a row, behind its last pair
        weight[targets.ravel() == void] = 0
    sums = np.add.reduceat(weight, first) if len(first) else np.empty(0)
    source, column = np.divmod(first, width)
    n_per_row = np.bincount(source, minlength=len(rows))
    keys = np.zeros((len(rows), max(n, int(n_per_row.max()))), dtype=np.int64)
    own = np.rint(sums * SCALE).astype(np.int64) << shape.rank_bits | mask - rank[first]
    keys[source, np.arange(len(first)) - np.repeat(np.cumsum(n_per_row) - n_per_row, n_per_row)] = (
        own << column_bits | column + 1
    )
    if n < keys.shape[1]:
        keys = np.partition(keys, keys.shape[1] - n, axis=1)[:, -n:]
    columns = np.sort(keys & ((1 << column_bits) - 1), axis=1)
    source, at = np.nonzero(columns)
    cells = rows[source, columns[source, at] - 1]
    target = (cells >> shape.rank_bits).astype(np.int64) + shape.base
    return source + low, target, (cells & rows.dtype.type(mask)).astype(np.int64)


def _build_table(runs: Sequence[Stretches]) -> tuple[Table, _Shape, int] | None:
    """Build the table of the runs; with the number of its cells that hold a target.

    None if it does not pay.
    """
    shape = _shape(runs) if runs else None
    if shape is None:
        return None
    n_rows, width = shape.high - shape.low + 1, sum(shape.depths)
    n_filled = sum(run.target.size for run in runs)
    if n_rows * width > EMPTY * n_filled:
        return None
    is_full = n_filled == n_rows * width
    table: Table = (
        np.empty((n_rows, width), shape.dtype)
        if is_full
        else np.full((n_rows, width), shape.void, shape.dtype)
    )
    at = 0
    for run, depth in zip(runs, shape.depths, strict=True):
        _fill(table[:, at : at + depth], run, shape)
        at += depth
    return table, shape, n_filled


def _shape(runs: Sequence[Stretches]) -> _Shape | None:
    """Layout of the runs' table; None if a target and a rank do not fit in one cell."""
    depths = [int(run.lengths.max()) for run in runs]
    rank_bits = max(depths).bit_length()
    low, high = min(int(run.source[0]) for run in runs), max(int(run.source[-1]) for run in runs)
    # keys below 0 are the largest here
    base, void = 0, 1 + max(int(run.target.view(np.uint64).max()) for run in runs)
    if void.bit_length() + rank_bits > 32:
        base = min(int(run.target.min()) for run in runs)
        void = 1 + max(int(run.target.max()) for run in runs) - base
    n_bits = void.bit_length() + rank_bits
    dtype = np.uint32 if n_bits <= 32 else np.uint64
    return _Shape(low, high, base, void, depths, rank_bits, dtype) if n_bits < 64 else None


def _fill(columns: Table, run: Stretches, shape: _Shape) -> None:
    """Put a run's targets into its columns of the table."""
    row = run.source - shape.low
    target = run.target - shape.base if shape.base else run.target
    if target.size != len(row) * columns.shape[1]:
        column = np.arange(len(target)) - np.repeat(
            np.cumsum(run.lengths) - run.lengths, run.lengths
        )
        columns[np.repeat(row, run.lengths), column] = target
    elif row[-1] - row[0] == len(row) - 1:  # no source is missing: a slice is twice as fast
        columns[row[0] : row[-1] + 1] = target.reshape(len(row), -1)
    else:
        columns[row] = target.reshape(len(row), -1)


def _read_pairs(table: Table, shape: _Shape, n_filled: int) -> UnionPairs:
    """Sort the rows, a few at a time, and read each target's first cell: it has the best rank."""
    source, target, rank = np.empty((3, n_filled), np.int64)
    ranks = np.concatenate([np.arange(1, depth + 1, dtype=table.dtype) for depth in shape.depths])
    n_pairs, step = 0, max(1, AT_ONCE // table.shape[1])
    for row in range(0, len(table), step):
        rows = table[row : row + step]
        rows <<= shape.rank_bits
        rows |= ranks
        rows.sort(axis=1)
        is_first = _is_first(rows >> shape.rank_bits, shape.void if n_filled < table.size else None)
        cells = rows.reshape(-1)[np.flatnonzero(is_first)]
        new = slice(n_pairs, n_pairs + len(cells))
        in_row = is_first.view(np.uint8).sum(axis=1, dtype=np.uint32)
        source[new] = np.repeat(np.arange(shape.low + row, shape.low + row + len(rows)), in_row)
        target[new] = cells >> shape.rank_bits
        rank[new] = cells & ((1 << shape.rank_bits) - 1)
        n_pairs += len(cells)
    if shape.base:
        target += shape.base
    return UnionPairs(source[:n_pairs], target[:n_pairs], rank[:n_pairs])


def _is_first(target: NDArray[np.integer], void: int | None) -> NDArray[np.bool_]:
    """Mask of the cells that differ from the one before in their sorted row.

    False where there is no target.
    """
    is_first = np.ones(target.shape, dtype=bool)
    np.not_equal(target[:, 1:], target[:, :-1], out=is_first[:, 1:])
    if void is not None:
        is_first &= target != void
    return is_first
