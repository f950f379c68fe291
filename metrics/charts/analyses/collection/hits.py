"""The chart of which of two runs is right, by the length or similarity of the query's text."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import count_of
from metrics.charts.analyses.nouns import Nouns, bin_axis
from metrics.charts.axes import legend_of
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.collection.hits import BinHits, BinnedHits, SourceHits

FEWEST = 30  # queries of which a headline tells how the runs gain
CORRELATIONS = (
    " In the rows “all”, Spearman and Kendall are rank correlations of a query's similarity with "
    "whether the run is right on it: above 0 it is right more often on what resembles training "
    "texts. From, to: 95 % interval of Spearman's. Kendall's has none of its own: of what is right "
    "or not, it is Spearman's times a factor."
)


class BinAxis(NamedTuple):
    """The quantity that queries are put into bins by.

    key : in files; title : of the axis; reading : the same in a sentence, of a text
    more : a text with more of it; noun : what a text has; digits : of the ends of a bin
    """

    key: str
    title: str
    reading: str
    more: str
    noun: str
    digits: int


LENGTH = BinAxis(
    "characters",
    "Characters",
    "number of characters",
    "the longer the text",
    "length",
    digits=0,
)
SIMILARITY = BinAxis(
    "similarity",
    "Mean similarity to the ten nearest training texts",
    "mean similarity to the ten nearest training texts",
    "the more the text resembles training texts",
    "likeness to training texts",
    digits=1,
)


def hits_result(
    result: BinnedHits, axis: BinAxis, nouns: Nouns, *, runs: tuple[str, str], measure: str
) -> AnalysisResult:
    """Shares of the queries on which both runs are right, one, or neither, by bins of texts."""
    names = ("Both", f"{runs[0]} alone", f"{runs[1]} alone", "Neither")
    further_columns = [
        Column("gain_spearman", f"{runs[0]} less {runs[1]}, Spearman", 3),
        Column("gain_spearman_low", "Spearman from", 3),
        Column("gain_spearman_high", "Spearman to", 3),
        *(correlation_columns(runs) if result.correlations else []),
    ]
    blank: list[Cell] = [None] * len(further_columns)
    rows: list[list[Cell]] = []
    for source, cells in zip(result.sources, correlation_cells(result), strict=True):
        bins = zip(result.labels, result.edges, source.by_bin, strict=True)
        rows += [
            [source.name, label, *edge, row.n, *runs, *_hit_cells(row), *blank]
            for label, edge, row in bins
            if row is not None
        ]
        whole = source.whole
        rows.append([source.name, "all", None, None, whole.n, *runs, *_hit_cells(whole), *cells])
    return AnalysisResult(
        headline=_headline(result, axis, nouns, runs, measure),
        reading=(
            f"Shares of the {nouns.queries} on which {measure} is 1 for both runs, one of them, or "
            f"neither, by their text's {axis.reading}. Above each bar, how many there are. "
            f"{runs[0]} less {runs[1]}, in the rows “all”: Spearman's rank correlation of that "
            f"with 1 where {runs[0]} alone is right, -1 where {runs[1]} alone is, and 0 elsewhere; "
            f"above 0 {runs[0]} gains on the other as it grows, below 0 it loses."
            f"{CORRELATIONS if result.correlations else ''}"
        ),
        extent=nouns.extent,
        columns=hit_columns(axis, nouns, names) + further_columns,
        rows=rows,
        spec=_bars(result, axis, names, nouns),
        notes=[*nouns.notes, *correlation_notes(result, runs, measure)],
    )


def hit_columns(axis: BinAxis, nouns: Nouns, names: Sequence[str]) -> list[Column]:
    """The columns of a bin and of its shares of each kind; names : of these."""
    columns = [
        Column("labels", "Labels"),
        Column(axis.key, axis.title),
        Column(f"{axis.key}_from", "From", axis.digits),
        Column(f"{axis.key}_to", "To", axis.digits),
        Column("n", nouns.title),
        Column("first_run", "First run"),
        Column("second_run", "Second run"),
    ]
    for key, name in zip(("both", "first", "second", "neither"), names, strict=True):
        columns += [Column(key, f"{name}, %", 1)]
        columns += [Column(f"{key}_low", f"{name}, from", 1)]
        columns += [Column(f"{key}_high", f"{name}, to", 1)]
    return columns


def correlation_columns(runs: tuple[str, str]) -> list[Column]:
    """The columns of Spearman's correlation with its interval, and of Kendall's, for each run."""
    return [
        column
        for key, run in zip(("first", "second"), runs, strict=True)
        for column in (
            Column(f"{key}_spearman", f"{run}, Spearman", 3),
            Column(f"{key}_spearman_low", f"{run}, Spearman from", 3),
            Column(f"{key}_spearman_high", f"{run}, Spearman to", 3),
            Column(f"{key}_kendall", f"{run}, Kendall tau-b", 3),
        )
    ]


def correlation_cells(result: BinnedHits) -> list[list[Cell]]:
    """The cells of the gain by each source, and of the two runs' correlations if there are any."""
    cells: list[list[Cell]] = [[gain.value, *gain.interval] for gain in result.gains]
    for source_cells, correlations in zip(cells, result.correlations, strict=False):
        for row in correlations:
            source_cells += [row.spearman.value, *row.spearman.interval, row.kendall]
    return cells


