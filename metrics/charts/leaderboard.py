"""Charts of the leaderboard and of two runs compared, beside those of charts.py."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics.charts.charts import WHOLE, Chart, Spec, figure1, round3, tooltip_row
from metrics.charts.theme import CATEGORIES

N_LINES = len(CATEGORIES)  # no two lines have the same colour


class Dot(NamedTuple):
    """A run's printed score on a measure, its interval, and its score with the reference alone."""

    run: str
    whole: float
    reference: float | None
    low: float | None
    high: float | None


def score_dots(dots: Sequence[Dot], *, measure: str, unit: str, id: str, title: str) -> Chart:
    """Chart one measure of runs, best first: dots with intervals, ticks for the reference alone.

    unit : "%" or "rank"
    """
    runs = [dot.run for dot in dots]
    y = {
        "field": "run",
        "type": "nominal",
        "sort": runs,
        "title": None,
        "axis": {"labelLimit": 200},
    }
    interval, tick, dot = _dot_layers(measure, unit)
    has_reference = any(row.reference is not None for row in dots)
    has_interval = any(row.low is not None for row in dots)
    values = [row._asdict() for row in dots]
    return Chart(
        id=id,
        title=title,
        subtitle=(
            f"Dot: the score.{' Line: its 95 % interval.' * has_interval}"
            f"{' Tick: with the reference alone.' * has_reference}"
        ),
        spec={
            "data": {"values": values},
            "height": {"step": 20},
            "encoding": {"y": y},
            # without intervals the line would be invisible, but read by screen readers
            "layer": [
                *([interval] if has_interval else []),
                *([tick] if has_reference else []),
                dot,
            ],
        },
        columns=["Run", f"{measure}, {unit}", "From", "To", "Reference only"],
        rows=[
            [row.run, *(figure1(value) for value in (row.whole, row.low, row.high, row.reference))]
            for row in dots
        ],
    )


def with_ceiling_line(chart: Chart, *, percent: float, low: float, high: float) -> Chart:
    """A chart of `score_dots` with a line for what one person has by the labels of the others.

    percent : the precision of a person; low, high : its 95 % interval, a band
    """
    x = {"type": "quantitative"}
    every_run = {"y": None}  # a line from the first run to the last
    words = {"value": "A person, by the labels of the others"}
    lines: list[Spec] = [
        {
            "mark": {"type": "rect", "color": "@ink-2", "opacity": 0.15},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **every_run},
        },
        {
            "mark": {"type": "rule", "color": "@ink", "strokeDash": [6, 3], "strokeWidth": 1.5},
            "encoding": {"x": {**x, "field": "person"}, "tooltip": words, **every_run},
        },
    ]
    data = {"values": [{"person": percent, "low": low, "high": high}]}
    numbers = [figure1(number) for number in (percent, low, high, None)]
    return chart._replace(
        subtitle=(
            f"{chart.subtitle} Dashed: a person, by the labels of the others; its band is the "
            "95 % interval."
        ),
        spec={
            **chart.spec,
            "layer": [{"data": data, "layer": lines}, *chart.spec["layer"]],
        },
        rows=[*chart.rows, ["A person, by the labels of the others", *numbers]],
    )


def _dot_layers(measure: str, unit: str) -> tuple[Spec, Spec, Spec]:
    """The line of an interval, the tick of the reference alone, the dot of the score."""
    x = {
        "type": "quantitative",
        "title": f"{measure}, {unit}",
        "scale": {"zero": False, "nice": True},
    }
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("whole", measure, ".1f"),
        tooltip_row("low", "From", ".1f"),
        tooltip_row("high", "To", ".1f"),
        tooltip_row("reference", "Reference only", ".1f"),
    ]
    interval = {
        "mark": {"type": "rule", "color": "@blue", "strokeWidth": 2, "opacity": 0.55},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "tooltip": tooltip},
    }
    tick = {
        "mark": {"type": "tick", "color": "@ink-2", "thickness": 2, "bandSize": 12},
        "encoding": {"x": {**x, "field": "reference"}, "tooltip": tooltip},
    }
    dot = {
        "mark": {"type": "point", "filled": True, "size": 70, "color": "@blue", "opacity": 1},
        "encoding": {"x": {**x, "field": "whole"}, "tooltip": tooltip},
    }
    return interval, tick, dot


