"""Charts as Vega-Lite specifications in plain dicts, each with a table of the same numbers.

Colours are names of the palette ("@blue"): the browser fills them in for light and dark, and
pictures.py for pictures that the server draws. "@plot" and others are widths of plots in a figure
of several (theme.ROOMS): Vega-Lite itself fits no plots side by side into a page.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics.charts.axes import WRAPPED

Spec = dict[str, Any]
# An axis of counts. Of a range of 1 or 2 Vega marks halves in spite of the smallest step: they are
# left without a label, which would be that of a count beside it.
WHOLE: Spec = {
    "format": ",d",
    "tickMinStep": 1,
    "labelExpr": "datum.value % 1 ? '' : datum.label",
}


class Chart(NamedTuple):
    """A chart for _chart.html; `rows` are the table beneath it, one list of cells a line."""

    id: str
    title: str
    subtitle: str
    spec: Spec
    columns: list[str]
    rows: list[list[object]]


class Figure(NamedTuple):
    """A number in a chart's table; "" for none.

    text : shown; exact : downloaded and sorted by
    """

    text: str
    exact: str

    def __str__(self) -> str:
        return self.text


class AlphaPoint(NamedTuple):
    """Alpha after a number of judgments; None where it was not defined, or not stored.

    value, low, high : alpha of the planned labels; of_all : of all labels
    """

    n_judgments: int
    value: float | None
    low: float | None
    high: float | None
    of_all: float | None


class LevelCount(NamedTuple):
    """The number of labels of a level, and of pairs with its grade."""

    name: str
    colour: str
    n_labels: int
    n_pairs: int


def alpha_history(points: Sequence[AlphaPoint], *, level: str) -> Chart:
    """Alpha over judgments: of planned labels, with a band as 95 % interval, and of all labels."""
    x = {"field": "n", "type": "quantitative", "title": "Judgments", "axis": WHOLE}
    values = [
        {
            "n": point.n_judgments,
            "alpha": point.value,
            "low": point.low,
            "high": point.high,
            "all": point.of_all,
        }
        for point in points
        if (point.value, point.of_all) != (None, None)
    ]
    return Chart(
        id="alpha-history",
        title="Alpha while labels arrive",
        subtitle=(
            f"Krippendorff's alpha, {level}, of first and planned double labels; the band is its "
            "95 % bootstrap interval. The thin dashed line is alpha of all labels; further back it "
            "may stand alone."
        ),
        spec={
            "data": {"values": values},
            "height": 220,
            "encoding": {"x": x},
            "layer": _alpha_layers(has_marks=len(values) < 60),
        },
        columns=["Judgments", "Alpha", "From", "To", "Alpha of all labels"],
        rows=[
            [row["n"], *(round3(row[name]) for name in ("alpha", "low", "high", "all"))]
            for row in values
        ],
    )


def _alpha_layers(*, has_marks: bool) -> list[Spec]:
    """The band of the interval, the line of alpha, and that of alpha of all labels."""
    y = {"type": "quantitative", "title": "Alpha", "scale": {"zero": False}}
    tooltip = [
        tooltip_row("n", "Judgments", ",d"),
        tooltip_row("alpha", "Alpha", ".3f"),
        tooltip_row("low", "From", ".3f"),
        tooltip_row("high", "To", ".3f"),
        tooltip_row("all", "Of all labels", ".3f"),
    ]
    band = {
        "mark": {"type": "area", "color": "@blue"},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "color": "@blue", "point": has_marks},
        "encoding": {"y": {**y, "field": "alpha"}, "tooltip": tooltip},
    }
    of_all = {
        "mark": {"type": "line", "color": "@ink", "strokeWidth": 1, "strokeDash": [4, 3]},
        "encoding": {"y": {**y, "field": "all"}, "tooltip": tooltip},
    }
    return [band, line, of_all]


def level_distribution(levels: Sequence[LevelCount]) -> Chart:
    """Number of labels of each level, in the level's colour."""
    names = [level.name for level in levels]
    values = [
        {"level": level.name, "n": level.n_labels, "pairs": level.n_pairs} for level in levels
    ]
    y: Spec = {"field": "level", "type": "nominal", "sort": names, "title": None, "axis": WRAPPED}
    x = {"field": "n", "type": "quantitative", "title": "Labels", "axis": WHOLE}
    colour = {
        "field": "level",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": names, "range": [f"@{level.colour}" for level in levels]},
    }
    text = {"field": "n", "type": "quantitative", "format": ",d"}
    return Chart(
        id="levels",
        title="Labels by level",
        subtitle="All labels that count, golds left out.",
        spec={
            "data": {"values": values},
            "height": {"step": 34},
            "encoding": {"y": y, "x": x},
            "layer": [
                {"mark": "bar", "encoding": {"color": colour}},
                {"mark": {"type": "text", "align": "left", "dx": 5}, "encoding": {"text": text}},
            ],
        },
        columns=["Level", "Labels", "Pairs with this grade"],
        rows=[[level.name, level.n_labels, level.n_pairs] for level in levels],
    )


def tooltip_row(field: str, title: str, number_format: str = "") -> Spec:
    """A row of a tooltip: a field of the values, its title, and its format if it is a number."""
    row = {"field": field, "title": title}
    return row | {"format": number_format} if number_format else row


def round3(value: float | None) -> str:
    """Format with three decimals; "" for None."""
    return "" if value is None else f"{value:.3f}"


def one_decimal(value: float | None) -> str:
    """Format with one decimal; "" for None."""
    return "" if value is None else f"{value:.1f}"


def figure1(value: float | None) -> Figure:
    """A figure with one decimal as text and all of its digits as exact value."""
    return Figure(one_decimal(value), "" if value is None else repr(value))
