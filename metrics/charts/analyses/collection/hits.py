"""The chart of which of two runs is right, by the length or similarity of the query's text."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.nouns import Nouns, bin_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.collection.hits import BinHits, BinnedHits

FEWEST = 30  # queries of a bin that a headline tells


class BinAxis(NamedTuple):
    """The quantity that queries are put into bins by.

    key : in files; title : of the axis; reading : what it is of a text
    of_bin : a bin in a sentence; digits : of its ends
    """

    key: str
    title: str
    reading: str
    of_bin: str
    digits: int


LENGTH = BinAxis(
    "characters", "Characters", "the number of its characters", "of {} characters", digits=0
)
SIMILARITY = BinAxis(
    "similarity",
    "Mean similarity to the ten nearest training texts",
    "its mean similarity to the ten nearest training texts",
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
    rows: list[list[Cell]] = [
        [source.name, label, *edge, bin_hits.n, *runs, *_hit_cells(bin_hits)]
        for source in result.sources
        for label, edge, bin_hits in [
            *zip(result.labels, result.edges, source.by_bin, strict=True),
            ("all", (None, None), source.whole),
        ]
        if bin_hits is not None
    ]
    return AnalysisResult(
        headline=_headline(result, axis, nouns, runs, measure),
        reading=(
            f"Shares of the {nouns.queries} on which {measure} is 1 for both runs, one of them, or "
            f"neither, by the text: {axis.reading}. Above each bar, how many there are."
        ),
        extent=nouns.extent,
        columns=columns,
        rows=rows,
        spec=_bars(result, axis, names, nouns),
        notes=nouns.notes,
    )


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
    ends = ", ".join(
        f"of the {bin_hits.n:,} {axis.of_bin.format(label)} on {_alone(bin_hits, 0)} and "
        f"{_alone(bin_hits, 1)}"
        for label, bin_hits in (many[0], many[-1])
    )
    return f"{sentence}; {ends}"


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
