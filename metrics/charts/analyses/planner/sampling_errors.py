"""Sentence, table and chart of the errors of samples by their size."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.planner.plans import (
    YOURS,
    YOURS_COLUMN,
    PlannedQueries,
    size_axis,
    with_rule,
)
from metrics.charts.axes import LINE_LEGEND, legend_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, bound_text
from metrics.core.statistics.sample_sizes import ErrorQuantiles

NO_QUANTILES: list[Cell] = [None] * 4


class RunErrors(NamedTuple):
    """The errors of samples of one run's queries: half, 75, 95, 99 of 100 stay within."""

    run: str
    sizes: list[ErrorQuantiles]


COLUMNS = [
    Column("n_groups", "Groups, like these"),
    *(
        Column(f"{key}_{per_cent}", f"{title}, {per_cent} %", 4, is_bound=True)
        for key, title in (("of_these", "Of these"), ("like_these", "Like these"))
        for per_cent in (50, 75, 95, 99)
    ),
]


def sampling_result(
    curves: Sequence[RunErrors],
    nouns: Nouns,
    population: PlannedQueries,
    *,
    measure: str,
    middle: int,
    own_size: int | None,
) -> AnalysisResult:
    """The errors by size of the sample; one run or more.

    middle : the position of the run whose scores spread in the middle, of which the headline is
    own_size : the size that somebody typed, among those of the curves
    """
    middle_curve, n = curves[middle], population.n
    groups_text = "" if population.n_units == n else f", in whole {population.unit}"
    most = n / 2 if own_size is None else own_size
    row = next((size for size in reversed(middle_curve.sizes) if size.size <= most), None)
    lines = _error_lines(curves, nouns, measure)
    return AnalysisResult(
        headline=sampling_headline(row, middle_curve.run, nouns, population, measure=measure),
        reading=(
            "The distance that so many of 100 samples stay within. Of these: samples of the "
            f"{nouns.queries} at hand, drawn once each. Like these: other {nouns.queries} of the "
            f"same kind{groups_text}. These are errors of one score: the error of the difference "
            f"of two runs on the same {nouns.queries} may be smaller or larger. "
            f"{population.sampling_text()}"
        ),
        extent=nouns.extent,
        columns=[Column("run", "Run"), Column("n", nouns.title), *COLUMNS]
        + ([YOURS_COLUMN] if own_size else []),
        rows=[
            [*row, *([YOURS if size.size == own_size else None] if own_size else [])]
            for curve in curves
            for size in curve.sizes
            for row in [[curve.run, *size[:2], *(size.of_these or NO_QUANTILES), *size.like_these]]
        ],
        spec=with_rule(lines, "x", own_size) if own_size else lines,
        notes=nouns.notes,
        next_parameters={} if row is None else {"n_sources": [str(min(row.size, n))]},
    )


def sampling_headline(
    row: ErrorQuantiles | None, run: str, nouns: Nouns, population: PlannedQueries, *, measure: str
) -> str:
    """The error of samples of one size of a run, where there are enough to know their spread."""
    n, score = population.n, measure or "score"
    if row is None or population.is_small:
        return f"{population.n_units:,} {population.unit} are too few to know the errors of samples"
    if row.size == n:
        return f"{n:,} {nouns.queries} are all there are: their score has no error here"
    if row.of_these is None:
        return (
            f"On {row.size:,} {nouns.queries} like these the {score} of {run} is, in at least 95 "
            f"of 100 samples, within {bound_text(row.like_these[2], 3)} of that on all such "
            f"{nouns.queries}"
        )
    return (
        f"On {row.size:,} of the {n:,} {nouns.queries} the {score} of {run} is, in at least 95 of "
        f"100 samples, within {bound_text(row.of_these[2], 3)} of that on all {n:,}"
    )


def _error_lines(curves: Sequence[RunErrors], nouns: Nouns, measure: str) -> Spec:
    """Errors that 95 of 100 samples stay within by size, a line a run and kind of sample."""
    kinds = ("Of these", "Like these")
    values = [
        {"run": curve.run, "n": size.size, "kind": kind, "error": quantiles[2]}
        for curve in curves
        for size in curve.sizes
        for kind, quantiles in zip(kinds, (size.of_these, size.like_these), strict=True)
        if quantiles is not None
    ]
    runs = [curve.run for curve in curves]
    run: Spec = {"field": "run", "type": "nominal", "title": None, "legend": legend_of(runs)}
    run |= {"scale": {"domain": runs}}
    dash: Spec = {"field": "kind", "type": "nominal", "title": None}
    dash["legend"] = {"columns": 2, "symbolStrokeColor": "@ink-2"} | LINE_LEGEND
    dash |= {"scale": {"domain": list(kinds), "range": [[1, 0], [5, 4]]}}
    y: Spec = {"field": "error", "type": "quantitative"}
    y["title"] = f"Error{f' of {measure}' * bool(measure)}, 95 of 100 within"
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("kind", "Samples"),
        tooltip_row("n", nouns.title, ",d"),
        tooltip_row("error", "Error in 95 of 100 samples", ".4f"),
    ]
    return {
        "data": {"values": values},
        "height": 280,
        "mark": {"type": "line", "point": {"size": 50}},
        "encoding": {
            "x": size_axis(nouns, values),
            "y": y,
            "color": run,
            "shape": run,
            "strokeDash": dash,
            "tooltip": tooltip,
        },
    }
