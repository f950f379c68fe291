"""The order of runs: by one measure against another one, and their ranks by several columns."""

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.charts.analyses.measures.run_scores import MOST_LINES, RunScores
from metrics.charts.axes import LETTER, column_axis
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.charts.theme import LEAST_TEXT
from metrics.core.analyses.measures.run_orders import RunMean, pair_orders, rank_spans, run_ranks

PHONE_WIDTH = 245  # pixels of a phone for the lines of ranks and the names at their right


def scatter_result(scores: RunScores) -> AnalysisResult:
    """The runs by one measure against another one; exactly two measures."""
    x, y = scores.columns
    rows: list[list[Cell]] = [
        [run, *_mean_cells(first), *_mean_cells(second)]
        for run, (first, second) in zip(scores.runs, scores.means, strict=True)
    ]
    first, second = scores.scores[scores.is_complete].T
    orders = pair_orders(first.tolist(), second.tolist())
    headline = (
        f"{x} and {y} order {counted(orders.same, 'pair')} of runs alike and "
        f"{orders.opposite:,} the other way round"
    )
    if n := orders.equal:
        verb = "has runs that are" if n == 1 else "have runs that are"
        headline += f"; {counted(n, 'pair')} {verb} equal by one of the two measures or by both"
    return AnalysisResult(
        headline=headline,
        reading=(
            "A point a run. From, to: 95 % interval of the mean for other queries like these; "
            "blank where there is none."
        ),
        extent=scores.whole_extent,
        columns=[
            Column("run", "Run"),
            *(
                column
                for key, name in zip(scores.keys, scores.columns, strict=True)
                for column in (
                    Column(key, name, 4),
                    Column(f"{key}_low", f"{name} from", 4),
                    Column(f"{key}_high", f"{name} to", 4),
                )
            ),
        ],
        rows=rows,
        spec=_scatter(scores),
        notes=scores.notes,
    )


def _scatter(scores: RunScores) -> Spec | None:
    """A point a run with its intervals; None where no run has both averages."""
    x, y = scores.columns
    points = [
        {"run": run, "x": first.value, "y": second.value}
        | {"x_low": first.interval.low, "x_high": first.interval.high}
        | {"y_low": second.interval.low, "y_high": second.interval.high}
        for run, (first, second) in zip(scores.runs, scores.means, strict=True)
        if first.value is not None and second.value is not None
    ]
    if not points:
        return None
    axes = {
        name: {"field": name, "type": "quantitative", "title": title, "scale": {"zero": False}}
        for name, title in (("x", x), ("y", y))
    }
    tooltip = [tooltip_row("run", "Run"), tooltip_row("x", x, ".4f"), tooltip_row("y", y, ".4f")]
    rule = {"type": "rule", "color": "@line-strong"}
    across = {"x": axes["x"] | {"field": "x_low"}, "x2": {"field": "x_high"}, "y": axes["y"]}
    upright = {"y": axes["y"] | {"field": "y_low"}, "y2": {"field": "y_high"}, "x": axes["x"]}
    layers: list[Spec] = [
        {"transform": [{"filter": "isValid(datum.x_low)"}], "mark": rule, "encoding": across},
        {"transform": [{"filter": "isValid(datum.y_low)"}], "mark": rule, "encoding": upright},
        {"mark": {"type": "point", "size": 70}, "encoding": axes | {"tooltip": tooltip}},
    ]
    if len(points) <= MOST_LINES:
        name = {"type": "text", "align": "left", "dx": 8, "dy": -8, "limit": "@text"}
        # lines of intervals do not cross the letters
        halo = name | {"stroke": "@surface", "strokeWidth": 4, "aria": False}
        text = axes | {"text": {"field": "run"}}
        layers += [{"mark": mark, "encoding": text} for mark in (halo, name)]
    return {"data": {"values": points}, "height": 320, "layer": layers}


def rank_changes_result(scores: RunScores, *, of: str) -> AnalysisResult:
    """The rank of each run by each column; two columns or more.

    of : the columns as a noun in the plural, "measures" or "label sources"
    """
    ranks = run_ranks(np.where(scores.is_complete[:, None], scores.scores, np.nan))
    spans = rank_spans(ranks)
    names = list(zip(scores.keys, scores.columns, strict=True))
    order = np.lexsort((np.arange(len(ranks)), np.where(ranks[:, 0] > 0, ranks[:, 0], 2**31)))
    return AnalysisResult(
        headline=_change_headline(scores, ranks, spans, of),
        reading=(
            "Rank 1 is best; equal runs share the better rank. Places: between a run's best and "
            "worst rank. Ranks of runs whose scores are close may change with the next queries: "
            "the leaderboard tells which runs differ."
        ),
        extent=scores.whole_extent,
        columns=[
            Column("run", "Run"),
            *(Column(f"rank_by_{key}", f"Rank by {name}") for key, name in names),
            Column("places", "Places"),
            *(Column(key, name, 4) for key, name in names),
        ],
        rows=[
            [
                scores.runs[i],
                *(int(rank) or None for rank in ranks[i]),
                int(spans[i]),
                *(mean.value for mean in scores.means[i]),
            ]
            for i in order
        ],
        spec=_rank_lines(scores, ranks, order[:MOST_LINES]),
        notes=[
            *scores.notes,
            *scores.incomplete_notes,
            *(
                f"All runs are equal by {name}: no ranks."
                for name, column in zip(scores.columns, ranks.T, strict=True)
                if np.count_nonzero(scores.is_complete) > 1 and not column.any()
            ),
            *(
                [f"Lines: the first {MOST_LINES} of {scores.n_runs} by {scores.columns[0]}."]
                if len(order) > MOST_LINES
                else []
            ),
        ],
    )


