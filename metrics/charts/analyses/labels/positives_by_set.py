"""The chart of the positives by each reference set, by people, and by both together."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.positives_by_set import SourceTotal

FEWEST = 30  # queries from which on a headline tells a factor
COLOURS = {"reference": "@slate", "people": "@amber", "both": "@blue"}


class SetRow(NamedTuple):
    """A label source in words, whose labels it has (a key of COLOURS), and its positives."""

    name: str
    origin: str
    total: SourceTotal


def by_set_result(rows: Sequence[SetRow], nouns: Nouns, *, subject: int, n: int) -> AnalysisResult:
    """Positives by each label source.

    rows : two or more, the first of the set that the others are compared with
    subject : the row that the headline tells; n : queries
    """
    first = rows[0].name
    cells: list[list[Cell]] = [
        [
            row.name,
            row.total.n_positive,
            row.total.n_with,
            n,
            row.total.mean,
            *row.total.interval,
            row.total.factor,
            *row.total.factor_interval,
        ]
        for row in rows
    ]
    return AnalysisResult(
        headline=_headline(rows[0], rows[subject], nouns, n),
        reading=(
            f"Bars: positives of one of the {nouns.queries} on average, with their 95 % interval; "
            f"above each how many there are in all, and how many times those by {first}. Counted "
            "are the labels at hand, of pairs whose grade reaches the threshold; what nobody "
            "labelled may be positive too. No interval where nothing varies."
        ),
        extent=nouns.extent,
        columns=[
            Column("labels", "Labels"),
            Column("n_positive", "Positives"),
            Column("n_with", f"{nouns.title} with one or more"),
            Column("n", nouns.title),
            Column("mean", "Mean", 2),
            Column("low", "Mean from", 2),
            Column("high", "Mean to", 2),
            Column("factor", f"Times those by {first}", 2),
            Column("factor_low", "Times from", 2),
            Column("factor_high", "Times to", 2),
        ],
        rows=cells,
        spec=_bars(rows, nouns),
        notes=nouns.notes,
    )


def _headline(first: SetRow, subject: SetRow, nouns: Nouns, n: int) -> str:
    """The factor of one source with its interval, or both counts where there are few queries."""
    factor, interval = subject.total.factor, subject.total.factor_interval
    if factor is None or interval.low is None or interval.high is None or n < FEWEST:
        return (
            f"The {nouns.queries} have {counted(subject.total.n_positive, 'positive')} by "
            f"{subject.name}, and {first.total.n_positive:,} by {first.name}"
        )
    sentence = (
        f"The {nouns.queries} have {factor:.2f} times as many positives by {subject.name} as by "
        f"{first.name} ({interval_text(interval, digits=2)})"
    )
    if interval.low <= 1 <= interval.high:
        return f"{sentence}: no difference is shown"
    return sentence


def _bars(rows: Sequence[SetRow], nouns: Nouns) -> Spec:
    """A bar for each source; its name stands above it, where narrow pages have room for it."""
    values = []
    for row in rows:
        total = row.total
        times = "" if total.factor is None else f" ({total.factor:.2f} times)"
        values.append(
            {
                "labels": row.name,
                "text": f"{total.n_positive:,}{times} by {row.name}",
                "n": total.n_positive,
                "mean": total.mean,
                "low": total.interval.low,
                "high": total.interval.high,
                "origin": row.origin,
            }
        )
    tooltip = [
        tooltip_row("labels", "Labels"),
        tooltip_row("n", "Positives", ",d"),
        tooltip_row("mean", "Mean", ",.2f"),
        tooltip_row("low", "From", ",.2f"),
        tooltip_row("high", "To", ",.2f"),
    ]
    x: Spec = {"type": "quantitative", "title": f"Positives, mean of the {nouns.queries}"}
    colour: Spec = {"field": "origin", "type": "nominal", "legend": None}
    colour |= {"scale": {"domain": list(COLOURS), "range": list(COLOURS.values())}}
    y = {"field": "labels", "type": "nominal", "sort": [row.name for row in rows], "axis": None}
    name = {"type": "text", "align": "left", "baseline": "bottom", "dy": -11, "limit": 330}
    return {
        "data": {"values": values},
        "height": {"step": 50},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "bar", "height": 16, "yOffset": 6},
                "encoding": {"x": x | {"field": "mean"}, "color": colour, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "datum.low != null"}],
                "mark": {"type": "rule", "color": "@ink", "strokeWidth": 1.5, "yOffset": 6},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": name | {"yOffset": 6},
                "encoding": {"x": {"value": 2}, "text": {"field": "text"}},
            },
        ],
    }
