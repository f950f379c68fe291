"""Bars of runs with letters, and arrows over what does not differ."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.theme import CATEGORIES
from metrics.core.analyses.systems.differences import PlacedSystem
from metrics.core.comparisons.letters import abbreviate

FEWEST = 30  # topics or groups from which on a headline tells who differs
MOST_NAMES = 40  # runs with a name and letters in the chart
NAME_WIDTH = 130  # pixels of a name in the chart


class RunNames(NamedTuple):
    """Names of S runs and of their teams, "" for no team; measure : "" in a file.

    n_independent : topics, or groups of them; unit : the plural noun for one
    """

    runs: Sequence[str]
    teams: Sequence[str]
    measure: str
    n_independent: int
    unit: str

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


def difference_bars(systems: Sequence[PlacedSystem], names: RunNames) -> Spec:
    """A bar a run, best first, with its interval, its letters and the arrows of pseudo-groups."""
    has_names = len(systems) <= MOST_NAMES
    teams = sorted({team for team in names.teams if team})
    has_teams = 1 < len(teams) <= len(CATEGORIES)
    labels = [
        f"{names.runs[row.system]} ({team})"
        if (team := names.teams[row.system]) and has_teams
        else names.runs[row.system]
        for row in systems
    ]
    values = [
        {
            "run": label,
            "team": names.teams[row.system] or "no team",
            "mean": row.mean,
            "low": row.interval.low,
            "high": row.interval.high,
            "letters": abbreviate(row.letters),
            "group": row.group,
        }
        for label, row in zip(labels, systems, strict=True)
    ]
    y: Spec = {"field": "run", "type": "nominal", "scale": {"domain": labels}, "title": None}
    y["axis"] = {"labelLimit": NAME_WIDTH} if has_names else None
    x: Spec = {"field": "mean", "type": "quantitative", "title": names.mean_title}
    layers = [*bar_layers(x, names.mean_title, has_teams=has_teams), *group_arrows(systems, labels)]
    if has_names:
        end = {"calculate": "isValid(datum.high) ? max(datum.high, datum.mean) : datum.mean"}
        layers.append(
            {
                "transform": [end | {"as": "end"}],
                "mark": {"type": "text", "align": "left", "dx": 5},
                "encoding": {"x": x | {"field": "end"}, "text": {"field": "letters"}},
            }
        )
    step = 22 if has_names else 6
    return {
        "data": {"values": values},
        "height": {"step": step},
        "encoding": {"y": y},
        "layer": layers,
    }


def bar_layers(x: Spec, title: str, *, has_teams: bool) -> list[Spec]:
    """The bars, of the colours of teams where there are some, and the lines of the intervals."""
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("team", "Team"),
        tooltip_row("mean", title, ".4f"),
        tooltip_row("low", "From", ".4f"),
        tooltip_row("high", "To", ".4f"),
        tooltip_row("letters", "Letters"),
    ]
    colour: Spec = {"field": "team", "type": "nominal"}
    return [
        {
            # the line of the interval shows through
            "mark": {"type": "bar", "opacity": 0.55},
            "encoding": {"x": x, "tooltip": tooltip} | ({"color": colour} if has_teams else {}),
        },
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "color": "@ink"},
            "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
        },
    ]


def group_arrows(systems: Sequence[PlacedSystem], labels: Sequence[str]) -> list[Spec]:
    """A double arrow at the right from the first to the last run of each pseudo-group."""
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
    style: Spec = {"xOffset": 14, "color": "@ink", "opacity": 1}
    at_right: Spec = {"x": {"value": "width"}, "tooltip": tooltip}
    heads = [("triangle-up", first), ("triangle-down", last)]
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeWidth": 2, **style},
            "encoding": {"y": first, "y2": {"field": "last"}, **at_right},
        },
        *(
            {
                "data": {"values": values},
                "mark": {"type": "point", "shape": shape, "size": 45, **style},
                "encoding": {"y": row, **at_right},
            }
            for shape, row in heads
        ),
    ]
