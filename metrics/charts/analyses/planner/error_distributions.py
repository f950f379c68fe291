"""Sentence, table and chart of the distribution of sampling errors at some sizes."""

from annotate.core.phrases import count_of
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.planner.plans import (
    YOURS,
    YOURS_COLUMN,
    JudgingCost,
    PlannedQueries,
    middle_note,
)
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.planner.error_distributions import QUANTILES, ErrorDistributions
from metrics.core.statistics.sample_sizes import MiddleBySpread

DASHES = ([1, 0], [6, 3], [2, 2], [10, 2, 2, 2])

COLUMNS = [
    Column("deviation", "Standard deviation of the error", 4),
    *(
        Column(f"error_{100 * quantile:g}", f"Quantile {100 * quantile:g} % of the error", 4)
        for quantile in QUANTILES
    ),
    Column("within_50", "Half are within", 4),
    Column("within_95", "95 of 100 are within", 4),
    Column("distance", "Distance", 4),
    Column("share", "Samples within it, %", 1),
]


def distribution_result(
    distributions: ErrorDistributions,
    run: str,
    middle: MiddleBySpread,
    population: PlannedQueries,
    *,
    measure: str,
    nouns: Nouns,
    own_size: int | None,
    cost: JudgingCost | None,
) -> AnalysisResult:
    """The errors at each size, of the run in the middle; one size or more.

    own_size : the size that somebody typed, among those of the distributions
    cost : of judging such samples, where it is to be told
    """
    n, n_units, unit = population
    row = distributions.of_sizes[-1]
    if own_size is not None:
        row = next(size for size in distributions.of_sizes if size.size == own_size)
    if population.is_small:
        headline = f"{n_units:,} {unit} are too few to know the errors of samples"
    elif row.size == n:
        headline = f"{n:,} {nouns.queries} are all there are: their score has no error here"
    else:
        headline = (
            f"On {row.size:,} of the {n:,} {nouns.queries} the {measure or 'score'} of a run like "
            f"{run} is within {row.within_half:.3f} of that on all in half of the samples, and "
            f"further off than {row.within_95:.3f} in one of 20"
        )
    return AnalysisResult(
        headline=headline,
        reading=(
            "Each line is a size of the sample: the share of samples whose score is within a "
            f"distance of that on all {nouns.queries}. Error: the score on the sample less that on "
            f"all. Samples are of the {nouns.queries} at hand, drawn once each. Table: a row for "
            "each size, and below these a row for each point of its line."
        ),
        extent=nouns.extent,
        columns=[Column("n", nouns.title), *COLUMNS]
        + (cost.columns if cost else [])
        + ([YOURS_COLUMN] if own_size else []),
        rows=error_rows(distributions, cost, own_size),
        spec=_lines(distributions, measure, nouns, own_size),
        notes=[*nouns.notes, middle_note(f"The scores of {run}", "a run", middle)]
        + ([cost.note] if cost else []),
        next_parameters={"n_sources": [str(row.size)]},
    )


def error_rows(
    distributions: ErrorDistributions, cost: JudgingCost | None, own_size: int | None
) -> list[list[Cell]]:
    """A row for each size, then one for each point of the lines of the chart."""
    rows: list[list[Cell]] = [
        [
            *size[:2],
            *size.quantiles,
            size.within_half,
            size.within_95,
            None,
            None,
            *(cost.cells(size.size) if cost else []),
            *([YOURS if size.size == own_size else None] if own_size else []),
        ]
        for size in distributions.of_sizes
    ]
    n_blank = len(QUANTILES) + 3  # the deviation, and the two distances
    n_columns = len(rows[0])
    for size in distributions.of_sizes:
        rows += [
            [
                *[size.size, *[None] * n_blank, distance, 100 * share],
                *[None] * (n_columns - n_blank - 3),
            ]
            for distance, share in zip(
                distributions.distances.tolist(), size.shares.tolist(), strict=True
            )
        ]
    return rows


def _lines(
    distributions: ErrorDistributions, measure: str, nouns: Nouns, own_size: int | None
) -> Spec:
    """The share of samples within each distance, a line a size."""
    names = [
        count_of(size.size, nouns.queries) + (f" ({YOURS})" if size.size == own_size else "")
        for size in distributions.of_sizes
    ]
    values = [
        {"size": name, "distance": distance, "share": 100 * share}
        for name, size in zip(names, distributions.of_sizes, strict=True)
        for distance, share in zip(distributions.distances.tolist(), size.shares, strict=True)
    ]
    title = f"Distance from the {measure or 'score'} on all"
    size: Spec = {"field": "size", "type": "nominal", "title": None, "legend": {"columns": 2}}
    dash = size | {"scale": {"domain": names, "range": list(DASHES[: len(names)])}}
    return {
        "data": {"values": values},
        "height": 260,
        "mark": "line",
        "encoding": {
            "x": {"field": "distance", "type": "quantitative", "title": title},
            "y": {"field": "share", "type": "quantitative", "title": "Samples, %"},
            "color": size | {"scale": {"domain": names}},
            "strokeDash": dash,
            "tooltip": [
                tooltip_row("size", "Sample"),
                tooltip_row("distance", "Within", ".4f"),
                tooltip_row("share", "Samples, %", ".1f"),
            ],
        },
    }
