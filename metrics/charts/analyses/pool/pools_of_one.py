"""Scores of runs by pools of one run: table and heat map."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import WRAPPED, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.core.analyses.pool.pools_of_one import PoolsOfOne
from metrics.core.statistics.intervals import Interval

FEWEST = 30  # queries, or groups of them, from which on a difference is told
MOST_WITH_NUMBERS = 8  # runs whose cells have room for a number on a phone
COLUMNS = [
    Column("run", "Run"),
    Column("pool", "Pool of"),
    Column("measure", "Measure"),
    Column("score", "Score by that pool", 4),
    Column("below_own", "Worse than by its own pool by", 4),
    Column("low", "95 % from", 4),
    Column("high", "to", 4),
    Column("whole", "Score with all labels", 4),
    Column("n_labels", "Labels of that pool"),
    Column("n_positive", "Positives of it"),
]


class LabelCount(NamedTuple):
    """The labels of a run's pool, and the positive ones."""

    n: int
    n_positive: int


def pools_of_one_result(
    results: Sequence[PoolsOfOne],
    *,
    names: Sequence[str],
    counts: Sequence[LabelCount],
    n_labels: int,
    n_groups: int,
    nouns: Nouns,
) -> AnalysisResult:
    """Every run by the pool of every run; one measure or more.

    names, counts : of the runs; n_labels : of people, that some of the pools have
    n_groups : of the queries
    """
    first = results[0]
    return AnalysisResult(
        headline=_headline(first, len(names), n_groups, nouns),
        reading=(
            "A row is a run, a column the pool of one run: the score of the first with people's "
            "labels of the pairs that the second alone would have brought. Down the diagonal each "
            "run is scored by its own pool; where that stands out, labels of few runs favour these "
            "runs. Labels that none of these runs brought count throughout, and where people's "
            "label is taken away a reference's comes back."
        ),
        extent=f"{counted(len(names), 'run')}, {counted(n_labels, 'label')} by people that they "
        f"brought and {nouns.extent}",
        columns=COLUMNS,
        rows=[
            [
                names[score.run],
                names[score.pool],
                result.measure,
                score.score,
                score.below_own,
                *score.interval,
                result.whole[score.run],
                *counts[score.pool],
            ]
            for result in results
            for score in result.scores
        ],
        spec=_heat_map(first, names),
        notes=nouns.notes,
    )


def _headline(result: PoolsOfOne, n_runs: int, n_groups: int, nouns: Nouns) -> str:
    if result.gain is None or result.interval.low is None or n_groups < FEWEST:
        return (
            f"{result.measure} of {counted(n_runs, 'run')} by the labels that each of them alone "
            "would have brought"
        )
    adjective, (low, high) = "better", result.interval
    if result.gain < 0 and low is not None and high is not None:
        adjective, low, high = "worse", -high, -low
    return (
        f"By the labels of its own pool alone, the {result.measure} of a run is "
        f"{abs(result.gain):.3f} {adjective} than by those of another run's pool, on average over "
        f"{counted(n_runs, 'run')} and {nouns.extent} "
        f"({interval_text(Interval(low, high), digits=3)})"
    )


def _heat_map(result: PoolsOfOne, names: Sequence[str]) -> Spec | None:
    """The scores, a square each, with frames around those by the own pool; None without a score."""
    values = [
        {"run": names[row.run], "pool": names[row.pool], "score": row.score}
        | {"is_own": row.run == row.pool, "below": row.below_own}
        for row in result.scores
        if row.score is not None
    ]
    scores = [row.score for row in result.scores if row.score is not None]
    if not scores:
        return None
    low, high = min(scores), max(scores)
    order = {"domain": list(names)}
    x: Spec = {"field": "pool", "type": "nominal", "title": "Pool of", "scale": order}
    angle = -45 if len(names) <= MOST_WITH_NUMBERS else -90
    x["axis"] = {"orient": "top", "labelAngle": angle, "labelLimit": 110}
    y: Spec = {"field": "run", "type": "nominal", "title": "Run", "scale": order}
    y["axis"] = WRAPPED if len(names) <= MOST_WITH_NUMBERS else {"labelLimit": 110}
    colour: Spec = {"field": "score", "type": "quantitative", "title": result.measure}
    colour |= {"scale": {"domain": [low, high]}, "legend": {"format": ".2f"}}
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("pool", "Pool of"),
        tooltip_row("score", result.measure, ".4f"),
        tooltip_row("below", "Worse than by its own by", ".4f"),
    ]
    square = {"type": "rect", "stroke": "@surface", "strokeWidth": 2}
    layers: list[Spec] = [
        {"mark": square, "encoding": {"color": colour, "tooltip": tooltip}},
        {
            "transform": [{"filter": "datum.is_own"}],
            "mark": {"type": "rect", "filled": False, "stroke": "@ink", "strokeWidth": 2},
        },
    ]
    if len(names) <= MOST_WITH_NUMBERS:
        is_dark = f"datum.score > {low + 0.6 * (high - low)}"
        ink = {"condition": {"test": is_dark, "value": "@surface"}, "value": "@ink"}
        number = {"field": "score", "format": ".2f"}
        layers.append({"mark": {"type": "text"}, "encoding": {"text": number, "color": ink}})
    return {
        "data": {"values": values},
        "height": {"step": 34 if len(names) <= MOST_WITH_NUMBERS else 20},
        "encoding": {"x": x, "y": y},
        "layer": layers,
    }
