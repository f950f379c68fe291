"""Sentence, table and chart of the queries for each of some errors of a score."""

from typing import NamedTuple

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.planner.plans import (
    WANTED,
    YOURS,
    YOURS_COLUMN,
    JudgingCost,
    PlannedQueries,
    digits_of_steps,
    middle_note,
    plan_lines,
    with_rule,
)
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.statistics.sample_sizes import RESAMPLED_UP_TO, MiddleBySpread


class ErrorPlan(NamedTuple):
    """The queries for each of some errors, of the run in the middle.

    errors : descending; of_these, like_these : the queries for each, None above ten million
    measure : "" in a file; own_error : the one of the errors that somebody typed
    """

    run: str
    middle: MiddleBySpread
    errors: list[float]
    of_these: list[int]
    like_these: list[int | None]
    population: PlannedQueries
    measure: str
    nouns: Nouns
    own_error: float | None

    def rows(self, cost: JudgingCost | None) -> list[list[Cell]]:
        """A row for each error, with what its queries cost where that is told."""
        return [
            [
                error,
                of_these,
                like_these,
                *(cost.cells(of_these) if cost else []),
                *([YOURS if error == self.own_error else None] if self.own_error else []),
            ]
            for error, of_these, like_these in zip(
                self.errors, self.of_these, self.like_these, strict=True
            )
        ]

    @property
    def score(self) -> str:
        """The measure in words."""
        return self.measure or "score"

    @property
    def wanted_row(self) -> int:
        """The row of the error that somebody typed, or of a usual one."""
        return WANTED if self.own_error is None else self.errors.index(self.own_error)

    @property
    def n_wanted(self) -> int:
        """The queries of these for that error."""
        return self.of_these[self.wanted_row]

    @property
    def headline(self) -> str:
        """The queries for that error in words, where there are enough to know a spread."""
        population, n = self.population, self.n_wanted
        if population.is_small:
            return (
                f"{population.n_units:,} {population.unit} are too few to know how the scores of a "
                "run spread"
            )
        if n == population.n:
            return (
                f"It takes all {n:,} {self.nouns.queries} to keep the {self.score} of a run like "
                f"{self.run} within {self.errors[self.wanted_row]:g} of that on all"
            )
        return (
            f"{'' if population.is_exact else 'About '}{n:,} of the {population.n:,} "
            f"{self.nouns.queries} {'keeps' if n == 1 else 'keep'} the {self.score} of a run like "
            f"{self.run} within {self.errors[self.wanted_row]:g} of that on all in at least 95 of "
            "100 samples"
        )


def error_result(plan: ErrorPlan, cost: JudgingCost | None) -> AnalysisResult:
    """The queries that bring the error of a score down to each of some errors."""
    nouns = plan.nouns
    population, n_at_hand = plan.population, plan.population.n
    groups_text = "" if population.n_units == n_at_hand else f", in whole {population.unit}"
    lines = plan_lines(
        [
            {"kind": kind, "n": size, "y": error}
            for kind, sizes in (("Of these", plan.of_these), ("Like these", plan.like_these))
            for error, size in zip(plan.errors, sizes, strict=True)
            if size is not None
        ],
        ("Of these", "Like these"),
        f"Error of {plan.score}",
        nouns,
    )
    return AnalysisResult(
        headline=plan.headline,
        reading=(
            f"The fewest {nouns.queries} from which on at least 95 of 100 samples are within the "
            f"error. {population.sampling_text()} Of these: of the "
            f"{n_at_hand:,} at hand, drawn once each. Like these: other {nouns.queries} of the "
            f"same kind{groups_text}. "
            + f"Numbers above {RESAMPLED_UP_TO:,} are by the normal approximation. "
            * any(size is None or size > RESAMPLED_UP_TO for size in plan.like_these)
            + f"Blank above ten million {population.unit}. " * (None in plan.like_these)
            + (f"Pairs, hours and pay are of the {nouns.queries} of these." if cost else "")
        ).strip(),
        extent=nouns.extent,
        columns=[
            Column("error", "Error", digits_of_steps(plan.errors)),
            Column("of_these", f"{nouns.title}, of these"),
            Column("like_these", f"{nouns.title}, like these"),
            *(cost.columns if cost else []),
            *([YOURS_COLUMN] if plan.own_error else []),
        ],
        rows=plan.rows(cost),
        spec=with_rule(lines, "y", plan.own_error) if plan.own_error else lines,
        notes=[
            *nouns.notes,
            middle_note(f"The scores of {plan.run}", "a run", plan.middle),
            *([cost.note(nouns.queries, max(plan.of_these))] if cost else []),
        ],
        next_parameters={"n_sources": [str(plan.n_wanted)]},
    )
