"""Sentences, tables and charts of numbers of queries, for errors and for differences."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.statistics.sample_sizes import ErrorQuantiles, MiddleBySpread, RequiredQueries

FEWEST = 30  # queries, or groups of them, of which a headline tells a number
NO_QUANTILES: list[Cell] = [None] * 4
POWERS = [10**power for power in range(9)]
WANTED = 2  # the place, among errors or differences from the largest, that a headline is of


class PlannedQueries(NamedTuple):
    """The n queries that a plan draws of, in n_units groups; unit : their noun, in the plural."""

    n: int
    n_units: int
    unit: str

    @property
    def is_small(self) -> bool:
        """True if it is too small to know a spread by."""
        return self.n_units < FEWEST


class RunErrors(NamedTuple):
    """The errors of samples of one run's queries: half, 75, 95, 99 of 100 stay within."""

    run: str
    sizes: list[ErrorQuantiles]


class JudgingCost(NamedTuple):
    """The cost of judging a query: its pairs within the first ranks of some runs, time and pay.

    seconds : a judgment, the median; is_measured : in this collection
    hourly_pay : None where none is set
    """

    pairs_a_query: float
    n_runs: int
    depth: int
    seconds: float
    is_measured: bool
    hourly_pay: float | None
    currency: str

    def cells(self, n_queries: int | None) -> list[Cell]:
        """Pairs, hours and pay of so many queries."""
        if n_queries is None:
            return [None, None, *([] if self.hourly_pay is None else [None])]
        n_pairs = n_queries * self.pairs_a_query
        hours = n_pairs * self.seconds / 3_600
        pay = [] if self.hourly_pay is None else [hours * self.hourly_pay]
        return [round(n_pairs), hours, *pay]

    @property
    def columns(self) -> list[Column]:
        """The columns of the cells."""
        columns = [Column("pairs", "Pairs"), Column("hours", "Hours", 1)]
        if self.hourly_pay is not None:
            columns.append(Column("pay", f"Pay, {self.currency}"))
        return columns

    @property
    def note(self) -> str:
        """The origin of the numbers."""
        origin = "the median here" if self.is_measured else "a usual one, as none was timed"
        return (
            f"Cost: {self.pairs_a_query:.1f} pairs a query, the first {self.depth} ranks of "
            f"{counted(self.n_runs, 'run')}, {self.seconds:.1f} seconds a judgment, {origin}, one "
            "label a pair. Gold checks and second labels come on top; labels at hand are not taken "
            "off: the form of a pool tells both."
        )


class ErrorPlan(NamedTuple):
    """The queries for each of some errors, of the run in the middle.

    errors : descending; of_these, like_these : the queries for each
    measure : "" in a file
    """

    run: str
    middle: MiddleBySpread
    errors: list[float]
    of_these: list[int]
    like_these: list[int]
    population: PlannedQueries
    measure: str
    nouns: Nouns


class DifferencePlan(NamedTuple):
    """The queries for each of some differences, of the pair of runs in the middle.

    sizes : a list for each power, .8 and .9, over the differences; simulated : power of the first
    """

    runs: tuple[str, str]
    middle: MiddleBySpread
    differences: list[float]
    sizes: list[list[RequiredQueries]]
    simulated: list[float | None]
    population: PlannedQueries
    measure: str
    nouns: Nouns

    def rows(self, cost: JudgingCost | None) -> list[list[Cell]]:
        """A row a difference."""
        columns = zip(self.differences, *self.sizes, self.simulated, strict=True)
        return [
            [
                difference,
                eighty.n_queries,
                power,
                ninety.n_queries,
                *(cost.cells(eighty.n_queries) if cost else []),
            ]
            for difference, eighty, ninety, power in columns
        ]


