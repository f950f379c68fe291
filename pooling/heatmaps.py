"""The likeness of runs as a heatmap: a table with shaded cells, a row and a column a run."""

from collections.abc import Callable
from math import isnan
from typing import NamedTuple

from annotate.models import Direction
from pooling.services.pools.previews import OVERLAP_DEPTH, RBO_P, DirectionLikeness

SHADES = 9
ITSELF = "The run itself"  # a cell whose number would say nothing


class LikenessMeasure(NamedTuple):
    """A measure of likeness: its label, the text of a cell, and its shade, from 0 to 1.

    is_share : 1 is the likeness of a run with itself
    """

    label: str
    sentence: str
    format_value: Callable[[float], str]
    shade: Callable[[float], float]
    is_share: bool = True


class HeatmapCell(NamedTuple):
    """A cell: a number, and its shade from 0 to SHADES; label : in place of the number."""

    text: str
    shade: int
    label: str = ""


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
        f"Share of the first {OVERLAP_DEPTH} that both runs hold, in hundredths; where both lists "
        "are shorter, of the longer one.",
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
        is_share=False,
    ),
}


def heatmap(runs: DirectionLikeness, measure: str) -> Heatmap:
    """Make the heatmap of the runs of one direction by one measure."""
    likeness_measure, values_by_run = MEASURES[measure], getattr(runs.likeness, measure).tolist()
    rows = [
        HeatmapRow(
            row + 1,
            name,
            [
                _cell(likeness_measure, value, is_itself=row == column)
                for column, value in enumerate(values)
            ],
        )
        for row, (name, values) in enumerate(zip(runs.names, values_by_run, strict=True))
    ]
    return Heatmap(Direction(runs.direction).label, rows)


def _cell(measure: LikenessMeasure, value: float, *, is_itself: bool) -> HeatmapCell:
    if is_itself and (isnan(value) or not measure.is_share):
        return HeatmapCell("", 0, ITSELF)
    if isnan(value):
        return HeatmapCell("–", 0)  # noqa: RUF001 - a dash, not a minus
    return HeatmapCell(
        measure.format_value(value), round(SHADES * min(max(measure.shade(value), 0.0), 1.0))
    )
