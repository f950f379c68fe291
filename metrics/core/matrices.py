"""Ranks straight from a similarity matrix, in both directions, without sorting it.

Every measure needs the ranks of the labelled targets alone, and a rank is a count: one more than the targets that
score higher. Counting for the few labelled pairs reads the matrix once and keeps a small block of it; sorting 25,000
x 5,000 scores would take minutes and several times the matrix. Only a row with hundreds of labels is sorted.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades

_BLOCK = 1 << 21  # scores copied at a time by each thread
_THREADS = min(os.cpu_count() or 1, 4)
_SORT_FROM = 8  # labelled columns a row: sorting the row costs about as much as counting for so many
_COUNTED = 1 << 18  # scores compared at a time
_TILE = 1024  # and rows of a matrix whose columns are copied at a time


class Cells(NamedTuple):
    """Labelled cells of a matrix: row and column (L,) and their grade; no cell twice."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    grade: NDArray[Any]


def row_ranks(
    scores: NDArray[Any], cells: Cells, *, precedence: NDArray[np.int64] | None = None, score_type: str = "float32"
) -> NDArray[np.int64]:
    """(L,) 1-based rank of each cell's column among the columns of its row, larger scores first.

    scores : (Q, N) similarities, compared as float32 by default as trec_eval 9 does
    precedence : (N,) which of tied columns comes first, the lowest first; default: the later column, the canonical
        order of ids that ascend with the columns

    Raises ValueError for NaN in or near a row that holds a labelled cell.
    """
    first = -np.arange(scores.shape[1]) if precedence is None else precedence
    order = np.argsort(cells.row, kind="stable")
    column, ranks = cells.column[order], np.empty(len(order), dtype=np.int64)
    bounds = np.searchsorted(cells.row[order], np.arange(scores.shape[0] + 1))

    def count(rows: slice) -> None:
        inside = bounds[rows.start : rows.stop + 1]
        here = slice(inside[0], inside[-1])
        block = _contiguous(scores[rows], score_type)
        if np.isnan(block.min(initial=0)):
            raise ValueError("A similarity is NaN; a rank needs numbers.")
        ranks[here] = _ranks_in(block, inside - inside[0], column[here], first)

    with ThreadPoolExecutor(_THREADS) as pool:  # numpy lets other threads run while it compares
        list(pool.map(count, _blocks(scores.shape, bounds)))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = ranks
    return found


def column_ranks(
    scores: NDArray[Any], cells: Cells, *, precedence: NDArray[np.int64] | None = None, score_type: str = "float32"
) -> NDArray[np.int64]:
    """(L,) 1-based rank of each cell's row among the rows of its column: the other direction; see `row_ranks`."""
    return row_ranks(
        scores.T, Cells(cells.column, cells.row, cells.grade), precedence=precedence, score_type=score_type
    )


def ranked_rows(scores: NDArray[Any], cells: Cells, **options: Any) -> RankedGrades:
    """The labelled cells as what metrics.core.measures takes, each row a query; options as in `row_ranks`."""
    return from_ranks(cells.row, row_ranks(scores, cells, **options), cells.grade, shape=scores.shape)


def ranked_columns(scores: NDArray[Any], cells: Cells, **options: Any) -> RankedGrades:
    """The labelled cells as what metrics.core.measures takes, each column a query; options as in `row_ranks`."""
    shape = scores.shape[1], scores.shape[0]
    return from_ranks(cells.column, column_ranks(scores, cells, **options), cells.grade, shape=shape)


def from_ranks(
    query: NDArray[np.int64], rank: NDArray[np.int64], grade: NDArray[Any], *, shape: tuple[int, ...]
) -> RankedGrades:
    """RankedGrades of labels whose ranks are known, over `shape` = (Q queries, N targets each).

    rank : (L,) 1-based; 0 for a target that was not among the N: never retrieved, yet one of the query's positives
    """
    retrieved = np.flatnonzero(rank > 0)
    by_rank = retrieved[np.lexsort((rank[retrieved], query[retrieved]))]
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


def restricted(ranked: RankedGrades, queries: NDArray[np.int64]) -> RankedGrades:
    """The same over some of the queries only, numbered anew in the order given."""
    place = np.full(len(ranked.depth), -1, dtype=np.int64)
    place[queries] = np.arange(len(queries))
    hits, labels = np.flatnonzero(place[ranked.query] >= 0), np.flatnonzero(place[ranked.label_query] >= 0)
    hits = hits[np.argsort(place[ranked.query[hits]], kind="stable")]
    labels = labels[np.argsort(place[ranked.label_query[labels]], kind="stable")]
    return RankedGrades(
        query=place[ranked.query[hits]],
        rank=ranked.rank[hits],
        grade=ranked.grade[hits],
        depth=ranked.depth[queries],
        label_query=place[ranked.label_query[labels]],
        label_grade=ranked.label_grade[labels],
        label=ranked.label[hits],
        label_row=ranked.label_row[labels],
    )


