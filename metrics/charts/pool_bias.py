"""Charts of a pool's bias; see metrics/charts/charts.py for those of other pages."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics.charts.axes import LINE_LEGEND
from metrics.charts.charts import WHOLE, Chart, round3, tooltip_row

NUMBER = {"type": "quantitative", "axis": WHOLE}


KINDS = ["Order fixed before", "Order follows the labels", "No order"]
DASH = {
    "field": "kind",
    "type": "nominal",
    "sort": KINDS,
    "title": None,
    "legend": {"symbolStrokeColor": "@ink-2", **LINE_LEGEND},
}


class StrategyCurve(NamedTuple):
    """A strategy's points (pairs judged, positives found); a live one learns from the labels."""

    name: str
    points: Sequence[tuple[int, int]]
    is_live: bool = False


class SizePoint(NamedTuple):
    """Mean change of scores when only `size` runs are pooled; non_self is None if none is out."""

    size: int
    bias: float
    self_bias: float
    non_self: float | None


def positives_by_judged(
    curves: Sequence[StrategyCurve],
    *,
    id: str,
    direction: str,
    n_judged_total: int,
    n_positive_total: int,
) -> Chart:
    """Positives found by pairs judged, a curve a strategy, and one for judging in random order."""
    chance = StrategyCurve("In no order, on average", [(n_judged_total, n_positive_total)])
    values = [
        {
            "strategy": curve.name,
            "spent": n_judged,
            "found": n_positive,
            "kind": KINDS[2] if curve is chance else KINDS[1] if curve.is_live else KINDS[0],
        }
        for curve in [*curves, chance]
        for n_judged, n_positive in [(0, 0), *curve.points]
        if n_judged_total
    ]
    names = [curve.name for curve in [*curves, chance]]
    colour = {"field": "strategy", "type": "nominal", "sort": names, "title": None}
    tooltip = [
        tooltip_row("strategy", "Strategy"),
        tooltip_row("spent", "Judged", ",d"),
        tooltip_row("found", "Positives", ",.0f"),
    ]
    return Chart(
        id=id,
        title=f"Positives found by pairs judged, {direction}",
        subtitle=(
            "Each strategy replayed on the labels at hand, all queries side by side; unjudged "
            "pairs are left out. All lines end where everything is judged."
        ),
        spec={
            "data": {"values": values},
            "height": 280,
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "x": {**NUMBER, "field": "spent", "title": "Pairs judged"},
                "y": {**NUMBER, "field": "found", "title": "Positives found"},
                "color": colour,
                "strokeDash": DASH,
                "tooltip": tooltip,
            },
        },
        columns=["Strategy", "Judged", "Positives"],
        rows=[[row["strategy"], row["spent"], row["found"]] for row in values],
    )


def bias_by_size(points: Sequence[SizePoint], *, id: str, direction: str, measure: str) -> Chart:
    """Self and non-self bias by the number of runs pooled: ECCV Caption, appendix E."""
    kinds = (
        ("Runs inside the pool", "self_bias"),
        ("Runs outside the pool", "non_self"),
        ("All runs", "bias"),
    )
    values: list[dict[str, Any]] = [
        {"kind": label, "size": point.size, "bias": getattr(point, name)}
        for label, name in kinds
        for point in points
        if getattr(point, name) is not None
    ]
    names = [label for label, _ in kinds]
    tooltip = [
        tooltip_row("kind", "Mean over"),
        tooltip_row("size", "Runs pooled"),
        tooltip_row("bias", "Moved by", ".4f"),
    ]
    x = {"field": "size", "type": "quantitative", "title": "Runs pooled", "axis": WHOLE}
    kind = {"field": "kind", "type": "nominal", "title": None, "scale": {"domain": names}}
    return Chart(
        id=id,
        title=f"How far scores move when fewer runs are pooled, {direction}",
        subtitle=(
            f"{measure}: mean distance of a score under the labels of a subset of the runs from "
            "its score now."
        ),
        spec={
            "data": {"values": values},
            "height": 220,
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": x,
                "y": {"field": "bias", "type": "quantitative", "title": "Moved by"},
                "color": kind,
                "shape": kind,
                "tooltip": tooltip,
            },
        },
        columns=["Runs pooled", "All runs", "Runs inside the pool", "Runs outside the pool"],
        rows=[
            [point.size, round3(point.bias), round3(point.self_bias), round3(point.non_self)]
            for point in points
        ],
    )
