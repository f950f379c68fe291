"""The bias of a pool by the number of its runs: table and lines."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, number_text
from metrics.core.analyses.pool.bias_by_size import SizeBias

KINDS = ("Runs outside the pool", "Runs inside the pool")
TEAM_KINDS = ("Outside, of whole teams", "Inside, of whole teams")
FEWEST = 30  # groups of queries from which on a headline names a number
TEAMS_READING = (
    " Of whole teams, pooled with all their runs here or with none, it stands at the mean number "
    "of these runs: a run outside has none of its team inside, and the distance between the two "
    "lines is what a team gains when its own runs are in the pool."
)


def bias_by_size_result(
    biases: Sequence[SizeBias],
    *,
    measure: str,
    n_runs: int,
    n_teams: int,
    n_labels: int,
    n_groups: int,
    nouns: Nouns,
) -> AnalysisResult:
    """The moves of scores by the number of pooled runs; one size or more, of two runs or more.

    n_teams : 0 where none is told; n_groups : of the queries
    """
    columns = [
        Column("size", "Runs or teams pooled" if n_teams else "Runs pooled"),
        Column("n_subsets", "Choices of so many" if n_teams else "Choices of so many runs"),
        Column("bias", "All runs move by", 4),
        Column("self_bias", f"{KINDS[1]} by", 4),
        Column("non_self_bias", f"{KINDS[0]} by", 4),
    ]
    if n_teams:
        columns = [Column("pooled", "Pooled"), *columns, Column("n_runs", "Runs of a choice", 1)]
    of_teams = f" of {counted(n_teams, 'team')}" if n_teams else ""
    return AnalysisResult(
        headline=_headline(biases, measure, n_runs, n_groups, nouns),
        reading=(
            f"The mean distance of a run's {measure} under the labels that only some of these runs "
            "brought from its score under all labels: over the runs of that smaller pool, and over "
            "the runs outside it, as a new run would be. Where the lines are near 0 the pool would "
            "have said the same without the last of these runs."
            + (TEAMS_READING if n_teams else "")
            + " It describes these runs and labels, and has no interval: the choices share their "
            "runs and are no sample of pools, and a distance, which is never below 0, is on "
            "average larger in a sample of queries than over all of them."
        ),
        extent=(
            f"{counted(n_runs, 'pooled run')}{of_teams}, {counted(n_labels, 'label')} by people "
            f"and {nouns.extent}"
        ),
        columns=columns,
        rows=[bias_row(bias, has_teams=n_teams > 0) for bias in biases],
        spec=_lines(biases, measure),
        notes=nouns.notes,
    )


def bias_row(bias: SizeBias, *, has_teams: bool) -> list[Cell]:
    """The cells of one size."""
    row: list[Cell] = [bias.size, bias.n_subsets, bias.bias, bias.self_bias, bias.non_self_bias]
    return ["teams" if bias.by_team else "runs", *row, bias.n_runs] if has_teams else row


def _headline(
    biases: Sequence[SizeBias], measure: str, n_runs: int, n_groups: int, nouns: Nouns
) -> str:
    """The move with the fewest runs pooled, and with the most of which one is outside.

    Where teams are told, that with the fewest teams pooled beside it, outside and inside.
    """
    outside, of_teams = (
        [
            (bias.size, bias.self_bias, move)
            for bias in biases
            if bias.by_team == by_team and (move := bias.non_self_bias) is not None
        ]
        for by_team in (False, True)
    )
    if not outside or n_groups < FEWEST:
        return (
            f"{measure} of {counted(n_runs, 'run')} with fewer of them pooled, over {nouns.extent}"
        )
    (fewest, _, first), (most, _, last) = outside[0], outside[-1]
    text = (
        f"With {fewest:,} of these {n_runs:,} runs pooled, {measure} of one outside the pool moves "
        f"by {number_text(first, 3)} on average"
    )
    if fewest != most:
        text += f", with {most:,} of {n_runs:,} by {number_text(last, 3)}"
    for size, inside, move in of_teams[:1]:
        text += (
            f"; with {counted(size, 'whole team')} pooled, that of another team's run by "
            f"{number_text(move, 3)}, of a run inside by {number_text(inside, 3)}"
        )
    return text


def _lines(biases: Sequence[SizeBias], measure: str) -> Spec | None:
    """The moves by the number of pooled runs, a line a kind; None where none is finite."""
    values = [
        {
            "kind": kind,
            "size": bias.n_runs,
            "pooled": counted(bias.size, "team" if bias.by_team else "run"),
            "move": move,
        }
        for bias in biases
        for kind, move in zip(
            TEAM_KINDS if bias.by_team else KINDS,
            (bias.non_self_bias, bias.self_bias),
            strict=True,
        )
        if move is not None
    ]
    if not values:
        return None
    title, has_teams = f"{measure} moves by", any(bias.by_team for bias in biases)
    tooltip = [
        tooltip_row("kind", "Mean over"),
        tooltip_row("pooled", "Pooled") if has_teams else tooltip_row("size", "Runs pooled"),
        tooltip_row("move", title, ".4f"),
    ]
    kinds = [*KINDS, *TEAM_KINDS] if has_teams else [*KINDS]
    mark_of_kind: Spec = {"field": "kind", "type": "nominal", "title": None}
    mark_of_kind["legend"] = {"orient": "top", "columns": 1}
    colours = ["@amber", "@blue", "@teal", "@violet"][: len(kinds)]
    shapes = ["diamond", "circle", "triangle-up", "square"][: len(kinds)]
    x: Spec = {"field": "size", "type": "quantitative", "title": "Runs pooled", "axis": WHOLE}
    x["scale"] = {"zero": False}
    y = {"field": "move", "type": "quantitative", "title": title}
    colour = mark_of_kind | {"scale": {"domain": kinds, "range": colours}}
    shape = mark_of_kind | {"scale": {"domain": kinds, "range": shapes}}
    return {
        "data": {"values": values},
        "height": 220,
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
        "layer": [
            {"mark": {"type": "line"}},
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"shape": shape},
            },
        ],
    }
