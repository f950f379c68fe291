"""Scores of runs by pools of one run: table and heat map."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import BESIDE_NAMES, WRAPPED, column_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, number_text
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
MADE_BY = Column("made_by", "Pool made by")
MAKERS = ("run", "team")
TEAMS_READING = (
    " Below, a column is the pool of one team, which has what any of its runs here would have "
    "brought; frames are around the scores of a run by its own team's."
)


class LabelCount(NamedTuple):
    """The labels of a pool, and the positive ones."""

    n: int
    n_positive: int


class PoolNames(NamedTuple):
    """The runs, or teams, that the pools are of, and the labels of each pool."""

    names: Sequence[str]
    counts: Sequence[LabelCount]


def pools_of_one_result(
    results: Sequence[PoolsOfOne],
    *,
    runs: PoolNames,
    teams: PoolNames,
    n_labels: int,
    n_groups: int,
    nouns: Nouns,
) -> AnalysisResult:
    """Every run by the pool of every run, and of every team; one measure or more.

    teams : empty where none has a pool; n_labels : of people, that some of the pools have
    n_groups : of the queries
    """
    has_teams = bool(teams.names)
    first, n_runs = results[: 1 + has_teams], len(runs.names)
    rows: list[list[Cell]] = []
    for result in results:
        pools = teams if result.by_team else runs
        for score in result.scores:
            row: list[Cell] = [runs.names[score.run], pools.names[score.pool]]
            if has_teams:
                row.append(MAKERS[result.by_team])
            row += [result.measure, score.score, score.below_own, *score.interval]
            rows.append([*row, result.whole[score.run], *pools.counts[score.pool]])
    of_teams = f" of {counted(len(teams.names), 'team')}" if has_teams else ""
    return AnalysisResult(
        headline=_headline(first, n_runs, n_groups, nouns),
        reading=(
            "A row is a run, a column the pool of one run: the score of the first with people's "
            "labels of the pairs that the second alone would have brought. Down the diagonal each "
            "run is scored by its own pool; where that stands out, labels of few runs favour these "
            "runs. Labels that none of these runs brought count throughout, and where people's "
            "label is taken away a reference's comes back." + (TEAMS_READING if has_teams else "")
        ),
        extent=(
            f"{counted(n_runs, 'run')}{of_teams}, {counted(n_labels, 'label')} by people that they "
            f"brought and {nouns.extent}"
        ),
        columns=[*COLUMNS[:2], MADE_BY, *COLUMNS[2:]] if has_teams else COLUMNS,
        rows=rows,
        spec=_heat_maps(first, runs.names, teams.names),
        notes=nouns.notes,
    )


def _headline(results: Sequence[PoolsOfOne], n_runs: int, n_groups: int, nouns: Nouns) -> str:
    """The mean gain by a run's own pool, and by that of its team where there are teams."""
    first, *of_teams = results
    if first.gain is None or first.interval.low is None or n_groups < FEWEST:
        alone = "each of them, and each team, alone" if of_teams else "each of them alone"
        return (
            f"{first.measure} of {counted(n_runs, 'run')} by the labels that {alone} would have "
            "brought"
        )
    gain, interval = gain_texts(first)
    sentence = (
        f"By the labels of its own pool the {first.measure} of a run is {gain} than by those of "
        f"another run's pool, on average over {counted(n_runs, 'run')} and {nouns.extent} "
        f"({interval})"
    )
    for result in of_teams:
        if result.gain is not None:
            gain, interval = gain_texts(result)
            sentence += f"; by its team's, {gain} than by another team's ({interval})"
    return sentence


def gain_texts(result: PoolsOfOne) -> tuple[str, str]:
    """A gain that is known in words, as in "0.102 better", and its interval."""
    gain, (low, high) = result.gain or 0.0, result.interval
    if gain < 0 and low is not None and high is not None:
        return f"{number_text(-gain, 3)} worse", interval_text(Interval(-high, -low), digits=3)
    return f"{number_text(gain, 3)} better", interval_text(result.interval, digits=3)


def _heat_maps(
    results: Sequence[PoolsOfOne], runs: Sequence[str], teams: Sequence[str]
) -> Spec | None:
    """The scores by the pools of runs, and below by those of teams, if any; None without a score.

    runs, teams : their names
    """
    scores = [row.score for result in results for row in result.scores if row.score is not None]
    if not scores:
        return None
    ends = (min(scores), max(scores))
    first, *of_teams = [
        heat_map(result, ends, runs, teams if result.by_team else runs) for result in results
    ]
    if not of_teams:
        return first
    return {"vconcat": [{"width": "@named", **view} for view in (first, *of_teams)], "spacing": 28}


def heat_map(
    result: PoolsOfOne, ends: tuple[float, float], runs: Sequence[str], pools: Sequence[str]
) -> Spec:
    """The scores, a square each, with frames around those by the own pool.

    ends : the least and the largest score; runs, pools : names of the runs, and of those that the
        pools are of
    """
    values = [
        {"run": runs[row.run], "pool": pools[row.pool], "score": row.score}
        | {"is_own": row.pool == result.own[row.run], "below": row.below_own}
        for row in result.scores
        if row.score is not None
    ]
    low, high = ends
    title = "Pool of the team" if result.by_team else "Pool of"
    x: Spec = {"field": "pool", "type": "nominal", "title": title}
    x["scale"] = {"domain": list(pools)}
    x["axis"] = column_axis(pools, pixels=BESIDE_NAMES / len(pools), is_above=True)
    y: Spec = {"field": "run", "type": "nominal", "title": "Run"}
    y["scale"] = {"domain": list(runs)}
    y["axis"] = WRAPPED if len(runs) <= MOST_WITH_NUMBERS else {"labelLimit": 110}
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
    if len(pools) <= MOST_WITH_NUMBERS:
        is_dark = f"datum.score > {low + 0.6 * (high - low)}"
        ink = {"condition": {"test": is_dark, "value": "@surface"}, "value": "@ink"}
        number = {"field": "score", "format": ".2f"}
        layers.append({"mark": {"type": "text"}, "encoding": {"text": number, "color": ink}})
    return {
        "data": {"values": values},
        "height": {"step": 34 if len(runs) <= MOST_WITH_NUMBERS else 20},
        "encoding": {"x": x, "y": y},
        "layer": layers,
    }
