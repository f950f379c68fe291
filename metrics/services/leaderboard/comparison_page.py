"""The comparison page of two runs: a view's numbers in words, rows and a chart."""

from datetime import datetime
from typing import Any, NamedTuple

from django.template.defaultfilters import floatformat

from annotate.core.figures import decimals, p_text
from annotate.core.phrases import counted
from annotate.models import Item, Kept
from metrics.charts.charts import Chart
from metrics.charts.decision_notes import missed_text
from metrics.charts.leaderboard import difference_plot
from metrics.core.comparisons.missing_queries import MISSING_QUERIES
from metrics.core.measures.measures import parse_one
from metrics.services.leaderboard.cells import measure_scale
from metrics.services.scores.query_groups import GroupFacts, facts_from
from pooling.models import Run

SIGNIFICANCE = 0.05  # of the first sentence; the table has each p
OF_MEANS = ("randomization", "bootstrap")  # tests whose statistic is the difference of means
NAMES = {
    "t": "Student's t, paired",
    "wilcoxon": "Wilcoxon signed rank",
    "sign": "Sign test",
    "randomization": "Randomization (Fisher)",
    "bootstrap": "Bootstrap, shift method",
    "mcnemar": "McNemar",
}


class PairedTestRow(NamedTuple):
    """One paired test; p is None if it is not defined; unit : of the statistic, if it has one."""

    name: str
    statistic: float | None
    p: float | None
    n: int
    n_tied: int
    unit: str = ""

    @property
    def p_text(self) -> str:
        """The p value as it is printed."""
        if self.p is None:
            return "not defined: a single query, or a single group"
        return p_text(self.p)


class Chance(NamedTuple):
    """The chance that other queries order the two runs otherwise, with its formula in plain words.

    value : None if it is not defined
    """

    name: str
    value: float | None
    formula: str

    @property
    def text(self) -> str:
        """The chance as it is printed."""
        return "" if self.value is None else p_text(self.value)


class QueryDifference(NamedTuple):
    """A query on which the two runs differ; values are scaled as on the page: per cent or ranks."""

    item: Item
    first: float
    second: float

    @property
    def difference(self) -> float:
        """The first run's value less the second's."""
        return self.first - self.second


class LeadingQueries(NamedTuple):
    """The queries on which one run is better, the largest differences first."""

    run: Run
    queries: list[QueryDifference]


