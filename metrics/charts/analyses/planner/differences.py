"""Sentence, table and chart of the queries with which a test sees each of some differences."""

from typing import NamedTuple

from annotate.core.phrases import count_of
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
from metrics.core.statistics.sample_sizes import MiddleBySpread, RequiredQueries


class DifferencePlan(NamedTuple):
    """The queries for each of some differences, of the pair of runs in the middle.

    powers : of the test, the one that somebody typed first
    sizes : a list for each power, over the differences; simulated : power of the first
    own_difference, own_power : those of them that somebody typed
    """

    runs: tuple[str, str]
    middle: MiddleBySpread
    differences: list[float]
    powers: list[float]
    sizes: list[list[RequiredQueries]]
    simulated: list[float | None]
    population: PlannedQueries
    measure: str
    nouns: Nouns
    own_difference: float | None
    own_power: float | None

    @property
    def names(self) -> list[str]:
        """The powers in words."""
        return [
            f"{100 * power:g} of 100 cases" + (f" ({YOURS})" if power == self.own_power else "")
            for power in self.powers
        ]

    def rows(self, cost: JudgingCost | None) -> list[list[Cell]]:
        """A row a difference."""
        own = self.own_difference
        columns = zip(self.differences, self.simulated, *self.sizes, strict=True)
        return [
            [
                difference,
                first.n_queries,
                power,
                *(size.n_queries for size in sizes),
                *(cost.cells(first.n_queries) if cost else []),
                *([YOURS if difference == own else None] if own else []),
            ]
            for difference, power, first, *sizes in columns
        ]

    @property
    def columns(self) -> list[Column]:
        """The columns of differences and queries."""
        queries = [
            Column(f"n_{100 * power:g}", f"{self.nouns.title}, {name}")
            for power, name in zip(self.powers, self.names, strict=True)
        ]
        simulation = Column("simulated_power", "Power by simulation", 3)
        return [
            Column("difference", "Difference", digits_of_steps(self.differences)),
            queries[0],
            simulation,
            *queries[1:],
        ]

    @property
    def wanted_row(self) -> int:
        """The row of the difference that somebody typed, or of a usual one."""
        own = self.own_difference
        return WANTED if own is None else self.differences.index(own)

    @property
    def n_wanted(self) -> int | None:
        """The queries for that difference and the first power; None above ten million."""
        return self.sizes[0][self.wanted_row].n_queries

    @property
    def most_queries(self) -> int:
        """The most queries for any difference and the first power."""
        return max(size.n_queries or 0 for size in self.sizes[0])

    @property
    def cases(self) -> str:
        """The first power in words."""
        return f"{100 * self.powers[0]:g} of 100 cases"

    @property
    def headline(self) -> str:
        """The queries for that difference in words, where there are enough to know a spread."""
        (first, second), n, population = self.runs, self.n_wanted, self.population
        if population.is_small:
            return (
                f"{population.n_units:,} {population.unit} are too few to know how differences of "
                "runs spread"
            )
        number = (
            count_of(n, self.nouns.queries) if n else f"more than ten million {population.unit}"
        )
        at_hand = f"; {population.n:,} are at hand" if n and n > population.n else ""
        return (
            f"To see a difference of {self.differences[self.wanted_row]:g} between runs like "
            f"{first} and {second} in {self.cases} takes {number}{at_hand}"
        )

    @property
    def pool_notes(self) -> list[str]:
        """A sentence where no pool of the queries at hand shows that difference; else none."""
        n, n_at_hand = self.n_wanted, self.population.n
        if self.population.is_small or (n is not None and n <= n_at_hand):
            return []
        return [
            f"That difference takes more {self.nouns.queries} than the {n_at_hand:,} at hand: a "
            f"pool of them all does not show it in {self.cases}."
        ]


def difference_result(plan: DifferencePlan, cost: JudgingCost | None) -> AnalysisResult:
    """The queries with which a test sees each of some differences."""
    nouns, (first, second) = plan.nouns, plan.runs
    own, n, population = plan.own_difference, plan.n_wanted, plan.population
    lines = plan_lines(
        [
            {"kind": kind, "n": size.n_queries, "y": difference}
            for kind, sizes in zip(plan.names, plan.sizes, strict=True)
            for difference, size in zip(plan.differences, sizes, strict=True)
            if size.n_queries is not None
        ],
        plan.names,
        f"Difference in {plan.measure or 'score'}",
        nouns,
    )
    return AnalysisResult(
        headline=plan.headline,
        reading=(
            f"{nouns.title} with which a paired t test at .05 sees a true difference in so many "
            f"cases; blank above ten million {population.unit}. Power by simulation: of the "
            "first number, with the differences at hand drawn with replacement; where it is far "
            f"from {f'{plan.powers[0]:.2f}'.lstrip('0')} the formula, which takes means for "
            f"normal, does not hold. {population.groups_text(nouns.queries)}"
            + (f"Pairs, hours and pay are of {plan.cases}." if cost else "")
        ).strip(),
        extent=nouns.extent,
        columns=[
            *plan.columns,
            *(cost.columns if cost else []),
            *([YOURS_COLUMN] if own else []),
        ],
        rows=plan.rows(cost),
        spec=with_rule(lines, "y", own) if own else lines,
        notes=[
            *nouns.notes,
            middle_note(
                f"The differences of {first} and {second}",
                "a pair",
                plan.middle,
                outcome=f"the difference that as many {nouns.queries} show is",
            ),
            *([cost.note(nouns.queries, plan.most_queries)] if cost else []),
        ],
        next_parameters={} if n is None else {"n_sources": [str(min(n, population.n))]},
        next_notes=plan.pool_notes,
    )