def _change_headline(
    scores: RunScores, ranks: NDArray[np.int64], spans: NDArray[np.int64], of: str
) -> str:
    n_ranked = int(np.count_nonzero(scores.is_complete))
    n_orders = int(np.count_nonzero(ranks.any(axis=0)))
    if n_ranked < 2:
        return f"Fewer than two runs have an average by each of these {of}: there is no order"
    if n_orders < 2:
        return f"Fewer than two of these {of} tell {counted(n_ranked, 'run')} apart"
    if not spans.any():
        return f"{counted(n_ranked, 'run')} have the same order by {n_orders} {of}"
    run = int(np.argmax(spans))
    n_equal = int(np.count_nonzero(spans == spans[run])) - 1
    columns = np.flatnonzero(ranks[run] > 0)
    best, worst = columns[np.argmin(ranks[run, columns])], columns[np.argmax(ranks[run, columns])]
    name = scores.runs[run]
    verb = f"and {counted(n_equal, 'other run')} move most, {name}:" if n_equal else "moves most:"
    best_rank, worst_rank = (
        f"{rank} (shared)" if np.count_nonzero(ranks[:, column] == rank) > 1 else f"{rank}"
        for column in (best, worst)
        for rank in [ranks[run, column]]
    )
    return (
        f"{name} {verb} rank {best_rank} of {n_ranked} by {scores.columns[best]}, "
        f"{worst_rank} by {scores.columns[worst]}"
    )


def _rank_lines(
    scores: RunScores, ranks: NDArray[np.int64], rows: NDArray[np.int64]
) -> Spec | None:
    """A line a run over the columns that rank it, broken at the others; None where none does."""
    if not ranks[rows].any():
        return None
    values = [
        {"run": scores.runs[i], "by": name, "rank": int(ranks[i, j]) or None}
        for i in rows
        for j, name in enumerate(scores.columns)
    ]
    names = name_layers(scores, ranks, rows)
    longest = max(
        (len(row["names"]) for layer in names for row in layer["data"]["values"]), default=0
    )
    pixels = PHONE_WIDTH - min(LEAST_TEXT, LETTER * longest)
    x: Spec = {"field": "by", "type": "nominal", "title": None}
    x |= {"scale": {"domain": scores.columns, "padding": 0.2}}
    x |= {"axis": column_axis(scores.columns, pixels=pixels / (len(scores.columns) - 0.6))}
    y: Spec = {"field": "rank", "type": "quantitative", "title": "Rank"}
    y["axis"] = WHOLE
    y["scale"] = {"reverse": True, "zero": False, "nice": False, "padding": 8}
    tooltip = [
        tooltip_row("run", "Run"),
        tooltip_row("by", "By"),
        tooltip_row("rank", "Rank", "d"),
    ]
    run = {"field": "run", "type": "nominal", "legend": None}
    return {
        "data": {"values": values},
        # names may be wider than Vega measures them
        "padding": {"left": 5, "top": 5, "bottom": 5, "right": 14},
        "height": min(max(160, 22 * int(ranks[rows].max(initial=1))), 560),
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "line"}, "encoding": {"color": run, "tooltip": tooltip}},
            {
                "mark": {"type": "point", "size": 70},
                "encoding": {"color": run, "shape": run, "tooltip": tooltip},
            },
            *names,
        ],
    }


def name_layers(scores: RunScores, ranks: NDArray[np.int64], rows: NDArray[np.int64]) -> list[Spec]:
    """The names of the runs at their last ranks, those of equal runs in one; [] without ranks."""
    runs_of_rank: dict[int, list[str]] = {}
    for i in rows:
        if ranks[i, -1]:
            runs_of_rank.setdefault(int(ranks[i, -1]), []).append(scores.runs[i])
    if not runs_of_rank:
        return []
    by = scores.columns[-1]
    names = [
        {"by": by, "rank": rank, "names": ", ".join(runs)} for rank, runs in runs_of_rank.items()
    ]
    mark = {"type": "text", "align": "left", "dx": 9, "limit": "@text"}
    return [
        {"data": {"values": names}, "mark": mark, "encoding": {"text": {"field": "names"}}},
    ]


def _mean_cells(mean: RunMean) -> list[Cell]:
    return [mean.value, mean.interval.low, mean.interval.high]
