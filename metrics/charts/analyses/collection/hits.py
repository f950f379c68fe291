"""The chart of which of two runs is right, by the length or similarity of the query's text."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.nouns import Nouns, bin_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.collection.hits import BinHits, BinnedHits

FEWEST = 30  # queries of a bin that a headline tells
CORRELATIONS = (
    " In the rows “all”, Spearman and Kendall are rank correlations of a query's similarity with "
    "whether the run is right on it: above 0 it is right more often on what resembles training "
    "texts. From, to: 95 % interval of Spearman's. Kendall's has none of its own: of what is right "
    "or not, it is Spearman's times a factor."
)


class BinAxis(NamedTuple):
    """The quantity that queries are put into bins by.

    key : in files; title : of the axis; reading : the same in a sentence, of a text
    of_bin : a bin in a sentence; digits : of its ends
    """

    key: str
    title: str
    reading: str
    of_bin: str
    digits: int


LENGTH = BinAxis("characters", "Characters", "number of characters", "of {} characters", digits=0)
SIMILARITY = BinAxis(
    "similarity",
    "Mean similarity to the ten nearest training texts",
    "mean similarity to the ten nearest training texts",
    "with a similarity of {}",
    digits=1,
)


def hits_result(
    result: BinnedHits, axis: BinAxis, nouns: Nouns, *, runs: tuple[str, str], measure: str
) -> AnalysisResult:
    """Shares of the queries on which both runs are right, one, or neither, by bins of texts."""
    names = ("Both", f"{runs[0]} alone", f"{runs[1]} alone", "Neither")
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
    further_columns = correlation_columns(runs) if result.correlations else []
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
            f"neither, by their text's {axis.reading}. Above each bar, how many there are."
            f"{CORRELATIONS if result.correlations else ''}"
        ),
        extent=nouns.extent,
        columns=columns + further_columns,
        rows=rows,
        spec=_bars(result, axis, names, nouns),
        notes=[*nouns.notes, *correlation_notes(result, runs, measure)],
    )


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
    """The cells of the two runs' correlations by each source; none where there are none."""
    cells: list[list[Cell]] = [[] for _ in result.sources]
    for source_cells, correlations in zip(cells, result.correlations, strict=False):
        for row in correlations:
            source_cells += [row.spearman.value, *row.spearman.interval, row.kendall]
    return cells


def correlation_notes(result: BinnedHits, runs: tuple[str, str], measure: str) -> list[str]:
    """A sentence for each label source on how hits and similarity go together."""
    notes = []
    for source, correlations in zip(result.sources, result.correlations, strict=False):
        texts = [
            f"{run} {row.spearman.value:.3f} ({interval_text(row.spearman.interval, digits=3)}) "
            f"and {row.kendall:.3f}"
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
    """The shares on all queries, and on those of both ends, by the chosen label source."""
    source = result.sources[0]
    sentence = (
        f"By {source.name}, {runs[0]} alone is right on {_alone(source.whole, 0)} of the "
        f"{nouns.queries} and {runs[1]} alone on {_alone(source.whole, 1)} ({measure})"
    )
    bins = zip(result.labels, source.by_bin, strict=True)
    many = [(label, bin_hits) for label, bin_hits in bins if bin_hits and bin_hits.n >= FEWEST]
    if len(many) < 2:
        return sentence
    ends = " and ".join(
        f"{_alone(bin_hits, 0)} and {_alone(bin_hits, 1)} of the {bin_hits.n:,} "
        f"{axis.of_bin.format(label)}"
        for label, bin_hits in (many[0], many[-1])
    )
    return f"{sentence}; these are {ends}"


def _alone(bin_hits: BinHits, run: int) -> str:
    """The share of the queries on which one run alone is right."""
    return f"{100 * bin_hits.shares[1 + run].share:.1f} %"


def _bars(result: BinnedHits, axis: BinAxis, names: Sequence[str], nouns: Nouns) -> Spec:
    labels = result.labels
    colour: Spec = {
        "field": "kind",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "range": ["@blue", "@amber", "@slate", "@line"]},
        "legend": {"columns": 2},
    }
    x: Spec = {"field": "bin", "type": "ordinal", "title": axis.title}
    x |= {"scale": {"domain": labels}, "axis": bin_axis(labels)}
    views = []
    for source in result.sources:
        values, counts = [], []
        for label, bin_hits in zip(labels, source.by_bin, strict=True):
            if bin_hits is None:
                continue
            counts.append({"bin": label, "n": bin_hits.n, "share": 100})
            values += [
                {"bin": label, "kind": name, "order": order, "share": 100 * row.share, "n": row.n}
                for order, (name, row) in enumerate(zip(names, bin_hits.shares, strict=True))
            ]
        y = {"field": "share", "type": "quantitative", "title": "%", "scale": {"domain": [0, 100]}}
        tooltip = [
            tooltip_row("bin", axis.title),
            tooltip_row("kind", "Right"),
            tooltip_row("share", "%", ".1f"),
            tooltip_row("n", nouns.title, ",d"),
        ]
        bars = {
            "data": {"values": values},
            "mark": {"type": "bar", "cornerRadiusEnd": 0},
            "encoding": {"x": x, "y": y, "color": colour, "order": {"field": "order"}}
            | {"tooltip": tooltip},
        }
        numbers = {
            "data": {"values": counts},
            "mark": {"type": "text", "dy": -7},
            "encoding": {"x": x, "y": y | {"scale": {"domain": [0, 100]}}}
            | {"text": {"field": "n", "format": ",d"}},
        }
        title = {"text": source.name, "fontWeight": 500, "offset": 16}
        views.append({"title": title, "width": "@whole", "height": 180, "layer": [bars, numbers]})
    return {"vconcat": views, "spacing": 28}