def part_of(scores: NDArray[Any], rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
    """Some rows and columns of a matrix, ascending; not copied where both follow each other."""
    if all(len(each) and each[-1] - each[0] == len(each) - 1 for each in (rows, columns)):
        return scores[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return scores[np.ix_(rows, columns)]


def _blocks(shape: tuple[int, ...], bounds: NDArray[np.int64]) -> Iterator[slice]:
    """Consecutive rows of a matrix, leaving out blocks without a label."""
    rows = max(1, _BLOCK // max(shape[1], 1))
    for start in range(0, shape[0], rows):
        end = min(start + rows, shape[0])
        if bounds[end] > bounds[start]:
            yield slice(start, end)


def _contiguous(part: NDArray[Any], score_type: str) -> NDArray[np.floating]:
    """A part of the matrix with its rows in one piece, which the columns of a matrix are not: copied tile by tile."""
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there too
        if part.strides[1] == part.itemsize:
            return np.ascontiguousarray(part, dtype=score_type)
        out = np.empty(part.shape, dtype=score_type)
        for at in range(0, part.shape[1], _TILE):
            out[:, at : at + _TILE] = part[:, at : at + _TILE]
        return out


def _ranks_in(
    block: NDArray[Any], bounds: NDArray[np.int64], column: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Ranks of the labelled columns of some rows: row i has the labels bounds[i] to bounds[i + 1]."""
    ranks, many = np.empty(len(column), dtype=np.int64), np.diff(bounds)
    for row in np.flatnonzero(many >= _SORT_FROM).tolist():
        here = slice(bounds[row], bounds[row + 1])
        ranks[here] = _sorted_ranks(block[row], column[here], first)
    for nth in range(min(int(many.max(initial=0)), _SORT_FROM - 1)):
        rows = np.flatnonzero((many > nth) & (many < _SORT_FROM))
        label = bounds[rows] + nth
        ranks[label] = _counted_ranks(block, rows, column[label], first)
    return ranks


def _counted_ranks(
    block: NDArray[Any], rows: NDArray[np.int64], column: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Ranks of one column of each of some rows, ascending, by counting; some rows at a time, that fit a cache."""
    ranks, step = np.empty(len(rows), dtype=np.int64), max(1, _COUNTED // max(block.shape[1], 1))
    own = block[rows, column]
    for start in range(0, len(rows), step):
        here = rows[start : start + step]
        part = block[here[0] : here[-1] + 1] if here[-1] - here[0] == len(here) - 1 else block[here]
        mine = own[start : start + step, None]
        above, not_below = _n_true(np.greater, part, mine), _n_true(np.greater_equal, part, mine)
        for tied in np.flatnonzero(not_below - above != 1).tolist():
            beside = first[part[tied] == mine[tied]]
            above[tied] += np.count_nonzero(beside < first[column[start + tied]])
        ranks[start : start + step] = above + 1
    return ranks


def _n_true(compare: np.ufunc, part: NDArray[Any], own: NDArray[Any]) -> NDArray[np.int64]:
    """(n,) for how many cells of each row a comparison holds.

    Eight truth values are a word, and up to 255 words are added before a byte of their sum could overflow.
    """
    n_words = -(-part.shape[1] // 8)
    held = np.zeros((len(part), 8 * n_words), dtype=bool)
    compare(part, own, out=held[:, : part.shape[1]])
    sums = np.add.reduceat(held.view(np.uint64), np.arange(0, n_words, 255), axis=1)
    return sums.view(np.uint8).reshape(len(part), -1).sum(axis=1, dtype=np.int64)


def _sorted_ranks(row: NDArray[Any], columns: NDArray[np.int64], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same by sorting the scores, or, where one of the columns is tied, the columns."""
    ascending, own = np.sort(row), row[columns]
    not_above = np.searchsorted(ascending, own, side="right")
    if np.all(not_above - np.searchsorted(ascending, own) == 1):
        return np.asarray(len(row) - not_above + 1)
    rank = np.empty(len(row), dtype=np.int64)
    rank[np.lexsort((first, -row))] = np.arange(1, len(row) + 1)
    return rank[columns]
