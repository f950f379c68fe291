"""Sentence, table and chart of the distribution of sampling errors at some sizes."""

from collections.abc import Sequence

from annotate.core.phrases import count_of
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.planner.plans import (
    YOURS,
    YOURS_COLUMN,
    JudgingCost,
    PlannedQueries,
    middle_note,
)
from metrics.charts.axes import legend_of, values_by_name
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, bound_text
from metrics.core.analyses.planner.error_distributions import (
    HALF,
    MOST,
    SHARES,
    ErrorDistribution,
)
from metrics.core.statistics.sample_sizes import MiddleBySpread

DASHES = ([1, 0], [6, 3], [2, 2], [10, 2, 2, 2])

COLUMNS = [
    Column("deviation", "Standard deviation of the error", 4),
    *(
        Column(f"within_{100 * share:g}", f"{100 * share:g} % of samples within", 4, is_bound=True)
        for share in SHARES
    ),
]


def distribution_result(
    distributions: Sequence[ErrorDistribution],
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
    row = distributions[-1]
    if own_size is not None:
        row = next(size for size in distributions if size.size == own_size)
    return AnalysisResult(
        headline=distribution_headline(row, run, nouns, population, measure=measure),
        reading=(
            "Each line is a size of the sample: the share of samples whose score is within a "
            f"distance of that on all {nouns.queries}. Error: the score on the sample less that on "
            f"all. Samples are of the {nouns.queries} at hand, drawn once each. "
            f"{population.sampling_text(of_these_alone=True)}"
        ),
        extent=nouns.extent,
        columns=[Column("n", nouns.title), *COLUMNS]
        + (cost.columns if cost else [])
        + ([YOURS_COLUMN] if own_size else []),
        rows=[
            [
                *size[:2],
                *size.distances,
                *(cost.cells(size.size) if cost else []),
                *([YOURS if size.size == own_size else None] if own_size else []),
            ]
            for size in distributions
        ],
        spec=_lines(distributions, measure, nouns, own_size),
        notes=[*nouns.notes, middle_note(f"The scores of {run}", "a run", middle)]
        + ([cost.note(nouns.queries, population.n)] if cost else []),
        next_parameters={"n_sources": [str(row.size)]},
    )


def distribution_headline(
    row: ErrorDistribution, run: str, nouns: Nouns, population: PlannedQueries, *, measure: str
) -> str:
    """The distances that half, and nearly all, of the samples of a size stay within."""
    n = population.n
    if population.is_small:
        return f"{population.n_units:,} {population.unit} are too few to know the errors of samples"
    if row.size == n:
        return f"{n:,} {nouns.queries} are all there are: their score has no error here"
    return (
        f"On {row.size:,} of the {n:,} {nouns.queries} the {measure or 'score'} of a run like "
        f"{run} is within {bound_text(row.distances[HALF], 3)} of that on all in at least "
        f"half of the samples, and further off than {bound_text(row.distances[MOST], 3)} in at "
        "most one of 20"
    )


def _lines(
    distributions: Sequence[ErrorDistribution], measure: str, nouns: Nouns, own_size: int | None
) -> Spec:
    """The share of samples within each distance, a line a size."""
    names = [
        count_of(size.size, nouns.queries) + (f" ({YOURS})" if size.size == own_size else "")
        for size in distributions
    ]
    values = [
        {"size": name, "distance": distance, "share": 100 * share}
        for name, size in zip(names, distributions, strict=True)
        for distance, share in zip(size.distances, SHARES, strict=True)
    ]
    title = f"Distance from the {measure or 'score'} on all"
    size: Spec = {
        "field": "size",
        "type": "nominal",
        "title": None,
        "legend": legend_of(names),
        "scale": {"domain": names},
    }
    return {
        "data": {"values": values},
        "height": 260,
        "mark": {"type": "line", "point": {"size": 50}},
        "encoding": {
            "x": {"field": "distance", "type": "quantitative", "title": title},
            "y": {"field": "share", "type": "quantitative", "title": "Samples, %"},
            "color": size,
            "shape": size,
            "strokeDash": values_by_name("size", dict(zip(names, DASHES, strict=False))),
            "order": {"field": "share"},
            "tooltip": [
                tooltip_row("size", "Sample"),
                tooltip_row("distance", "Within", ".4f"),
                tooltip_row("share", "Samples, %", ".0f"),
            ],
        },
    }
