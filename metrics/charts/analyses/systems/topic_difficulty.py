"""The topics by difficulty: table, and a heat map of the scores of topics by runs."""

import math

import numpy as np
from numpy.typing import NDArray

from annotate.core.phrases import counted
from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.charts.axes import BESIDE_NAMES, column_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, texts_apart
from metrics.core.analyses.systems.topic_difficulty import TopicDifficulty, blocks

LOW = 0.05  # a mean that is so low leaves the runs no room to differ
MOST_BLOCKS = 50  # cells in a row or column that can be told apart
MOST_COLUMNS = 20  # runs with their scores in the table


def topic_difficulty_result(table: TopicTable, difficulty: TopicDifficulty) -> AnalysisResult:
    """The topics from the hardest to the easiest."""
    topics, runs, noun = table.topics, table.runs, table.noun
    runs_of_columns = table.best_first.tolist() if len(runs) <= MOST_COLUMNS else []
    shares = difficulty.share
    best_runs = [
        None
        if n_best == len(runs)
        else runs[best] + (f" and {counted(n_best - 1, 'other')}" if n_best > 1 else "")
        for best, n_best in zip(
            difficulty.best_run.tolist(), difficulty.n_best.tolist(), strict=True
        )
    ]
    rows: list[list[Cell]] = [
        [
            topics[t],
            float(difficulty.mean[t]),
            float(difficulty.spread[t]),
            best_runs[t],
            float(difficulty.distance[t]),
            None if shares is None else float(shares[t]),
            *table.values[t, runs_of_columns].tolist(),
        ]
        for t in difficulty.hardest_first.tolist()
    ]
    return AnalysisResult(
        headline=_headline(table, difficulty),
        reading=(
            f"Means and standard deviations are of the runs on one of the {noun}, the hardest "
            f"first, and of these runs alone: other runs may find other {noun} hard. The "
            "difference is the mean of all pairs of runs; its share is of the differences of all "
            f"pairs on all {noun}. The chart has the scores themselves, the best run at the left; "
            f"so have the last columns of the table, of {MOST_COLUMNS} runs or fewer."
        ),
        extent=table.whole_extent,
        columns=[
            Column("topic", "Topic"),
            Column("mean", f"Mean {table.score}", 4),
            Column("standard_deviation", "Standard deviation over the runs", 4),
            Column("best_run", "Best run"),
            Column("difference", "Mean difference of two runs", 4),
            Column("share", "Share of all differences", 4),
            *(Column(f"score_{runs[s]}", runs[s], 4) for s in runs_of_columns),
        ],
        rows=rows,
        spec=_heat_map(table, difficulty.hardest_first),
        notes=[*table.notes, *notes_on_many(table)],
    )


def notes_on_many(table: TopicTable) -> list[str]:
    """Sentences on the blocks of the chart, and on scores that the table has no columns for."""
    n_runs, notes = len(table.runs), []
    if n_runs > MOST_COLUMNS:
        origin = "Downloads has a file with them" if table.measure else "the file has them"
        notes.append(f"{n_runs:,} runs are too many for columns of their scores: {origin}.")
    pictured = [
        f"the {name} in {MOST_BLOCKS} blocks of neighbours"
        for name, n in ((table.noun, len(table.topics)), ("runs", n_runs))
        if n > MOST_BLOCKS
    ]
    if pictured:
        notes.append(f"In the chart stand {' and '.join(pictured)}, by their means.")
    return notes


def _headline(table: TopicTable, difficulty: TopicDifficulty) -> str:
    n, shares, noun, score = len(table.topics), difficulty.share, table.noun, table.score
    if shares is None:
        return f"All runs have the same {score} on each of the {n:,} {noun}"
    first = math.ceil(n / 10)
    part = 100 * float(np.sort(shares)[::-1][:first].sum())
    verb = "has" if first == 1 else "have"
    those = "the one" if first == 1 else f"the {first:,}"
    of_differences = f"{those} on which runs differ most {verb} {part:.0f} % of the differences"
    if not table.are_shares:
        hardest, easiest = texts_apart(*difficulty.mean[difficulty.hardest_first[[0, -1]]])
        return (
            f"Means of the {n:,} {noun} reach from {hardest} on the hardest to {easiest}; "
            f"{of_differences}"
        )
    n_low = int(np.count_nonzero(difficulty.mean < LOW))
    have = "has" if n_low == 1 else "have"
    return f"{n_low:,} of {n:,} {noun} {have} a mean {score} below {LOW}; {of_differences}"


def _heat_map(table: TopicTable, order: NDArray[np.int64]) -> Spec:
    """Scores by topic and run, the hardest and the best first; blocks where there are many."""
    best_first, score = table.best_first, table.score
    values = table.values[np.ix_(order, best_first)]
    names = [
        [
            labels[numbers[first]] if first == last else f"{first + 1:,} to {last + 1:,}"
            for first, last in blocks(len(numbers), most=MOST_BLOCKS)
        ]
        for labels, numbers in ((table.topics, order), (table.runs, best_first))
    ]
    cells = [
        {
            "topic": names[0][i],
            "run": names[1][j],
            "score": float(f"{values[top : bottom + 1, start : end + 1].mean():.5g}"),
        }
        for i, (top, bottom) in enumerate(blocks(len(order), most=MOST_BLOCKS))
        for j, (start, end) in enumerate(blocks(len(best_first), most=MOST_BLOCKS))
    ]
    axes: Spec = {}
    for channel, field, labels, title in (
        ("y", "topic", names[0], "Hardest at the top"),
        ("x", "run", names[1], "Best run at the left"),
    ):
        axis: Spec = {"labelLimit": 110}
        if channel == "x":
            axis = column_axis(labels, pixels=BESIDE_NAMES / len(labels))
        axis["labelOverlap"] = True
        axes[channel] = {
            "field": field,
            "type": "nominal",
            "title": title,
            "scale": {"domain": labels},
            "axis": axis,
        }
    tooltip = [
        tooltip_row("topic", "Topic"),
        tooltip_row("run", "Run"),
        tooltip_row("score", score, ".4f"),
    ]
    colour = {"field": "score", "type": "quantitative", "legend": {"title": score}}
    return {
        "data": {"values": cells},
        "height": min(max(160, 18 * len(names[0])), 13 * MOST_BLOCKS),
        "mark": {"type": "rect"},
        "encoding": axes | {"color": colour, "tooltip": tooltip},
    }
