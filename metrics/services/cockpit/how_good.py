"""Agreement of a collection's labels: alpha with its interval, over the labels so far."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.labels.alpha_marks import AlphaMarks
from annotate.core.phrases import counted
from metrics.charts.charts import AlphaPoint
from metrics.services.dashboard.agreement_page import AgreementPanel

WIDTH, HEIGHT = 1000, 100  # of the drawing, in units of its own


class AlphaMark(NamedTuple):
    """A mark in the drawing: its name, and its distance from the top in per cent."""

    name: str
    y: str


class AlphaDrawing(NamedTuple):
    """Alpha over judgments as points of a line, and of the band of its interval."""

    line: str
    band: str
    marks: list[AlphaMark]
    first_text: str
    last_text: str


class HowGood(NamedTuple):
    """Alpha of the planned labels, and its history, oldest first."""

    panel: AgreementPanel
    points: list[AlphaPoint]

    @property
    def value_text(self) -> str:
        """Alpha in two digits; empty where it is not defined."""
        value = self.panel.planned.alpha["value"]
        return "" if value is None else f"{value:.2f}"

    @property
    def interval_text(self) -> str:
        """The interval of alpha, rounded outwards; empty where there is none."""
        alpha = self.panel.planned.alpha
        if alpha["low"] is None:
            return ""
        return self.panel.marks.interval_text(alpha["low"], alpha["high"])

    @property
    def mark_text(self) -> str:
        """The mark that the interval, as printed, is not yet wholly above."""
        low = self.panel.planned.alpha["low"]
        if low is None:
            return ""
        marks = self.panel.marks
        low = float(marks.low_text(low))
        mark = next((mark for mark in marks if low < mark), None)
        position = f"above {marks.firm:g}" if mark is None else f"not yet above {mark:g}"
        return f"the interval is {position}"

    @property
    def drawing(self) -> AlphaDrawing | None:
        """The line of alpha; None for fewer than two points."""
        points = [point for point in self.points if point.value is not None]
        return alpha_drawing(points, marks=self.panel.marks) if len(points) > 1 else None

    @property
    def basis_text(self) -> str:
        """The level of measurement, and what alpha is over; or why it is not defined."""
        alpha = self.panel.planned.alpha
        if alpha["value"] is None:
            return f"Alpha is not defined yet: {alpha['reason']}."
        origin = (
            f" of {alpha['n_groups']:,} {self.panel.sampling_units}" if alpha["n_groups"] else ""
        )
        pairs = counted(alpha["n_pairable_units"], "pair")
        return f"Alpha, {self.panel.level}, of planned labels on {pairs}{origin}"


def alpha_drawing(points: Sequence[AlphaPoint], *, marks: AlphaMarks) -> AlphaDrawing:
    """Draw alpha over labels; marks are drawn wherever alpha is."""
    values = [point.value or 0.0 for point in points]
    lows = [
        value if point.low is None else point.low
        for point, value in zip(points, values, strict=True)
    ]
    highs = [
        value if point.high is None else point.high
        for point, value in zip(points, values, strict=True)
    ]
    bottom, top = min(*lows, marks.tentative - 0.05), max(*highs, marks.firm + 0.05)
    first, last = points[0].n_judgments, points[-1].n_judgments
    xs = [WIDTH * (point.n_judgments - first) / max(last - first, 1) for point in points]

    def heights(alphas: Sequence[float]) -> list[float]:
        return [HEIGHT * (top - alpha) / (top - bottom) for alpha in alphas]

    def path(columns: Sequence[float], rows: Sequence[float]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(columns, rows, strict=True))

    return AlphaDrawing(
        line=path(xs, heights(values)),
        band=f"{path(xs, heights(highs))} {path(xs[::-1], heights(lows[::-1]))}",
        marks=[
            AlphaMark(f"{mark:g}", f"{y:.1f}%")
            for mark, y in zip(marks, heights(marks), strict=True)
        ],
        first_text=counted(first, "judgment"),
        last_text=f"{last:,}",
    )
