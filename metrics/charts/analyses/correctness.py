"""The chart of which of two runs is right, by the length of the query's text."""

from collections.abc import Sequence

from metrics.charts.analyses.nouns import AXIS, Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.correctness import LengthOutcomes, OutcomesByLength


def outcome_result(
    result: OutcomesByLength, nouns: Nouns, *, runs: tuple[str, str], measure: str
) -> AnalysisResult:
    """Shares of the queries on which both runs are right, one, or neither, by length."""
    names = ("Both", f"{runs[0]} alone", f"{runs[1]} alone", "Neither")
    columns = [Column("labels", "Labels"), Column("characters", "Characters")]
    columns.append(Column("n", nouns.queries.capitalize()))
    for key, name in zip(("both", "first", "second", "neither"), names, strict=True):
        columns += [Column(key, f"{name}, %", 1)]
        columns += [Column(f"{key}_low", "From", 1), Column(f"{key}_high", "To", 1)]
    rows = [
        [source.name, label, *_outcome_cells(outcomes)]
        for source in result.sources
        for label, outcomes in [
            *zip(result.bins.labels, source.by_length, strict=True),
            ("all", source.whole),
        ]
        if outcomes is not None
    ]
    return AnalysisResult(
        headline=_outcome_headline(result, nouns, runs, measure),
        reading=(
            f"Shares of the {nouns.queries} on which {measure} is 1 for both runs, one of them, or "
            "neither, by the number of characters of the text; above each bar, how many there are."
        ),
        extent=nouns.extent,
        columns=columns,
        rows=rows,
        spec=_outcome_bars(result, names),
        notes=nouns.notes,
    )


def _outcome_cells(outcomes: LengthOutcomes) -> list[Cell]:
    cells: list[Cell] = [outcomes.n]
    for share in outcomes.shares:
        ends = (None if end is None else 100 * end for end in share.interval)
        cells += [100 * share.share, *ends]
    return cells


def _outcome_headline(
    result: OutcomesByLength, nouns: Nouns, runs: tuple[str, str], measure: str
) -> str:
    """The shares on all queries and on the shortest ones, by the chosen label source."""
    chosen_source = result.sources[0]
    shortest = next(row for row in chosen_source.by_length if row is not None)
    label = result.bins.labels[chosen_source.by_length.index(shortest)]

    def alone(outcomes: LengthOutcomes) -> tuple[str, str]:
        first, second = (f"{100 * share.share:.1f} %" for share in outcomes.shares[1:3])
        return first, second

    first, second = alone(chosen_source.whole)
    sentence = f"{runs[0]} alone is right on {first} of the {nouns.queries}, {runs[1]} on {second}"
    if shortest.n == chosen_source.whole.n:
        return f"{sentence} ({measure})"
    first, second = alone(shortest)
    return f"{sentence}; of {label} characters on {first} and {second} ({measure})"


def _outcome_bars(result: OutcomesByLength, names: Sequence[str]) -> Spec:
    labels = result.bins.labels
    colour: Spec = {
        "field": "outcome",
        "type": "nominal",
        "title": None,
        "scale": {"domain": list(names), "range": ["@blue", "@amber", "@slate", "@line"]},
    }
    x: Spec = {"field": "characters", "type": "ordinal", "sort": labels, "title": "Characters"}
    x |= {"axis": AXIS}
    views = []
    for source in result.sources:
        values, counts = [], []
        for label, outcomes in zip(labels, source.by_length, strict=True):
            if outcomes is None:
                continue
            counts.append({"characters": label, "n": outcomes.n, "share": 100})
            values += [
                {"characters": label, "outcome": name, "order": order, "share": 100 * row.share}
                for order, (name, row) in enumerate(zip(names, outcomes.shares, strict=True))
            ]
        y = {"field": "share", "type": "quantitative", "title": "%", "scale": {"domain": [0, 100]}}
        tooltip = [
            tooltip_row("characters", "Characters"),
            tooltip_row("outcome", "Right"),
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
