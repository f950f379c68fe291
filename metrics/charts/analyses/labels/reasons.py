"""The chart of the reasons that annotators gave, by level and run."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import legend_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.reasons import LevelReasons, ReasonShare

FEWEST = 30  # labels of a level of which a headline tells a share
MOST_RUNS = 6  # that are drawn
ALL_PAIRS = "All pairs"
COLOURS = ["@ink", "@blue", "@amber", "@teal", "@violet", "@red", "@green"]
SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"]

COLUMNS = [
    Column("level", "Level"),
    Column("run", "Run"),
    Column("ranks", "Ranks"),
    Column("n_labels", "Labels"),
    Column("n_with_reason", "With a reason"),
    Column("kind", "Kind"),
    Column("reason", "Reason"),
    Column("n", "Labels that name it"),
    Column("share", "Share of labels, %", 1),
    Column("low", "From", 1),
    Column("high", "To", 1),
    Column("part", "Part of reasons, %", 1),
]


class ReasonKind(Enum):
    """Reasons as a whole, or their details alone."""

    WHOLE = "reason"
    DETAIL = "detail"


class PairSelection(NamedTuple):
    """The pairs whose labels are counted: those at some ranks of a run; all, if both are ""."""

    run: str
    ranks: str


class LevelOffer(NamedTuple):
    """A level, and the codes of the reasons that it offers now: "name", or "name/detail"."""

    name: str
    codes: list[str]


class ReasonRow(NamedTuple):
    """A reason of a level, of a selection of pairs."""

    selection: PairSelection
    level: str
    kind: ReasonKind
    labels: LevelReasons
    reason: ReasonShare


def reason_name(code: str, kind: ReasonKind) -> str:
    """The reason of a code, or its detail with it; "" where it has no detail."""
    name, _, detail = code.partition("/")
    if kind == ReasonKind.WHOLE:
        return name
    return f"{name}: {detail}" if detail else ""


def reasons_result(
    pair_selections: Sequence[PairSelection],
    offers: Sequence[LevelOffer],
    tables: Sequence[Sequence[Sequence[LevelReasons]]],
    nouns: Nouns,
) -> AnalysisResult:
    """The reasons of the labels of each level, of each selection of pairs.

    pair_selections : the first of all pairs
    tables : of reasons, and of details if there are some: of each selection, by the offers
    """
    rows = [
        ReasonRow(selection, offer.name, kind, tables[0][position][number], reason)
        for number, offer in enumerate(offers)
        for position, selection in enumerate(pair_selections)
        for kind, table in zip(ReasonKind, tables, strict=False)
        for reason in _shown(table, position, number, offer, kind)
    ]
    whole = tables[0][0]
    n_labels = sum(level.n for level in whole)
    n_runs = len({selection.run for selection in pair_selections if selection.run})
    notes = list(nouns.notes)
    if n_runs > MOST_RUNS:
        notes.append(f"The chart has the first {MOST_RUNS} of {n_runs} runs; the table all.")
    if n_runs > 1:
        notes.append(
            "A pair that several runs return is counted for each of them, so that runs resemble "
            "one another; no test says whether they differ."
        )
    return AnalysisResult(
        headline=_headline(whole, offers),
        reading=(
            "Labels of a level that name a reason, as a share of all labels of the level; one "
            "label may name several, or none. Part: the share of all reasons that they name, of "
            "one kind. From, to: 95 % interval of the share of the labels. Where a level has no "
            "label, it has no row."
        ),
        extent=f"{counted(n_labels, 'label')} of {nouns.extent}",
        columns=COLUMNS,
        rows=[_cells(row) for row in rows],
        spec=_points(rows, offers),
        notes=notes,
    )


def _shown(
    table: Sequence[Sequence[LevelReasons]],
    position: int,
    number: int,
    offer: LevelOffer,
    kind: ReasonKind,
) -> list[ReasonShare]:
    """The reasons that a level offers, or that a label of it names, of a selection with labels."""
    shares, everywhere = table[position][number].by_reason, table[0][number].by_reason
    if shares is None or everywhere is None:
        return []
    offered = {reason_name(code, kind) for code in offer.codes}
    return [
        share
        for share, whole in zip(shares, everywhere, strict=True)
        if whole.n or share.name in offered
    ]


def _cells(row: ReasonRow) -> list[Cell]:
    share = row.reason
    return [
        row.level,
        row.selection.run or ALL_PAIRS,
        row.selection.ranks or "any",
        row.labels.n,
        row.labels.n_with_reason,
        row.kind.value,
        share.name,
        share.n,
        100 * share.share,
        *share.interval.per_cent,
        None if share.part is None else 100 * share.part,
    ]


def _headline(levels: Sequence[LevelReasons], offers: Sequence[LevelOffer]) -> str:
    """The most frequent reason of the level with the most labels that name one."""
    level, offer = max(zip(levels, offers, strict=True), key=lambda pair: pair[0].n_with_reason)
    verb = "names" if level.n_with_reason == 1 else "name"
    sentence = (
        f"{level.n_with_reason:,} of the {counted(level.n, 'label')} “{offer.name}” {verb} a reason"
    )
    if level.n < FEWEST or not level.n_with_reason or level.by_reason is None:
        return sentence
    most, *further = sorted(level.by_reason, key=lambda reason: -reason.n)
    if further and further[0].n == most.n:
        return sentence
    interval = interval_text(most.interval.per_cent, digits=1)
    return (
        f"{sentence}, most often “{most.name}”: {100 * most.share:.1f} % of the labels ({interval})"
    )


def _points(rows: Sequence[ReasonRow], offers: Sequence[LevelOffer]) -> Spec | None:
    """A view for each level: the shares of reasons and their details, of all pairs and of runs."""
    names = list(dict.fromkeys(row.selection.run or ALL_PAIRS for row in rows))[: 1 + MOST_RUNS]
    whole_ranks = {row.selection.run: row.selection.ranks for row in reversed(rows)}
    views = []
    for offer in offers:
        values = [
            {
                "series": row.selection.run or ALL_PAIRS,
                "reason": row.reason.name,
                "share": 100 * row.reason.share,
                "n": row.reason.n,
                "labels": row.labels.n,
            }
            for row in rows
            if row.level == offer.name
            and (row.selection.run or ALL_PAIRS) in names
            and row.selection.ranks == whole_ranks[row.selection.run]
        ]
        if values:
            views.append(_level_points(offer.name, values, names))
    return {"vconcat": views, "spacing": 28} if views else None


def _level_points(level: str, values: list[dict[str, Any]], names: Sequence[str]) -> Spec:
    """The view of a level; names : of the series, in the order of their colours and shapes."""
    reasons = list(dict.fromkeys(value["reason"] for value in values))
    # names are long: they stand in the plot, above their line, so that a phone has room for it
    y: Spec = {"field": "reason", "type": "nominal", "sort": reasons, "title": None}
    y |= {"axis": {"labels": False, "grid": True}}
    x = {"field": "share", "type": "quantitative", "title": "% of the labels"}
    series: Spec = {"field": "series", "type": "nominal", "title": None, "legend": legend_of(names)}
    tooltip = [
        tooltip_row("reason", "Reason"),
        tooltip_row("series", "Pairs"),
        tooltip_row("share", "%", ".1f"),
        tooltip_row("n", "Labels that name it", ",d"),
        tooltip_row("labels", "Labels", ",d"),
    ]
    colour = {"scale": {"domain": names, "range": COLOURS[: len(names)]}}
    shape = {"scale": {"domain": names, "range": SHAPES[: len(names)]}}
    points = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.9},
        "encoding": {"x": x, "color": series | colour, "shape": series | shape}
        | {"tooltip": tooltip},
    }
    texts = {
        "data": {"values": [{"reason": reason} for reason in reasons]},
        "mark": {"type": "text", "align": "left", "dx": 4, "dy": -12, "limit": 300},
        "encoding": {"x": {"value": 0}, "text": {"field": "reason"}},
    }
    return {
        "title": {"text": level, "fontWeight": 500, "offset": 12},
        "width": "@bare",
        "height": {"step": 34},
        "data": {"values": values},
        "encoding": {"y": y},
        "layer": [points, texts],
    }
