"""The ceiling of people: a person's positives by the labels of the others, beside scores of runs.

A system that returns what one person calls positive would have this precision by another person's
labels, so a run above it is beyond what these labels can tell.
"""

from typing import NamedTuple

from metrics.charts.leaderboard import with_ceiling_line
from metrics.core.measures.measures import parse_one
from metrics.services.leaderboard.cells import BEYOND, ScoreCell
from metrics.services.leaderboard.choices.choices import Choices
from metrics.services.leaderboard.tables import LeaderboardTable

FEWEST = 30  # positive labels, of which a ceiling is shown


class Ceiling(NamedTuple):
    """The precision of a person by the labels of the others, in per cent.

    low, high : its 95 % interval; n_positive : positive labels that it is of
    age : the moment that it is of, in words; empty for the present
    has_marks : scores are by people's labels alone, so that those above it are marked
    """

    percent: float
    low: float
    high: float
    n_positive: int
    age: str = ""
    has_marks: bool = True

    @property
    def text(self) -> str:
        """The share and the ends of its interval."""
        return f"{self.percent:.1f} ({self.low:.1f} to {self.high:.1f})"

    @property
    def note(self) -> str:
        """The meaning of the ceiling, in words."""
        marks = (
            f"A run whose interval lies wholly above that one is marked “{BEYOND}”."
            if self.has_marks
            else "No run is marked for being above it, as these scores are by a reference's grades "
            "too, of which people's agreement says nothing: people's labels alone have marks."
        )
        return (
            "A person, by the labels of the others: of the pairs that one annotator calls "
            "positive, the share that another one does, on all pairs with planned labels of two "
            f"or more, over {self.n_positive:,} positive labels, with its 95 % interval. A system "
            "that returns just what one person calls positive would score this by another "
            f"person's labels. {marks} C@1 and P@k have a ceiling; AP, nDCG, recall and C@k from "
            "2 up have none, as they are no shares of single pairs. Scores are by grades as "
            "resolved, which one person meets more often than another person's label: the "
            "ceiling is rather low."
            f"{self.age}"
        )

    def limits(self, cell: ScoreCell) -> bool:
        """True if the interval of a score lies wholly above this interval, and is to be marked."""
        return self.has_marks and cell.low is not None and cell.low > self.high


def has_ceiling(name: str) -> bool:
    """True for the measures that are a precision over first ranks: C@1, and P@k for any k.

    Recall, AP and nDCG also take what was not retrieved, of which a person's labels of single pairs
    say nothing, and C@k from 2 up asks for one right answer of several.
    """
    measure = parse_one(name)
    is_precision = measure.family == "P" or (measure.family == "C" and measure.cutoff == 1)
    return is_precision and not measure.parameters


def can_have_ceiling(choices: Choices) -> bool:
    """True if scores are by people's labels, as resolved, and a measure has a ceiling."""
    return (
        choices.source.has_people
        and not choices.spec.people
        and any(map(has_ceiling, choices.spec.measures))
    )


def with_ceiling(table: LeaderboardTable, ceiling: Ceiling) -> LeaderboardTable:
    """The table and its charts with the ceiling where there is one, and marks on scores above.

    No score has a mark, neither yes nor no, where a reference's grades count too.
    """
    has_one = [has_ceiling(name) for name in table.kinds]
    rows = [
        row._replace(
            cells=[
                cell._replace(is_beyond=True)
                if is_comparable and isinstance(cell, ScoreCell) and ceiling.limits(cell)
                else cell
                for cell, is_comparable in zip(row.cells, has_one, strict=True)
            ]
        )
        for row in table.rows
    ]
    charts = [
        with_ceiling_line(chart, percent=ceiling.percent, low=ceiling.low, high=ceiling.high)
        if is_comparable and chart.rows
        else chart
        for chart, is_comparable in zip(table.charts, has_one, strict=True)
    ]
    return table._replace(
        rows=rows,
        charts=charts,
        ceiling_texts=[ceiling.text if is_comparable else "" for is_comparable in has_one],
        ceiling_note=ceiling.note,
        has_ceiling_marks=ceiling.has_marks,
    )
