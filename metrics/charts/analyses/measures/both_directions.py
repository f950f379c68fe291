"""Systems in both directions: the table of averages, and paired points by the first measure."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from annotate.core.phrases import counted, first_few
from metrics.charts.analyses.measures.run_scores import MOST_LINES
from metrics.charts.axes import WRAPPED
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, interval_text, number_text
from metrics.core.analyses.measures.both_directions import (
    DirectionMeans,
    FoldMeans,
    SystemFolds,
    SystemMeans,
)
from metrics.core.analyses.measures.run_orders import RunMean
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.rounding import rounding_of_sums, with_ties

FEWEST = 30  # queries of each direction that a headline tells of
DIRECTIONS = {"forward": "Query to document", "reverse": "Document to query"}
RSUM_NOTE = "RSUM: 100 times the sum of C@1, C@5 and C@10 of both directions, at most 600."


Means = TypeVar("Means", SystemMeans, SystemFolds)


class SystemRow(NamedTuple, Generic[Means]):
    """A system, the names of its runs of each direction, and its averages by M measures."""

    system: str
    forward_run: str
    reverse_run: str
    means: Means


def any_number(means: DirectionMeans | FoldMeans) -> bool:
    """Return whether a system has an average by a measure in a direction."""
    return any(number is not None for number in means.numbers)


class SystemPoint(NamedTuple):
    """A point of a chart: a system's average in a direction, its ends, and that of both."""

    system: str
    direction: str
    value: float
    low: float | None
    high: float | None
    both: float | None


class SystemTable(NamedTuple, Generic[Means]):
    """Systems by M measures.

    names, smaller_is_better : (M,) of the measures
    n_queries : of the two directions; extent : these in words
    """

    rows: list[SystemRow[Means]]
    names: list[str]
    smaller_is_better: list[bool]
    n_queries: tuple[int, int]
    extent: str
    notes: list[str]

    @property
    def place(self) -> int:
        """The place of the measure of the headline, the order and the chart.

        It is the first by which a system has a mean of both directions, else an average at all.
        """
        columns = list(zip(*(row.means.by_measure for row in self.rows), strict=True))
        has_mean = [any(means.mean is not None for means in column) for column in columns]
        has_any = [any(any_number(means) for means in column) for column in columns]
        flags = has_mean if any(has_mean) else has_any
        return flags.index(True) if any(flags) else 0

    @property
    def is_blank(self) -> bool:
        """True if no system has an average by any measure in any direction."""
        rows = [row.means.by_measure for row in self.rows]
        return not any(any_number(means) for row in rows for means in row)

    @property
    def name(self) -> str:
        """The measure of the headline, the order and the chart."""
        return self.names[self.place]

    @property
    def in_order(self) -> list[SystemRow[Means]]:
        """The rows by the mean of both directions by that measure, the best first."""
        places = self._places
        return [self.rows[row] for row in sorted(range(len(self.rows)), key=places.__getitem__)]

    @property
    def leaders(self) -> list[str]:
        """The systems with the best mean of the order: one, or several whose means are equal."""
        places = sorted(self._places)
        return [system for *level, system in places if level == list(places[0][:2])]

    @property
    def is_clear(self) -> bool:
        """True if the first of the order has a better mean than the second."""
        return len(self.rows) > len(self.leaders) == 1

    @property
    def run_names(self) -> list[str]:
        """The names of the runs of both directions, by system; a run of two systems once."""
        names = [name for row in self.in_order for name in (row.forward_run, row.reverse_run)]
        return list(dict.fromkeys(names))

    @property
    def _places(self) -> list[tuple[bool, float, str]]:
        """Of each row whether it has no mean, the mean, less being better, and its system."""
        means = [row.means.by_measure[self.place].mean for row in self.rows]
        sign = 1 if self.smaller_is_better[self.place] else -1
        values = np.array([np.nan if mean is None else sign * mean for mean in means])
        ties = with_ties(values, within=rounding_of_sums(values)).tolist()
        return [
            (mean is None, 0.0 if mean is None else value, row.system)
            for mean, value, row in zip(means, ties, self.rows, strict=True)
        ]


def both_directions_result(table: SystemTable[SystemMeans]) -> AnalysisResult:
    """A row for each system, the best first; one system and one measure or more."""
    rows = table.in_order
    has_rsum = any(row.means.rsum is not None for row in rows)
    points = [
        SystemPoint(row.system, direction, mean.value, *mean.interval, means.mean)
        for row in rows[:MOST_LINES]
        for means in [row.means.by_measure[table.place]]
        for direction, mean in zip(DIRECTIONS.values(), means[:2], strict=True)
        if mean.value is not None
    ]
    return AnalysisResult(
        headline=_headline(table),
        reading=guide_text(table.name),
        extent=f"{counted(len(rows), 'system')}, {table.extent}",
        columns=[
            Column("system", "System"),
            *(
                column
                for name in table.names
                for column in direction_columns(name, {"low": "from", "high": "to"})
            ),
            *([Column("rsum", "RSUM", 1)] if has_rsum else []),
            Column("forward_run", f"Run, {DIRECTIONS['forward'].lower()}"),
            Column("reverse_run", f"Run, {DIRECTIONS['reverse'].lower()}"),
        ],
        rows=[
            [
                row.system,
                *(cell for means in row.means.by_measure for cell in means.numbers),
                *([row.means.rsum] if has_rsum else []),
                row.forward_run,
                row.reverse_run,
            ]
            for row in rows
        ],
        spec=paired_points(table.name, points),
        notes=[*table.notes, *table_notes(table)],
        run_names=table.run_names,
    )


