"""A triangle with a cell for each pair of runs."""

from collections.abc import Sequence

from metrics.charts.analyses.systems.difference_bars import MOST_NAMES, NAME_WIDTH, RunNames
from metrics.charts.axes import BESIDE_NAMES, TWO_LINES, WRAPPED, column_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.core.analyses.systems.differences import PairDifference, SystemDifferences

VERDICTS = {True: "differ", False: "do not differ"}
MOST_MARKS = 20  # runs whose cells have room for a mark
TOOLTIP = [
    tooltip_row("first", "Run"),
    tooltip_row("second", "Other run"),
    tooltip_row("difference", "Difference", ".4f"),
    tooltip_row("low", "From", ".4f"),
    tooltip_row("high", "To", ".4f"),
    tooltip_row("verdict", "Verdict"),
]


def pair_cells(
    differences: SystemDifferences, pairs: Sequence[PairDifference], names: RunNames
) -> Spec | None:
    """A triangle: a cell a pair. Of many runs only cells of those that differ; None of no cell."""
    position = {row.system: number for number, row in enumerate(differences.systems, start=1)}
    n = len(differences.systems)
    marked_runs = [row.system for row in differences.systems if names.is_marked(row.system)]
    if n > MOST_NAMES:
        cells = [pair for pair in pairs if pair.differ]
        marked_places = [position[system] for system in marked_runs]
        return small_cells(cells, position, marked_places) if cells else None
    order = [names.runs[row.system] for row in differences.systems]
    values = [
        {
            "first": names.runs[pair.first],
            "second": names.runs[pair.second],
            "size": abs(pair.difference),
            "difference": pair.difference,
            "low": pair.interval.low,
            "high": pair.interval.high,
            "verdict": VERDICTS[pair.differ],
        }
        for pair in pairs
    ]
    mark: Spec = {"type": "point", "size": 60 if n <= MOST_MARKS else 14, "fill": "@surface"}
    mark |= {"stroke": "@ink", "strokeWidth": 1, "opacity": 1}
    shapes = {"domain": [VERDICTS[True]], "range": ["diamond"]}
    marks_layer = {
        "transform": [{"filter": {"field": "verdict", "equal": VERDICTS[True]}}],
        "mark": mark,
        "encoding": {
            "shape": {"field": "verdict", "type": "nominal", "title": None, "scale": shapes}
        },
    }
    return {
        "data": {"values": values},
        "height": {"step": TWO_LINES if n <= MOST_MARKS else 14},
        "encoding": name_axes(order, is_wide=n <= MOST_MARKS) | {"tooltip": TOOLTIP},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "@surface", "strokeWidth": 1},
                "encoding": {
                    "color": {"field": "size", "type": "quantitative", "title": "Difference"}
                },
            },
            *([marks_layer] if any(pair.differ for pair in pairs) else []),
            *diamonds([names.runs[system] for system in marked_runs], ("first", "second"), order),
        ],
    }


def diamonds(
    marked_runs: Sequence[str | int], fields: tuple[str, str], order: Sequence[str | int]
) -> list[Spec]:
    """Diamonds at the names or places of marked runs, below the cells and at their left.

    fields : across and down; order : of all runs. The first of them has no row, the last no column.
    """
    mark: Spec = {"type": "point", "shape": "diamond", "size": 36, "color": "@ink", "opacity": 1}
    across, down = fields
    columns = [{across: name} for name in marked_runs if name not in order[-1:]]
    rows = [{down: name} for name in marked_runs if name not in order[:1]]
    return [
        {
            "data": {"values": values},
            "mark": mark | offset,
            "encoding": {side: {"value": edge}, "tooltip": None},
        }
        for values, offset, side, edge in (
            (columns, {"yOffset": 4}, "y", "height"),
            (rows, {"xOffset": -4}, "x", 0),
        )
        if values
    ]


def name_axes(order: Sequence[str], *, is_wide: bool) -> Spec:
    """The better run of a pair across, the other one down.

    is_wide : rows have room for two lines
    """
    x: Spec = {"field": "first", "type": "nominal", "title": None}
    x |= {
        "scale": {"domain": order[:-1]},
        "axis": column_axis(order[:-1], pixels=BESIDE_NAMES / len(order)),
    }
    y: Spec = {"field": "second", "type": "nominal", "title": None}
    y |= {
        "scale": {"domain": order[1:]},
        "axis": WRAPPED if is_wide else {"labelLimit": NAME_WIDTH},
    }
    return {"x": x, "y": y}


def small_cells(
    pairs: Sequence[PairDifference], position: dict[int, int], marked_runs: Sequence[int]
) -> Spec:
    """A dark cell for each of these pairs, by the positions of the runs, 1 for the best.

    marked_runs : positions of the runs that stand out
    """
    n = len(position)
    axes = {
        name: {
            "field": name,
            "type": "ordinal",
            "title": title,
            "scale": {"domain": list(range(1, n + 1)), "paddingInner": 0},
            "axis": {"values": [1, *range(10, n + 1, 10)], "labelAngle": 0},
        }
        for name, title in (("x", "Place of the better run"), ("y", "Place of the other run"))
    }
    return {
        "data": {
            "values": [{"x": position[row.first], "y": position[row.second]} for row in pairs]
        },
        "height": {"step": 4},
        "encoding": axes,
        "layer": [
            {"mark": {"type": "rect", "color": "@ink"}},
            *diamonds(marked_runs, ("x", "y"), []),
        ],
    }
