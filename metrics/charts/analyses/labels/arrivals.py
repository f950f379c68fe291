"""The curve of alpha as labels came."""

from collections.abc import Sequence
from typing import Any

from annotate.core.phrases import counted
from metrics.charts.axes import LINE_LEGEND, values_by_name
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.core.analyses.labels.arrivals import SETTLED_WITHIN, ArrivalPoint, settled_at
from metrics.core.statistics.intervals import Interval

FEWEST = 30  # pairs with two planned labels that a headline tells alpha of
PLANNED, WHOLE = "Planned labels", "All labels"


def arrivals_result(
    planned: list[ArrivalPoint],
    whole: list[ArrivalPoint],
    *,
    level: str,
    drawn_units: str,
    notes: Sequence[str],
) -> AnalysisResult:
    """A row a point: alpha of the first planned labels, then of the first of all labels.

    level : of measurement of alpha; drawn_units : what its intervals draw, in the plural
    """
    curves = ((PLANNED, planned), (WHOLE, whole))
    return AnalysisResult(
        headline=_headline(planned),
        reading=(
            f"Krippendorff's alpha on the {level} level of the first labels that came, up to that "
            "number of them; a label that was changed came when it was changed. Planned are first "
            "labels and doubles; the line of all labels has third ones that disagreements asked "
            f"for too. Bars: 95 % intervals, by {drawn_units}, at every tenth point. A flat line "
            "says that more labels of the same kind moved alpha little, not that alpha is right "
            "or will stay: the points of a line rest on one another's labels."
        ),
        extent=(
            f"{counted(whole[-1].n_labels, 'label')} of which "
            f"{planned[-1].n_labels if planned else 0:,} planned; "
            f"{counted(whole[-1].n_pairs, 'pair')} with two or more"
        ),
        columns=[
            Column("labels", "Labels"),
            Column("n_labels", "First labels"),
            Column("n_pairs", "Pairs with two of them or more"),
            Column("alpha", "Alpha", 3),
            Column("low", "From", 3),
            Column("high", "To", 3),
        ],
        rows=[[name, *point] for name, curve in curves for point in curve],
        spec=_lines(curves),
        notes=list(notes),
    )


def _headline(planned: Sequence[ArrivalPoint]) -> str:
    """The number of labels since which alpha stayed near its last value; of few how many."""
    last = planned[-1] if planned else ArrivalPoint(0, 0, None, None, None)
    if last.alpha is None or last.n_pairs < FEWEST:
        verb = "has" if last.n_pairs == 1 else "have"
        pairs = counted(last.n_pairs, "pair")
        return f"{pairs} {verb} two planned labels or more: too few to tell whether alpha settled"
    now = f"{last.alpha:z.2f} ({interval_text(Interval(last.low, last.high), digits=2)})"
    settled = settled_at(list(planned))
    if settled is None:
        before = planned[-2].alpha if len(planned) > 1 else None
        if before is None:
            return f"Alpha of planned labels is {now}; just before it was not defined yet"
        return (
            f"Alpha of planned labels is {now} and has not settled: just before it was more than "
            f"{SETTLED_WITHIN:g} away"
        )
    return (
        f"Alpha of planned labels is {now}; since the first {settled:,} of {last.n_labels:,} "
        f"labels it stayed within {SETTLED_WITHIN:g} of that"
    )


def _lines(curves: Sequence[tuple[str, list[ArrivalPoint]]]) -> Spec | None:
    """Lines of planned labels, and dashed of all, with bars at some points; None without alpha."""
    values: list[dict[str, Any]] = [
        {"labels": name, **point._asdict()}
        for name, curve in curves
        for point in curve
        if point.alpha is not None
    ]
    if not values:
        return None
    domain = [PLANNED, WHOLE]
    labels: Spec = {"field": "labels", "type": "nominal", "title": None, "legend": LINE_LEGEND}
    colour = labels | {"scale": {"domain": domain, "range": ["@blue", "@amber"]}}
    dash = labels | {"scale": {"domain": domain, "range": [[1, 0], [5, 4]]}}
    shape = values_by_name("labels", {PLANNED: "circle", WHOLE: "square"})
    x: Spec = {"field": "n_labels", "type": "quantitative", "title": "First labels"}
    x["axis"] = {"format": ",d", "labelOverlap": True}
    y: Spec = {"type": "quantitative", "title": "Alpha", "scale": {"zero": False}}
    tooltip = [
        tooltip_row("labels", "Labels"),
        tooltip_row("n_labels", "First labels", ",d"),
        tooltip_row("n_pairs", "Pairs", ",d"),
        tooltip_row("alpha", "Alpha", ".3f"),
        tooltip_row("low", "From", ".3f"),
        tooltip_row("high", "To", ".3f"),
    ]
    has_band = {"filter": "isValid(datum.low)"}
    return {
        "data": {"values": values},
        "height": 280,
        "encoding": {"x": x, "color": colour, "tooltip": tooltip},
        "layer": [
            {
                "transform": [has_band],
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {"y": y | {"field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line"},
                "encoding": {"y": y | {"field": "alpha"}, "strokeDash": dash},
            },
            {
                "transform": [has_band],
                "mark": {"type": "point", "filled": True, "size": 50},
                "encoding": {"y": y | {"field": "alpha"}, "shape": shape},
            },
        ],
    }
