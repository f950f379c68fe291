"""Charts of the two rooms as Vega-Lite specifications in plain dicts, each with the table that says the same.

Colours are names of the palette ("@blue"); the browser fills them in for light and dark.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

Spec = dict[str, Any]
# An axis of counts; between 0 and 1 there would be marks that all read 0 or 1.
WHOLE: Spec = {"format": ",d", "tickMinStep": 1}


class Chart(NamedTuple):
    """What _chart.html draws; `rows` are the table beneath, one list of cells a line."""

    id: str
    title: str
    subtitle: str
    spec: Spec
    columns: list[str]
    rows: list[list[object]]


class Figure(NamedTuple):
    """A number in a chart's table: as it is read, and `exact` as it is downloaded and sorted by; "" for none."""

    text: str
    exact: str

    def __str__(self) -> str:
        return self.text


class AlphaPoint(NamedTuple):
    """Alpha as it stood after some judgments; None where it was not defined, or not kept.

    value, low, high : of the planned labels; of_all : of all labels
    """

    n_judgments: int
    value: float | None
    low: float | None
    high: float | None
    of_all: float | None


class LevelCount(NamedTuple):
    """How often a level was given, and how often it is a pair's grade."""

    name: str
    colour: str
    n_given: int
    n_resolved: int


def alpha_history(points: Sequence[AlphaPoint], *, level: str) -> Chart:
    """Alpha over judgments: of planned labels, with its 95 % interval as a band, and beside it of all labels."""
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
    """How often each level was given, in the levels' own colours."""
    names = [level.name for level in levels]
    values = [{"level": level.name, "n": level.n_given, "pairs": level.n_resolved} for level in levels]
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
        rows=[[level.name, level.n_given, level.n_resolved] for level in levels],
    )


def round3(value: float | None) -> str:
    """Three decimals, or nothing."""
    return "" if value is None else f"{value:.3f}"


def round1(value: float | None) -> str:
    """One decimal, or nothing."""
    return "" if value is None else f"{value:.1f}"


def figure1(value: float | None) -> Figure:
    """A number with one decimal to read and all of its digits to take away."""
    return Figure(round1(value), "" if value is None else repr(value))
