"""The dashboard's agreement panel, for one level of measurement: planned labels, then all."""

from typing import Any, NamedTuple

from annotate.core.labels.alpha_marks import KRIPPENDORFF, AlphaMarks
from annotate.core.phrases import counted
from metrics.core.agreement.agreement import MeasurementLevel
from metrics.services.dashboard.details_page import per_cent


class LevelTab(NamedTuple):
    """A level of measurement to choose."""

    name: str
    is_current: bool


class AgreementFigures(NamedTuple):
    """Agreement of some of the labels: alpha with its interval, and shares in per cent.

    Where there is none, it is None.
    """

    alpha: dict[str, Any]
    unanimous: float | None
    pairwise: float | None


class IntervalCell(NamedTuple):
    """The interval of an alpha, and what it rests on, or why it is not defined."""

    text: str
    note: str


class AgreementPanel(NamedTuple):
    """Agreement on the chosen level.

    planned : of first and planned double labels, requested whatever others said of the pair; the
        headline
    all : of third labels and replacements, too
    sampling_units : what the bootstrap samples of an interval draw: queries, or what they belong to
    marks : that alpha is held to
    """

    level: str
    tabs: list[LevelTab]
    planned: AgreementFigures
    all: AgreementFigures
    sampling_units: str
    marks: AlphaMarks = KRIPPENDORFF

    @property
    def columns(self) -> list[AgreementFigures]:
        """The headline first."""
        return [self.planned, self.all]

    @property
    def interval_cells(self) -> list[IntervalCell]:
        """The interval of alpha in each column."""
        return [self._interval_cell(column.alpha) for column in self.columns]

    def _interval_cell(self, alpha: dict[str, Any]) -> IntervalCell:
        if alpha["value"] is None:
            return IntervalCell("\N{EN DASH}", "")
        if alpha["low"] is None:
            return IntervalCell(
                "not defined", f"all labels are of one of the {self.sampling_units}"
            )
        ends = self.marks.interval_text(alpha["low"], alpha["high"])
        if not alpha["n_replicates"]:
            return IntervalCell(ends, "")
        origin = f" of {alpha['n_groups']:,} {self.sampling_units}" if alpha["n_groups"] else ""
        return IntervalCell(
            ends, f"{alpha['n_replicates']:,} samples{origin}, seed {alpha['seed']}"
        )

    @property
    def mark_text(self) -> str:
        """The mark that alpha is shown to reach; empty where undefined.

        It goes by the interval's lower end.
        """
        alpha = self.planned.alpha
        if alpha["value"] is None:
            return ""
        if alpha["low"] is None:
            return f"Without an interval nothing is said of {self.marks.names_text}."
        low_text = self.marks.low_text(alpha["low"])
        low = float(low_text)
        tentative, firm = (f"{mark:g}" for mark in self.marks)
        mark_name = self.marks.mark_text
        if low >= self.marks.firm:
            verdict = f"At least {firm}, {mark_name} for conclusions"
        elif low >= self.marks.tentative:
            verdict = (
                f"At least {tentative}, {mark_name} for tentative conclusions; not shown to reach "
                f"{firm}"
            )
        else:
            verdict = f"Not shown to reach {tentative}, {mark_name} for tentative conclusions"
        pairs = f"{counted(alpha['n_pairable_units'], 'pair')} with two planned labels or more"
        origin = f", of {alpha['n_groups']:,} {self.sampling_units}" if alpha["n_groups"] else ""
        return f"{verdict}: the interval's lower end is {low_text}, on {pairs}{origin}."

    @property
    def advice(self) -> str:
        """Advice for when no pair has two planned labels; else empty."""
        if self.planned.alpha["n_pairable_units"]:
            return ""
        return (
            "Such pairs are planned in the policy: let it double a share of a pool's pairs, or "
            "want two labels of each."
        )


def agreement_of(
    snapshot_value: dict[str, Any], level: str, marks: AlphaMarks = KRIPPENDORFF
) -> AgreementPanel:
    """The panel of one level of measurement, from the value of the agreement snapshot."""
    tabs = [LevelTab(str(name), name == level) for name in MeasurementLevel]
    return AgreementPanel(
        level,
        tabs,
        _figures(snapshot_value, "planned", level),
        _figures(snapshot_value, "all", level),
        snapshot_value["drawn"],
        marks,
    )


def _figures(snapshot_value: dict[str, Any], labels: str, level: str) -> AgreementFigures:
    alpha, percent = snapshot_value[labels][level], snapshot_value["percent"][labels]
    # The core speaks of units and labels; here a unit is a pair, and the text names the labels
    # meant.
    reason = alpha["reason"].replace("unit", "pair")
    if labels == "planned":
        reason = reason.replace("label", "planned label")
    shares = (per_cent(percent[name]) for name in ("unanimous_units", "mean_of_units"))
    return AgreementFigures({**alpha, "reason": reason}, *shares)
