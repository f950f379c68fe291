"""Ranks of labelled pairs in a similarity matrix, in both directions, without sorting it.

Every measure needs the ranks of the labelled targets alone, and a rank is a count: one more than
the targets that score higher. Counting for the few labelled pairs reads the matrix once and keeps a
small block of it; sorting 25,000 x 5,000 scores would take minutes and several times the matrix.
Only a row with eight labels or more is sorted.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades

_BLOCK = 1 << 21  # scores copied at a time by each thread
_THREADS = min(os.cpu_count() or 1, 4)
_SORT_FROM = 8  # labelled columns a row: sorting costs about as much as counting for so many
_COMPARISONS_A_BLOCK = 1 << 18  # scores compared at a time
_TILE = 1024  # and rows of a matrix whose columns are copied at a time


class Cells(NamedTuple):
    """Labelled cells of a matrix: row and column (L,) and their grade; no cell twice."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    grade: NDArray[Any]


def row_ranks(
    scores: NDArray[Any],
    cells: Cells,
    *,
    precedence: NDArray[np.int64] | None = None,
    score_type: str = "float32",
) -> NDArray[np.int64]:
    """(L,) 1-based rank of each cell's column among the columns of its row, larger scores first.

    scores : (Q, N) similarities, compared as float32 by default as trec_eval 9 does
    precedence : (N,) the order of tied columns, the lowest first; default: the later column first,
        the canonical order of ids that ascend with the columns

    Raises ValueError for NaN in or near a row that holds a labelled cell.
    """
    first = -np.arange(scores.shape[1]) if precedence is None else precedence
    order = np.argsort(cells.row, kind="stable")
    column, ranks = cells.column[order], np.empty(len(order), dtype=np.int64)
    bounds = np.searchsorted(cells.row[order], np.arange(scores.shape[0] + 1))

    def count(rows: slice) -> None:
        inside = bounds[rows.start : rows.stop + 1]
        labels_here = slice(inside[0], inside[-1])
        block = _contiguous(scores[rows], score_type)
        if np.isnan(block.min(initial=0)):
            raise ValueError("A similarity is NaN; a rank needs numbers.")
        ranks[labels_here] = _ranks_in(block, inside - inside[0], column[labels_here], first)

    with ThreadPoolExecutor(_THREADS) as pool:  # numpy lets other threads run while it compares
        list(pool.map(count, _blocks(scores.shape, bounds)))
    ranks_of_cells = np.empty(len(order), dtype=np.int64)
    ranks_of_cells[order] = ranks
    return ranks_of_cells


def from_ranks(
    query: NDArray[np.int64],
    rank: NDArray[np.int64],
    grade: NDArray[Any],
    *,
    shape: tuple[int, ...],
) -> RankedGrades:
    """RankedGrades from labels and their ranks, over `shape` = (Q queries, N targets each).

    rank : (L,) 1-based; 0 for a target that was not among the N: never retrieved, yet one of the
        query's positives
    """
    rows = np.flatnonzero(rank > 0)
    by_rank = rows[np.lexsort((rank[rows], query[rows]))]
    by_grade = np.lexsort((-grade, query))
    return RankedGrades(
        query=query[by_rank],
        rank=rank[by_rank],
        grade=grade[by_rank],
        depth=np.full(shape[0], shape[1], dtype=np.int64),
        label_query=query[by_grade],
        label_grade=grade[by_grade],
        label=by_rank,
        label_row=by_grade,
    )


def _blocks(shape: tuple[int, ...], bounds: NDArray[np.int64]) -> Iterator[slice]:
    """Consecutive rows of a matrix, leaving out blocks without a label."""
    rows = max(1, _BLOCK // max(shape[1], 1))
    for start in range(0, shape[0], rows):
        end = min(start + rows, shape[0])
        if bounds[end] > bounds[start]:
            yield slice(start, end)


def _contiguous(part: NDArray[Any], score_type: str) -> NDArray[np.floating]:
    """A part of the matrix with contiguous rows.

    The columns of a matrix are copied tile by tile.
    """
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there too
        if part.strides[1] == part.itemsize:
            return np.ascontiguousarray(part, dtype=score_type)
        out = np.empty(part.shape, dtype=score_type)
        for start in range(0, part.shape[1], _TILE):
            out[:, start : start + _TILE] = part[:, start : start + _TILE]
        return out


def _ranks_in(
    block: NDArray[Any],
    bounds: NDArray[np.int64],
    column: NDArray[np.int64],
    first: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Ranks of the labelled columns of some rows; row i has labels bounds[i] to bounds[i + 1]."""
    ranks, n_labels = np.empty(len(column), dtype=np.int64), np.diff(bounds)
    for row in np.flatnonzero(n_labels >= _SORT_FROM).tolist():
        row_labels = slice(bounds[row], bounds[row + 1])
        ranks[row_labels] = _sorted_ranks(block[row], column[row_labels], first)
    for nth in range(min(int(n_labels.max(initial=0)), _SORT_FROM - 1)):
        rows = np.flatnonzero((n_labels > nth) & (n_labels < _SORT_FROM))
        label = bounds[rows] + nth
        ranks[label] = _counted_ranks(block, rows, column[label], first)
    return ranks


def _counted_ranks(
    block: NDArray[Any],
    rows: NDArray[np.int64],
    column: NDArray[np.int64],
    first: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Ranks of one column in each of some ascending rows, by counting.

    A few rows at a time, to fit a cache.
    """
    ranks = np.empty(len(rows), dtype=np.int64)
    step = max(1, _COMPARISONS_A_BLOCK // max(block.shape[1], 1))
    own = block[rows, column]
    for start in range(0, len(rows), step):
        block_rows = rows[start : start + step]
        part = (
            block[block_rows[0] : block_rows[-1] + 1]
            if block_rows[-1] - block_rows[0] == len(block_rows) - 1
            else block[block_rows]
        )
        own_scores = own[start : start + step, None]
        above = _n_true(np.greater, part, own_scores)
        not_below = _n_true(np.greater_equal, part, own_scores)
        for tied_row in np.flatnonzero(not_below - above != 1).tolist():
            tied_precedences = first[part[tied_row] == own_scores[tied_row]]
            above[tied_row] += np.count_nonzero(tied_precedences < first[column[start + tied_row]])
        ranks[start : start + step] = above + 1
    return ranks


def _n_true(compare: np.ufunc, part: NDArray[Any], own: NDArray[Any]) -> NDArray[np.int64]:
    """(n,) number of cells of each row for which a comparison is true.

    Eight truth values are a word, and up to 255 words are added before a byte of their sum could
    overflow.
    """
    n_words = -(-part.shape[1] // 8)
    is_true = np.zeros((len(part), 8 * n_words), dtype=bool)
    compare(part, own, out=is_true[:, : part.shape[1]])
    sums = np.add.reduceat(is_true.view(np.uint64), np.arange(0, n_words, 255), axis=1)
    return sums.view(np.uint8).reshape(len(part), -1).sum(axis=1, dtype=np.int64)


def _sorted_ranks(
    row: NDArray[Any], columns: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Ranks by sorting the scores, or the columns where one of them is tied."""
    ascending, own = np.sort(row), row[columns]
    not_above = np.searchsorted(ascending, own, side="right")
    if np.all(not_above - np.searchsorted(ascending, own) == 1):
        return np.asarray(len(row) - not_above + 1)
    rank = np.empty(len(row), dtype=np.int64)
    rank[np.lexsort((first, -row))] = np.arange(1, len(row) + 1)
    return rank[columns]
