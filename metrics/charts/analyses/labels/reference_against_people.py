"""The chart of precision and recall of reference sets against people."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.labels.directions import in_directions, joined_nouns
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, share_text
from metrics.core.analyses.labels.reference_against_people import QueryShare, ReferenceQuality

FEWEST = 30  # queries from which on a headline tells a share
SHARES = {
    "precision": "Precision",
    "recall": "Recall",
    "recall_in_both": "Recall where the set has a judged positive",
}


class QualityRow(NamedTuple):
    """A reference set, or several together, in words and against people.

    n_propagated, n_unjudged : of its positives, pairs whose grade is propagated, or that have none
    """

    name: str
    quality: ReferenceQuality
    n_propagated: int
    n_unjudged: int

    @property
    def cells(self) -> list[Cell]:
        """The name, the counts and the shares with their intervals."""
        quality = self.quality
        n_judged = quality.n_agreed + quality.n_refused
        counts = [n_judged, quality.n_agreed, quality.n_refused, quality.n_missing]
        shares = (quality.precision, quality.recall, quality.recall_in_both)
        percents = [cell for share in shares for cell in _percents(share)]
        return [self.name, *counts, self.n_propagated, self.n_unjudged, *percents]


class DirectionQuality(NamedTuple):
    """The rows of one direction, the chosen sets first; at least one.

    direction : as pages name it
    """

    direction: str
    nouns: Nouns
    rows: list[QualityRow]


def against_people_result(
    tables: Sequence[DirectionQuality], notes: Sequence[str]
) -> AnalysisResult:
    """Precision and recall of reference sets; of the chosen direction, and perhaps of the other.

    notes : beside those of the directions
    """
    nouns = joined_nouns([table.nouns for table in tables], notes)
    columns = [
        Column("direction", "Direction"),
        Column("labels", "Reference set"),
        Column("n_judged", "Positives that people judged"),
        Column("n_agreed", "Confirmed"),
        Column("n_refused", "Refused"),
        Column("n_missing", "Positives by people that it lacks"),
        Column("n_propagated", "Positives with a propagated grade"),
        Column("n_unjudged", "Positives without a grade by people"),
    ]
    for key, title in SHARES.items():
        columns += [Column(key, f"{title}, %", 1)]
        columns += [Column(f"{key}_low", f"{title}, from", 1)]
        columns += [Column(f"{key}_high", f"{title}, to", 1)]
        columns += [Column(f"{key}_n", f"{title}, {nouns.queries}")]
    return AnalysisResult(
        headline=_headline(tables[0].rows[0], tables[0].nouns),
        reading=(
            "Precision: of a set's positives that people judged, those that they confirm. Recall: "
            "of the positives by people, those that the set has. Both are means over the "
            f"{nouns.queries} that have such a positive, with 95 % intervals; the table has the "
            "pairs too. Positives that neither people nor the set have would lower its recall; "
            "those of the set that nobody judged would raise it where they are right, and count "
            "in neither share."
        ),
        extent=nouns.extent,
        columns=columns,
        rows=[[table.direction, *row.cells] for table in tables for row in table.rows],
        spec=in_directions(
            [_points(table.rows) for table in tables], [table.direction for table in tables]
        ),
        notes=nouns.notes,
    )


def _percents(share: QueryShare) -> list[Cell]:
    percent = None if share.share is None else 100 * share.share
    return [percent, *share.interval.per_cent, share.n]


def _headline(row: QualityRow, nouns: Nouns) -> str:
    """Recall and precision of the first set, or its pairs where there are few queries."""
    quality = row.quality
    recall, precision = quality.recall, quality.precision
    n_judged = quality.n_agreed + quality.n_refused
    if recall.n < FEWEST or precision.n < FEWEST:
        return (
            f"People confirm {quality.n_agreed:,} of {counted(n_judged, 'positive')} of {row.name} "
            f"that they judged; it lacks {quality.n_missing:,} of theirs"
        )
    return (
        f"On average over {recall.n:,} {nouns.queries}, {row.name} has {_told(recall)} of people's "
        f"positives; over {precision.n:,}, people confirm {_told(precision)} of its positives that "
        "they judged"
    )


def _told(share: QueryShare) -> str:
    """A share with its interval, as in "21.1 % (95 % interval 20.2 to 22.0)"."""
    return share_text(share.share or 0, share.interval)


def _points(rows: Sequence[QualityRow]) -> Spec | None:
    """Two points for each set, and its name above them; None where no set has a point."""
    names = [row.name for row in rows]
    kinds = [SHARES["precision"], SHARES["recall"]]
    values = []
    for row in rows:
        for kind, share in zip(kinds, (row.quality.precision, row.quality.recall), strict=True):
            percent, low, high, n = _percents(share)
            point = {"labels": row.name, "kind": kind, "share": percent, "low": low, "high": high}
            values.append(point | {"n": n})
    if all(value["share"] is None for value in values):
        return None
    tooltip = [
        tooltip_row("labels", "Reference set"),
        tooltip_row("kind", "Share"),
        tooltip_row("share", "%", ".1f"),
        tooltip_row("low", "From", ".1f"),
        tooltip_row("high", "To", ".1f"),
        tooltip_row("n", "Queries", ",d"),
    ]
    x: Spec = {"type": "quantitative", "title": "Share, %", "scale": {"domain": [0, 100]}}
    kind_field: Spec = {"field": "kind", "type": "nominal"}
    mark_of_kind = kind_field | {"legend": {"title": None, "columns": 2}}
    colour = mark_of_kind | {"scale": {"domain": kinds, "range": ["@blue", "@amber"]}}
    shape = mark_of_kind | {"scale": {"domain": kinds, "range": ["circle", "diamond"]}}
    # names stand in the upper part of each step, both points below each other under it
    offset = kind_field | {"sort": ["", *kinds], "scale": {"domain": ["", *kinds]}}
    lines = {
        "transform": [{"filter": "datum.low != null"}],
        "mark": {"type": "rule", "color": "@ink-2", "strokeWidth": 1.5},
        "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "yOffset": offset},
    }
    points = {
        "transform": [{"filter": "datum.share != null"}],
        "mark": {"type": "point", "size": 90, "opacity": 1},
        "encoding": {"x": x | {"field": "share"}, "color": colour, "shape": shape}
        | {"yOffset": offset, "tooltip": tooltip},
    }
    set_names = {
        "data": {"values": [{"labels": name, "kind": ""} for name in names]},
        "mark": {"type": "text", "align": "left", "limit": 330},
        "encoding": {"x": {"value": 2}, "text": {"field": "labels"}, "yOffset": offset},
    }
    return {
        "data": {"values": values},
        "height": {"step": 22, "for": "offset"},
        "encoding": {"y": {"field": "labels", "type": "nominal", "sort": names, "axis": None}},
        "layer": [lines, points, set_names],
    }
