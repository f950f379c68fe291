"""Topics that a stable order and stable scores need: table, and coefficients by their number."""

from collections.abc import Sequence

import numpy as np

from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.charts.axes import LINE_LEGEND
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.comparisons.generalizability import Generalizability, SignalRatio

LEVELS = (0.8, 0.9, 0.95)
FEWEST = 30  # topics or groups from which on a headline tells numbers
GOOD = 0.9
POINTS = 40
COMPONENTS = (
    "Components of variance are free of what chance adds to the shares of the sum of squares in "
    "the analysis “anova”, so that the two differ."
)
RELATIVE, ABSOLUTE = "E rho squared", "Phi"


def topics_needed_result(table: TopicTable, study: Generalizability) -> AnalysisResult:
    """The coefficients at hand, the numbers of topics that levels need, and the components."""
    n = table.n_units
    ratios = ((RELATIVE, study.relative), (ABSOLUTE, study.absolute))
    rows: list[list[Cell]] = []
    for name, ratio in ratios:
        value, interval = ratio.coefficient(n)
        rows.append([f"{name} at hand", value, *interval, n, None, None])
        for level in LEVELS:
            needed, between = ratio.topics_for(level)
            rows.append([f"{name} of {level:g}", level, None, None, needed, *between])
    components = study.components
    parts = {
        "runs": components.systems,
        table.unit: components.topics,
        "the two together and error": components.error,
    }
    rows += [[f"Variance of {name}", value, *[None] * 5] for name, value in parts.items()]
    total = sum(parts.values())
    notes = list(table.notes)
    if total:
        shares = [f"{name} {100 * value / total:.1f} %" for name, value in parts.items()]
        notes.append(f"Of the variance of a single score: {', '.join(shares)}.")
    for name in components.negative:
        noun = "runs" if name == "systems" else table.unit
        notes.append(f"The variance of {noun} was estimated below 0 and is taken for 0.")
    return AnalysisResult(
        headline=_headline(table, study),
        reading=(
            f"E rho squared is about the order of runs: how well their means over {table.unit} "
            f"follow those over all {table.unit} there could be (1: entirely). Phi is about "
            f"the means themselves, for which a hard sample of {table.unit} is an error too. From, "
            f"to: 95 % intervals, which take runs and {table.unit} for random samples of normal "
            f"effects; a blank end has no bound. Chart: both by number of {table.unit}, with bands "
            f"for intervals, and lines at {GOOD:g} and at the {n:,} at hand. {COMPONENTS}"
        ),
        extent=table.whole_extent,
        columns=[
            Column("quantity", "Quantity"),
            Column("value", "Value", 5),
            Column("low", "From", 5),
            Column("high", "To", 5),
            Column("n", table.unit.capitalize()),
            Column("n_low", f"{table.unit.capitalize()} from"),
            Column("n_high", f"{table.unit.capitalize()} to"),
        ],
        rows=rows,
        spec=_curves(table, ratios) if study.relative.value is not None else None,
        notes=notes,
    )


def _headline(table: TopicTable, study: Generalizability) -> str:
    n = table.n_units
    value, interval = study.relative.coefficient(n)
    if value is None:
        return (
            f"All runs have the same {table.score} on each of the {len(table.topics):,} "
            f"{table.noun}"
        )
    if not study.components.systems:
        return (
            f"The runs differ no more than chance lets them on {n:,} {table.unit}: their variance "
            "is estimated as 0"
        )
    needed, between = study.relative.topics_for(GOOD)
    absolute, _ = study.absolute.topics_for(GOOD)
    if n < FEWEST:
        return f"{n:,} {table.unit} are too few to know how scores vary"
    sentence = f"With {n:,} {table.unit} E rho squared is {value:.2f}"
    if interval.low is None:
        return (
            f"{sentence} (no interval); a value of {GOOD:g} takes {needed:,}, and for Phi it takes "
            f"{absolute:,}"
        )
    low, high = between
    ends = f"{low:,.0f} or more" if high is None else f"{low:,.0f} to {high:,.0f}"
    return (
        f"{sentence} ({interval_text(interval, digits=2)}); a value of {GOOD:g} takes {needed:,} "
        f"({ends}), and for Phi it takes {absolute:,}"
    )


def _curves(table: TopicTable, ratios: Sequence[tuple[str, SignalRatio]]) -> Spec:
    """Both coefficients by number of topics, up to twice those at hand or what .9 takes."""
    n = table.n_units
    needed = [ratio.topics_for(GOOD)[0] or 0 for _, ratio in ratios]
    largest = min(max(2 * n, *needed), 10 * n)
    sizes = np.unique(np.linspace(1, largest, POINTS).round().astype(int)).tolist()
    values = []
    for name, ratio in ratios:
        for size in sizes:
            value, interval = ratio.coefficient(size)
            values.append({"name": name, "n": size, "value": value} | interval._asdict())
    x = {"field": "n", "type": "quantitative", "title": table.unit.capitalize(), "axis": WHOLE}
    y: Spec = {"field": "value", "type": "quantitative", "title": "Coefficient"}
    y["scale"] = {"domain": [0, 1]}
    name_of: Spec = {"field": "name", "type": "nominal", "title": None, "legend": LINE_LEGEND}
    name_of["scale"] = {"domain": [RELATIVE, ABSOLUTE]}
    tooltip = [
        tooltip_row("name", "Coefficient"),
        tooltip_row("n", table.unit.capitalize(), ",d"),
        tooltip_row("value", "Value", ".3f"),
        tooltip_row("low", "From", ".3f"),
        tooltip_row("high", "To", ".3f"),
    ]
    band = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    band["color"] = name_of
    line = {"x": x, "y": y, "color": name_of, "strokeDash": name_of, "tooltip": tooltip}
    return {
        "data": {"values": values},
        "height": 280,
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "area", "aria": False},
                "encoding": band,
            },
            *(
                {
                    "mark": {
                        "type": "rule",
                        "color": "@ink-2",
                        "strokeDash": [2, 3],
                        "aria": False,
                    },
                    "encoding": {channel: {"datum": datum}},
                }
                for channel, datum in (("y", GOOD), ("x", n))
            ),
            {"mark": "line", "encoding": line},
        ],
    }
