"""Scores of runs without the labels that they alone brought: table and chart."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import TWO_LINES, WRAPPED
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, number_text
from metrics.core.analyses.pool.own_labels import RunLoss, ScoreWithout

MOST_RUNS = 25  # of the chart
FEWEST = 30  # labels that a run alone brought from which on its loss is told
COLUMNS = [
    Column("run", "Run"),
    Column("team", "Team"),
    Column("measure", "Measure"),
    Column("score", "Score", 4),
    Column("rank", "Rank"),
    Column("n_brought", "Labels it brought"),
]
WITH_ALL, WITHOUT_RUN, WITHOUT_TEAM = "all labels", "without its own", "without its team's"


class PooledRun(NamedTuple):
    """A run in words, and its scores by each measure; team : "" for none."""

    name: str
    team: str
    is_pooled: bool
    losses: list[RunLoss]


def own_labels_result(
    runs: Sequence[PooledRun], *, n_labels: int, depths: Sequence[int], nouns: Nouns
) -> AnalysisResult:
    """Runs with and without the labels that they, or their team, alone brought; one run or more.

    n_labels : of people, that count; depths : of the pools
    """
    has_teams = any(run.team for run in runs)
    columns = list(COLUMNS)
    for key, title in (("run", "only it"), ("team", "only its team")):
        columns += [
            Column(f"n_unique_{key}", f"Labels that {title} brought"),
            Column(f"n_positive_{key}", f"Positives that {title} brought"),
            Column(f"without_{key}", f"Score without what {title} brought", 4),
            Column(f"loss_{key}", "Worse by", 4),
            Column(f"low_{key}", "95 % from", 4),
            Column(f"high_{key}", "to", 4),
            Column(f"rank_without_{key}", "Rank then"),
        ]
    if not has_teams:
        del columns[-7:], columns[1]
    notes = list(nouns.notes)
    if names := [run.name for run in runs if not run.is_pooled]:
        notes.append(f"In no opened pool, and so without labels of its own: {', '.join(names)}.")
    if has_teams and (names := [run.name for run in runs if not run.team]):
        notes.append(lone_runs_note(names))
    if len(runs) > MOST_RUNS:
        notes.append(f"Chart: the first {MOST_RUNS} of {len(runs)} runs by rank.")
    return AnalysisResult(
        headline=_headline(runs, nouns),
        reading=(
            "A run's score with all labels, and without people's labels of the pairs that it alone "
            "of all pooled runs brought to a pool, as if it had not been pooled: a reference's "
            "labels come back there, what no run brought stays, and the other runs keep all. A "
            "large loss means that the labels favour the pooled run, or that it finds what others "
            "miss; a new run would be scored as without its own labels."
        ),
        extent=(
            f"{counted(len(runs), 'run')}, {counted(n_labels, 'label')} by people and "
            f"{nouns.extent}; pools of depth "
            f"{' or '.join(map(str, depths))}"
        ),
        columns=columns,
        rows=[_row(run, loss, has_teams=has_teams) for run in runs for loss in run.losses],
        spec=_dumbbells(runs[:MOST_RUNS], has_teams=has_teams),
        notes=notes,
    )


def lone_runs_note(names: Sequence[str]) -> str:
    """The sentence on runs that are teams of one."""
    return f"Taken by themselves, as they name no team: {', '.join(names)}."


def _row(run: PooledRun, loss: RunLoss, *, has_teams: bool) -> list[Cell]:
    row: list[Cell] = [run.name]
    if has_teams:
        row.append(run.team or None)
    row += [loss.measure, loss.score, loss.rank, loss.n_brought if run.is_pooled else None]
    for part in (loss.without_run, loss.without_team)[: 1 + has_teams]:
        cells: list[Cell] = [part.n, part.n_positive, part.value, part.loss, *part.interval]
        row += [*cells, part.rank] if run.is_pooled else [None] * 7
    return row


def _headline(runs: Sequence[PooledRun], nouns: Nouns) -> str:
    """The run whose score by the first measure falls most."""
    losses = [
        (run, loss, loss.without_run.loss)
        for run in runs
        if run.is_pooled
        for loss in run.losses[:1]
        if loss.without_run.loss is not None
    ]
    if not losses:
        return f"None of {counted(len(runs), 'run')} can be scored without labels of its own"
    run, loss, fall = max(losses, key=lambda row: row[2])
    part = loss.without_run
    none = f"None of these {len(losses):,} pooled runs alone brought a"
    if len(losses) == 1:
        none = f"{run.name} alone brought no"
    if not any(row.without_run.n for _, row, _ in losses):
        return f"{none} pair that is labelled"
    labels = f"the {counted(part.n, 'label')} that only it brought"
    if fall <= 0:
        return f"{none} label that makes its {loss.measure} better"
    if part.n < FEWEST:
        interval = interval_text(part.interval, digits=3)
        return (
            f"{run.name} loses {number_text(fall, 3)} of {loss.measure} ({interval}) without "
            f"{labels}: too few to tell by"
        )
    rank = (
        f"{part.rank} instead of {loss.rank}"
        if part.rank != loss.rank
        else f"{loss.rank} as before"
    )
    return (
        f"Without {labels}, the {loss.measure} of {run.name} is {number_text(part.value or 0, 3)} "
        f"instead of {number_text(loss.score or 0, 3)}: worse by {number_text(fall, 3)} "
        f"({interval_text(part.interval, digits=3)}), rank {rank}, of {counted(len(runs), 'run')}"
    )


def _dumbbells(runs: Sequence[PooledRun], *, has_teams: bool) -> Spec | None:
    """The scores of each run as points on a line; None where no score is finite."""
    measure = runs[0].losses[0].measure
    kinds = [WITH_ALL, WITHOUT_RUN, *([WITHOUT_TEAM] if has_teams else [])]
    values = []
    for run in runs:
        loss = run.losses[0]
        parts: list[ScoreWithout] = [loss.without_run, loss.without_team] if run.is_pooled else []
        scores = [loss.score, *(part.value for part in parts)]
        values += [
            {"run": run.name, "labels": kind, "score": score}
            for kind, score in zip(kinds, scores, strict=False)
            if score is not None
        ]
    if not values:
        return None
    y: Spec = {"field": "run", "type": "nominal", "title": None, "axis": WRAPPED}
    y["scale"] = {"domain": [run.name for run in runs]}
    x: Spec = {"field": "score", "type": "quantitative", "title": measure}
    x["scale"] = {"zero": False, "padding": 8}
    mark_of_kind: Spec = {"field": "labels", "type": "nominal", "title": None}
    mark_of_kind["legend"] = {"orient": "top", "columns": 1}
    colours, shapes = ["@blue", "@amber", "@slate"], ["circle", "diamond", "triangle-up"]
    colour = mark_of_kind | {"scale": {"domain": kinds, "range": colours[: len(kinds)]}}
    shape = mark_of_kind | {"scale": {"domain": kinds, "range": shapes[: len(kinds)]}}
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("labels", "Labels"),
        tooltip_row("score", measure, ".4f"),
    ]
    line = {"type": "line", "color": "@line-strong"}
    return {
        "data": {"values": values},
        "height": {"step": TWO_LINES},
        "encoding": {"y": y, "x": x},
        "layer": [
            {"mark": line, "encoding": {"detail": {"field": "run"}}},
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"color": colour, "shape": shape, "tooltip": tooltip},
            },
        ],
    }
