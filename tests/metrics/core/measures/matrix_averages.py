"""Both directions and folds of a similarity matrix, with its ranks by row and by column."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.cross_modal_averages import BothDirections
from metrics.core.measures.matrices import Cells, from_ranks, row_ranks
from metrics.core.measures.measures import Measure, evaluate, with_scale


def column_ranks(
    scores: NDArray[Any],
    cells: Cells,
    *,
    precedence: NDArray[np.int64] | None = None,
    score_type: str = "float32",
) -> NDArray[np.int64]:
    """(L,) 1-based rank of each cell's row in its column, the other direction; see `row_ranks`."""
    return row_ranks(
        scores.T,
        Cells(cells.column, cells.row, cells.grade),
        precedence=precedence,
        score_type=score_type,
    )


def ranked_rows(scores: NDArray[Any], cells: Cells, **options: Any) -> RankedGrades:
    """RankedGrades of the labelled cells, each row a query; options as in `row_ranks`."""
    return from_ranks(
        cells.row, row_ranks(scores, cells, **options), cells.grade, shape=scores.shape
    )


def ranked_columns(scores: NDArray[Any], cells: Cells, **options: Any) -> RankedGrades:
    """RankedGrades of the labelled cells, each column a query; options as in `row_ranks`."""
    shape = scores.shape[1], scores.shape[0]
    return from_ranks(
        cells.column, column_ranks(scores, cells, **options), cells.grade, shape=shape
    )


def restrict_queries(rankings: RankedGrades, queries: NDArray[np.int64]) -> RankedGrades:
    """Restrict to some of the queries, renumbered in the order given."""
    new_number = np.full(len(rankings.depth), -1, dtype=np.int64)
    new_number[queries] = np.arange(len(queries))
    hits = np.flatnonzero(new_number[rankings.query] >= 0)
    labels = np.flatnonzero(new_number[rankings.label_query] >= 0)
    hits = hits[np.argsort(new_number[rankings.query[hits]], kind="stable")]
    labels = labels[np.argsort(new_number[rankings.label_query[labels]], kind="stable")]
    return RankedGrades(
        query=new_number[rankings.query[hits]],
        rank=rankings.rank[hits],
        grade=rankings.grade[hits],
        depth=rankings.depth[queries],
        label_query=new_number[rankings.label_query[labels]],
        label_grade=rankings.label_grade[labels],
        label=rankings.label[hits],
        label_row=rankings.label_row[labels],
    )


def part_of(
    scores: NDArray[Any], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[Any]:
    """Some rows and columns of a matrix, ascending; not copied where both are consecutive."""
    if all(
        len(indexes) and indexes[-1] - indexes[0] == len(indexes) - 1 for indexes in (rows, columns)
    ):
        return scores[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return scores[np.ix_(rows, columns)]


def both_directions(
    scores: NDArray[Any],
    cells: Cells,
    measures: Sequence[Measure],
    *,
    threshold: float = 1,
    **options: Any,
) -> dict[str, BothDirections]:
    """Measures of a (Q, N) similarity matrix, averaged over rows and over columns (COCO 5K)."""
    forward = evaluate(measures, ranked_rows(scores, cells, **options), threshold)
    reverse = evaluate(measures, ranked_columns(scores, cells, **options), threshold)
    return {
        measure.name: BothDirections(
            measure.average(forward[measure.name]), measure.average(reverse[measure.name])
        )
        for measure in measures
    }


def in_folds(
    scores: NDArray[Any],
    cells: Cells,
    measures: Sequence[Measure],
    *,
    row_fold: NDArray[np.int64],
    column_fold: NDArray[np.int64],
    threshold: float = 1,
) -> dict[str, BothDirections]:
    """Means over folds, each ranked and scored on its own rows and columns alone.

    As COCO 1K: five folds of 1,000 images.
    row_fold, column_fold : (Q,), (N,) fold of each row and column; cells that cross folds count in
        no fold
    """
    measures = with_scale(measures, cells.grade[row_fold[cells.row] == column_fold[cells.column]])
    per_fold = []
    for fold in np.unique(row_fold):
        rows, columns = np.flatnonzero(row_fold == fold), np.flatnonzero(column_fold == fold)
        row_in_fold = np.full(len(row_fold), -1, dtype=np.int64)
        column_in_fold = np.full(len(column_fold), -1, dtype=np.int64)
        row_in_fold[rows], column_in_fold[columns] = np.arange(len(rows)), np.arange(len(columns))
        row, column = row_in_fold[cells.row], column_in_fold[cells.column]
        is_inside = (row >= 0) & (column >= 0)
        fold_cells = Cells(row[is_inside], column[is_inside], cells.grade[is_inside])
        per_fold.append(
            both_directions(
                part_of(scores, rows, columns), fold_cells, measures, threshold=threshold
            )
        )
    return {
        measure.name: BothDirections(
            float(np.mean([fold[measure.name].forward for fold in per_fold])),
            float(np.mean([fold[measure.name].reverse for fold in per_fold])),
        )
        for measure in measures
    }
