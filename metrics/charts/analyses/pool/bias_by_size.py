"""The bias of a pool by the number of its runs: table and lines."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.pool.bias_by_size import SizeBias

KINDS = ("Runs outside the pool", "Runs inside the pool")
FEWEST = 30  # groups of queries from which on a headline names a number


def bias_by_size_result(
    biases: Sequence[SizeBias],
    *,
    measure: str,
    n_runs: int,
    n_labels: int,
    n_groups: int,
    nouns: Nouns,
) -> AnalysisResult:
    """The moves of scores by the number of pooled runs; one size or more, of two runs or more.

    n_groups : of the queries
    """
    rows: list[list[Cell]] = [list(bias) for bias in biases]
    return AnalysisResult(
        headline=_headline(biases, measure, n_runs, n_groups, nouns),
        reading=(
            f"The mean distance of a run's {measure} under the labels that only some of the runs "
            "brought from its score under all labels: over the runs of that smaller pool, and over "
            "the runs outside it, as a new run would be. Where the lines are near 0 the pool would "
            "have said the same without its last runs. It describes these runs and labels, and has "
            "no interval."
        ),
        extent=(
            f"{counted(n_runs, 'pooled run')}, {counted(n_labels, 'label')} by people and "
            f"{nouns.extent}"
        ),
        columns=[
            Column("size", "Runs pooled"),
            Column("n_subsets", "Choices of so many runs"),
            Column("bias", "All runs move by", 4),
            Column("self_bias", f"{KINDS[1]} by", 4),
            Column("non_self_bias", f"{KINDS[0]} by", 4),
        ],
        rows=rows,
        spec=_lines(biases, measure),
        notes=nouns.notes,
    )


def _headline(
    biases: Sequence[SizeBias], measure: str, n_runs: int, n_groups: int, nouns: Nouns
) -> str:
    """The move with the fewest runs pooled, and with the most of which one is outside."""
    outside = [(bias.size, move) for bias in biases if (move := bias.non_self_bias) is not None]
    if not outside or n_groups < FEWEST:
        return (
            f"{measure} of {counted(n_runs, 'run')} with fewer of them pooled, over {nouns.extent}"
        )
    (fewest, first), (most, last) = outside[0], outside[-1]
    text = (
        f"With {counted(fewest, 'run')} pooled, {measure} of a run outside the pool moves by "
        f"{first:.3f} on average"
    )
    return text if fewest == most else f"{text}, with {most:,} of {n_runs:,} by {last:.3f}"


def _lines(biases: Sequence[SizeBias], measure: str) -> Spec | None:
    """The moves by the number of pooled runs, a line a kind; None where none is finite."""
    values = [
        {"kind": kind, "size": bias.size, "move": move}
        for bias in biases
        for kind, move in zip(KINDS, (bias.non_self_bias, bias.self_bias), strict=True)
        if move is not None
    ]
    if not values:
        return None
    title = f"{measure} moves by"
    tooltip = [
        tooltip_row("kind", "Mean over"),
        tooltip_row("size", "Runs pooled"),
        tooltip_row("move", title, ".4f"),
    ]
    mark_of_kind: Spec = {"field": "kind", "type": "nominal", "title": None}
    mark_of_kind["legend"] = {"orient": "top", "columns": 1}
    colours, shapes = ["@amber", "@blue"], ["diamond", "circle"]
    x: Spec = {"field": "size", "type": "quantitative", "title": "Runs pooled", "axis": WHOLE}
    x["scale"] = {"zero": False}
    y = {"field": "move", "type": "quantitative", "title": title}
    colour = mark_of_kind | {"scale": {"domain": list(KINDS), "range": colours}}
    shape = mark_of_kind | {"scale": {"domain": list(KINDS), "range": shapes}}
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
