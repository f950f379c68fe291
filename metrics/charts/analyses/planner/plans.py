"""The parts of the planner's results: queries, cost, sentences, and lines by number of queries."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
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


def middle_note(subject: str, noun: str, middle: MiddleBySpread) -> str:
    """A sentence on the spread in the middle; noun : of what the others are."""
    return (
        f"{subject} have the middle spread of those chosen: for {noun} with the least spread "
        f"errors are {middle.least:.2f} times as large, for {noun} with the most "
        f"{middle.most:.2f} times."
    )


def with_rule(lines: Spec | None, channel: str, value: float) -> Spec | None:
    """The lines with a rule across them at a value that somebody typed; channel : its axis."""
    if lines is None:
        return None
    axis = lines["encoding"][channel]
    rows = {"values": [{axis["field"]: value, "text": YOURS}]}
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
            {"mark": lines["mark"], "encoding": lines["encoding"]},
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
    kind: Spec = {"field": "kind", "type": "nominal", "title": None, "legend": {"columns": 2}}
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
                "scale": {"type": "log"},
                "axis": {"values": sorted({row["y"] for row in values}), "format": "~g"},
            },
            "color": kind,
            "shape": {"field": "kind", "type": "nominal", "scale": {"domain": list(kinds)}},
            "strokeDash": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": list(kinds), "range": DASHES[: len(kinds)]},
            },
            "tooltip": [
                tooltip_row("kind", "In"),
                tooltip_row("n", nouns.title, ",d"),
                tooltip_row("y", title, ".4f"),
            ],
        },
    }
