"""How alike runs are, as a table whose cells are shaded: a row and a column a run."""

from collections.abc import Callable
from math import isnan
from typing import NamedTuple

from annotate.models import Direction
from pooling.services.previews import OVERLAP_DEPTH, RBO_P, Alike

SHADES = 9


class Measure(NamedTuple):
    """A measure of likeness: what people call it, what a cell shows, and how much it is shaded, from 0 to 1."""

    label: str
    sentence: str
    shown: Callable[[float], str]
    shade: Callable[[float], float]


class Cell(NamedTuple):
    """A number, and how dark it is from 0 to SHADES."""

    text: str
    shade: int


class Row(NamedTuple):
    """A run, its number among the columns, and its cells."""

    number: int
    name: str
    cells: list[Cell]


class Table(NamedTuple):
    """The runs of one direction."""

    direction: str
    rows: list[Row]


def _hundredths(value: float) -> str:
    return f"{100 * value:.0f}".replace("-", "−")  # noqa: RUF001 - a minus sign, not a hyphen


def _itself(value: float) -> float:
    return value


MEASURES = {
    "overlap": Measure(
        f"Overlap@{OVERLAP_DEPTH}", f"Share of the first {OVERLAP_DEPTH} that both runs hold, in hundredths.",
        _hundredths, _itself,
    ),
    "rbo": Measure("RBO", f"Rank-biased overlap, extrapolated, p = {RBO_P}, in hundredths.", _hundredths, _itself),
    "tau": Measure(
        "Tau-b", "Kendall's tau-b over the targets both hold, in hundredths; below 0 they order them the other way.",
        _hundredths, _itself,
    ),
    "favourite": Measure(
        "Rank of the top", "Mean rank that the column's run gives the row's first; one past its depth if it lacks it.",
        lambda value: f"{value:.1f}", lambda value: 1 / value,
    ),
}  # fmt: skip


def table(alike: Alike, measure: str) -> Table:
    """The runs of one direction by one measure."""
    shown, matrix = MEASURES[measure], getattr(alike.likeness, measure).tolist()
    rows = [
        Row(number, name, [_cell(shown, value) for value in values])
        for number, (name, values) in enumerate(zip(alike.names, matrix, strict=True), start=1)
    ]
    return Table(Direction(alike.direction).label, rows)


def _cell(measure: Measure, value: float) -> Cell:
    if isnan(value):
        return Cell("–", 0)  # noqa: RUF001 - a dash, not a minus
    return Cell(measure.shown(value), round(SHADES * min(max(measure.shade(value), 0.0), 1.0)))
