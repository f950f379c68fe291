"""Charts as Vega-Lite specifications in plain dicts, each with a table of the same numbers.

Colours are names of the palette ("@blue"): the browser fills them in for light and dark, and
pictures.py for pictures that the server draws. "@plot" and others are widths of plots in a figure
of several (theme.ROOMS): Vega-Lite itself fits no plots side by side into a page.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Spec = dict[str, Any]
# An axis of counts. Of a range of 1 or 2 Vega marks halves in spite of the smallest step: they are
# left without a label, which would be that of a count beside it.
WHOLE: Spec = {
    "format": ",d",
    "tickMinStep": 1,
    "labelExpr": "datum.value % 1 ? '' : datum.label",
}
LINE = 20  # characters of a name that stand in one line
# An axis of names. A longer one has two lines, as Vega wraps none: the first ends behind a word or
# behind "-", "_" or "/"; a second one that is too long still is cut. Two lines take TWO_LINES.
_BROKEN = f"replace(datum.label, regexp('^(.{{1,{LINE}}}[-_/]|.{{1,{LINE}}}(?= ))[ ]*'), '$1\\n')"
LINE_HEIGHT = 13.5  # pixels, as Vega has it for the letters of the theme
WRAPPED: Spec = {
    "labelLimit": 140,
    "labelExpr": f"length(datum.label) > {LINE} ? split({_BROKEN}, '\\n') : datum.label",
    # Vega puts the first line where one alone would be
    "labelOffset": {
        "condition": {
            "test": f"length(datum.label) > {LINE} && indexof({_BROKEN}, '\\n') > 0",
            "value": -LINE_HEIGHT / 2,
        },
        "value": 0,
    },
}
TWO_LINES = 28  # pixels
WORD_LIMIT = 150  # pixels of a word that has a line of its own
LETTER = 6.4  # pixels of a letter of an axis, at most in the mean
BESIDE_NAMES = 160  # pixels of a plot on a phone, beside an axis of names
SHORT_NAME = 17  # characters, of which a phone has two beside one another
# A legend of lines that differ by dashes: with a shape too its symbol would be a spot.
LINE_LEGEND: Spec = {"symbolType": "stroke", "symbolSize": 600, "symbolStrokeWidth": 2}


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


def legend_of(names: Sequence[str]) -> Spec:
    """A legend in two columns where these names let a phone have them, else in one."""
    return {"columns": 2 if max(map(len, names), default=0) <= SHORT_NAME else 1}


def values_by_name(field: str, values: Mapping[str, object]) -> Spec:
    """A channel with a value for each name of a field, the last one for any other.

    Unlike a scale it has no legend, which Vega-Lite would merge with that of another channel.
    """
    *firsts, (_, last) = values.items()
    conditions = [
        {"test": f"datum[{json.dumps(field)}] === {json.dumps(name)}", "value": value}
        for name, value in firsts
    ]
    return {"condition": conditions, "value": last} if conditions else {"value": last}


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


def lines_of(text: str, *, most: int) -> list[str]:
    """Break a text into lines of so many characters, behind words, "-", "_" and "/".

    A word that is longer has a line of its own.
    """
    lines = [""]
    for part in re.findall(r"[^\s_/-]*[\s_/-]|[^\s_/-]+", text):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > most:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += part
    return [*lines[:-1], lines[-1].rstrip()]


def broken_axis(names: Sequence[str], *, most: int, is_centred: bool = True) -> Spec:
    """An axis of these names in lines of so many characters; a word alone is cut.

    is_centred : the lines lie around the place of the name, else they begin there
    """
    lines = {name: lines_of(name, most=most) for name in names}
    axis: Spec = {"labelLimit": WORD_LIMIT, "labelExpr": f"{json.dumps(lines)}[datum.value]"}
    if is_centred:
        shifts = f"{json.dumps({name: len(rows) - 1 for name, rows in lines.items()})}"
        n_most = max(map(len, lines.values()), default=1)
        conditions = [
            {"test": f"{shifts}[datum.value] == {n}", "value": -n * LINE_HEIGHT / 2}
            for n in range(1, n_most)
        ]
        axis["labelOffset"] = {"condition": conditions, "value": 0}
    return axis


def column_axis(names: Sequence[str], *, pixels: float, is_above: bool = False) -> Spec:
    """The axis of names of columns: they lie in lines, or stand where those would touch.

    pixels : of a column on a phone; is_above : the axis lies above the columns
    """
    letters = int(pixels / LETTER) - 1
    side = {"orient": "top"} if is_above else {}
    longest = max(len(word) for name in names for word in lines_of(name, most=1))
    # above the columns further lines would run into them
    if longest <= letters and (not is_above or max(map(len, names)) <= letters):
        return broken_axis(names, most=letters, is_centred=False) | side | {"labelAngle": 0}
    upright = side | {"labelAngle": -90}
    n_lines = max(len(lines_of(name, most=LINE)) for name in names)
    if n_lines * LINE_HEIGHT <= pixels:
        return broken_axis(names, most=LINE) | upright
    return upright | {"labelLimit": WORD_LIMIT}