def difference_plot(
    points: Sequence[Sequence[float]],
    *,
    first: str,
    second: str,
    measure: str,
    is_rank: bool = False,
) -> Chart:
    """Plot differences of two runs per query, sorted.

    Points : [position, difference], thinned if very many.
    is_rank : True if the lower value is the better one
    """
    sign = -1 if is_rank else 1
    values: list[dict[str, Any]] = [
        {
            "place": position,
            "d": d,
            "who": "equal" if d == 0 else first if sign * d > 0 else second,
        }
        for position, d in points
    ]
    side, other = ("Below", "above") if is_rank else ("Above", "below")
    x, y, colour = _difference_channels(first, second, measure)
    tooltip = [
        tooltip_row("place", "Place", ",d"),
        tooltip_row("d", "Difference", ".3f"),
        tooltip_row("who", "Better"),
    ]
    stick = {"type": "rule", "strokeWidth": 2 if len(values) < 120 else 1.2}
    layers = [
        {"mark": stick, "encoding": {"x": x, "y": y, "y2": {"datum": 0}, "color": colour}},
        {
            "mark": {"type": "point", "filled": True, "size": 22},
            "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
        },
    ]
    return Chart(
        id="differences",
        title=f"{measure} of every query: {first} against {second}",
        subtitle=f"{side} zero the first run is better, {other} it the second.",
        spec={"data": {"values": values}, "height": 260, "layer": layers},
        columns=["Place", "Difference", "Better"],
        rows=[[f"{row['place']:,}", round3(row["d"]), row["who"]] for row in values],
    )


def _difference_channels(first: str, second: str, measure: str) -> tuple[Spec, Spec, Spec]:
    """Places from left to right, differences upwards, the better run by colour."""
    x = {
        "field": "place",
        "type": "quantitative",
        "title": "Queries, sorted by their difference",
        "axis": {**WHOLE, "grid": False},
    }
    y = {
        "field": "d",
        "type": "quantitative",
        "title": f"{measure}: {first} \N{MINUS SIGN} {second}",
    }
    colour = {
        "field": "who",
        "type": "nominal",
        "title": "Better",
        "scale": {"domain": [first, second, "equal"], "range": ["@blue", "@amber", "@ink-2"]},
    }
    return x, y, colour


def score_history(
    points: Sequence[tuple[int, str, float]],
    *,
    measure: str,
    direction: str,
    id: str,
    runs: list[str],
    labels: str,
) -> Chart:
    """Chart one measure of runs over the number of judgments, of the N_LINES best at most.

    points : (judgments, run, per cent); runs : their names, best first; labels : what they were
        scored with
    """
    best_runs = runs[:N_LINES]
    values: list[dict[str, Any]] = [
        {"n": n, "run": run, "score": score} for n, run, score in points if run in best_runs
    ]
    cut = (
        f" The {len(best_runs)} best of {len(runs)} runs; choose others above."
        if len(runs) > len(best_runs)
        else ""
    )
    x = {"field": "n", "type": "quantitative", "title": "Judgments", "axis": WHOLE}
    y = {
        "field": "score",
        "type": "quantitative",
        "title": f"{measure}, %",
        "scale": {"zero": False},
    }
    colour = {"field": "run", "type": "nominal", "sort": best_runs, "title": None}
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("n", "Judgments", ",d"),
        tooltip_row("score", measure, ".1f"),
    ]
    line = {
        "mark": {"type": "line", "point": len(values) < 120},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
    }
    return Chart(
        id=id,
        title=f"{measure} while labels arrive, {direction}",
        subtitle=(
            f"Labels: {labels}, at the collection's own threshold; kept as it was at the time.{cut}"
        ),
        spec={"data": {"values": values}, "height": 220, "layer": [line]},
        columns=["Judgments", "Run", f"{measure}, %"],
        rows=[[f"{row['n']:,}", row["run"], figure1(row["score"])] for row in values],
    )
