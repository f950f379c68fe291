"""The parts of the planner's results: queries, cost, sentences, and lines by number of queries."""

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.judging_pace import JudgingPace
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import legend_of, values_by_name
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import Cell, Column
from metrics.core.statistics.sample_sizes import MiddleBySpread

FEWEST = 30  # queries, or groups of them, of which a headline tells a number
POWERS = [10**power for power in range(9)]
WANTED = 2  # the place, among errors or differences from the largest, that a headline is of
COLOURS = ["@blue", "@amber", "@ink-2"]
DASHES = [[1, 0], [5, 4], [2, 2]]
YOURS = "yours"  # the mark of what somebody typed
YOURS_COLUMN = Column("yours", "Yours")


class PlannedQueries(NamedTuple):
    """The n queries that a plan draws of, in n_units groups.

    unit : their noun, in the plural
    n_samples : of a size, by which errors are known
    is_exact : True where scores take two values, so that errors of these very queries are exact
    """

    n: int
    n_units: int
    unit: str
    n_samples: int = 0
    is_exact: bool = False

    @property
    def is_small(self) -> bool:
        """True if it is too small to know a spread by."""
        return self.n_units < FEWEST

    def sampling_text(self, *, of_these_alone: bool = False) -> str:
        """A sentence on how exact errors are, of samples of these queries alone or of both kinds.

        Whole groups of two-valued scores have many values.
        """
        samples = f"by {self.n_samples:,} samples of a size, so not to the last digit"
        if not self.is_exact:
            return f"Errors are {samples}."
        if of_these_alone or self.n_units == self.n:
            return "Errors are exact, as a score is one of two values."
        return f"Errors of these are exact, as a score is one of two values; like these {samples}."

    def groups_text(self, queries: str) -> str:
        """A sentence on numbers that are of whole groups; empty where each query is by itself."""
        if self.n_units == self.n:
            return ""
        return (
            f"Numbers are of whole {self.unit}; as many single {queries}, as a pool draws them, "
            "lie in more groups, and where those of a group are alike they show a difference at "
            "least as often. "
        )


class JudgingCost(NamedTuple):
    """The cost of judging queries: their pairs within the first ranks of some runs, time and pay.

    n_pairs : of n_queries; n_new, n_waiting : those of them without a label about which no open
        pool asks, and about which one does
    pace : of judging a new pair
    hourly_pay : None where none is set
    """

    n_pairs: int
    n_new: int
    n_waiting: int
    n_queries: int
    n_runs: int
    depth: int
    pace: JudgingPace
    hourly_pay: float | None
    currency: str

    @property
    def pairs_a_query(self) -> float:
        """The mean number of its pairs."""
        return self.n_pairs / max(self.n_queries, 1)

    @property
    def new_pairs_a_query(self) -> float:
        """The mean number of its new pairs."""
        return self.n_new / max(self.n_queries, 1)

    def cells(self, n_queries: int | None) -> list[Cell]:
        """Pairs, new pairs, and hours and pay of the new ones, of so many queries.

        Of queries beyond those at hand all pairs are new.
        """
        if n_queries is None:
            return [None] * len(self.columns)
        n_beyond = max(0, n_queries - self.n_queries)
        n_pairs = n_queries * self.pairs_a_query
        n_new = (n_queries - n_beyond) * self.new_pairs_a_query + n_beyond * self.pairs_a_query
        hours = self.pace.hours(n_new)
        pay = [] if self.hourly_pay is None else [hours * self.hourly_pay]
        return [round(n_pairs), round(n_new), hours, *pay]

    @property
    def columns(self) -> list[Column]:
        """The columns of the cells."""
        columns = [
            Column("pairs", "Pairs"),
            Column("new_pairs", "New pairs"),
            Column("hours", "Hours for new pairs", 1),
        ]
        if self.hourly_pay is not None:
            columns.append(Column("pay", f"Pay for these, {self.currency}"))
        return columns

    def note(self, queries: str, largest: int) -> str:
        """The origin of the numbers.

        queries : their noun; largest : number of them in the table
        """
        sentences = [
            f"Cost: for each of {self.n_queries:,} {queries} the first {self.depth} ranks of "
            f"{counted(self.n_runs, 'run')} hold {self._mean_text(self.n_pairs)} pairs on average, "
            f"and a sample holds about as many for each of its {queries}.",
            f"Of these {self._mean_text(self.n_new)} are new: nobody has labelled them, no open "
            "pool asks about them, and no lead has left them out."
            if self.n_new
            else "None of these is new: each has a label, is in an open pool or was left out by a "
            "lead.",
            f"An open pool asks about {self._mean_text(self.n_waiting)} already, whose hours are "
            "not counted."
            if self.n_waiting
            else "",
            f"Beyond these {self.n_queries:,} {queries} all pairs are new."
            if largest > self.n_queries
            else "",
            f"{'Hours are' if self.hourly_pay is None else 'Hours and pay are'} for new pairs "
            f"alone: {self.pace.text}; labels that a disagreement asks for come on top.",
        ]
        return " ".join(filter(None, sentences))

    def _mean_text(self, n: int) -> str:
        number = f"{n / max(self.n_queries, 1):.1f}"
        return "fewer than 0.1" if n and number == "0.0" else number


