"""How cross-modal papers average: both directions, COCO's five folds of 1,000 images, RSUM."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.matrices import Cells, part_of, ranked_columns, ranked_rows
from metrics.core.measures import Measure, evaluate, with_scale
from metrics.core.ranking import Positives, correct

RSUM_DEPTHS = (1, 5, 10)


class BothWays(NamedTuple):
    """One measure's mean over the queries of each direction; rows are queries of the forward one."""

    forward: float
    reverse: float

    @property
    def mean(self) -> float:
        """Mean of the two, as ECCV Caption's tables give it."""
        return (self.forward + self.reverse) / 2


def both_ways(
    scores: NDArray[Any], cells: Cells, measures: Sequence[Measure], *, threshold: float = 1, **options: Any
) -> dict[str, BothWays]:
    """Measures of a (Q, N) similarity matrix, averaged over all rows and over all columns, as for COCO 5K."""
    forward = evaluate(measures, ranked_rows(scores, cells, **options), threshold)
    reverse = evaluate(measures, ranked_columns(scores, cells, **options), threshold)
    return {
        measure.name: BothWays(measure.average(forward[measure.name]), measure.average(reverse[measure.name]))
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
) -> dict[str, BothWays]:
    """Means over folds, each ranked and scored on its own rows and columns alone (COCO 1K: five folds of 1,000 images).

    row_fold, column_fold : (Q,), (N,) fold of each row and column; cells that cross folds count in none
    """
    measures = with_scale(measures, cells.grade[row_fold[cells.row] == column_fold[cells.column]])
    per_fold = []
    for fold in np.unique(row_fold):
        rows, columns = np.flatnonzero(row_fold == fold), np.flatnonzero(column_fold == fold)
        row_place = np.full(len(row_fold), -1, dtype=np.int64)
        column_place = np.full(len(column_fold), -1, dtype=np.int64)
        row_place[rows], column_place[columns] = np.arange(len(rows)), np.arange(len(columns))
        row, column = row_place[cells.row], column_place[cells.column]
        inside = (row >= 0) & (column >= 0)
        part = Cells(row[inside], column[inside], cells.grade[inside])
        per_fold.append(both_ways(part_of(scores, rows, columns), part, measures, threshold=threshold))
    return {
        measure.name: BothWays(
            float(np.mean([fold[measure.name].forward for fold in per_fold])),
            float(np.mean([fold[measure.name].reverse for fold in per_fold])),
        )
        for measure in measures
    }


def rsum(forward: Positives, reverse: Positives) -> float:
    """RSUM: 100 x the sum of mean C@1, C@5 and C@10 over both directions. Range [0, 600]; NaN without queries."""
    return float(100 * sum(correct(found, k=k).mean() for found in (forward, reverse) for k in RSUM_DEPTHS))


def rsum_of(recalls: dict[str, BothWays]) -> float:
    """RSUM from means that `both_ways` or `in_folds` gave for C@1, C@5 and C@10; ECCV Caption's is over COCO 1K."""
    return 100 * sum(sum(recalls[f"C@{k}"]) for k in RSUM_DEPTHS)
