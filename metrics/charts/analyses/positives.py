"""The chart of the number of positives of a query."""

from collections.abc import Sequence

import numpy as np

from metrics.charts.analyses.nouns import AXIS, Nouns
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column
from metrics.core.analyses.bins import bins_of
from metrics.core.analyses.positives import PositivesDistribution

N_BINS = 30  # of the histogram
SERIES = ["@blue", "@amber", "@slate", "@violet", "@teal", "@red", "@green"]  # apart in grey too


def positives_result(
    distributions: Sequence[PositivesDistribution], nouns: Nouns
) -> AnalysisResult:
    """The histogram of the number of positives of a query, a series for each label source.

    distributions : one or more, the first of the chosen label source
    """
    first, *parts = distributions
    medians = f"{_counted(first.median)} by {first.name}"
    medians += "".join(f"; {_plain(part.median)} by {part.name}" for part in parts)
    headline = f"The median of the {nouns.queries} has {medians}"
    return AnalysisResult(
        headline=headline,
        reading=(
            "Bars: queries with so many positives. Triangles: the bars of the medians. Counted are "
            "the labels at hand; what nobody labelled may be positive too."
        ),
        extent=nouns.extent,
        columns=[
            Column("labels", "Labels"),
            Column("n_positive", "Positives"),
            Column("n_without", f"{nouns.queries.capitalize()} without any"),
            Column("mean", "Mean", 2),
            Column("low", "From", 2),
            Column("high", "To", 2),
            Column("first_quartile", "First quartile", 1),
            Column("median", "Median", 1),
            Column("third_quartile", "Third quartile", 1),
            Column("largest", "Largest"),
        ],
        rows=[
            [
                row.name,
                row.n_positive,
                row.n_without,
                row.mean,
                *row.interval,
                *row.quartiles,
                row.values[-1],
            ]
            for row in distributions
        ],
        spec=_histogram(distributions, nouns),
        notes=nouns.notes,
    )


def _histogram(distributions: Sequence[PositivesDistribution], nouns: Nouns) -> Spec:
    everything = np.concatenate([np.repeat(row.values, row.n_queries) for row in distributions])
    bins = bins_of(everything, n_bins=N_BINS, least=0)
    values, marks = [], []
    for row in distributions:
        counts = np.bincount(
            bins.number(np.array(row.values)), weights=row.n_queries, minlength=len(bins.start)
        )
        name = f"{row.name}, median {_plain(row.median)}"
        values += [
            {"labels": name, "positives": label, "n": int(n)}
            for label, n in zip(bins.labels, counts, strict=True)
        ]
        number = int(bins.number(np.array([int(row.median)]))[0])
        marks.append({"labels": name, "positives": bins.labels[number], "n": int(counts[number])})
    names = list(dict.fromkeys(row["labels"] for row in values))
    encoding = {
        "x": {"field": "positives", "type": "ordinal", "sort": bins.labels, "title": "Positives"}
        | {"axis": AXIS},
        "xOffset": {"field": "labels", "sort": names},
        "y": {"field": "n", "type": "quantitative", "axis": WHOLE, "title": nouns.queries},
        "color": {"field": "labels", "type": "nominal", "title": None}
        | {"scale": {"domain": names, "range": SERIES[: len(names)]}},
    }
    tooltip = [
        tooltip_row("labels", "Labels"),
        tooltip_row("positives", "Positives"),
        tooltip_row("n", nouns.queries.capitalize(), ",d"),
    ]
    triangle = {"type": "point", "shape": "triangle-down", "yOffset": -9, "size": 60}
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


def _counted(median: float) -> str:
    return f"{_plain(median)} positive{'s' * (median != 1)}"


def _plain(value: float) -> str:
    """A median: whole, or with one half."""
    return f"{value:,.1f}" if value % 1 else f"{value:,.0f}"