def correlation_notes(result: BinnedHits, runs: tuple[str, str], measure: str) -> list[str]:
    """A sentence for each label source on how hits and similarity go together."""
    notes = []
    for source, correlations in zip(result.sources, result.correlations, strict=False):
        texts = [
            f"{run} {row.spearman.value:z.2f} ({interval_text(row.spearman.interval, digits=2)}) "
            f"and {row.kendall:z.2f}"
            if row.spearman.value is not None and row.kendall is not None
            else f"{run} not defined, as hits or similarities are all equal"
            for run, row in zip(runs, correlations, strict=True)
        ]
        notes.append(
            f"Similarity against {measure} by {source.name}, Spearman and Kendall (tau-b): "
            f"{'; '.join(texts)}; n {source.whole.n:,}."
        )
    return notes


def _hit_cells(bin_hits: BinHits) -> list[Cell]:
    cells: list[Cell] = []
    for share in bin_hits.shares:
        cells += [100 * share.share, *share.interval.per_cent]
    return cells


def _headline(
    result: BinnedHits, axis: BinAxis, nouns: Nouns, runs: tuple[str, str], measure: str
) -> str:
    """The shares on all queries and the gain over them, by the chosen label source."""
    source, gain = result.sources[0], result.gains[0]
    sentence = (
        f"By {source.name}, {runs[0]} alone is right on {_alone(source.whole, 0)} of "
        f"{count_of(source.whole.n, nouns.queries)} and {runs[1]} alone on "
        f"{_alone(source.whole, 1)} ({measure})"
    )
    if gain.value is None or gain.n < FEWEST:
        return sentence
    numbers = f"(Spearman {gain.value:z.2f}, {interval_text(gain.interval, digits=2)})"
    low, high = gain.interval
    if low is None or high is None or low <= 0 <= high:
        return f"{sentence}; it is not shown that this goes with the text's {axis.noun} {numbers}"
    winner, loser = runs if gain.value > 0 else reversed(runs)
    return f"{sentence}; {axis.more}, the more {winner} gains on {loser} {numbers}"


def _alone(bin_hits: BinHits, run: int) -> str:
    """The share of the queries on which one run alone is right."""
    return f"{100 * bin_hits.shares[1 + run].share:.1f} %"


def _bars(result: BinnedHits, axis: BinAxis, names: Sequence[str], nouns: Nouns) -> Spec:
    """A view for each label source, one below the other."""
    x: Spec = {"field": "bin", "type": "ordinal", "title": axis.title}
    x["scale"] = {"domain": result.labels}
    views = []
    for number, source in enumerate(result.sources):
        view = f"source_{number}"
        views.append(
            {
                "name": view,
                "title": {"text": source.name, "fontWeight": 500, "offset": 16},
                "width": "@whole",
                "height": 180,
                "encoding": {"x": x | {"axis": bin_axis(result.labels, scale=f"{view}_x")}},
                "layer": hit_layers(source, result.labels, names, nouns, bins=axis.title),
            }
        )
    return {"vconcat": views, "spacing": 28}


def hit_layers(
    source: SourceHits, labels: Sequence[str], names: Sequence[str], nouns: Nouns, *, bins: str
) -> list[Spec]:
    """Stacked bars of the shares by bin, and above each how many queries it is of.

    labels : of the bins; names : of the four kinds; bins : the title of their axis
    """
    values, counts = [], []
    for label, bin_hits in zip(labels, source.by_bin, strict=True):
        if bin_hits is None:
            continue
        counts.append({"bin": label, "n": bin_hits.n, "share": 100})
        values += [
            {"bin": label, "kind": name, "order": order, "share": 100 * row.share, "n": row.n}
            for order, (name, row) in enumerate(zip(names, bin_hits.shares, strict=True))
        ]
    y: Spec = {"field": "share", "type": "quantitative", "title": f"{nouns.title}, %"}
    y["scale"] = {"domain": [0, 100]}
    colour: Spec = {"field": "kind", "type": "nominal", "title": None}
    colour["legend"] = legend_of(names)
    colour["scale"] = {"domain": list(names), "range": ["@blue", "@amber", "@slate", "@line"]}
    tooltip = [
        tooltip_row("bin", bins),
        tooltip_row("kind", "Right"),
        tooltip_row("share", "%", ".1f"),
        tooltip_row("n", nouns.title, ",d"),
    ]
    # edges tell the parts of a bar apart without colours
    bar: Spec = {"type": "bar", "cornerRadiusEnd": 0, "stroke": "@surface", "strokeWidth": 1}
    return [
        {
            "data": {"values": values},
            "mark": bar,
            "encoding": {"y": y, "color": colour, "order": {"field": "order"}, "tooltip": tooltip},
        },
        {
            "data": {"values": counts},
            "mark": {"type": "text", "dy": -7},
            "encoding": {"y": y, "text": {"field": "n", "format": ",d"}},
        },
    ]
