"""The chart of the grades of the pairs at each rank of runs."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import legend_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.rank_labels import (
    DEEPEST,
    GradeShare,
    RankShares,
    RankTable,
    RunShares,
)

FEWEST = 30  # graded pairs at a rank that a headline tells
MOST_CHARTS = 6  # runs that are drawn
MOST_NUMBERS = 8  # ranks whose bars have their number above them
ALL_RUNS = "All runs"
BAR = {"type": "bar", "cornerRadiusEnd": 0, "stroke": "@line-strong", "strokeWidth": 0.5}


def rank_labels_result(
    rank_table: RankTable, levels: Sequence[str], nouns: Nouns, *, colours: Sequence[str]
) -> AnalysisResult:
    """The shares of the levels at each rank of each run, the best level first.

    rank_table : of one rank or more; colours : of the levels, names in the palette
    """
    runs, last_rank = rank_table.runs, rank_table.last_rank
    whole = f"1 to {last_rank}" if last_rank > 1 else "1"
    rows: list[list[Cell]] = []
    for run in runs:
        if last_rank > 1:
            rows += [
                _row(run.name, str(rank), shares, len(levels))
                for rank, shares in enumerate(run.by_rank, start=1)
            ]
        rows.append(_row(run.name, whole, run.whole, len(levels)))
    notes = list(nouns.notes)
    everything = rank_table.whole
    if everything is not None and len(runs) > 1:
        rows.append(_row(ALL_RUNS, whole, everything, len(levels)))
        notes.append(f"{ALL_RUNS}: a pair counts once for each run that returns it there.")
    if rank_table.n_deeper:
        notes.append(
            f"Ranks deeper than {rank_table.last_rank} are left out, with "
            f"{counted(rank_table.n_deeper, 'graded pair')} (once for each run): the last rank "
            f"shown is the deepest of the first {DEEPEST} at which pairs have a grade at least "
            "half as often as at the rank where most have one."
        )
    if len(runs) > MOST_CHARTS:
        notes.append(f"The chart has the first {MOST_CHARTS} of {len(runs)} runs; the table all.")
    if names := [run.name for run in runs[:MOST_CHARTS] if not run.whole.n_graded]:
        notes.append(f"Without a graded pair, and so not in the chart: {', '.join(names)}.")
    n_graded = everything.n_graded if everything else 0
    return AnalysisResult(
        headline=_headline(rank_table, n_graded, whole),
        reading=(
            "Of the pairs at a rank that people graded, the shares of the levels, over the "
            f"{nouns.queries}. Pairs without a grade are in no share: those that are disputed or "
            "wait for another label or a lead (no grade yet), those that nobody judged or a lead "
            "excluded, and targets that the collection lacks. From, to: 95 % interval."
        ),
        extent=f"{nouns.extent}; {counted(len(runs), 'run')}; "
        f"{counted(n_graded, 'graded pair')}, each once for each run",
        columns=_columns(levels),
        rows=rows,
        spec=_bars(runs[:MOST_CHARTS], levels, colours),
        notes=notes,
    )


def _columns(levels: Sequence[str]) -> list[Column]:
    columns = [
        Column("run", "Run"),
        Column("rank", "Rank"),
        Column("n", "Pairs"),
        Column("n_graded", "Graded"),
        Column("n_propagated", "Propagated grade"),
        Column("n_open", "No grade yet"),
        Column("n_unjudged", "Not judged or excluded"),
    ]
    for key, name in [("positive", "Positive"), *((name, name) for name in levels)]:
        columns += [
            Column(f"{key}_n", name),
            Column(key, f"{name}, %", 1),
            Column(f"{key}_low", f"{name}, from", 1),
            Column(f"{key}_high", f"{name}, to", 1),
        ]
    return columns


def _row(name: str, rank: str, shares: RankShares, n_levels: int) -> list[Cell]:
    cells: list[Cell] = [name, rank, shares.n, shares.n_graded, shares.n_propagated]
    cells += [shares.n_open, shares.n_unjudged]
    if shares.positive is None or shares.by_level is None:
        return [*cells, *[0, None, None, None] * (1 + n_levels)]
    for row in (shares.positive, *shares.by_level):
        cells += [row.n, 100 * row.share, *row.interval.per_cent]
    return cells


def _headline(rank_table: RankTable, n_graded: int, whole: str) -> str:
    """The shares of positives at the first and the last rank, where enough pairs have a grade."""
    runs = rank_table.runs
    n_fewest = min(shares.n_graded for run in runs for shares in (run.by_rank[0], run.by_rank[-1]))
    if n_fewest < FEWEST:
        n_pairs = rank_table.whole.n if rank_table.whole else 0
        ranks = f"rank{'s' * (whole != '1')} {whole}"
        return f"{n_graded:,} of the {counted(n_pairs, 'pair')} at {ranks} of the runs have a grade"
    sentences = [_at_rank(runs, 1)]
    if rank_table.last_rank > 1:
        sentences.append(_at_rank(runs, rank_table.last_rank))
    return "; ".join(sentences)


def _at_rank(runs: Sequence[RunShares], rank: int) -> str:
    """The share of positives at a rank: of the one run, or the smallest and the largest."""
    positives = [
        (positive, run.name)
        for run in runs
        if (positive := run.by_rank[rank - 1].positive) is not None
    ]
    start = "At" if rank == 1 else "at"
    if len(positives) == 1:
        ((positive, name),) = positives
        n = runs[0].by_rank[rank - 1].n_graded
        return (
            f"{start} rank {rank}, {_share(positive)} of the {n:,} graded pairs of {name} are "
            f"positive ({interval_text(positive.interval.per_cent, digits=1)})"
        )
    (low, low_name), (high, high_name) = (
        choose(positives, key=lambda row: row[0].share) for choose in (min, max)
    )
    n = min(run.by_rank[rank - 1].n_graded for run in runs)
    if low.share == high.share:
        return (
            f"{start} rank {rank}, {_share(low)} of the graded pairs of each run are positive, of "
            f"{n:,} or more"
        )
    return (
        f"{start} rank {rank}, {_share(low)} ({low_name}) to {_share(high)} ({high_name}) of the "
        f"graded pairs are positive, of {n:,} or more of each run"
    )


def _share(row: GradeShare) -> str:
    return f"{100 * row.share:.1f} %"


def _bars(runs: Sequence[RunShares], levels: Sequence[str], colours: Sequence[str]) -> Spec | None:
    """A view for each run with a graded pair: its levels in their colours, the best one lowest."""
    ranks = [str(rank) for rank in range(1, len(runs[0].by_rank) + 1)]
    colour: Spec = {"field": "level", "type": "nominal", "title": None, "legend": legend_of(levels)}
    # all levels of the scheme, so that one without a pair takes no other's colour
    colour["scale"] = {"domain": list(levels), "range": [f"@{name}" for name in colours]}
    x: Spec = {"field": "rank", "type": "ordinal", "title": "Rank", "scale": {"domain": ranks}}
    x |= {"axis": {"labelAngle": 0, "labelOverlap": True}}
    y = {
        "field": "share",
        "type": "quantitative",
        "title": "Graded pairs, %",
        "scale": {"domain": [0, 100]},
    }
    y |= {"axis": {"grid": False}}
    tooltip = [
        tooltip_row("rank", "Rank"),
        tooltip_row("level", "Level"),
        tooltip_row("share", "%", ".1f"),
        tooltip_row("n", "Pairs", ",d"),
        tooltip_row("n_graded", "Graded", ",d"),
    ]
    views = []
    for run in [run for run in runs if run.whole.n_graded]:
        values, counts = [], []
        for rank, shares in zip(ranks, run.by_rank, strict=True):
            if shares.by_level is None:
                continue
            counts.append({"rank": rank, "n_graded": shares.n_graded, "share": 100})
            values += [
                {"rank": rank, "level": name, "order": order, "share": 100 * row.share, "n": row.n}
                | {"n_graded": shares.n_graded}
                for order, (name, row) in enumerate(zip(levels, shares.by_level, strict=True))
            ]
        bars = {
            "data": {"values": values},
            "mark": BAR,
            "encoding": {"x": x, "y": y, "color": colour, "order": {"field": "order"}}
            | {"tooltip": tooltip},
        }
        numbers = {
            "data": {"values": counts},
            "mark": {"type": "text", "dy": -7},
            "encoding": {"x": x, "y": y, "text": {"field": "n_graded", "format": ",d"}},
        }
        view = {"title": {"text": run.name, "fontWeight": 500, "offset": 16}, "width": "@whole"}
        layers = [bars, numbers] if len(ranks) <= MOST_NUMBERS else [bars]
        views.append(view | {"height": 160, "layer": layers})
    return {"vconcat": views, "spacing": 28} if views else None
