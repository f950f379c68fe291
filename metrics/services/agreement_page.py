"""Agreement in words, for one level of measurement: the headline is of planned labels, all labels stand apart."""

from typing import Any, NamedTuple

from metrics.core.agreement import Level
from metrics.services.closer_page import per_cent

# Krippendorff, Content Analysis: conclusions from .8 up, tentative ones from .667 up. Conventions, not tests.
TENTATIVE, FIRM = 0.667, 0.8
DIGITS = 4  # of alpha on the page: what is said of a mark goes by the digits that stand beside it


class LevelTab(NamedTuple):
    """A level of measurement to choose."""

    name: str
    is_current: bool


class Column(NamedTuple):
    """Agreement of some of the labels: alpha with its interval, and shares in per cent, None where there are none."""

    alpha: dict[str, Any]
    unanimous: float | None
    pairwise: float | None


class Agreement(NamedTuple):
    """Agreement on the chosen level.

    planned : of the labels that were asked for whatever others said, first and planned double ones; the headline
    all : of third labels and replacements, too
    drawn : what the samples of an interval are of: queries, or what they belong to
    """

    level: str
    tabs: list[LevelTab]
    planned: Column
    all: Column
    drawn: str

    @property
    def columns(self) -> list[Column]:
        """The headline first."""
        return [self.planned, self.all]

    @property
    def marks(self) -> str:
        """Which conventional mark alpha is shown to reach, by its interval's lower end; empty where it is undefined."""
        alpha = self.planned.alpha
        if alpha["value"] is None:
            return ""
        if alpha["low"] is None:
            return f"Without an interval nothing is said of the conventional marks, {TENTATIVE:g} and {FIRM:g}."
        low, tentative = round(alpha["low"], DIGITS), "by convention the mark for tentative conclusions"
        if low >= FIRM:
            said = f"At least {FIRM:g}, by convention the mark for conclusions"
        elif low >= TENTATIVE:
            said = f"At least {TENTATIVE:g}, {tentative}; not shown to reach {FIRM:g}"
        else:
            said = f"Not shown to reach {TENTATIVE:g}, {tentative}"
        return f"{said}: the interval's lower end is {low:.{DIGITS}f}, on {self._rests_on}."

    @property
    def _rests_on(self) -> str:
        n_pairs, n_groups = self.planned.alpha["n_pairable_units"], self.planned.alpha["n_groups"]
        pairs = f"{n_pairs:,} pair{'' if n_pairs == 1 else 's'} with two planned labels or more"
        return f"{pairs}, of {n_groups:,} {self.drawn}" if n_groups else pairs

    @property
    def advice(self) -> str:
        """What to do where no pair has two planned labels; else empty."""
        if self.planned.alpha["n_pairable_units"]:
            return ""
        return (
            "Such pairs are planned in the policy: let it double a share of a pool's pairs, or want two labels of each."
        )


def agreement_of(value: dict[str, Any], level: str) -> Agreement:
    """The snapshot's numbers on one level."""
    tabs = [LevelTab(str(name), name == level) for name in Level]
    return Agreement(level, tabs, _column(value, "planned", level), _column(value, "all", level), value["drawn"])


def _column(value: dict[str, Any], labels: str, level: str) -> Column:
    alpha, percent = value[labels][level], value["percent"][labels]
    # The core speaks of units and labels; here a unit is a pair, and which labels are meant is said.
    reason = alpha["reason"].replace("unit", "pair")
    if labels == "planned":
        reason = reason.replace("label", "planned label")
    shares = (per_cent(percent[name]) for name in ("unanimous_units", "mean_of_units"))
    return Column({**alpha, "reason": reason}, *shares)
