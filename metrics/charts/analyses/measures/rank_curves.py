"""Curves of runs over their ranks, and the table of right and wrong targets at each depth."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted, singular
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import legend_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, number_text
from metrics.core.analyses.measures.rank_curves import AreaUnderRoc, ConfusionCounts, CurvePoint

UNJUDGED = "Targets that nobody judged count as negatives."


class RunCurve(NamedTuple):
    """The curve of a run."""

    run: str
    points: list[CurvePoint]


class RunCounts(NamedTuple):
    """The counts of a run at ascending depths, and the area under its ROC curve if it is known."""

    run: str
    counts: list[ConfusionCounts]
    area: AreaUnderRoc | None

    @property
    def area_cells(self) -> list[Cell]:
        """The area and the ends of its interval."""
        return [self.area.value, *self.area.interval] if self.area else [None, None, None]


def precision_recall_result(curves: Sequence[RunCurve], nouns: Nouns) -> AnalysisResult:
    """The eleven-point curve of each run; one or more."""
    best, worst = (choose(curves, key=lambda curve: curve.points[5].y) for choose in (max, min))
    headline = f"At half of the positives {best.run} has a precision of {_point(best.points[5])}"
    if best.points[5].y > worst.points[5].y:
        headline += f", {worst.run} one of {_point(worst.points[5])}"
    elif len(curves) > 1:
        headline = f"At half of the positives each run has a precision of {best.points[5].y:.3f}"
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
            f"over {nouns.queries}; those without a positive count 0. {UNJUDGED} From, to: 95 % "
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
        headline=_roc_headline(rows, singular(nouns.queries)),
        reading=(
            f"Mean shares of a {singular(nouns.queries)}'s positives and negatives within its "
            "first k ranks. "
            f"{UNJUDGED} Area: with its 95 % interval; the points of the curve have none."
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("k", "First k ranks"),
            Column("true_rate", "Share of the positives", 4),
            Column("false_rate", "Share of the negatives", 4),
            Column("n_with_positive", f"{nouns.title} with a positive"),
            Column("n_with_negative", f"{nouns.title} with a negative"),
            Column("area", "Area under the curve", 4),
            Column("area_low", "Area from", 4),
            Column("area_high", "Area to", 4),
        ],
        rows=[
            [row.run, point.k, *point.rates, *row.area_cells]
            for row in rows
            for point in row.counts
        ],
        spec=_lines([*starts, *values], x, y, [row.run for row in rows]) if values else None,
        notes=notes,
    )


def _roc_headline(rows: Sequence[RunCounts], query: str) -> str:
    """The best and the worst of the areas that are known, or the end of the first run's curve."""
    areas = sorted(
        [(row.area, row.run) for row in rows if row.area is not None],
        key=lambda area_of_run: area_of_run[0].value,
    )
    if areas:
        (worst, worst_run), (best, best_run) = areas[0], areas[-1]
        sentence = (
            f"In {best_run} a positive stands above a negative with a chance of {best.value:.3f} "
            f"({interval_text(best.interval, digits=3)})"
        )
        if worst.value == best.value:
            return sentence
        interval = interval_text(worst.interval, digits=3)
        return f"{sentence}, in {worst_run} with one of {worst.value:.3f} ({interval})"
    row, last = rows[0], rows[0].counts[-1]
    shares = [
        f"{100 * share:.1f} % of the {name}"
        for share, name in ((last.true_rate, "positives"), (last.false_rate, "negatives"))
        if share is not None
    ]
    return (
        f"Within its first {counted(last.k, 'rank')} {row.run} has, on average a {query}, "
        f"{' and '.join(shares)}"
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
            *point.rates,
        ]
        for row in rows
        for point in row.counts
    ]
    return AnalysisResult(
        headline=(
            f"Of the first {counted(at.k, 'target')} of {first.run}, "
            f"{number_text(at.true_positive, 1)} a {singular(nouns.queries)} are positive; "
            f"{number_text(at.false_negative, 1)} positives stand behind or are missing"
        ),
        reading=(
            f"Means over {nouns.queries} of the numbers of targets within the first k ranks and "
            f"behind them, of {n_targets:,} a {singular(nouns.queries)}. {UNJUDGED} "
            "The means have no intervals here; the leaderboard has those of P@k and R@k."
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("k", "First k ranks"),
            Column("true_positive", "Positives within", 3),
            Column("false_positive", "Negatives within", 3),
            Column("false_negative", "Positives behind or missing", 3),
            Column("true_negative", "Negatives behind or missing", 3),
            Column("precision", "Precision", 4),
            Column("recall", "Share of the positives", 4),
            Column("fallout", "Share of the negatives", 4),
            Column("n_with_positive", f"{nouns.title} with a positive"),
            Column("n_with_negative", f"{nouns.title} with a negative"),
        ],
        rows=cells,
        notes=nouns.notes,
    )


def _point(point: CurvePoint) -> str:
    return f"{point.y:.3f} ({interval_text(point.interval, digits=3)})"


def _lines(values: Sequence[Spec], x: Spec, y: Spec, runs: Sequence[str]) -> Spec:
    """Lines with points, a colour and a shape for each run."""
    run = {"field": "run", "type": "nominal", "scale": {"domain": list(runs)}}
    run |= {"legend": legend_of(runs)}
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
