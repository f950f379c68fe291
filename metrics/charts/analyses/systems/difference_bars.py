"""Bars of runs with letters, and rules and arrows over what does not differ."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.systems.letter_rules import (
    ARROW_LANE,
    CHARACTER,
    LetterRules,
    rule_layers,
)
from metrics.charts.axes import LINE, LINE_HEIGHT, TWO_LINES, WRAPPED, broken_axis, lines_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.theme import CATEGORIES
from metrics.core.analyses.systems.differences import PlacedSystem
from metrics.core.comparisons.letters import abbreviate

FEWEST = 30  # topics or groups from which on a headline tells who differs
MOST_NAMES = 40  # runs with a name in the triangle of pairs, and with wide bars
MOST_NAMED_BARS = 120  # runs with a name and letters beside their bar
NAME_WIDTH = 130  # pixels of a name in the chart
MARKED, OTHER = "marked", "other runs"


class RunNames(NamedTuple):
    """Names of S runs and of their teams, "" for no team; measure : "" in a file.

    n_independent : topics, or groups of them; unit : the plural noun for one
    mark : the team whose runs stand out; "" for none
    """

    runs: Sequence[str]
    teams: Sequence[str]
    measure: str
    n_independent: int
    unit: str
    mark: str = ""

    @property
    def are_too_few(self) -> bool:
        """True if a headline tells no effect."""
        return self.n_independent < FEWEST

    @property
    def too_few_text(self) -> str:
        """The sentence of too few topics."""
        return f"{self.n_independent} {self.unit} are too few to tell which runs differ"

    @property
    def mean_title(self) -> str:
        """The title of the means."""
        return self.measure or "Mean score"

    @property
    def has_marked(self) -> bool:
        """True if a run stands out."""
        return self.mark != "" and self.mark in self.teams

    def is_marked(self, system: int) -> bool:
        """True if the run of this number stands out."""
        return self.mark != "" and self.teams[system] == self.mark


def difference_bars(systems: Sequence[PlacedSystem], names: RunNames, rules: LetterRules) -> Spec:
    """A bar a run, best first, with its interval; letters, arrows and rules in lanes beside it."""
    has_names = len(systems) <= MOST_NAMED_BARS
    teams = sorted({team for team in names.teams if team})
    has_teams = 1 < len(teams) <= len(CATEGORIES)
    labels = [
        f"{names.runs[row.system]} ({team})"
        if (team := names.teams[row.system]) and has_teams
        else names.runs[row.system]
        for row in systems
    ]
    letters = [abbreviate(row.letters, most=rules.most_letters) for row in systems]
    values = [
        {
            "run": label,
            "team": names.teams[row.system] or "no team",
            "mean": row.mean,
            "low": row.interval.low,
            "high": row.interval.high,
            "letters": text,
            "group": row.group,
            "stands": MARKED if names.is_marked(row.system) else OTHER,
        }
        for label, row, text in zip(labels, systems, letters, strict=True)
    ]
    y: Spec = {"field": "run", "type": "nominal", "scale": {"domain": labels}, "title": None}
    axis, step = name_rows(labels) if has_names else (None, 6)
    y["axis"] = axis
    x: Spec = {"field": "mean", "type": "quantitative", "title": names.mean_title}
    longest = max(map(len, letters)) if has_names else 0
    arrows_at = ARROW_LANE + CHARACTER * longest
    layers = [
        *bar_layers(x, names, has_teams=has_teams),
        *group_arrows(systems, labels, at=arrows_at),
        *rule_layers(rules, labels, at=arrows_at + ARROW_LANE, are_wide=has_names),
    ]
    if has_names:
        text = {"type": "text", "align": "left", "xOffset": 8}
        of_letters = {"x": {"value": "width"}, "text": {"field": "letters"}}
        layers.append({"mark": text, "encoding": of_letters})
    if step > TWO_LINES:
        layers[0]["mark"] |= {"height": TWO_LINES - 6}
    return {
        "data": {"values": values},
        "height": {"step": step},
        "encoding": {"y": y},
        "layer": layers,
    }


def name_rows(labels: Sequence[str]) -> tuple[Spec, int]:
    """The axis of the names of bars, and the pixels of a row."""
    if len(labels) > MOST_NAMES:
        return {"labelLimit": 100}, 15
    n_lines = max(len(lines_of(label, most=LINE)) for label in labels)
    if n_lines > 2:
        return broken_axis(labels, most=LINE), round(n_lines * LINE_HEIGHT) + 4
    return WRAPPED, TWO_LINES if max(map(len, labels)) > LINE else 22


def bar_layers(x: Spec, names: RunNames, *, has_teams: bool) -> list[Spec]:
    """The bars and the lines of their intervals.

    The bars of a marked team are dark, with a diamond before them; else teams have colours.
    """
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("team", "Team"),
        tooltip_row("mean", names.mean_title, ".4f"),
        tooltip_row("low", "From", ".4f"),
        tooltip_row("high", "To", ".4f"),
        tooltip_row("letters", "Letters"),
    ]
    # the line of the interval shows through
    mark: Spec = {"type": "bar", "opacity": 0.55}
    colour: Spec = {"color": {"field": "team", "type": "nominal"}} if has_teams else {}
    layers: list[Spec] = []
    if names.has_marked:
        stands: Spec = {"field": "stands", "type": "nominal"}
        domain, team = [MARKED, OTHER], json.dumps(f"{MARKED}: {names.mark}")
        legend = {"labelExpr": f"datum.value === '{MARKED}' ? {team} : datum.label"}
        scale = {"domain": domain, "range": ["@blue", "@slate"]}
        faint = {"domain": domain, "range": [0.85, 0.4]}
        colour = {"color": stands | {"scale": scale, "legend": legend}}
        colour["opacity"] = stands | {"scale": faint, "legend": None}
        is_marked = {"filter": {"field": "stands", "equal": MARKED}}
        diamond: Spec = {"type": "point", "shape": "diamond", "size": 36, "color": "@ink"}
        layers = [
            {
                "transform": [is_marked],
                "mark": diamond | {"xOffset": -4, "opacity": 1},
                "encoding": {"x": {"value": 0}},
            }
        ]
        mark = {"type": "bar"}
    return [
        {"mark": mark, "encoding": {"x": x, "tooltip": tooltip} | colour},
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "color": "@ink"},
            "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
        },
        *layers,
    ]


def group_arrows(
    systems: Sequence[PlacedSystem], labels: Sequence[str], *, at: float
) -> list[Spec]:
    """A double arrow from the first to the last run of each pseudo-group, so far right of bars."""
    groups: dict[int, list[str]] = {}
    for label, row in zip(labels, systems, strict=True):
        groups.setdefault(row.group, []).append(label)
    values = [
        {"group": group, "first": members[0], "last": members[-1], "n": len(members)}
        for group, members in groups.items()
    ]
    domain = {"domain": list(labels)}
    first = {"field": "first", "type": "nominal", "scale": domain}
    last = {"field": "last", "type": "nominal", "scale": domain}
    tooltip = [tooltip_row("group", "Pseudo-group"), tooltip_row("n", "Runs", "d")]
    style: Spec = {"xOffset": at, "color": "@ink", "opacity": 1}
    at_right: Spec = {"x": {"value": "width"}, "tooltip": tooltip}
    # apart where a group has one run
    heads = [("triangle-up", first, -4), ("triangle-down", last, 4)]
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeWidth": 2, **style},
            "encoding": {"y": first, "y2": {"field": "last"}, **at_right},
        },
        *(
            {
                "data": {"values": values},
                "mark": {"type": "point", "shape": shape, "size": 40, **style} | {"yOffset": dodge},
                "encoding": {"y": row, **at_right},
            }
            for shape, row, dodge in heads
        ),
    ]
