"""Charts of the leaderboard and of two runs compared, beside those of metrics/charts.py."""

from collections.abc import Sequence
from typing import Any

from metrics.charts import Bar, Chart, leaderboard, round1, round3


def score_bars(rows: Sequence[tuple[str, Sequence[Any]]], measures: list[str], *, id: str, title: str) -> Chart:
    """Scores of runs by measure, shares alone: ranks have another axis.

    rows : name of the run and its cells (metrics.services.leaderboard_cells.Cell or None), one a measure
    """
    bars = [
        Bar(name, measure, cell.whole, cell.reference, cell.low, cell.high)
        for name, cells in rows
        for measure, cell in zip(measures, cells, strict=True)
        if cell is not None and not measure.startswith(("MedR", "MeanR"))
    ]
    subtitle = "Bar: the score, and its 95 % interval. Thick tick: with the reference alone."
    return leaderboard(bars, id=id, title=title, subtitle=subtitle)


def difference_plot(points: Sequence[Sequence[float]], *, first: str, second: str, measure: str) -> Chart:
    """Differences of two runs a query, sorted; points : [place, difference], thinned where there are very many."""
    values = [{"place": place, "d": d, "who": _who(d, first, second)} for place, d in points]
    names = [first, second, "equal"]
    x = {
        "field": "place",
        "type": "quantitative",
        "title": "Queries, sorted by their difference",
        "axis": {"format": ",d", "grid": False},
    }
    y = {"field": "d", "type": "quantitative", "title": f"{measure}: {first} \N{MINUS SIGN} {second}"}
    colour = {
        "field": "who", "type": "nominal", "title": "Better",
        "scale": {"domain": names, "range": ["@blue", "@amber", "@ink-2"]},
    }  # fmt: skip
    tooltip = [
        {"field": "place", "title": "Place", "format": ",d"},
        {"field": "d", "title": "Difference", "format": ".3f"},
        {"field": "who", "title": "Better"},
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
        subtitle="Above zero the first run is better, below it the second.",
        spec={"data": {"values": values}, "height": 260, "layer": layers},
        columns=["Place", "Difference", "Better"],
        rows=[[f"{row['place']:,}", round3(row["d"]), row["who"]] for row in values],
    )


def _who(d: float, first: str, second: str) -> str:
    return "equal" if d == 0 else first if d > 0 else second


def score_history(
    points: Sequence[tuple[int, str, float]], *, measure: str, direction: str, id: str, runs: list[str], labels: str
) -> Chart:
    """One measure of each run over the judgments given.

    points : (judgments, run, per cent); labels : what they were scored with
    """
    values = [{"n": n, "run": run, "score": score} for n, run, score in points]
    x = {"field": "n", "type": "quantitative", "title": "Judgments", "axis": {"format": ",d"}}
    y = {"field": "score", "type": "quantitative", "title": f"{measure}, %", "scale": {"zero": False}}
    colour = {"field": "run", "type": "nominal", "sort": runs, "title": None}
    tooltip = [
        {"field": "run", "title": "Run"},
        {"field": "n", "title": "Judgments", "format": ",d"},
        {"field": "score", "title": measure, "format": ".1f"},
    ]
    line = {
        "mark": {"type": "line", "point": len(values) < 120},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
    }
    return Chart(
        id=id,
        title=f"{measure} while labels arrive, {direction}",
        subtitle=f"Labels: {labels}, at the collection's own threshold; kept as it was at the time.",
        spec={"data": {"values": values}, "height": 220, "layer": [line]},
        columns=["Judgments", "Run", f"{measure}, %"],
        rows=[[f"{row['n']:,}", row["run"], round1(row["score"])] for row in values],
    )
