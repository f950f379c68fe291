"""Swap rates by observed difference: table, and measured curves beside those predicted."""

from collections.abc import Sequence

import numpy as np

from metrics.charts.analyses.systems.error_rates import digits_of
from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.charts.axes import LINE_LEGEND
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.systems.swap_rates import RESAMPLES, SwapRates

FEWEST = 30  # comparisons of a bin that is drawn
LEVEL = 0.05
MEASURED, PREDICTED = "Measured", "Predicted"
DASH: Spec = {
    "type": "nominal",
    "title": None,
    "scale": {"domain": [MEASURED, PREDICTED], "range": [[1, 0], [4, 4]]},
    "legend": {"columns": 2, "symbolStrokeColor": "@ink-2"} | LINE_LEGEND,
}


def swap_rates_result(table: TopicTable, measured: Sequence[SwapRates]) -> AnalysisResult:
    """The rates of sets of each size, the largest last."""
    rows: list[list[Cell]] = []
    for rates in measured:
        rows.append([rates.size, "all", None, int(rates.curve.pairs.sum()), rates.overall])
        rows[-1] += [*rates.overall_interval, None]
        for b in np.flatnonzero(rates.curve.pairs).tolist():
            predicted = float(rates.predicted[b])
            low, high = (f"{edge:g}" for edge in rates.curve.edges[b : b + 2])
            rows.append([rates.size, f"{low} to {high}", float(rates.curve.edges[b])])
            rows[-1] += [int(rates.curve.pairs[b]), float(rates.curve.rate[b])]
            rows[-1] += [*rates.band(b), predicted if np.isfinite(predicted) else None]
    largest, spec = measured[-1], _curves(measured)
    return AnalysisResult(
        headline=_headline(table, largest),
        reading=(
            f"Two sets of {table.unit} without one in common are drawn again and again. Each pair "
            "of runs stands in the bin of its difference on the first set; it is swapped where the "
            "second set has the opposite order, an exact tie being half a swap. From, to: 95 % "
            f"band of drawing other {table.unit}. Predicted, dashed, is the mean reversal that the "
            "first set alone foretells. Nothing is extrapolated: sets hold half of those at hand "
            "at most. Larger sets swap runs that truly differ less often."
        ),
        extent=table.whole_extent,
        columns=[
            Column("size", f"{table.unit.capitalize()} a set"),
            Column("bin", "Difference on the first set"),
            Column("low_edge", "From a difference of", digits_of(float(largest.curve.edges[1]))),
            Column("n_comparisons", "Comparisons"),
            Column("rate", "Swap rate", 4),
            Column("low", "From", 4),
            Column("high", "To", 4),
            Column("predicted", "Predicted", 4),
        ],
        rows=rows,
        spec=spec,
        notes=[
            *table.notes,
            f"{largest.n_trials:,} pairs of sets of each size, drawn by a seed that follows from "
            f"the scores. Bands by {RESAMPLES} bootstrap resamples of the {table.unit}; blank "
            "where half of them have no such difference.",
            f"In the chart stand bins of {FEWEST} comparisons or more; its band is of the largest "
            "sets. Comparisons of one pair of sets share their draw."
            if spec
            else f"No bin has {FEWEST} comparisons, from which on it would stand in a chart.",
            *halves_note(table, largest),
        ],
    )


def halves_note(table: TopicTable, rates: SwapRates) -> list[str]:
    """A sentence on sets that are halves, so that one is what the other leaves; else none."""
    if 2 * rates.size < table.n_units - 1:
        return []
    return [
        f"Two sets of {rates.size:,} are nearly all {table.unit} there are, or all, so that the "
        "second has what the first lacks: of all of them, two runs whose difference on the first "
        "set is from 0 to twice that on both are never swapped, and those with any other always, "
        f"unlike in sets of other {table.unit}."
    ]


def _headline(table: TopicTable, rates: SwapRates) -> str:
    if table.are_too_few:
        return (
            f"{table.n_units:,} {table.unit} are too few to measure how often two sets of them "
            "order runs in opposite ways"
        )
    interval = interval_text(rates.overall_interval.per_cent, digits=1)
    sentence = (
        f"Two sets of {rates.size:,} {table.unit} order {100 * rates.overall:.1f} % ({interval}) "
        "of the pairs of runs in opposite ways, a tie counting half"
    )
    edge = rates.low_from(LEVEL, fewest=FEWEST)
    if edge is None:
        return sentence
    return (
        f"{sentence}; of those {edge:g} or more apart at most {100 * LEVEL:.0f} % in each bin of "
        f"{FEWEST} comparisons or more"
    )


def _curves(measured: Sequence[SwapRates]) -> Spec | None:
    """The measured rates by difference, whole lines, and those predicted, dashed.

    None where no bin has enough comparisons.
    """
    values: list[Spec] = []
    for rates in measured:
        for b in np.flatnonzero(rates.curve.pairs >= FEWEST).tolist():
            predicted, band = float(rates.predicted[b]), rates.band(b)
            point: Spec = {"size": f"{rates.size:,} a set", "rate": float(rates.curve.rate[b])}
            point["x"] = float(rates.curve.edges[b : b + 2].mean())
            point["predicted"] = predicted if np.isfinite(predicted) else None
            if rates is measured[-1]:
                point |= {"low": band.low, "high": band.high}
            values.append(point)
    if not values:
        return None
    sizes = [f"{rates.size:,} a set" for rates in measured]
    digits = digits_of(float(measured[-1].curve.edges[1]))
    x = {"field": "x", "type": "quantitative", "title": "Difference on the first set"}
    y: Spec = {"field": "rate", "type": "quantitative", "title": "Swap rate"}
    size: Spec = {"field": "size", "type": "nominal", "scale": {"domain": sizes}}
    size["legend"] = {"columns": 3}
    tooltip = [
        tooltip_row("size", "Size"),
        tooltip_row("x", "Difference", f".{digits + 1}f"),
        tooltip_row("rate", "Swap rate", ".3f"),
        tooltip_row("predicted", "Predicted", ".3f"),
    ]
    line = {"x": x, "y": y, "color": size, "tooltip": tooltip}
    return {
        "data": {"values": values},
        "height": 300,
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "area", "color": "@ink-3", "aria": False},
                "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}},
            },
            {"mark": "line", "encoding": line | {"strokeDash": DASH | {"datum": MEASURED}}},
            {"mark": {"type": "point", "size": 50}, "encoding": {**line, "shape": size}},
            {
                "transform": [{"filter": "isValid(datum.predicted)"}],
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {**line, "y": y | {"field": "predicted"}}
                | {"strokeDash": DASH | {"datum": PREDICTED}},
            },
        ],
    }
