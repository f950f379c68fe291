"""Systems over folds of a collection: the table of means and their ends, and paired points."""

from annotate.core.phrases import counted
from metrics.charts.analyses.measures.both_directions import (
    DIRECTIONS,
    FEWEST,
    SystemPoint,
    SystemTable,
    direction_columns,
    paired_points,
    table_notes,
)
from metrics.charts.analyses.measures.run_scores import MOST_LINES
from metrics.charts.results import AnalysisResult, Column, number_text
from metrics.core.analyses.measures.both_directions import FoldMean, SystemFolds

ENDS = {"smallest": "smallest", "largest": "largest"}


def folds_result(table: SystemTable[SystemFolds], *, n_folds: int) -> AnalysisResult:
    """A row for each system, the best first; one system, one measure and two folds or more.

    n_folds : that the means are over; n_queries of the table are those of the smallest fold
    """
    rows = table.in_order
    has_rsum = any(row.means.rsum is not None for row in rows)
    points = [
        SystemPoint(row.system, direction, value, smallest, largest, means.mean)
        for row in rows[:MOST_LINES]
        for means in [row.means.by_measure[table.place]]
        for direction, (value, smallest, largest) in zip(
            DIRECTIONS.values(), means[:2], strict=True
        )
        if value is not None
    ]
    return AnalysisResult(
        headline=_headline(table, n_folds),
        reading=(
            f"Chart: {table.name} as a mean over the folds, which all count alike, in "
            "each direction; lines reach from the smallest to the largest fold and are no "
            "intervals. Table: the same of each measure, and the mean of both directions. Each "
            "fold is ranked and scored on its own items alone, so values are higher than over all."
        ),
        extent=f"{counted(len(rows), 'system')}, {counted(n_folds, 'fold')}, {table.extent}",
        columns=[
            Column("system", "System"),
            *(column for name in table.names for column in direction_columns(name, ENDS)),
            *([Column("rsum", "RSUM", 1)] if has_rsum else []),
            Column("forward_run", f"Run, {DIRECTIONS['forward'].lower()}"),
            Column("reverse_run", f"Run, {DIRECTIONS['reverse'].lower()}"),
        ],
        rows=[
            [
                row.system,
                *(cell for means in row.means.by_measure for cell in means.numbers),
                *([row.means.rsum] if has_rsum else []),
                row.forward_run,
                row.reverse_run,
            ]
            for row in rows
        ],
        spec=paired_points(table.name, points, ends=("Smallest fold", "Largest fold")),
        notes=[*table.notes, *table_notes(table)],
        run_names=table.run_names,
    )


def _headline(table: SystemTable[SystemFolds], n_folds: int) -> str:
    """The system with the best mean; a sentence that claims nothing for small folds."""
    name, best = table.name, table.in_order[0]
    means, n_systems = best.means.by_measure[table.place], len(table.rows)
    is_best = n_systems == 1 or table.is_clear
    if min(table.n_queries) < FEWEST or means.mean is None or not is_best:
        return f"{counted(n_systems, 'system')} over {n_folds} folds by {name}"
    verb = "has a" if n_systems == 1 else "has the best"
    return (
        f"Over {n_folds} folds {best.system} {verb} mean of both directions by {name}, "
        f"{number_text(means.mean, 3)}: {_told(means.forward)} from query to document, "
        f"{_told(means.reverse)} back"
    )


def _told(fold_mean: FoldMean) -> str:
    value, smallest, largest = (number_text(number or 0, 3) for number in fold_mean)
    return f"{value} (folds {smallest} to {largest})"
