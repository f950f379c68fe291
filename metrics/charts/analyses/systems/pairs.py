"""The difference of each pair of runs, as a table and a triangle of cells."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.differences import MOST_NAMES, NAME_WIDTH, RunNames
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.core.analyses.systems.differences import PairDifference, SystemDifferences

VERDICTS = {True: "differ", False: "do not differ"}
MOST_MARKS = 20  # runs whose cells have room for a mark


def pairs_result(
    differences: SystemDifferences,
    pairs: Sequence[PairDifference],
    names: RunNames,
    nouns: Nouns,
) -> AnalysisResult:
    """The difference of each pair of runs, the best run's first, and whether the two differ."""
    rank = {row.system: row.rank for row in differences.systems}
    return AnalysisResult(
        headline=_headline(differences, pairs, names),
        reading=(
            "Difference: the mean of the first run less that of the second, which stands behind "
            "it. From, to: 95 % interval of the paired difference, of this pair alone. Whether two "
            "runs differ is decided for all pairs together by the chosen test, so an interval "
            "without 0 is no verdict. What does not differ is not shown to be equal."
        ),
        extent=f"{nouns.extent}; {counted(len(pairs), 'pair')}",
        columns=[
            Column("first", "Run"),
            Column("second", "Other run"),
            Column("first_rank", "Rank"),
            Column("second_rank", "Other rank"),
            Column("difference", "Difference", 4),
            Column("difference_low", "From", 4),
            Column("difference_high", "To", 4),
            Column("verdict", "Verdict"),
        ],
        rows=[
            [
                names.runs[pair.first],
                names.runs[pair.second],
                rank[pair.first],
                rank[pair.second],
                pair.difference,
                pair.interval.low,
                pair.interval.high,
                VERDICTS[pair.differ],
            ]
            for pair in pairs
        ],
        spec=_cells(differences, pairs, names),
        notes=[*nouns.notes, *_notes(pairs, len(names.runs))],
    )


def _notes(pairs: Sequence[PairDifference], n_runs: int) -> list[str]:
    notes = []
    n_within = sum(
        pair.differ
        and pair.interval.low is not None
        and pair.interval.high is not None
        and pair.interval.low <= 0 <= pair.interval.high
        for pair in pairs
    )
    if n_within:
        notes.append(
            f"{counted(n_within, 'pair')} {'differs' if n_within == 1 else 'differ'} by the test "
            "though 0 lies in the pair's own interval: the test takes one error for all pairs."
        )
    if n_runs > MOST_NAMES:
        notes.append(
            "Chart: a dark cell is a pair that differs, at the places of its runs; place 1 is best."
        )
    return notes


def _headline(
    differences: SystemDifferences, pairs: Sequence[PairDifference], names: RunNames
) -> str:
    if names.are_too_few:
        return names.too_few_text
    n = counted(differences.n_pairs, "pair")
    closest = min(
        (pair for pair in pairs if pair.differ),
        key=lambda pair: abs(pair.difference),
        default=None,
    )
    if closest is None:
        return f"None of {n} of runs differs"
    return (
        f"{differences.n_differing:,} of {n} of runs "
        f"{'differs' if differences.n_differing == 1 else 'differ'}; the closest that do are "
        f"{abs(closest.difference):.4f} apart ({names.runs[closest.first]} and "
        f"{names.runs[closest.second]}, {interval_text(closest.interval, digits=4)})"
    )


def _cells(
    differences: SystemDifferences, pairs: Sequence[PairDifference], names: RunNames
) -> Spec:
    """A triangle: a cell a pair. Of many runs only cells of those that differ, by their places."""
    place = {row.system: number for number, row in enumerate(differences.systems, start=1)}
    n = len(differences.systems)
    if n > MOST_NAMES:
        return _small_cells([pair for pair in pairs if pair.differ], place)
    order = [names.runs[row.system] for row in differences.systems]
    values = [
        {
            "first": names.runs[pair.first],
            "second": names.runs[pair.second],
            "size": abs(pair.difference),
            "difference": pair.difference,
            "low": pair.interval.low,
            "high": pair.interval.high,
            "verdict": VERDICTS[pair.differ],
        }
        for pair in pairs
    ]
    mark: Spec = {"type": "point", "size": 60 if n <= MOST_MARKS else 14, "fill": "@surface"}
    mark |= {"stroke": "@ink", "strokeWidth": 1, "opacity": 1}
    shapes = {"domain": [VERDICTS[True]], "range": ["diamond"]}
    tooltip = [
        tooltip_row("first", "Run"),
        tooltip_row("second", "Other run"),
        tooltip_row("difference", "Difference", ".4f"),
        tooltip_row("low", "From", ".4f"),
        tooltip_row("high", "To", ".4f"),
        tooltip_row("verdict", "Verdict"),
    ]
    return {
        "data": {"values": values},
        "height": {"step": 24 if n <= MOST_MARKS else 14},
        "encoding": _name_axes(order) | {"tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "@surface", "strokeWidth": 1},
                "encoding": {
                    "color": {"field": "size", "type": "quantitative", "title": "Difference"}
                },
            },
            {
                "transform": [{"filter": {"field": "verdict", "equal": VERDICTS[True]}}],
                "mark": mark,
                "encoding": {
                    "shape": {"field": "verdict", "type": "nominal", "title": None, "scale": shapes}
                },
            },
        ],
    }


def _name_axes(order: Sequence[str]) -> Spec:
    """The better run of a pair across, the other one down."""
    x: Spec = {"field": "first", "type": "nominal", "title": None}
    x |= {"scale": {"domain": order[:-1]}, "axis": {"labelAngle": -60, "labelLimit": 90}}
    y: Spec = {"field": "second", "type": "nominal", "title": None}
    y |= {"scale": {"domain": order[1:]}, "axis": {"labelLimit": NAME_WIDTH}}
    return {"x": x, "y": y}


def _small_cells(pairs: Sequence[PairDifference], place: dict[int, int]) -> Spec:
    n = len(place)
    axes = {
        name: {
            "field": name,
            "type": "ordinal",
            "title": title,
            "scale": {"domain": list(range(1, n + 1)), "paddingInner": 0},
            "axis": {"values": [1, *range(10, n + 1, 10)], "labelAngle": 0},
        }
        for name, title in (("x", "Place of the better run"), ("y", "Place of the other run"))
    }
    return {
        "data": {"values": [{"x": place[row.first], "y": place[row.second]} for row in pairs]},
        "height": {"step": 4},
        "encoding": axes,
        "mark": {"type": "rect", "color": "@ink"},
    }
