"""Averages of the cross-modal papers: both directions, COCO's five folds of 1,000 images, RSUM."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.matrices import Cells, part_of, ranked_columns, ranked_rows
from metrics.core.measures.measures import Measure, evaluate, with_scale

RSUM_DEPTHS = (1, 5, 10)


class BothDirections(NamedTuple):
    """One measure's mean over the queries of each direction; rows are the forward queries."""

    forward: float
    reverse: float

    @property
    def mean(self) -> float:
        """Mean of the two, as ECCV Caption's tables give it."""
        return (self.forward + self.reverse) / 2


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


def rsum_of(recalls: dict[str, BothDirections]) -> float:
    """RSUM from the means of C@1, C@5 and C@10 by `both_directions` or `in_folds`.

    ECCV Caption's is over COCO 1K.
    """
    return 100 * sum(sum(recalls[f"C@{k}"]) for k in RSUM_DEPTHS)