def guide_text(name: str) -> str:
    """A guide to the chart of a measure and to the table."""
    average = (
        "as a mean over the queries of each direction, and its 95 % interval"
        if parse_one(name).is_mean
        else "the median over the queries of each direction, which has no interval"
    )
    return (
        f"Chart: {name}, {average}. Table: each measure in both directions, with the ends of its "
        "interval where it is a mean, and the mean of the two directions, which count alike. That "
        "mean and RSUM have no interval: both directions are of the same items and labels."
    )


def direction_columns(name: str, ends: dict[str, str]) -> list[Column]:
    """The columns of a measure: its value and ends in each direction, and the mean of both.

    ends : keys of the two ends and their titles
    """
    columns = []
    for key, direction in DIRECTIONS.items():
        title = f"{name}, {direction.lower()}"
        columns.append(Column(f"{name}_{key}", title, 4))
        columns += [
            Column(f"{name}_{key}_{end_key}", f"{title}, {end}", 4) for end_key, end in ends.items()
        ]
    return [*columns, Column(f"{name}_mean", f"{name}, mean of both", 4)]


def _headline(table: SystemTable[SystemMeans]) -> str:
    """The system with the best mean; a sentence that claims nothing for few queries."""
    name, best = table.name, table.in_order[0]
    means = best.means.by_measure[table.place]
    systems, n_best = counted(len(table.rows), "system"), len(table.leaders)
    if min(table.n_queries) < FEWEST or means.mean is None:
        return f"{systems} in both directions by {name}"
    if n_best > 1:
        share = (
            f"{n_best:,} of {systems} share the best"
            if n_best < len(table.rows)
            else (f"{systems} have the same")
        )
        return (
            f"{share} mean of both directions by {name}, {number_text(means.mean, 3)}: "
            f"{first_few(table.leaders)}"
        )
    verb = "has a" if len(table.rows) == 1 else "has the best"
    return (
        f"{best.system} {verb} mean of both directions by {name}, {number_text(means.mean, 3)}: "
        f"{_told(means.forward)} from query to document, {_told(means.reverse)} back"
    )


def _told(mean: RunMean) -> str:
    return f"{number_text(mean.value or 0, 3)} ({interval_text(mean.interval, digits=3)})"


def table_notes(table: SystemTable[Means]) -> list[str]:
    """Sentences on RSUM, where a system has one, and on systems that the chart leaves out."""
    notes = []
    if any(row.means.rsum is not None for row in table.rows):
        notes.append(RSUM_NOTE)
    if len(table.rows) > MOST_LINES:
        notes.append(
            f"The chart has the first {MOST_LINES} of {counted(len(table.rows), 'system')} by "
            f"{table.name}; the table has all."
        )
    return notes


def paired_points(
    name: str, points: Sequence[SystemPoint], *, ends: tuple[str, str] = ("From", "To")
) -> Spec | None:
    """Two points and lines a system, of other colours and shapes, one below the other.

    None without a point.

    name : of the measure; points : by system; ends : names of the ends of a line
    """
    if not points:
        return None
    tooltip = [
        tooltip_row("system", "System"),
        tooltip_row("direction", "Direction"),
        tooltip_row("value", name, ".4f"),
        tooltip_row("low", ends[0], ".4f"),
        tooltip_row("high", ends[1], ".4f"),
        tooltip_row("both", "Mean of both", ".4f"),
    ]
    directions = list(DIRECTIONS.values())
    x: Spec = {"type": "quantitative", "title": name, "scale": {"zero": False}}
    y: Spec = {"field": "system", "type": "nominal", "title": None}
    y |= {
        "sort": list(dict.fromkeys(point.system for point in points)),
        "axis": WRAPPED | {"grid": True},
    }
    field: Spec = {"field": "direction", "type": "nominal"}
    offset = field | {"sort": directions, "scale": {"domain": directions}}
    mark: Spec = field | {"legend": {"title": None, "columns": 2}}
    colour = mark | {"scale": {"domain": directions, "range": ["@blue", "@amber"]}}
    shape = mark | {"scale": {"domain": directions, "range": ["circle", "diamond"]}}
    return {
        "data": {"values": [point._asdict() for point in points]},
        "height": {"step": 16, "for": "offset"},
        "encoding": {"y": y},
        "layer": [
            {
                "transform": [{"filter": "datum.low != null"}],
                "mark": {"type": "rule", "color": "@ink-2", "strokeWidth": 1.5},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "yOffset": offset},
            },
            {
                "mark": {"type": "point", "size": 80, "opacity": 1},
                "encoding": {"x": x | {"field": "value"}, "color": colour, "shape": shape}
                | {"yOffset": offset, "tooltip": tooltip},
            },
        ],
    }