class RunComparison(NamedTuple):
    """The comparison page.

    why : the reason why there is nothing to compare
    facts : the view's numbers; means, difference and interval are scaled as on the page
    """

    why: str
    measure: str
    first: Run
    second: Run
    facts: dict[str, Any]
    tests: list[PairedTestRow]
    ends: list[LeadingQueries]
    chart: Chart | None
    is_stale: bool
    computed_at: datetime

    @property
    def groups(self) -> GroupFacts | None:
        """The groups of the queries."""
        return facts_from(self.facts.get("groups"))

    @property
    def extent_text(self) -> str:
        """The number of queries and of their groups."""
        return self.groups.text if self.groups else counted(self.facts["n_queries"], "query")

    @property
    def design_text(self) -> str:
        """The likeness of the differences within a group, and its effect on precision."""
        groups = self.groups.groups if self.groups else ""
        effect = (
            f"not defined: the {groups} differ too much in size"
            if self.facts.get("deff") is None
            else floatformat(self.facts["deff"], 2)
        )
        correlation = floatformat(self.facts["icc"], 2)
        return f"intraclass correlation {correlation}, design effect {effect}"

    @property
    def tests_text(self) -> str:
        """A note on the paired tests, and on whole groups if queries belong together."""
        text = (
            "Two-sided, each by itself: a choice among many runs needs the correction of the "
            "leaderboard."
        )
        if self.groups is None or self.facts.get("icc") is None:
            return text
        return (
            f"{text} Whole {self.groups.groups} are compared: the ranks and signs of their means; "
            f"the other tests are about the mean over all {self.groups.queries}."
        )

    @property
    def verdict(self) -> str:
        """The better run, by how much, and whether the difference is significant."""
        difference, low, high = (self.facts[name] for name in ("difference", "low", "high"))
        runs = [(self.first.name, self.facts["first"]), (self.second.name, self.facts["second"])]
        if not difference:
            return f"{self.first.name} and {self.second.name} have the same mean {self.measure}."
        if difference < 0:
            runs.reverse()
            difference = -difference
            low, high = (None, None) if low is None else (-high, -low)
        if self.unit != "%":
            runs.reverse()  # a small rank is a good one
        (better, score), (worse, other_score) = runs
        interval = (
            f", 95 % interval {decimals(low, 1)} to {decimals(high, 1)}" if low is not None else ""
        )
        numbers = (
            f"{decimals(score, 1)} against {decimals(other_score, 1)} {self.unit}, a difference of "
            f"{decimals(difference, 1)} {self.difference_unit}{interval}"
        )
        p = next((test.p for test in self.tests if test.name == NAMES["randomization"]), None)
        if p is None:
            return f"{better} scores better than {worse} at {self.measure}: {numbers}."
        test = f"randomization test, p {p_text(p)}"
        if p < SIGNIFICANCE:
            return (
                f"{better} is better than {worse} at {self.measure}: {numbers}. The difference is "
                f"significant at 5 % ({test})."
            )
        return (
            f"{better} scores better than {worse} at {self.measure}, but which of them is better "
            f"is not shown: {numbers}. The difference is not significant at 5 % ({test})."
        )

    @property
    def explorer_parameters(self) -> str:
        """Direction and runs, as the address of the explorer names them."""
        return f"direction={self.first.direction}&run={self.first.pk}&run={self.second.pk}"

    @property
    def interval_text(self) -> str:
        """The interval of the difference and its source, or the reason why there is none."""
        sampling_units = self.groups.sampling_units if self.groups else "queries"
        if self.facts["low"] is not None:
            ends = f"{self.facts['low']:.2f} to {self.facts['high']:.2f}"
            source = f"what other {sampling_units} like these would give, labels taken as right"
            return f"95 % interval {ends} (Student's t: {source})"
        if (self.groups.n_groups if self.groups else self.facts["n_queries"]) == 1:
            return "no interval, as there is a single query or group"
        return (
            f"no interval, as all {sampling_units} differ by as much, and nothing shows what "
            "others would"
        )

    @property
    def chances(self) -> list[Chance]:
        """The chances of another order: with new queries, and between two new sets of queries."""
        if "swaps" not in self.facts:
            return []  # an old view, computed before these two existed; a new one is being computed
        swaps = self.facts["swaps"]
        sampling_units = self.groups.sampling_units if self.groups else "queries"
        t = f"t is Student's below, with its n - 1 degrees of freedom for n {sampling_units}"
        return [
            Chance(
                (
                    f"Reversal: the chance that another set of as many {sampling_units} turns "
                    "this order round"
                ),
                swaps.get("reversal"),
                (
                    f"T(-|t| / √2): {t}. With ever more new {sampling_units} it falls to half the "
                    "p of that test, not to 0."
                ),
            ),
            Chance(
                (
                    "REER, retrieval experiment error rate: the chance that two new sets of as "
                    f"many {sampling_units} disagree"
                ),
                swaps.get("reer"),
                "2 Φ(-|t|) (1 - Φ(-|t|)): as if the difference seen were the true one.",
            ),
        ]

    @property
    def zero_one_note(self) -> str:
        """Advice on tests if every score is 0 or 1; empty otherwise."""
        if not any(test.name == NAMES["mcnemar"] for test in self.tests):
            return ""
        advice = (
            "Every score is 0 or 1: rely on randomization or McNemar's test; Student's t is for "
            "scores near normal."
        )
        if self.groups is None or (self.groups.are_single and self.groups.n_population is None):
            return f"{advice} McNemar's p is the mid-p; its exact p is that of the sign test."
        return (
            f"{advice} McNemar's is of whole {self.groups.sampling_units}: chi-squared after "
            "Obuchowski, for many of them."
        )

    @property
    def missing_text(self) -> str:
        """A sentence on the treatment of queries that a run misses; empty if neither misses any."""
        counts = zip((self.first, self.second), self.facts.get("n_missing", ()), strict=False)
        if not (texts := [f"{run.name} misses {n:,}" for run, n in counts if n]):
            return ""
        treatment = (
            "left out"
            if self.facts["missing"] == MISSING_QUERIES
            else f"counted {missed_text([parse_one(self.measure)])}"
        )
        return f"Of the queries {' and '.join(texts)}, {treatment} here."

    @property
    def difference_unit(self) -> str:
        """The unit of differences of scores: "points" of per cent, or "ranks"."""
        return "points" if self.unit == "%" else self.unit

    @property
    def unit(self) -> str:
        """The unit of the scores: "%" or "ranks"."""
        return "%" if measure_scale(parse_one(self.measure)) == 100 else "ranks"


def comparison_of(
    *, runs: tuple[Run, Run], measure: str, view: Kept, version: str
) -> RunComparison:
    """Build the page of two runs from a view; two queries, for the items that it lists."""
    first, second = runs
    value, is_stale = view.value, view.version != version
    if value["why"]:
        return RunComparison(
            value["why"], measure, first, second, {}, [], [], None, is_stale, view.computed_at
        )
    scale = measure_scale(parse_one(measure))
    scaled = {
        name: None if value[name] is None else scale * value[name]
        for name in ("difference", "low", "high")
    }
    means = [scale * mean for mean in value["means"]]
    tests = [_paired_test(row, scale) for row in value["tests"]]
    keys = [row["item"] for rows in value["ends"] for row in rows]
    items = Item.objects.prefetch_related("parts").in_bulk(keys)
    ends = [
        LeadingQueries(
            run,
            [
                QueryDifference(items[row["item"]], *(scale * score for score in row["values"]))
                for row in rows
            ],
        )
        for run, rows in zip((first, second), value["ends"], strict=True)
    ]
    if scale == 1:
        ends = [
            LeadingQueries(end.run, other.queries)
            for end, other in zip(ends, reversed(ends), strict=True)
        ]
    names = {"first": first.name, "second": second.name}
    chart = difference_plot(value["points"], **names, measure=measure, is_rank=scale == 1)
    facts = {**value, **scaled, "first": means[0], "second": means[1]}
    return RunComparison(
        "", measure, first, second, facts, tests, ends, chart, is_stale, view.computed_at
    )


def _paired_test(row: dict[str, Any], scale: float) -> PairedTestRow:
    """A test as the page shows it; scale : factor of the measure's numbers on pages."""
    statistic, unit = row["statistic"], ""
    if row["name"] in OF_MEANS and statistic is not None:
        statistic, unit = scale * statistic, "ranks" if scale == 1 else "points"
    return PairedTestRow(NAMES[row["name"]], statistic, row["p"], row["n"], row["n_tied"], unit)
