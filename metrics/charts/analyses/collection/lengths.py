"""The chart of positives by the length of the query's text."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns, bin_axis
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.charts.theme import LEAST_PLOT
from metrics.core.analyses.collection.lengths import LengthFifth, PositivesByLength

MAX_QUOTE = 60  # characters of a text in a headline


def length_result(result: PositivesByLength, nouns: Nouns) -> AnalysisResult:
    """The map of positives by length with its margins."""
    lengths, positives = result.lengths, result.positives
    columns = [
        Column("words", "Words"),
        Column("words_from", "Words from"),
        Column("words_to", "Words to"),
        Column("n", nouns.title),
        *(
            Column(f"positives_{start}", f"Positives {label}")
            for start, label in zip(positives.start.tolist(), positives.labels, strict=True)
        ),
    ]
    bins = zip(lengths.labels, lengths.edges, result.cells, strict=True)
    rows: list[list[Cell]] = [
        [label, *edge, int(counts.sum()), *counts.tolist()] for label, edge, counts in bins
    ]
    return AnalysisResult(
        headline=_length_headline(result, nouns),
        reading=(
            f"Squares: {nouns.queries} with so many words and positives; the stronger the colour, "
            "the more there are (on a logarithmic scale). Bars: all of a length, and all with so "
            f"many positives. {_correlation_text(result)}{relation_text(result)}"
        ),
        extent=nouns.extent,
        columns=columns,
        rows=rows,
        spec=_map(result, nouns),
        notes=nouns.notes,
    )


def _length_headline(result: PositivesByLength, nouns: Nouns) -> str:
    short, long, ratio, interval = result.short, result.long, result.ratio, result.interval
    if short is None or long is None:
        return (
            "Too few different lengths to compare short and long texts: the median has "
            f"{counted(round(result.median), 'word')}"
        )
    if ratio is None or interval.low is None:
        return (
            f"{nouns.title} of {_words(short)} have {short.mean:.2f} positives on average, those "
            f"of {_words(long)} {long.mean:.2f} (no interval of their ratio)"
        )
    more, fewer = short, long
    if ratio < 1:
        more, fewer, ratio, interval = long, short, 1 / ratio, interval.reciprocal
    sentence = (
        f"{nouns.title} of {_words(more)} have {ratio:.2f} times the positives of those of "
        f"{_words(fewer)} ({interval_text(interval, digits=2)})"
    )
    if interval.low is not None and interval.low <= 1:
        return f"{sentence}: no difference is shown"
    return sentence


def _words(fifth: LengthFifth) -> str:
    if fifth.shortest == fifth.longest:
        return counted(fifth.shortest, "word")
    return f"{fifth.shortest:,} to {fifth.longest:,} words"


def _correlation_text(result: PositivesByLength) -> str:
    correlation = result.correlation
    if correlation.value is None:
        return "Spearman's correlation of the two is not defined, as one of them does not vary."
    return (
        f"Spearman's correlation of words and positives: {correlation.value:z.2f} "
        f"({interval_text(correlation.interval, digits=2)}, n {correlation.n:,})."
    )


def relation_text(result: PositivesByLength) -> str:
    """A sentence on why ratio and correlation may say other things; "" where one is missing."""
    if result.correlation.value is None or result.ratio is None:
        return ""
    return (
        " The ratio is of the two ends alone, the correlation of the order over all lengths: one "
        "may be clear where the other is not."
    )


def _map(result: PositivesByLength, nouns: Nouns) -> Spec:
    words, positives = result.lengths.labels, result.positives.labels
    cells = [
        {"words": words[row], "positives": positives[column], "n": int(result.cells[row, column])}
        for row, column in product(range(len(words)), range(len(positives)))
        if result.cells[row, column]
    ]
    x: Spec = {"field": "words", "type": "ordinal", "scale": {"domain": words}}
    x["axis"] = bin_axis(words, scale="map_x", narrow=LEAST_PLOT)
    y: Spec = {"field": "positives", "type": "ordinal", "scale": {"domain": positives[::-1]}}
    total = {"aggregate": "sum", "field": "n", "type": "quantitative", "title": None}
    queries = nouns.title
    tooltip = [tooltip_row("words", "Words"), tooltip_row("positives", "Positives")]
    count = tooltip_row("n", queries, ",d")
    colour = {"field": "n", "type": "quantitative", "title": queries, "legend": {"format": ",d"}}
    bare = {"axis": {"labels": False, "title": None}}
    upper = {
        "width": "@plot",
        "height": 60,
        "mark": "bar",
        "encoding": {"x": x | bare, "y": total | {"axis": WHOLE | {"tickCount": 2}}}
        | {"tooltip": [tooltip[0], count | {"aggregate": "sum", "type": "quantitative"}]},
    }
    centre = {
        "name": "map",
        "width": "@plot",
        "height": {"step": 14},
        "mark": {"type": "rect", "cornerRadius": 1},
        "encoding": {
            "x": x | {"title": "Words"},
            "y": y | {"title": "Positives"},
            "color": colour | {"scale": {"type": "log"}},
            "tooltip": [*tooltip, count],
        },
    }
    right = {
        "width": 90,
        "height": {"step": 14},
        "mark": "bar",
        "encoding": {"y": y | bare, "x": total | {"axis": WHOLE | {"tickCount": 2}}}
        | {"tooltip": [tooltip[1], count | {"aggregate": "sum", "type": "quantitative"}]},
    }
    return {
        "data": {"values": cells},
        "spacing": 8,
        "bounds": "flush",
        "vconcat": [upper, {"hconcat": [centre, right], "spacing": 8, "bounds": "flush"}],
    }


class TextExample(NamedTuple):
    """A text as an example of its length; part : "shortest", "median" or "longest"."""

    part: str
    text: str
    n_words: int
    n_positive: int


def examples_result(examples: Sequence[TextExample], nouns: Nouns) -> AnalysisResult:
    """The table of texts of several lengths; at least one."""
    shortest, longest = examples[0], examples[-1]
    return AnalysisResult(
        headline=(
            f"From “{_cut(shortest.text)}” ({counted(shortest.n_words, 'word')}) to "
            f"“{_cut(longest.text)}” ({counted(longest.n_words, 'word')})"
        ),
        reading=(
            "Up to five texts each, drawn from the hundred shortest, the hundred in the middle and "
            "the hundred longest, or from a third of all texts each where there are fewer than 300."
        ),
        extent=nouns.extent,
        columns=[
            Column("part", "Part"),
            Column("text", "Text"),
            Column("words", "Words"),
            Column("positives", "Positives"),
        ],
        rows=[list(example) for example in examples],
        notes=nouns.notes,
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_QUOTE else f"{text[:MAX_QUOTE].rstrip()}…"
