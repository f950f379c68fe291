"""Charts of the two rooms as Vega-Lite specifications in plain dicts, each with the table that says the same.

Colours are names of the palette ("@blue"); the browser fills them in for light and dark.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

Spec = dict[str, Any]


class Chart(NamedTuple):
    """What _chart.html draws; `rows` are the table beneath, one list of cells a line."""

    id: str
    title: str
    subtitle: str
    spec: Spec
    columns: list[str]
    rows: list[list[object]]


class AlphaPoint(NamedTuple):
    """Alpha as it stood after some judgments; None where it was not defined."""

    n_judgments: int
    value: float | None
    low: float | None
    high: float | None


class LevelCount(NamedTuple):
    """How often a level was given, and how often it is a pair's grade."""

    name: str
    colour: str
    n_given: int
    n_resolved: int


class Bar(NamedTuple):
    """A run's score on one measure, in per cent; the interval is of the whole."""

    run: str
    measure: str
    whole: float
    reference: float | None
    low: float | None
    high: float | None


def alpha_history(points: Sequence[AlphaPoint], *, level: str) -> Chart:
    """Alpha over judgments, with its 95 % interval as a band."""
    x = {"field": "n", "type": "quantitative", "title": "Judgments", "axis": {"format": ",d"}}
    y = {"type": "quantitative", "title": "Alpha", "scale": {"zero": False}}
    values = [
        {"n": point.n_judgments, "alpha": point.value, "low": point.low, "high": point.high}
        for point in points
        if point.value is not None
    ]
    tooltip = [
        {"field": "n", "title": "Judgments", "format": ",d"},
        *(
            {"field": name, "title": title, "format": ".3f"}
            for name, title in (("alpha", "Alpha"), ("low", "From"), ("high", "To"))
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
    return Chart(
        id="alpha-history",
        title="Alpha while labels arrive",
        subtitle=f"Krippendorff's alpha, {level}; the band is the 95 % bootstrap interval over pairs.",
        spec={"data": {"values": values}, "height": 220, "encoding": {"x": x}, "layer": [band, line]},
        columns=["Judgments", "Alpha", "From", "To"],
        rows=[[row["n"], *(round3(row[name]) for name in ("alpha", "low", "high"))] for row in values],
    )


def level_distribution(levels: Sequence[LevelCount]) -> Chart:
    """How often each level was given, in the levels' own colours."""
    names = [level.name for level in levels]
    values = [{"level": level.name, "n": level.n_given, "pairs": level.n_resolved} for level in levels]
    y = {"field": "level", "type": "nominal", "sort": names, "title": None}
    x = {"field": "n", "type": "quantitative", "title": "Labels", "axis": {"format": ",d"}}
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


def leaderboard(bars: Sequence[Bar], *, id: str, title: str, subtitle: str) -> Chart:
    """Scores of runs by measure: a bar with its interval as a whisker, and a tick where the reference alone puts it."""
    values = [bar._asdict() for bar in bars]
    measures = list(dict.fromkeys(bar.measure for bar in bars))
    runs = list(dict.fromkeys(bar.run for bar in bars))
    y = {"field": "measure", "type": "nominal", "sort": measures, "title": None}
    offset = {"field": "run", "type": "nominal", "sort": runs}
    x = {"type": "quantitative", "title": "Score, %", "scale": {"domain": [0, 100]}}
    colour = {"field": "run", "type": "nominal", "sort": runs}
    tooltip = [
        {"field": "run", "title": "Run"},
        {"field": "measure", "title": "Measure"},
        *(
            {"field": name, "title": label, "format": ".1f"}
            for name, label in (("whole", "Score"), ("low", "From"), ("high", "To"), ("reference", "Reference only"))
        ),
    ]
    bar = {"mark": "bar", "encoding": {"x": {**x, "field": "whole"}, "color": colour, "tooltip": tooltip}}
    whisker = {
        "mark": {"type": "rule", "color": "@ink", "strokeWidth": 1.5},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}},
    }
    tick = {
        "mark": {"type": "tick", "color": "@ink", "thickness": 3, "bandSize": 16},
        "encoding": {"x": {**x, "field": "reference"}, "tooltip": tooltip},
    }
    return Chart(
        id=id,
        title=title,
        subtitle=subtitle,
        spec={
            "data": {"values": values},
            "height": {"step": 16, "for": "offset"},
            "encoding": {"y": y, "yOffset": offset},
            "layer": [bar, whisker, tick],
        },
        columns=["Measure", "Run", "Score", "From", "To", "Reference only"],
        rows=[
            [bar.measure, bar.run, *(round1(value) for value in (bar.whole, bar.low, bar.high, bar.reference))]
            for bar in bars
        ],
    )


def round3(value: float | None) -> str:
    """Three decimals, or nothing."""
    return "" if value is None else f"{value:.3f}"


def round1(value: float | None) -> str:
    """One decimal, or nothing."""
    return "" if value is None else f"{value:.1f}"
