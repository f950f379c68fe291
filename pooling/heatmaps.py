"""The likeness of runs as a heatmap: a table with shaded cells, a row and a column a run."""

from collections.abc import Callable
from math import isnan
from typing import NamedTuple

from annotate.models import Direction
from pooling.services.pools.previews import OVERLAP_DEPTH, RBO_P, DirectionLikeness

SHADES = 9


class LikenessMeasure(NamedTuple):
    """A measure of likeness: its label, the text of a cell, and its shade, from 0 to 1."""

    label: str
    sentence: str
    format_value: Callable[[float], str]
    shade: Callable[[float], float]


class HeatmapCell(NamedTuple):
    """A cell: a number, and its shade from 0 to SHADES."""

    text: str
    shade: int


class HeatmapRow(NamedTuple):
    """A run, its number among the columns, and its cells."""

    number: int
    name: str
    cells: list[HeatmapCell]


class Heatmap(NamedTuple):
    """The heatmap of the runs of one direction."""

    direction: str
    rows: list[HeatmapRow]


def _hundredths(value: float) -> str:
    return f"{100 * value:.0f}".replace("-", "−")  # noqa: RUF001 - a minus sign, not a hyphen


def _itself(value: float) -> float:
    return value


MEASURES = {
    "overlap": LikenessMeasure(
        f"Overlap@{OVERLAP_DEPTH}",
        f"Share of the first {OVERLAP_DEPTH} that both runs hold, in hundredths.",
        _hundredths,
        _itself,
    ),
    "rbo": LikenessMeasure(
        "RBO",
        f"Rank-biased overlap, extrapolated, p = {RBO_P}, in hundredths.",
        _hundredths,
        _itself,
    ),
    "tau": LikenessMeasure(
        "Tau-b",
        "Kendall's tau-b over the targets both hold, in hundredths; below 0 they order them the "
        "other way.",
        _hundredths,
        _itself,
    ),
    "favourite": LikenessMeasure(
        "Rank of the top",
        "Mean rank that the column's run gives the row's first; one past its depth if it lacks it.",
        lambda value: f"{value:.1f}",
        lambda value: 1 / value,
    ),
}


def heatmap(runs: DirectionLikeness, measure: str) -> Heatmap:
    """Make the heatmap of the runs of one direction by one measure."""
    likeness_measure, values_by_run = MEASURES[measure], getattr(runs.likeness, measure).tolist()
    rows = [
        HeatmapRow(number, name, [_cell(likeness_measure, value) for value in values])
        for number, (name, values) in enumerate(
            zip(runs.names, values_by_run, strict=True), start=1
        )
    ]
    return Heatmap(Direction(runs.direction).label, rows)


def _cell(measure: LikenessMeasure, value: float) -> HeatmapCell:
    if isnan(value):
        return HeatmapCell("–", 0)  # noqa: RUF001 - a dash, not a minus
    return HeatmapCell(
        measure.format_value(value), round(SHADES * min(max(measure.shade(value), 0.0), 1.0))
    )
