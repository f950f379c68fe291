"""The charts of a diff: grades and scores before and after; see charts.py for those of others."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.axes import BESIDE_NAMES, column_axis, legend_of
from metrics.charts.charts import Spec, tooltip_row


class GradeMove(NamedTuple):
    """A number of pairs with one grade before and another, or the same, after."""

    before: str
    after: str
    n: int


def grade_moves(
    moves: Sequence[GradeMove], *, orders: Sequence[list[str]], sides: tuple[str, str]
) -> Spec:
    """Squares of the grades before and after, the darker the larger the share in their row.

    orders, sides : of the grades before and after, and what the axes call both
    """
    (rows, columns), (before, after) = orders, sides
    totals = dict.fromkeys(rows, 0)
    for move in moves:
        totals[move.before] += move.n
    values = [
        move._asdict() | {"share": 100 * move.n / totals[move.before]} for move in moves if move.n
    ]
    colour = {
        "field": "share",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, 100], "range": ["@ramp-low", "@ramp-high"]},
    }
    tooltip = [
        tooltip_row("before", before),
        tooltip_row("after", after),
        tooltip_row("n", "Pairs", ",d"),
        tooltip_row("share", "Per cent of the row", ".1f"),
    ]
    ink = {"condition": {"test": "datum.share > 50", "value": "@surface"}, "value": "@ink"}
    text = {"field": "n", "type": "quantitative", "format": ",d"}
    axis = column_axis(columns, pixels=BESIDE_NAMES / len(columns), is_above=True)
    across = {"type": "nominal", "sort": columns, "scale": {"domain": columns}}
    down = {"type": "nominal", "sort": rows, "scale": {"domain": rows}}
    return {
        "data": {"values": values},
        "height": {"step": 40},
        "encoding": {
            "x": {"field": "after", **across, "title": after, "axis": axis},
            "y": {"field": "before", **down, "title": before},
        },
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "@surface", "strokeWidth": 2},
                "encoding": {"color": colour, "tooltip": tooltip},
            },
            {"mark": "text", "encoding": {"text": text, "color": ink}},
        ],
    }


class ScoreShift(NamedTuple):
    """A run's mean before and after; None where a side does not have it."""

    run: str
    before: float | None
    after: float | None


def side_channels(sides: list[str]) -> Spec:
    """Colour, shape and size of the dots of two sides: of equal means both can be seen."""
    side = {"field": "side", "type": "nominal", "sort": sides, "title": None}
    legend = legend_of(sides)
    return {
        "color": {
            **side,
            "scale": {"domain": sides, "range": ["@ink-2", "@blue"]},
            "legend": legend,
        },
        "shape": {**side, "scale": {"domain": sides}, "legend": legend},
        "size": {**side, "scale": {"domain": sides, "range": [170, 45]}, "legend": None},
    }


def score_shifts(shifts: Sequence[ScoreShift], *, measure: str, before: str, after: str) -> Spec:
    """Two dots for each run, best first as given, and a line from one to the other.

    before, after : what the legend calls the sides
    """
    sides = [before, after]
    values = [
        {"run": shift.run, "side": side, "mean": mean, "from": shift.before, "to": shift.after}
        for shift in shifts
        for side, mean in zip(sides, shift[1:], strict=True)
        if mean is not None
    ]
    axis = {"labelLimit": 200}
    runs = [shift.run for shift in shifts]
    y = {"field": "run", "type": "nominal", "sort": runs, "title": None, "axis": axis}
    x = {"type": "quantitative", "title": measure, "scale": {"zero": False, "nice": True}}
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("from", before, ".4f"),
        tooltip_row("to", after, ".4f"),
    ]
    return {
        "data": {"values": values},
        "height": {"step": 22},
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "color": "@ink-2", "opacity": 0.5},
                "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}},
            },
            {
                "mark": {"type": "point", "filled": True, "opacity": 1},
                "encoding": {
                    "x": {**x, "field": "mean"},
                    **side_channels(sides),
                    "tooltip": tooltip,
                },
            },
        ],
    }