def sampling_result(
    curves: Sequence[RunErrors],
    nouns: Nouns,
    population: PlannedQueries,
    *,
    measure: str,
    middle: int,
) -> AnalysisResult:
    """The errors by size of the sample; one run or more.

    middle : the position of the run whose scores spread in the middle, of which the headline is
    """
    middle_curve, (n, n_units, unit) = curves[middle], population
    inside = [size for size in middle_curve.sizes if size.of_these is not None and size.size < n]
    row = next((size for size in reversed(inside) if size.size <= n / 2), None)
    if row is None or row.of_these is None or population.is_small:
        headline = f"Errors of samples of {n_units:,} {unit}: few to know their spread by"
    else:
        headline = (
            f"On {row.size:,} of the {n:,} {nouns.queries} the {measure or 'score'} of "
            f"{middle_curve.run} is within {row.of_these[2]:.3f} of that on all in 95 of 100 "
            "samples"
        )
    return AnalysisResult(
        headline=headline,
        reading=(
            "The distance that so many of 100 samples stay within. Of these: samples of the "
            f"{nouns.queries} at hand, drawn once each. Like these: other {nouns.queries} of the "
            f"same kind. What is drawn are {unit}. The error of one score; two runs on the same "
            f"{nouns.queries} differ by less or more than that."
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("n", nouns.title),
            Column("n_groups", "Drawn groups"),
            *(
                Column(f"{key}_{per_cent}", f"{title}, {per_cent} %", 4)
                for key, title in (("of_these", "Of these"), ("like_these", "Like these"))
                for per_cent in (50, 75, 95, 99)
            ),
        ],
        rows=[
            [curve.run, *size[:2], *(size.of_these or NO_QUANTILES), *size.like_these]
            for curve in curves
            for size in curve.sizes
        ],
        spec=_error_lines(curves, nouns, measure),
        notes=nouns.notes,
    )


def _error_lines(curves: Sequence[RunErrors], nouns: Nouns, measure: str) -> Spec:
    """95 % errors by size, a line a run and kind of sample."""
    kinds = ("Of these", "Like these")
    values = [
        {"run": curve.run, "n": size.size, "kind": kind, "error": quantiles[2]}
        for curve in curves
        for size in curve.sizes
        for kind, quantiles in zip(kinds, (size.of_these, size.like_these), strict=True)
        if quantiles is not None
    ]
    run: Spec = {"field": "run", "type": "nominal", "title": None, "legend": {"columns": 2}}
    run |= {"scale": {"domain": [curve.run for curve in curves]}}
    dash: Spec = {"field": "kind", "type": "nominal", "title": None, "legend": {"columns": 2}}
    dash |= {"scale": {"domain": list(kinds), "range": [[1, 0], [5, 4]]}}
    y: Spec = {"field": "error", "type": "quantitative"}
    y["title"] = f"95 % error of {measure}" if measure else "95 % error"
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("kind", "Samples"),
        tooltip_row("n", nouns.title, ",d"),
        tooltip_row("error", "95 % error", ".4f"),
    ]
    return {
        "data": {"values": values},
        "height": 280,
        "mark": {"type": "line", "point": {"size": 50}},
        "encoding": {
            "x": _size_axis(nouns, values),
            "y": y,
            "color": run,
            "shape": run,
            "strokeDash": dash,
            "tooltip": tooltip,
        },
    }


def _size_axis(nouns: Nouns, values: Sequence[Spec]) -> Spec:
    """A logarithmic axis of numbers of queries, marked at powers of ten alone."""
    most = max((row["n"] for row in values), default=1)
    axis = {"format": ",d", "labelOverlap": True, "values": POWERS[: len(str(most)) + 1]}
    return {
        "field": "n",
        "type": "quantitative",
        "title": f"{nouns.title} (log scale)",
        "scale": {"type": "log"},
        "axis": axis,
    }


def error_result(plan: ErrorPlan, cost: JudgingCost | None) -> AnalysisResult:
    """The queries that bring the error of a score down to each of some errors."""
    nouns, score = plan.nouns, plan.measure or "score"
    n = plan.of_these[WANTED]
    n_at_hand, n_units, unit = plan.population
    headline = f"Numbers of {nouns.queries} for an error, by {n_units:,} {unit}: few for a spread"
    if not plan.population.is_small:
        headline = (
            f"{n:,} of the {n_at_hand:,} {nouns.queries} keep the {score} of a run like {plan.run} "
            f"within {plan.errors[WANTED]:g} of that on all in 95 of 100 samples"
        )
    rows: list[list[Cell]] = [
        [error, of_these, like_these, *(cost.cells(of_these) if cost else [])]
        for error, of_these, like_these in zip(
            plan.errors, plan.of_these, plan.like_these, strict=True
        )
    ]
    return AnalysisResult(
        headline=headline,
        reading=(
            f"{nouns.title} so that 95 of 100 samples are within the error. Of these: of the "
            f"{n_at_hand:,} at hand. Like these: for other {nouns.queries} of the same kind. "
            + ("Pairs, hours and pay are of the first." if cost else "")
        ).strip(),
        extent=nouns.extent,
        columns=[
            Column("error", "Error", 4),
            Column("of_these", f"{nouns.title}, of these"),
            Column("like_these", f"{nouns.title}, like these"),
            *(cost.columns if cost else []),
        ],
        rows=rows,
        spec=_plan_lines(
            [
                {"kind": kind, "n": size, "y": error}
                for kind, sizes in (("Of these", plan.of_these), ("Like these", plan.like_these))
                for error, size in zip(plan.errors, sizes, strict=True)
            ],
            ("Of these", "Like these"),
            f"Error of {score}",
            nouns,
        ),
        notes=[
            *nouns.notes,
            middle_note(f"The scores of {plan.run}", "a run", plan.middle),
            *([cost.note] if cost else []),
        ],
        next_parameters={"n_sources": [str(n)]},
    )


