"""The chart of the positives by each reference set, by people, and by both together."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.labels.directions import in_directions, joined_nouns
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import LINE_HEIGHT, lines_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.positives_by_set import SourceTotal

LETTERS = 46  # of a line of words in the chart, on a phone
FEWEST = 30  # queries from which on a headline tells a factor
# the last line of them stands above the bar
WORDS = {
    "type": "text",
    "align": "left",
    "baseline": "bottom",
    "yOffset": 6,
    "dy": {"expr": f"-11 - {LINE_HEIGHT} * (length(datum.text) - 1)"},
    "lineHeight": LINE_HEIGHT,
}
COLOURS = {"reference": "@slate", "people": "@amber", "both": "@blue"}


class SetRow(NamedTuple):
    """A label source in words, whose labels it has (a key of COLOURS), and its positives."""

    name: str
    origin: str
    total: SourceTotal


class DirectionTotals(NamedTuple):
    """The rows of one direction, two or more, the first of the set to compare the others with.

    direction : as pages name it; n : queries; subject : the row that the headline tells
    """

    direction: str
    nouns: Nouns
    n: int
    rows: list[SetRow]
    subject: int

    @property
    def cells(self) -> list[list[Cell]]:
        """The direction, the names and the numbers of all rows."""
        return [
            [
                self.direction,
                row.name,
                row.total.n_positive,
                row.total.n_with,
                self.n,
                row.total.mean,
                *row.total.interval,
                row.total.factor,
                *row.total.factor_interval,
            ]
            for row in self.rows
        ]


def by_set_result(tables: Sequence[DirectionTotals], notes: Sequence[str]) -> AnalysisResult:
    """Positives by each label source; of the chosen direction, and perhaps of the other.

    notes : beside those of the directions
    """
    first = tables[0].rows[0].name
    nouns = joined_nouns([table.nouns for table in tables], notes)
    return AnalysisResult(
        headline=_headline(tables[0]),
        reading=(
            f"Bars: positives of one of the {nouns.queries} on average, with their 95 % interval; "
            f"above each how many there are in all, and how many times those by {first}. Counted "
            "are the labels at hand, of pairs whose grade reaches the threshold; what nobody "
            "labelled may be positive too. No interval where nothing varies."
        ),
        extent=nouns.extent,
        columns=[
            Column("direction", "Direction"),
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
        rows=[cells for table in tables for cells in table.cells],
        spec=in_directions(
            [_bars(table.rows, table.nouns) for table in tables],
            [table.direction for table in tables],
        ),
        notes=nouns.notes,
    )


def _headline(table: DirectionTotals) -> str:
    """The factor of one source with its interval, or both counts where there are few queries."""
    nouns, first, subject = table.nouns, table.rows[0], table.rows[table.subject]
    factor, interval = subject.total.factor, subject.total.factor_interval
    if factor is None or interval.low is None or interval.high is None or table.n < FEWEST:
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
    values: list[Spec] = []
    for row in rows:
        total = row.total
        times = "" if total.factor is None else f" ({total.factor:.2f} times)"
        values.append(
            {
                "labels": row.name,
                "text": lines_of(f"{total.n_positive:,}{times} by {row.name}", most=LETTERS),
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
    has_two_lines = any(len(row["text"]) > 1 for row in values)
    return {
        "data": {"values": values},
        "height": {"step": 56 if has_two_lines else 50},
        "encoding": {"y": y},
        "layer": [
            {
                # the line of the interval shows through
                "mark": {"type": "bar", "height": 16, "yOffset": 6, "opacity": 0.6},
                "encoding": {"x": x | {"field": "mean"}, "color": colour, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "datum.low != null"}],
                "mark": {"type": "rule", "color": "@ink", "strokeWidth": 1.5, "yOffset": 6},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": WORDS,
                "encoding": {"x": {"value": 2}, "text": {"field": "text"}},
            },
        ],
    }
