"""Charts as Vega-Lite specifications in plain dicts, each with a table of the same numbers.

Colours are names of the palette ("@blue"); the browser fills them in for light and dark.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

Spec = dict[str, Any]
# An axis of counts; between 0 and 1 there would be marks that all read 0 or 1.
WHOLE: Spec = {"format": ",d", "tickMinStep": 1}


class Chart(NamedTuple):
    """A chart for _chart.html; `rows` are the table beneath it, one list of cells a line."""

    id: str
    title: str
    subtitle: str
    spec: Spec
    columns: list[str]
    rows: list[list[object]]


class Figure(NamedTuple):
    """A number in a chart's table: `text` as shown, `exact` as downloaded and sorted by; "" for
    none."""

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
    """Alpha over judgments: of planned labels, with its 95 % interval as a band, and of all
    labels."""
    x = {"field": "n", "type": "quantitative", "title": "Judgments", "axis": WHOLE}
    y = {"type": "quantitative", "title": "Alpha", "scale": {"zero": False}}
    values = [
        {"n": point.n_judgments, "alpha": point.value, "low": point.low, "high": point.high, "all": point.of_all}
        for point in points
        if (point.value, point.of_all) != (None, None)
    ]
    tooltip = [
        {"field": "n", "title": "Judgments", "format": ",d"},
        *(
            {"field": name, "title": title, "format": ".3f"}
            for name, title in (("alpha", "Alpha"), ("low", "From"), ("high", "To"), ("all", "Of all labels"))
        ),
    ]
    band = {
        "mark": {"type": "area", "color": "@blue"},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "color": "@blue", "point": len(values) < 60},
        "encoding": {"y": {**y, "field": "alpha"}, "tooltip": tooltip},
    }
    of_all = {
        "mark": {"type": "line", "color": "@ink", "strokeWidth": 1, "strokeDash": [4, 3]},
        "encoding": {"y": {**y, "field": "all"}, "tooltip": tooltip},
    }
    return Chart(
        id="alpha-history",
        title="Alpha while labels arrive",
        subtitle=f"Krippendorff's alpha, {level}, of first and planned double labels; the band is its 95 % bootstrap "
        "interval. The thin dashed line is alpha of all labels; further back it may stand alone.",
        spec={"data": {"values": values}, "height": 220, "encoding": {"x": x}, "layer": [band, line, of_all]},
        columns=["Judgments", "Alpha", "From", "To", "Alpha of all labels"],
        rows=[[row["n"], *(round3(row[name]) for name in ("alpha", "low", "high", "all"))] for row in values],
    )


def level_distribution(levels: Sequence[LevelCount]) -> Chart:
    """Number of labels of each level, in the level's colour."""
    names = [level.name for level in levels]
    values = [{"level": level.name, "n": level.n_labels, "pairs": level.n_pairs} for level in levels]
    y = {"field": "level", "type": "nominal", "sort": names, "title": None}
    x = {"field": "n", "type": "quantitative", "title": "Labels", "axis": WHOLE}
    colour = {
        "field": "level", "type": "nominal", "legend": None,
        "scale": {"domain": names, "range": [f"@{level.colour}" for level in levels]},
    }  # fmt: skip
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


def round3(value: float | None) -> str:
    """Format with three decimals; "" for None."""
    return "" if value is None else f"{value:.3f}"


def round1(value: float | None) -> str:
    """Format with one decimal; "" for None."""
    return "" if value is None else f"{value:.1f}"


def figure1(value: float | None) -> Figure:
    """A figure with one decimal as text and all of its digits as exact value."""
    return Figure(round1(value), "" if value is None else repr(value))