def difference_result(plan: DifferencePlan, cost: JudgingCost | None) -> AnalysisResult:
    """The queries with which a test sees each of some differences."""
    nouns, (first, second) = plan.nouns, plan.runs
    names = ("80 of 100 cases", "90 of 100 cases")
    n = plan.sizes[0][WANTED].n_queries
    headline = f"Numbers of {nouns.queries} for a difference: few are at hand to know a spread by"
    if not plan.population.is_small and n is not None:
        headline = (
            f"To see a difference of {plan.differences[WANTED]:g} between runs like {first} and "
            f"{second} in 80 of 100 cases takes {n:,} {nouns.queries}"
        )
        if n > plan.population.n:
            headline += f"; {plan.population.n:,} are at hand"
    return AnalysisResult(
        headline=headline,
        reading=(
            f"{nouns.title} with which a paired t test at .05 sees a true difference in so many "
            "cases; blank above ten million. Power by simulation: of the first, with the "
            "differences at hand drawn with replacement; where it is far from .80 the formula, "
            "which takes means for normal, does not hold. "
            + ("Pairs, hours and pay are of 80 of 100 cases." if cost else "")
        ).strip(),
        extent=nouns.extent,
        columns=[
            Column("difference", "Difference", 4),
            Column("n_80", f"{nouns.title}, {names[0]}"),
            Column("simulated_power", "Power by simulation", 3),
            Column("n_90", f"{nouns.title}, {names[1]}"),
            *(cost.columns if cost else []),
        ],
        rows=plan.rows(cost),
        spec=_plan_lines(
            [
                {"kind": kind, "n": size.n_queries, "y": difference}
                for kind, sizes in zip(names, plan.sizes, strict=True)
                for difference, size in zip(plan.differences, sizes, strict=True)
                if size.n_queries is not None
            ],
            names,
            f"Difference in {plan.measure or 'score'}",
            nouns,
        ),
        notes=[
            *nouns.notes,
            middle_note(f"The differences of {first} and {second}", "a pair", plan.middle),
            *([cost.note] if cost else []),
        ],
        next_parameters={} if n is None else {"n_sources": [str(min(n, plan.population.n))]},
    )


def middle_note(subject: str, noun: str, middle: MiddleBySpread) -> str:
    """A sentence on the spread in the middle; noun : of what the others are."""
    return (
        f"{subject} spread in the middle of those chosen; of {noun} that spreads least the errors "
        f"are {middle.least:.2f} times as large, of {noun} that spreads most {middle.most:.2f} "
        "times."
    )


def _plan_lines(
    values: Sequence[Spec], kinds: Sequence[str], title: str, nouns: Nouns
) -> Spec | None:
    """Lines of queries by error or difference, one a kind; None without a number of queries."""
    if not values:
        return None
    kind: Spec = {"field": "kind", "type": "nominal", "title": None, "legend": {"columns": 2}}
    kind |= {"scale": {"domain": list(kinds), "range": ["@blue", "@amber"]}}
    return {
        "data": {"values": list(values)},
        "height": 260,
        "mark": {"type": "line", "point": {"size": 60}},
        "encoding": {
            "x": _size_axis(nouns, values),
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": title,
                "scale": {"type": "log"},
                "axis": {"values": sorted({row["y"] for row in values}), "format": "~g"},
            },
            "color": kind,
            "shape": {"field": "kind", "type": "nominal", "scale": {"domain": list(kinds)}},
            "strokeDash": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": list(kinds), "range": [[1, 0], [5, 4]]},
            },
            "tooltip": [
                tooltip_row("kind", "In"),
                tooltip_row("n", nouns.title, ",d"),
                tooltip_row("y", title, ".4f"),
            ],
        },
    }
