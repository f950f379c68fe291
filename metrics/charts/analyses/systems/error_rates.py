"""Retrieval experiment error rates by size of the topic set and difference: TRECVID's Figure 1."""

import math
from collections.abc import Sequence

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.systems.error_rates import ErrorRates

LEVELS = (0.05, 0.01)
MOST_CURVES = 7  # that can be told apart


def error_rates_result(table: TopicTable, rates: ErrorRates) -> AnalysisResult:
    """The mean rates of the pairs of runs; the number of units is one of the sizes."""
    edges_of_levels = [rates.trusted_from(level) for level in LEVELS]
    rows: list[list[Cell]] = [
        [
            float(rates.edges[b]),
            float(rates.edges[b + 1]),
            int(rates.n_pairs[b]),
            size,
            "extrapolated" if size > table.n_units else "",
            float(rates.reer_paired[m, b]),
            float(rates.reer_independent[m, b]),
            float(rates.reversal[m, b]),
            *(edges[m] for edges in edges_of_levels),
        ]
        for m, size in enumerate(rates.sizes)
        for b in np.flatnonzero(rates.n_pairs).tolist()
    ]
    n_curves = min(MOST_CURVES, int(np.count_nonzero(rates.n_pairs)))
    return AnalysisResult(
        headline=_headline(table, rates),
        reading=(
            "REER is the chance that two new sets of this size order a pair of runs in opposite "
            "ways, if the observed difference is the true one; .5 where runs are equal. The "
            "printed formula takes runs for independent: its chance is larger where the "
            f"{table.unit} that are hard for one run are hard for the other too, and smaller where "
            "they are easy for it. Reversal is the chance that a new set of the size reverses what "
            f"these {table.n_units:,} {table.unit} say. Means over the pairs whose difference "
            "falls into the bin. To trust: from this difference on REER stays within the level. "
            "That is no test of a pair: it takes the observed difference for the true one, and "
            "each pair by itself. A test asks whether chance alone could make such a difference, "
            "and guards against that over all pairs at once; so runs that are further apart than "
            "this may still not differ by the test of the analysis “differences”. In "
            "the chart REER with lines at .05 and .01, and below it reversal; dashed beyond the "
            f"{table.n_units:,} at hand."
        ),
        extent=table.whole_extent,
        columns=columns_for(table.unit.capitalize(), digits_of(float(rates.edges[1]))),
        rows=rows,
        spec=_curves(table, rates),
        notes=[
            *table.notes,
            "Means of runs are taken for normal; sizes other than that at hand are predictions.",
            *(
                [f"Curves: the {n_curves} bins of the smallest differences that have pairs."]
                if n_curves < np.count_nonzero(rates.n_pairs)
                else []
            ),
        ],
    )


def digits_of(width: float) -> int:
    """The digits after the point that tell edges of bins so wide apart, two or more."""
    return max(2, -math.floor(math.log10(width) + 1e-9))


def columns_for(units: str, digits: int) -> list[Column]:
    """The columns, with the noun for what a set is drawn of as a title; digits : of differences."""
    return [
        Column("low", "Difference from", digits),
        Column("high", "To below", digits),
        Column("n_pairs", "Pairs of runs"),
        Column("size", f"{units} a set"),
        Column("beyond", "Beyond those at hand"),
        Column("reer", "REER", 4),
        Column("reer_printed", "REER, runs independent", 4),
        Column("reversal", "Reversal", 4),
        Column("trust_05", "To trust at .05", digits),
        Column("trust_01", "To trust at .01", digits),
    ]


def _headline(table: TopicTable, rates: ErrorRates) -> str:
    at_hand = rates.sizes.index(table.n_units)
    n_pairs = int(rates.n_pairs.sum())
    pairs = f"{counted(n_pairs, 'pair')} of {counted(len(table.runs), 'run')}"
    two_sets = f"two sets of {table.n_units:,} {table.unit}"
    if table.are_too_few:
        return (
            f"{table.n_units:,} {table.unit} are too few to tell how often two sets of them would "
            "disagree"
        )
    edges = [rates.trusted_from(level)[at_hand] for level in LEVELS]
    of_levels = [
        f"{100 * level:.0f} % for differences of {edge:g} or more"
        for edge, level in zip(edges, LEVELS, strict=True)
        if edge is not None
    ]
    if not of_levels:
        return (
            f"Among {pairs}, by the mean of each bin, there is no difference from which on "
            f"{two_sets} would disagree on 5 % or less"
        )
    if len(set(edges)) == 1:
        of_levels = of_levels[-1:]
    return (
        f"Of {pairs}, by the mean of each bin, {two_sets} would disagree on at most "
        f"{', on at most '.join(of_levels)}"
    )


def _curves(table: TopicTable, rates: ErrorRates) -> Spec:
    """REER by size and below it reversal, a curve a bin: whole up to those at hand, then dashed."""
    bins = np.flatnonzero(rates.n_pairs)[:MOST_CURVES].tolist()
    names = {b: f"{rates.edges[b]:g} to {rates.edges[b + 1]:g}" for b in bins}
    values = [
        {
            "bin": names[b],
            "size": size,
            "reer": float(f"{rates.reer_paired[m, b]:.5g}"),
            "reversal": float(f"{rates.reversal[m, b]:.5g}"),
        }
        for b in bins
        for m, size in enumerate(rates.sizes)
    ]
    bin_name: Spec = {"field": "bin", "type": "nominal", "title": "Difference"}
    bin_name["scale"] = {"domain": list(names.values())}
    bin_name["legend"] = {"title": "Difference of the means"}
    x: Spec = {"field": "size", "type": "quantitative", "scale": {"type": "log", "nice": False}}
    x |= {"title": f"{table.unit.capitalize()} a set", "axis": {"values": rates.sizes}}
    x["axis"] |= {"format": ",d", "labelOverlap": True}
    line: Spec = {"x": x, "color": bin_name}
    line["tooltip"] = [
        tooltip_row("bin", "Difference"),
        tooltip_row("size", "Size", ",d"),
        tooltip_row("reer", "REER", ".4f"),
        tooltip_row("reversal", "Reversal", ".4f"),
    ]
    panels = [("reer", "REER", 300, LEVELS), ("reversal", "Reversal", 200, ())]
    return {
        "data": {"values": values},
        "vconcat": [
            {
                "width": "@whole",
                "height": height,
                "layer": rate_layers(line, (field, title), levels=levels, n_units=table.n_units),
            }
            for field, title, height, levels in panels
        ],
        "spacing": 20,
    }


def rate_layers(
    line: Spec, rate: tuple[str, str], *, levels: Sequence[float], n_units: int
) -> list[Spec]:
    """The curves of one rate over lines at some levels, dashed beyond the units at hand.

    rate : its field and title
    """
    field, title = rate
    y = {"field": field, "type": "quantitative", "title": title, "scale": {"domain": [0, 0.5]}}
    curve = line | {"y": y}
    return [
        *(
            {
                "mark": {"type": "rule", "color": "@ink-2", "strokeDash": [2, 3], "aria": False},
                "encoding": {"y": {"datum": level}},
            }
            for level in levels
        ),
        {
            "transform": [{"filter": {"field": "size", "lte": n_units}}],
            "mark": "line",
            "encoding": curve,
        },
        {
            "transform": [{"filter": {"field": "size", "gte": n_units}}],
            "mark": {"type": "line", "strokeDash": [5, 4]},
            "encoding": curve,
        },
        {
            "mark": {"type": "point", "size": 60},
            "encoding": curve | {"shape": line["color"]},
        },
    ]
