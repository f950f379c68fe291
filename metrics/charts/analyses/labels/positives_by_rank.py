"""The chart of the ranks at which runs have positives."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, share_text
from metrics.core.analyses.labels.positives_by_rank import (
    CUT,
    N_SINGLE,
    PositivesByRank,
    RankBin,
)

FEWEST = 30  # positives from which on a headline tells shares
ORIGINS = ("Reference alone", "Reference and people", "People alone", "Propagated alone")
COLOURS = ("@slate", "@blue", "@amber", "@violet")
ABSENT = "not in the run"


class RankedRun(NamedTuple):
    """A run by name, and the positives in it; `by_rank` has the origins of ORIGINS."""

    name: str
    by_rank: PositivesByRank


def by_rank_result(runs: Sequence[RankedRun], nouns: Nouns, *, labels: str) -> AnalysisResult:
    """Positives of each run by rank and origin, and how deep people judged it; at least one run.

    labels : the label source in words
    """
    columns = [
        Column("run", "Run"),
        Column("ranks", "Ranks"),
        Column("first_rank", "From rank"),
        Column("last_rank", "To rank"),
        Column("n_reference", ORIGINS[0]),
        Column("n_both", ORIGINS[1]),
        Column("n_people", ORIGINS[2]),
        Column("n_propagated", ORIGINS[3]),
        Column("n", "Positives"),
        Column("share", "Of the positives, %", 1),
        Column("low", "Share from", 1),
        Column("high", "Share to", 1),
        Column("n_ranked", "Targets at these ranks"),
        Column("n_judged", "Judged by people"),
        Column("judged", "Judged, %", 1),
    ]
    rows = [row for run in runs for row in _rows(run)]
    return AnalysisResult(
        headline=_headline(runs[0], labels, n_runs=len(runs)),
        reading=(
            "Bars: positives of all queries at each rank of a run, by which labels have them; "
            "“reference alone”: people gave the pair itself no positive grade; “people alone”: the "
            "reference has none; “propagated alone”: neither has. From rank 21 on a bar is the "
            "mean of several ranks; the table has their positives, and those not in the run. "
            "Line: of the targets at these ranks, those that people judged. Where few are, more "
            "positives may be unknown."
        ),
        extent=nouns.extent,
        columns=columns,
        rows=rows,
        spec=_views(runs),
        notes=nouns.notes,
    )


def _rows(run: RankedRun) -> list[list[Cell]]:
    """A row for each bin of ranks, and for the parts within, beyond and absent."""
    by_rank = run.by_rank
    rows: list[list[Cell]] = []
    for rank_bin in by_rank.bins:
        n, n_judged, n_ranked = rank_bin.n_positive, rank_bin.n_judged, rank_bin.n_ranked
        cells: list[Cell] = [run.name, rank_bin.label, rank_bin.first, rank_bin.last, *n, sum(n)]
        cells += [None, None, None, n_ranked, n_judged]
        rows.append([*cells, 100 * n_judged / n_ranked if n_ranked else None])
    parts = (
        (f"first {CUT} together", 1, CUT, by_rank.within),
        (f"beyond {CUT} together", CUT + 1, None, by_rank.beyond),
        (ABSENT, None, None, by_rank.absent),
    )
    for name, first, last, part in parts:
        n = part.n_positive
        share = [100 * part.share, *part.interval.per_cent]
        cells = [run.name, name, first, last, *n, sum(n), *share]
        rows.append([*cells, None, None, None])
    return rows


def _headline(run: RankedRun, labels: str, *, n_runs: int) -> str:
    """The shares in the first ten ranks, beyond and absent; numbers where positives are few."""
    parts = (run.by_rank.within, run.by_rank.beyond, run.by_rank.absent)
    n = sum(sum(part.n_positive) for part in parts)
    name = run.name if n_runs == 1 else f"{run.name} (the first of {n_runs} runs)"
    within, beyond, absent = (f"{sum(part.n_positive):,}" for part in parts)
    if n >= FEWEST and parts[0].interval.low is not None:
        within, beyond, absent = (share_text(part.share, part.interval) for part in parts)
    return (
        f"Of {counted(n, 'positive')} by {labels}, run {name} has {within} in its first {CUT} "
        f"ranks and {beyond} further down, and lacks {absent}"
    )


def _views(runs: Sequence[RankedRun]) -> Spec | None:
    """For each run the judged shares as a line, and below it the bars of its positives.

    Runs without a target are left out; None where none has one.
    """
    runs = [run for run in runs if any(row.n_ranked for row in run.by_rank.bins)]
    if not runs:
        return None
    first_bins = runs[0].by_rank.bins
    labels = [rank_bin.label for rank_bin in first_bins]
    x: Spec = {"field": "ranks", "type": "ordinal", "scale": {"domain": labels}, "title": "Rank"}
    ranks_axis = rank_axis(first_bins)
    bare_axis = {"labels": False, "title": None, "grid": False}
    views: list[Spec] = []
    # propagated positives have bars where there are any
    has_last = any(row.n_positive[-1] for run in runs for row in run.by_rank.bins)
    origins = ORIGINS if has_last else ORIGINS[:-1]
    # one scale for all runs, of some height without a positive too
    most = (
        max(
            sum(row.n_positive) / (row.last - row.first + 1)
            for run in runs
            for row in run.by_rank.bins
        )
        or 1
    )
    for run in runs:
        parts = (run.by_rank.within, run.by_rank.beyond, run.by_rank.absent)
        within, beyond, absent = (f"{sum(part.n_positive):,}" for part in parts)
        counts = f"{within} in the first {CUT}, {beyond} beyond, {absent} {ABSENT}"
        title = {"text": [run.name, counts], "fontWeight": 500, "offset": 12}
        views += [
            {"title": title, **_judged_line(run, x | {"axis": bare_axis})},
            _bars(run, x | {"axis": ranks_axis}, most, origins),
        ]
    return {"vconcat": views, "spacing": 16}


def rank_axis(bins: Sequence[RankBin]) -> Spec:
    """The axis of ranks: each fifth of the single ones, and all others, upright if they are many.

    The last of the single ones would touch another bin's.
    """
    several = [row for row in bins if row.first > N_SINGLE]
    singles = [row.label for row in bins if row.first <= N_SINGLE and row.first % 5 == 0]
    if several:
        singles = singles[:-1]
    axis: Spec = {"labelOverlap": False, "values": ["1", *singles, *(row.label for row in several)]}
    if len(several) > 1:
        return axis | {"labelAngle": -90}
    lines = "split(replace(datum.label, ' to ', ' to\\n'), '\\n')"
    return axis | {"labelAngle": 0, "labelExpr": lines}


def _judged_line(run: RankedRun, x: Spec) -> Spec:
    """The judged shares of a run by rank, where it has targets."""
    values = [
        {"ranks": row.label, "judged": 100 * row.n_judged / row.n_ranked}
        for row in run.by_rank.bins
        if row.n_ranked
    ]
    y: Spec = {"field": "judged", "type": "quantitative", "title": "Judged, %"}
    y |= {"scale": {"domain": [0, 100]}, "axis": {"tickCount": 2}}
    tooltip = [tooltip_row("ranks", "Ranks"), tooltip_row("judged", "Judged, %", ".1f")]
    return {
        "width": "@whole",
        "height": 50,
        "data": {"values": values},
        "mark": {"type": "line", "color": "@ink-2", "point": {"color": "@ink-2"}},
        "encoding": {"x": x, "y": y, "tooltip": tooltip},
    }


def _bars(run: RankedRun, x: Spec, most: float, origins: Sequence[str]) -> Spec:
    """Stacked bars of a run's positives a rank: of several ranks the mean, not to stand higher."""
    values = [
        {"ranks": row.label, "origin": origin, "order": order, "n": n}
        | {"density": n / (row.last - row.first + 1)}
        for row in run.by_rank.bins
        for order, (origin, n) in enumerate(zip(origins, row.n_positive, strict=False))
    ]
    colour: Spec = {"field": "origin", "type": "nominal", "title": None, "legend": {"columns": 2}}
    colour |= {"scale": {"domain": list(origins), "range": list(COLOURS[: len(origins)])}}
    y: Spec = {"field": "density", "type": "quantitative", "title": "Positives a rank"}
    y |= {"scale": {"domain": [0, most]}}
    tooltip = [
        tooltip_row("ranks", "Ranks"),
        tooltip_row("origin", "Positive by"),
        tooltip_row("n", "Positives", ",d"),
        tooltip_row("density", "Positives a rank", ",.2f"),
    ]
    return {
        "width": "@whole",
        "height": 180,
        "data": {"values": values},
        "mark": {"type": "bar", "cornerRadiusEnd": 0, "stroke": "@surface", "strokeWidth": 0.5},
        "encoding": {"x": x, "y": y, "color": colour, "order": {"field": "order"}}
        | {"tooltip": tooltip},
    }
