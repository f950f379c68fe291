"""The chart of which of two runs is right, by the length of the query's text."""

from collections.abc import Sequence
from typing import NamedTuple

from metrics.charts.analyses.nouns import AXIS, Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.hits import BinHits, BinnedHits


class BinAxis(NamedTuple):
    """The quantity that queries are put into bins by.

    key : in files; title : of the axis; reading : what it is of a text
    of_bin : a bin in a sentence; is_last : whether the headline is about the last bin, or the first
    """

    key: str
    title: str
    reading: str
    of_bin: str
    is_last: bool


LENGTH = BinAxis(
    "characters", "Characters", "the number of its characters", "of {} characters", is_last=False
)
SIMILARITY = BinAxis(
    "similarity",
    "Mean similarity to the ten nearest training texts",
    "its mean similarity to the ten nearest training texts",
    "with a similarity of {}",
    is_last=True,
)


def hits_result(
    result: BinnedHits, axis: BinAxis, nouns: Nouns, *, runs: tuple[str, str], measure: str
) -> AnalysisResult:
    """Shares of the queries on which both runs are right, one, or neither, by bins of texts."""
    names = ("Both", f"{runs[0]} alone", f"{runs[1]} alone", "Neither")
    columns = [Column("labels", "Labels"), Column(axis.key, axis.title)]
    columns.append(Column("n", nouns.queries.capitalize()))
    for key, name in zip(("both", "first", "second", "neither"), names, strict=True):
        columns += [Column(key, f"{name}, %", 1)]
        columns += [Column(f"{key}_low", "From", 1), Column(f"{key}_high", "To", 1)]
    rows = [
        [source.name, label, *_hit_cells(bin_hits)]
        for source in result.sources
        for label, bin_hits in [
            *zip(result.labels, source.by_bin, strict=True),
            ("all", source.whole),
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
        spec=_bars(result, axis, names),
        notes=nouns.notes,
    )


def _hit_cells(bin_hits: BinHits) -> list[Cell]:
    cells: list[Cell] = [bin_hits.n]
    for share in bin_hits.shares:
        ends = (None if end is None else 100 * end for end in share.interval)
        cells += [100 * share.share, *ends]
    return cells


def _headline(
    result: BinnedHits, axis: BinAxis, nouns: Nouns, runs: tuple[str, str], measure: str
) -> str:
    """The shares on all queries and on those of one end, by the chosen label source."""
    chosen_source = result.sources[0]
    bins = list(zip(result.labels, chosen_source.by_bin, strict=True))
    ends = bins[::-1] if axis.is_last else bins
    label, outermost = next((label, row) for label, row in ends if row is not None)

    def alone(bin_hits: BinHits) -> tuple[str, str]:
        first, second = (f"{100 * share.share:.1f} %" for share in bin_hits.shares[1:3])
        return first, second

    first, second = alone(chosen_source.whole)
    sentence = f"{runs[0]} alone is right on {first} of the {nouns.queries}, {runs[1]} on {second}"
    if outermost.n == chosen_source.whole.n:
        return f"{sentence} ({measure})"
    first, second = alone(outermost)
    return f"{sentence}; of those {axis.of_bin.format(label)} on {first} and {second} ({measure})"


def _bars(result: BinnedHits, axis: BinAxis, names: Sequence[str]) -> Spec:
    labels = result.labels
    colour: Spec = {
        "field": "kind",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "range": ["@blue", "@amber", "@slate", "@line"]},
    }
    x: Spec = {"field": "bin", "type": "ordinal", "sort": labels, "title": axis.title}
    x |= {"axis": AXIS}
    views = []
    for source in result.sources:
        values, counts = [], []
        for label, bin_hits in zip(labels, source.by_bin, strict=True):
            if bin_hits is None:
                continue
            counts.append({"bin": label, "n": bin_hits.n, "share": 100})
            values += [
                {"bin": label, "kind": name, "order": order, "share": 100 * row.share}
                for order, (name, row) in enumerate(zip(names, bin_hits.shares, strict=True))
            ]
        y = {"field": "share", "type": "quantitative", "title": "%", "scale": {"domain": [0, 100]}}
        tooltip = [
            tooltip_row("bin", axis.title),
            tooltip_row("kind", "Right"),
            tooltip_row("share", "%", ".1f"),
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
