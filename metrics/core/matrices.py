"""Ranks straight from a similarity matrix, in both directions, without sorting it.

Every measure needs the ranks of the labelled targets alone, and a rank is a count: one more than the targets that
score higher. Counting for the few labelled pairs reads the matrix once and keeps a small block of it; sorting 25,000
x 5,000 scores would take minutes and several times the matrix.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import RankedGrades

_BLOCK = 1 << 23  # scores copied at a time
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
    ranks = np.empty(len(order), dtype=np.int64)
    bounds = np.searchsorted(cells.row[order], np.arange(scores.shape[0] + 1))
    for start, block in _blocks(scores, bounds, score_type):
        if np.isnan(block.min(initial=0)):
            raise ValueError("A similarity is NaN; a rank needs numbers.")
        for row in np.flatnonzero(np.diff(bounds[start : start + len(block) + 1])):
            mine = order[bounds[start + row] : bounds[start + row + 1]]
            ranks[mine] = _ranks_in(block[row], cells.column[mine], first)
    return ranks


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
    """RankedGrades of labels whose ranks are known, over `shape` = (Q queries, N targets each)."""
    by_rank, by_grade = np.lexsort((rank, query)), np.lexsort((-grade, query))
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


def _blocks(
    scores: NDArray[Any], bounds: NDArray[np.int64], score_type: str
) -> Iterator[tuple[int, NDArray[np.floating]]]:
    """Consecutive rows, contiguous and of one type, skipping blocks without a label."""
    rows = max(1, _BLOCK // max(scores.shape[1], 1))
    for start in range(0, scores.shape[0], rows):
        end = min(start + rows, scores.shape[0])
        if bounds[end] > bounds[start]:
            yield start, _contiguous(scores[start:end], score_type)


def _contiguous(part: NDArray[Any], score_type: str) -> NDArray[np.floating]:
    """A part of the matrix with its rows in one piece, which the columns of a matrix are not: copied tile by tile."""
    if part.strides[1] == part.itemsize:
        return np.ascontiguousarray(part, dtype=score_type)
    out = np.empty(part.shape, dtype=score_type)
    for at in range(0, part.shape[1], _TILE):
        out[:, at : at + _TILE] = part[:, at : at + _TILE]
    return out


def _ranks_in(row: NDArray[Any], columns: NDArray[np.int64], first: NDArray[np.int64]) -> list[int]:
    """Ranks of some columns of one row."""
    ranks = []
    for column in columns.tolist():
        own = row[column]
        above = np.count_nonzero(row > own)
        level = np.count_nonzero(row >= own) - above
        if level != 1:
            above += np.count_nonzero(first[row == own] < first[column])
        ranks.append(int(above) + 1)
    return ranks
