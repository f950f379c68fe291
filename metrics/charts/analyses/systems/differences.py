"""Runs in their order with what does not differ, as bars beside the arrows of pseudo-groups."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.charts.theme import CATEGORIES
from metrics.core.analyses.systems.differences import PlacedSystem, SystemDifferences
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
        """That there are too few topics."""
        return f"{self.n_independent} {self.unit} are too few to tell which runs differ"

    @property
    def mean_title(self) -> str:
        """The title of the means."""
        return self.measure or "Mean score"


def differences_result(
    differences: SystemDifferences, names: RunNames, nouns: Nouns
) -> AnalysisResult:
    """The runs from the best to the worst, and which of them do not differ."""
    return AnalysisResult(
        headline=_headline(differences, names),
        reading=(
            "Runs that share a letter do not differ. An arrow spans a pseudo-group: a run and "
            "those after it down to the first that differs from it; runs of two groups need not "
            "differ. From, to: 95 % interval of a run's mean by itself, so runs whose intervals "
            "overlap may differ. What does not differ is not shown to be equal."
        ),
        extent=nouns.extent,
        columns=[
            Column("rank", "Rank"),
            Column("run", "Run"),
            Column("team", "Team"),
            Column("mean", names.mean_title, 4),
            Column("mean_low", "From", 4),
            Column("mean_high", "To", 4),
            Column("letters", "Letters"),
            Column("pseudo_group", "Pseudo-group"),
            Column("n_differing", "Runs that it differs from"),
        ],
        rows=[
            [
                row.rank,
                names.runs[row.system],
                names.teams[row.system],
                row.mean,
                row.interval.low,
                row.interval.high,
                ",".join(row.letters),
                row.group,
                row.n_differing,
            ]
            for row in differences.systems
        ],
        spec=_bars(differences.systems, names),
        notes=nouns.notes,
    )


def _headline(differences: SystemDifferences, names: RunNames) -> str:
    if names.are_too_few:
        return names.too_few_text
    best = differences.systems[0]
    n = len(differences.systems)
    n_like = sum(row.group == 1 for row in differences.systems) - 1
    lead = (
        f"{names.runs[best.system]} leads with a mean of {best.mean:.4f} "
        f"({interval_text(best.interval, digits=4)})"
    )
    if best.n_differing == n - 1:
        return f"{lead} and differs from {'the other run' if n == 2 else f'all {n - 1:,} others'}"
    if not n_like:
        return f"{lead} and differs from {best.n_differing:,} of {n - 1:,} others"
    following = "the next run" if n_like == 1 else f"the next {n_like:,} runs"
    return (
        f"{lead}; nothing separates it from {following}; "
        f"{differences.n_differing:,} of {counted(differences.n_pairs, 'pair')} of runs differ"
    )


def _bars(systems: Sequence[PlacedSystem], names: RunNames) -> Spec:
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
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("team", "Team"),
        tooltip_row("mean", names.mean_title, ".4f"),
        tooltip_row("low", "From", ".4f"),
        tooltip_row("high", "To", ".4f"),
        tooltip_row("letters", "Letters"),
    ]
    colour: Spec = {"field": "team", "type": "nominal"}
    layers: list[Spec] = [
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
        *_arrows(systems, labels),
    ]
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


def _arrows(systems: Sequence[PlacedSystem], labels: Sequence[str]) -> list[Spec]:
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
    place: Spec = {"xOffset": 14, "color": "@ink", "opacity": 1}
    at_right: Spec = {"x": {"value": "width"}, "tooltip": tooltip}
    heads = [("triangle-up", first), ("triangle-down", last)]
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeWidth": 2, **place},
            "encoding": {"y": first, "y2": {"field": "last"}, **at_right},
        },
        *(
            {
                "data": {"values": values},
                "mark": {"type": "point", "shape": shape, "size": 45, **place},
                "encoding": {"y": row, **at_right},
            }
            for shape, row in heads
        ),
    ]