def middle_note(
    subject: str, noun: str, middle: MiddleBySpread, *, outcome: str = "errors are"
) -> str:
    """A sentence on the spread in the middle.

    noun : of what the others are; outcome : what grows with the spread, with its verb
    """
    return (
        f"{subject} have the middle spread of those chosen: for {noun} with the least spread "
        f"{outcome} {middle.least:.2f} times as large, for {noun} with the most "
        f"{middle.most:.2f} times."
    )


def digits_of_steps(steps: Sequence[float]) -> int:
    """The digits after the point that tell errors or differences, four to twelve."""
    return min(12, max(4, 1 - floor(log10(min(steps)))))


def with_rule(lines: Spec | None, channel: str, value: float) -> Spec | None:
    """The lines with a rule across them at a value that somebody typed; channel : its axis."""
    if lines is None:
        return None
    axis = lines["encoding"][channel]
    rows = {"values": [{axis["field"]: value, "text": f"{YOURS}: {value:,}"}]}
    # the rule has its number: on the axis it would drive a usual one away
    ticks = [tick for tick in axis["axis"]["values"] if tick != value]
    axis = axis | {"axis": axis["axis"] | {"values": ticks}}
    encoding: Spec = {channel: axis}
    end: Spec = {"y": {"value": 0}} if channel == "x" else {"x": {"value": "width"}}
    text: Spec = {"type": "text", "color": "@ink", "baseline": "bottom", "dx": -4, "dy": -2}
    text |= {"align": "left", "dx": 4, "dy": 10} if channel == "x" else {"align": "right"}
    return {
        "data": lines["data"],
        "height": lines["height"],
        "layer": [
            {
                "data": rows,
                "mark": {"type": "rule", "color": "@ink", "strokeDash": [2, 3], "aria": False},
                "encoding": encoding,
            },
            {
                "data": rows,
                "mark": text,
                "encoding": encoding | end | {"text": {"field": "text"}},
            },
            {"mark": lines["mark"], "encoding": lines["encoding"] | encoding},
        ],
    }


def size_axis(nouns: Nouns, values: Sequence[Spec]) -> Spec:
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


def plan_lines(
    values: Sequence[Spec], kinds: Sequence[str], title: str, nouns: Nouns
) -> Spec | None:
    """Lines of queries by error or difference, one a kind; None without a number of queries."""
    if not values:
        return None
    kind: Spec = {"field": "kind", "type": "nominal", "title": None, "legend": legend_of(kinds)}
    kind |= {"scale": {"domain": list(kinds), "range": COLOURS[: len(kinds)]}}
    return {
        "data": {"values": list(values)},
        "height": 260,
        "mark": {"type": "line", "point": {"size": 60}},
        "encoding": {
            "x": size_axis(nouns, values),
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": title,
                "scale": {"type": "log", "nice": False, "padding": 10},
                "axis": {"values": sorted({row["y"] for row in values}), "format": "~g"}
                | {"labelOverlap": "greedy"},
            },
            "color": kind,
            "shape": {"field": "kind", "type": "nominal", "scale": {"domain": list(kinds)}},
            "strokeDash": values_by_name("kind", dict(zip(kinds, DASHES, strict=False))),
            "tooltip": [
                tooltip_row("kind", "In"),
                tooltip_row("n", nouns.title, ",d"),
                tooltip_row("y", title, ".4f"),
            ],
        },
    }
