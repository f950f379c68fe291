"""The chart of the number of positives of a query."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.nouns import Nouns, bin_axis
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.bins import Bins, bins_of
from metrics.core.analyses.collection.positives import PositivesDistribution

N_BINS = 30  # of the histogram
SERIES = ["@blue", "@amber", "@slate", "@violet", "@teal", "@red", "@green"]  # apart in grey too


def positives_result(
    distributions: Sequence[PositivesDistribution], nouns: Nouns
) -> AnalysisResult:
    """The histogram of the number of positives of a query, a series for each label source.

    distributions : one or more, the first of the chosen label source
    """
    first, *parts = distributions
    medians = f"{_plain(first.median)} positive{'s' * (first.median != 1)} by {first.name}"
    medians += "".join(f"; {_plain(part.median)} by {part.name}" for part in parts)
    everything = np.concatenate([np.repeat(row.values, row.n_queries) for row in distributions])
    bins = bins_of(everything, n_bins=N_BINS, least=0)
    counts = [
        np.bincount(
            bins.number(np.array(row.values)), weights=row.n_queries, minlength=len(bins.start)
        )
        for row in distributions
    ]
    return AnalysisResult(
        headline=f"The median of the {nouns.queries} has {medians}",
        reading=(
            f"Bars: {nouns.queries} with so many positives. A triangle stands above the bar of a "
            "median. Counted are the labels at hand; what nobody labelled may be positive too. "
            "From, to: 95 % interval of the mean, blank where nothing varies."
        ),
        extent=nouns.extent,
        columns=_columns(bins, nouns),
        rows=[_row(row, row_counts) for row, row_counts in zip(distributions, counts, strict=True)],
        spec=_histogram(distributions, bins, counts, nouns),
        notes=nouns.notes,
    )


def _columns(bins: Bins, nouns: Nouns) -> list[Column]:
    return [
        Column("labels", "Labels"),
        Column("n_positive", "Positives"),
        Column("n_without", f"{nouns.title} without any"),
        Column("mean", "Mean", 2),
        Column("low", "Mean from", 2),
        Column("high", "Mean to", 2),
        Column("first_quartile", "First quartile", 1),
        Column("median", "Median", 1),
        Column("third_quartile", "Third quartile", 1),
        Column("largest", "Largest"),
        *(
            Column(f"n_with_{start}", f"{nouns.title} with {label}")
            for start, label in zip(bins.start.tolist(), bins.labels, strict=True)
        ),
    ]


def _row(row: PositivesDistribution, counts: NDArray[np.generic]) -> list[Cell]:
    """The numbers of a label source, and of how many queries have so many positives."""
    return [
        row.name,
        row.n_positive,
        row.n_without,
        row.mean,
        *row.interval,
        *row.quartiles,
        row.values[-1],
        *map(int, counts.tolist()),
    ]


def _histogram(
    distributions: Sequence[PositivesDistribution],
    bins: Bins,
    counts: Sequence[NDArray[np.generic]],
    nouns: Nouns,
) -> Spec:
    values, marks = [], []
    for row, row_counts in zip(distributions, counts, strict=True):
        name = f"{row.name}, median {_plain(row.median)}"
        values += [
            {"labels": name, "positives": label, "n": int(n)}
            for label, n in zip(bins.labels, row_counts, strict=True)
        ]
        number = int(bins.number(np.array([int(row.median)]))[0])
        marks.append(
            {"labels": name, "positives": bins.labels[number], "n": int(row_counts[number])}
        )
    names = list(dict.fromkeys(row["labels"] for row in values))
    encoding = {
        "x": {"field": "positives", "type": "ordinal", "sort": bins.labels, "title": "Positives"}
        | {"axis": bin_axis(bins.labels)},
        "xOffset": {"field": "labels", "sort": names},
        "y": {"field": "n", "type": "quantitative", "axis": WHOLE, "title": nouns.title},
        "color": {"field": "labels", "type": "nominal", "title": None}
        | {"scale": {"domain": names, "range": SERIES[: len(names)]}}
        | {"legend": {"columns": 1, "labelLimit": 640, "offset": 24}},
    }
    tooltip = [
        tooltip_row("labels", "Labels"),
        tooltip_row("positives", "Positives"),
        tooltip_row("n", nouns.title, ",d"),
    ]
    triangle = {"type": "point", "shape": "triangle-down", "yOffset": -10, "size": 90, "opacity": 1}
    return {
        "height": 260,
        "encoding": encoding,
        "layer": [
            {
                "data": {"values": values},
                "mark": {"type": "bar", "cornerRadiusEnd": 1},
                "encoding": {"tooltip": tooltip},
            },
            {"data": {"values": marks}, "mark": triangle},
        ],
    }


def _plain(value: float) -> str:
    """A median: whole, or with one half."""
    return f"{value:,.1f}" if value % 1 else f"{value:,.0f}"
