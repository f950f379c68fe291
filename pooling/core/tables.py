"""The union of rankings without one long sort: a table of a row a source, with all its runs' targets side by side.

Short rows of 32-bit numbers are sorted several times faster than one long column of all pairs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Table = NDArray[np.unsignedinteger]
EMPTY = 3  # cells for each one that is filled, beyond which a table does not pay
AT_ONCE = 1 << 16  # cells whose sorting and reading stay in a processor's cache


class Stretches(NamedTuple):
    """One run by source, at least one; its rankings best first, none empty, no target twice in one.

    source : (S,) ascending; target : (N,) ranking after ranking, or (S, depth); lengths : (S,) of the rankings
    """

    source: Integers
    target: Integers
    lengths: Integers


class Found(NamedTuple):
    """Pairs by source and target, none twice, with the best rank of each; int64."""

    source: Integers
    target: Integers
    best_rank: Integers


class _Shape(NamedTuple):
    """low, high : the smallest and largest source; base : what is taken off every target; void : no target, larger
    depths : columns of each run; rank_bits : low bits of a cell, which hold the rank
    """

    low: int
    high: int
    base: int
    void: int
    depths: list[int]
    rank_bits: int
    dtype: type


def union_of(runs: Sequence[Stretches]) -> Found | None:
    """All pairs of the runs, or None where they leave too much of their table empty or their keys do not fit."""
    shape = _shape(runs) if runs else None
    if shape is None:
        return None
    n_rows, width = shape.high - shape.low + 1, sum(shape.depths)
    n_filled = sum(run.target.size for run in runs)
    if n_rows * width > EMPTY * n_filled:
        return None
    is_full = n_filled == n_rows * width
    table = np.empty((n_rows, width), shape.dtype) if is_full else np.full((n_rows, width), shape.void, shape.dtype)
    at = 0
    for run, depth in zip(runs, shape.depths, strict=True):
        _fill(table[:, at : at + depth], run, shape)
        at += depth
    return _read(table, shape, n_filled)


def _shape(runs: Sequence[Stretches]) -> _Shape | None:
    """The table of the runs; None where a target and a rank do not fit in one cell."""
    depths = [int(run.lengths.max()) for run in runs]
    rank_bits = max(depths).bit_length()
    low, high = min(int(run.source[0]) for run in runs), max(int(run.source[-1]) for run in runs)
    base, void = 0, 1 + max(int(run.target.view(np.uint64).max()) for run in runs)  # keys below 0 are the largest here
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
        place = np.arange(len(target)) - np.repeat(np.cumsum(run.lengths) - run.lengths, run.lengths)
        columns[np.repeat(row, run.lengths), place] = target
    elif row[-1] - row[0] == len(row) - 1:  # no source is missing: a slice is twice as fast
        columns[row[0] : row[-1] + 1] = target.reshape(len(row), -1)
    else:
        columns[row] = target.reshape(len(row), -1)


def _read(table: Table, shape: _Shape, n_filled: int) -> Found:
    """Sort the rows, a few at a time, and read the first cell of each target, which has the best rank."""
    source, target, rank = np.empty((3, n_filled), np.int64)
    ranks = np.concatenate([np.arange(1, depth + 1, dtype=table.dtype) for depth in shape.depths])
    n_found, step = 0, max(1, AT_ONCE // table.shape[1])
    for row in range(0, len(table), step):
        rows = table[row : row + step]
        rows <<= shape.rank_bits
        rows |= ranks
        rows.sort(axis=1)
        is_first = _is_first(rows >> shape.rank_bits, shape.void if n_filled < table.size else None)
        cells = rows.reshape(-1)[np.flatnonzero(is_first)]
        new = slice(n_found, n_found + len(cells))
        in_row = is_first.view(np.uint8).sum(axis=1, dtype=np.uint32)
        source[new] = np.repeat(np.arange(shape.low + row, shape.low + row + len(rows)), in_row)
        target[new] = cells >> shape.rank_bits
        rank[new] = cells & ((1 << shape.rank_bits) - 1)
        n_found += len(cells)
    if shape.base:
        target += shape.base
    return Found(source[:n_found], target[:n_found], rank[:n_found])


def _is_first(target: Table, void: int | None) -> NDArray[np.bool_]:
    """Which cells of the sorted rows differ from the one before; none where there is no target."""
    is_first = np.ones(target.shape, dtype=bool)
    np.not_equal(target[:, 1:], target[:, :-1], out=is_first[:, 1:])
    if void is not None:
        is_first &= target != void
    return is_first
