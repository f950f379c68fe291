"""The result of an analysis: a sentence, a table of numbers, and their chart if it has one."""

from math import ceil, floor, log10
from typing import Any, NamedTuple

from metrics.charts.charts import Chart, Figure, Spec
from metrics.core.statistics.intervals import Interval

Cell = str | int | float | None
MOST_ROWS = 100  # of a table without a chart, on a page
MOST_ROWS_OF_CHART = 300  # of one beside a chart
LARGEST_PLAIN = 1e15  # numbers from here on have more digits than float64 knows
MOST_ROWS_READ = max(MOST_ROWS, MOST_ROWS_OF_CHART)


class Column(NamedTuple):
    """A column of a result's table.

    key : its name in files; title : on pages; digits : after the point, where it has fractions
    is_bound : True where other numbers are at most these, so that they are printed rounded up
    is_moment : True where the texts are moments, as files have them
    """

    key: str
    title: str
    digits: int = 0
    is_bound: bool = False
    is_moment: bool = False


class AnalysisResult(NamedTuple):
    """The result of an analysis.

    headline : in plain words, without a full stop; reading : how to read the chart or table
    extent : the queries, runs or labels that it is of, in words; notes : sentences beside it
    rows : a cell for each column; None where a number is not defined
    spec : of the chart; None for a table without one
    next_parameters : of the page on which to act on it, as in its address
    next_label : of the link to it, where that names a number; "" for that of the analysis
    run_names : of the runs that it is of, where they are not just the chosen ones; else empty
    next_notes : sentences on that page, for those alone to whom the link is shown
    n_left_out : rows after these, where only those that a page shows were read
    """

    headline: str
    reading: str
    extent: str
    columns: list[Column]
    rows: list[list[Cell]]
    spec: Spec | None = None
    notes: list[str] = []
    next_parameters: dict[str, list[str]] = {}
    next_label: str = ""
    run_names: list[str] = []
    next_notes: list[str] = []
    n_left_out: int = 0

    @property
    def n_rows(self) -> int:
        """The number of all rows of the table."""
        return len(self.rows) + self.n_left_out

    def as_json(self) -> dict[str, Any]:
        """The result as JSON; whole, so that nothing is left out."""
        value = self._asdict() | {"columns": [column._asdict() for column in self.columns]}
        del value["n_left_out"]
        return value

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "AnalysisResult":
        """The result of `as_json`."""
        return cls(**value | {"columns": [Column(**column) for column in value["columns"]]})

    def chart(self, *, id: str, caption: str) -> Chart:
        """The chart with its table; with an empty specification where there is only a table."""
        n_shown = MOST_ROWS_OF_CHART if self.spec else MOST_ROWS
        if self.n_rows > n_shown:
            caption = f"{caption} The first {n_shown:,} of {self.n_rows:,} rows; the CSV has all."
        return Chart(
            id=id,
            title=self.headline,
            subtitle=caption,
            # what a picture is of, for screen readers and in its file
            spec={"description": f"{self.headline}. {caption}", **self.spec} if self.spec else {},
            columns=[column.title for column in self.columns],
            rows=self.printed_rows(n_shown),
        )

    def printed_rows(self, most: int | None = None) -> list[list[object]]:
        """The first rows of the table as they are printed; each number also has all of its digits.

        most : rows; None for all
        """
        return [
            [figure_of(cell, column) for cell, column in zip(row, self.columns, strict=True)]
            for row in self.rows[:most]
        ]


def figure_of(cell: Cell, column: Column) -> Figure:
    """Format a cell: numbers with thousands and the column's digits, "" for None."""
    if cell is None:
        return Figure("", "")
    if isinstance(cell, str):
        return Figure(cell, "")
    rounded = (rounded_up if column.is_bound else round)(cell, column.digits)
    # no minus before a 0 that rounding made
    return Figure(f"{rounded + 0:,.{column.digits}f}", repr(cell))


def rounded_up(value: float, digits: int) -> float:
    """The smallest number of so many digits after the point that is no less, but for rounding."""
    unit = 10**digits
    return ceil(value * unit - 1e-6) / unit


def number_text(number: float, digits: int) -> str:
    """A number with so many digits after the point.

    With three that count where these are all 0, and where the number has more than float64 has.
    """
    text = f"{number:z.{digits}f}"
    is_plain = (float(text) or not number) and abs(number) < LARGEST_PLAIN
    return text if is_plain else f"{number:.3g}"


def texts_apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers by four digits that count, or by as many as tell them apart."""
    texts = f"{first:.4g}", f"{second:.4g}"
    for digits in range(5, 17):
        if texts[0] != texts[1] or first == second:
            break
        texts = f"{first:.{digits}g}", f"{second:.{digits}g}"
    return texts


def bound_text(bound: float, digits: int) -> str:
    """A number, 0 or more, that others are at most: like `number_text`, but rounded up."""
    if bound and not float(f"{bound:.{digits}f}"):
        return f"{rounded_up(bound, 2 - floor(log10(bound))):.3g}"
    return f"{rounded_up(bound, digits):.{digits}f}"


def interval_text(interval: Interval, *, digits: int) -> str:
    """An interval in words, as in "95 % interval 2.8 to 3.5"; that there is none, without one.

    digits : after the point; where both ends have none but 0 in these, three that count
    """
    if interval.low is None or interval.high is None:
        return "no interval"
    ends = [number_text(end, digits) for end in (interval.low, interval.high)]
    plain_ends = [f"{end:z.{digits}f}" for end in (interval.low, interval.high)]
    # beside an end with digits 0.0000 tells enough
    if any(map(float, plain_ends)) and max(map(abs, (interval.low, interval.high))) < LARGEST_PLAIN:
        ends = plain_ends
    return f"95 % interval {ends[0]} to {ends[1]}"


def share_text(share: float, interval: Interval) -> str:
    """A share with its interval, as in "21.1 % (95 % interval 20.2 to 22.0)"."""
    return f"{100 * share:.1f} % ({interval_text(interval.per_cent, digits=1)})"
