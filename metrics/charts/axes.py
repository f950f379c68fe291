"""Axes and legends of names, which stand in lines instead of being cut, also on a phone."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Axis = dict[str, Any]  # or a legend or channel, as Vega-Lite has them

LINE = 20  # characters of a name that stand in one line
# An axis of names. A longer one has two lines, as Vega wraps none: the first ends behind a word or
# behind "-", "_" or "/"; a second one that is too long still is cut. Two lines take TWO_LINES.
_BROKEN = f"replace(datum.label, regexp('^(.{{1,{LINE}}}[-_/]|.{{1,{LINE}}}(?= ))[ ]*'), '$1\\n')"
LINE_HEIGHT = 13.5  # pixels, as Vega has it for the letters of the theme
WRAPPED: Axis = {
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
LINE_LEGEND: Axis = {"symbolType": "stroke", "symbolSize": 600, "symbolStrokeWidth": 2}


def legend_of(names: Sequence[str]) -> Axis:
    """A legend in two columns where these names let a phone have them, else in one."""
    return {"columns": 2 if max(map(len, names), default=0) <= SHORT_NAME else 1}


def values_by_name(field: str, values: Mapping[str, object]) -> Axis:
    """A channel with a value for each name of a field, the last one for any other.

    Unlike a scale it has no legend, which Vega-Lite would merge with that of another channel.
    """
    *firsts, (_, last) = values.items()
    conditions = [
        {"test": f"datum[{json.dumps(field)}] === {json.dumps(name)}", "value": value}
        for name, value in firsts
    ]
    return {"condition": conditions, "value": last} if conditions else {"value": last}


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


def broken_axis(names: Sequence[str], *, most: int, is_centred: bool = True) -> Axis:
    """An axis of these names in lines of so many characters; a word alone is cut.

    is_centred : the lines lie around the place of the name, else they begin there
    """
    lines = {name: lines_of(name, most=most) for name in names}
    axis: Axis = {"labelLimit": WORD_LIMIT, "labelExpr": f"{json.dumps(lines)}[datum.value]"}
    if is_centred:
        shifts = f"{json.dumps({name: len(rows) - 1 for name, rows in lines.items()})}"
        n_most = max(map(len, lines.values()), default=1)
        conditions = [
            {"test": f"{shifts}[datum.value] == {n}", "value": -n * LINE_HEIGHT / 2}
            for n in range(1, n_most)
        ]
        axis["labelOffset"] = {"condition": conditions, "value": 0}
    return axis


def column_axis(names: Sequence[str], *, pixels: float, is_above: bool = False) -> Axis:
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
