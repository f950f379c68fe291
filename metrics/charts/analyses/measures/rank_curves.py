"""Curves of runs over their ranks, and the table of right and wrong targets at each depth."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.measures.rank_curves import ConfusionCounts, CurvePoint

UNJUDGED = "Targets that nobody judged count as negatives."


class RunCurve(NamedTuple):
    """The curve of a run."""

    run: str
    points: list[CurvePoint]


class RunCounts(NamedTuple):
    """The counts of a run at ascending depths, and the area under its ROC curve if it is known."""

    run: str
    counts: list[ConfusionCounts]
    area: float | None


def precision_recall_result(curves: Sequence[RunCurve], nouns: Nouns) -> AnalysisResult:
    """The eleven-point curve of each run; one or more."""
    middle = {curve.run: curve.points[5].y for curve in curves}
    best, worst = max(middle, key=middle.__getitem__), min(middle, key=middle.__getitem__)
    headline = f"At half of the positives {best} has a precision of {middle[best]:.3f}"
    if len(curves) > 1:
        headline += f", {worst} of {middle[worst]:.3f}"
    values = [
        {"run": curve.run, "recall": point.x, "precision": point.y}
        for curve in curves
        for point in curve.points
    ]
    x = {"field": "recall", "title": "Recall", "scale": {"domain": [0, 1]}}
    y = {"field": "precision", "title": "Interpolated precision", "scale": {"domain": [0, 1]}}
    return AnalysisResult(
        headline=headline,
        reading=(
            "Interpolated precision, the largest at any depth that reaches the recall, as a mean "
            f"over {nouns.queries}; one without a positive counts 0. {UNJUDGED} From, to: 95 % "
            "interval of the mean."
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("recall", "Recall", 1),
            Column("precision", "Precision", 4),
            Column("low", "From", 4),
            Column("high", "To", 4),
        ],
        rows=[
            [curve.run, point.x, point.y, *point.interval]
            for curve in curves
            for point in curve.points
        ],
        spec=_lines(values, x, y, [curve.run for curve in curves]),
        notes=nouns.notes,
    )


def roc_result(rows: Sequence[RunCounts], n_targets: int, nouns: Nouns) -> AnalysisResult:
    """The ROC curve of each run, as far as its ranks go; one run or more."""
    areas = [row for row in rows if row.area is not None]
    notes = list(nouns.notes)
    if len(areas) < len(rows):
        notes.append(
            f"An area is known only of runs that rank all {n_targets:,} targets of each query; the "
            "curves of others end where their ranks do."
        )
    values = [
        {"run": row.run, "false": point.false_rate, "true": point.true_rate, "k": point.k}
        for row in rows
        for point in row.counts
        if point.false_rate is not None and point.true_rate is not None
    ]
    starts = [{"run": row.run, "false": 0, "true": 0, "k": 0} for row in rows]
    x = {"field": "false", "title": "Share of the negatives"}
    y = {"field": "true", "title": "Share of the positives", "scale": {"domain": [0, 1]}}
    return AnalysisResult(
        headline=_roc_headline(rows),
        reading=(
            f"Mean shares of a query's positives and negatives within its first k ranks. {UNJUDGED}"
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("k", "First k ranks"),
            Column("true_rate", "Share of the positives", 4),
            Column("false_rate", "Share of the negatives", 4),
            Column("n_with_positive", f"{nouns.title} with a positive"),
            Column("area", "Area under the curve", 4),
        ],
        rows=[
            [row.run, point.k, point.true_rate, point.false_rate, point.n_with_positive, row.area]
            for row in rows
            for point in row.counts
        ],
        spec=_lines([*starts, *values], x, y, [row.run for row in rows]),
        notes=notes,
    )


def _roc_headline(rows: Sequence[RunCounts]) -> str:
    """The areas of the best and worst run, or the share of positives at the last depth."""
    areas = {row.run: row.area for row in rows if row.area is not None}
    if areas:
        best, worst = max(areas, key=areas.__getitem__), min(areas, key=areas.__getitem__)
        sentence = f"By {best} a positive is above a negative with a chance of {areas[best]:.3f}"
        return sentence if best == worst else f"{sentence}, by {worst} of {areas[worst]:.3f}"
    row = max(rows, key=lambda row: row.counts[-1].true_rate or 0)
    last = row.counts[-1]
    return (
        f"{row.run} has {100 * (last.true_rate or 0):.1f} % of the positives and "
        f"{100 * (last.false_rate or 0):.1f} % of the negatives within its first {last.k:,} ranks"
    )


def confusion_result(rows: Sequence[RunCounts], n_targets: int, nouns: Nouns) -> AnalysisResult:
    """The table of right and wrong targets at each depth; one run or more, without a chart."""
    first = rows[0]
    at = next((point for point in first.counts if point.k == 10), first.counts[-1])
    cells: list[list[Cell]] = [
        [
            row.run,
            point.k,
            point.true_positive,
            point.false_positive,
            point.false_negative,
            point.true_negative,
            point.precision,
            point.true_rate,
            point.false_rate,
        ]
        for row in rows
        for point in row.counts
    ]
    return AnalysisResult(
        headline=(
            f"Of the first {at.k:,} targets of {first.run}, {at.true_positive:.2f} a query are "
            f"positive, and {at.false_negative:.2f} positives stand behind them or are missing"
        ),
        reading=(
            f"Means over {nouns.queries} of the numbers of targets within the first k ranks and "
            f"behind them, of {n_targets:,} a query. {UNJUDGED}"
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("k", "First k ranks"),
            Column("true_positive", "Positives within", 2),
            Column("false_positive", "Negatives within", 2),
            Column("false_negative", "Positives behind or missing", 2),
            Column("true_negative", "Negatives behind or missing", 2),
            Column("precision", "Precision", 4),
            Column("recall", "Share of the positives", 4),
            Column("fallout", "Share of the negatives", 4),
        ],
        rows=cells,
        notes=nouns.notes,
    )


def _lines(values: Sequence[Spec], x: Spec, y: Spec, runs: Sequence[str]) -> Spec:
    """Lines with points, a colour and a shape for each run."""
    run = {"field": "run", "type": "nominal", "scale": {"domain": list(runs)}}
    run |= {"legend": {"columns": 2}}
    tooltip = [
        tooltip_row("run", "Run"),
        *([tooltip_row("k", "First k ranks", ",d")] if "k" in values[0] else []),
        tooltip_row(x["field"], x["title"], ".4f"),
        tooltip_row(y["field"], y["title"], ".4f"),
    ]
    return {
        "data": {"values": list(values)},
        "height": 300,
        "mark": {"type": "line", "point": {"size": 60}},
        "encoding": {
            "x": {"type": "quantitative", **x},
            "y": {"type": "quantitative", **y},
            "color": run,
            "shape": run,
            "order": {"field": x["field"]},
            "tooltip": tooltip,
        },
    }
