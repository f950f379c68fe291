"""Annotators judged by one another: table and chart."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.axes import WRAPPED
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, share_text
from metrics.core.analyses.pool.people import PersonQuality

MOST_PEOPLE = 25  # of the chart
FEWEST = 30  # positive labels of which a headline tells a share
EVERYONE = "All together"


def people_result(
    people: Sequence[PersonQuality], *, names: Sequence[str], threshold: int, notes: Sequence[str]
) -> AnalysisResult:
    """Each annotator's positives by the others' labels; all together first, and one or more."""
    whole = people[0]
    rows: list[list[Cell]] = []
    for person in people:
        shares: list[Cell] = [person.precision, *person.precision_interval]
        shares += [person.recall, *person.recall_interval, person.f1]
        name = EVERYONE if person.annotator is None else names[person.annotator]
        rows.append([name, person.n, person.n_positive, person.n_expected, *shares])
    more = len(people) - 1 - MOST_PEOPLE
    chart_notes = [f"Chart: the first {MOST_PEOPLE} annotators."] if more > 0 else []
    extent = f"{counted(whole.n, 'label')} of {counted(len(people) - 1, 'annotator')}"
    return AnalysisResult(
        headline=_headline(whole, len(people) - 1),
        reading=(
            "An annotator's labels are taken as the answer of a system, and the other annotators' "
            "labels of the same pairs as the truth. Precision: of the pairs that the annotator "
            f"calls relevant (grade {threshold} or more), the share that the others call relevant. "
            "Recall: of what the others call relevant, the share that the annotator does. The "
            "lines of the chart are 95 % intervals. All together: what annotators reach by one "
            "another's labels; a run that scores higher is not proved to be better than people."
        ),
        extent=f"{extent}, on pairs that two or more of them labelled",
        columns=[
            Column("annotator", "Annotator"),
            Column("n", "Labels on pairs that several labelled"),
            Column("n_positive", "Called relevant"),
            Column("n_expected", "Relevant by the others", 1),
            Column("precision", "Precision", 3),
            Column("precision_low", "95 % from", 3),
            Column("precision_high", "to", 3),
            Column("recall", "Recall", 3),
            Column("recall_low", "95 % from", 3),
            Column("recall_high", "to", 3),
            Column("f1", "F1", 3),
        ],
        rows=rows,
        spec=_dots(people[: MOST_PEOPLE + 1], names),
        notes=[*notes, *chart_notes],
    )


def _headline(whole: PersonQuality, n_people: int) -> str:
    if whole.precision is None:
        return (
            f"None of {counted(n_people, 'annotator')} called a pair relevant that others labelled"
        )
    if whole.n_positive < FEWEST:
        verb = "calls" if whole.n_positive == 1 else "call"
        return (
            f"Of {counted(whole.n, 'label')} on pairs that several annotators labelled, only "
            f"{whole.n_positive:,} {verb} a pair relevant"
        )
    share = share_text(whole.precision, whole.precision_interval)
    return (
        f"Judged by one another's labels, annotators reach a precision and recall of {share} over "
        f"{whole.n_positive:,} labels that call a pair relevant"
    )


def _dots(people: Sequence[PersonQuality], names: Sequence[str]) -> Spec | None:
    """Two points an annotator; None where nobody calls a pair relevant."""
    kinds = ["Precision", "Recall"]
    values = [
        {
            "annotator": EVERYONE if person.annotator is None else names[person.annotator],
            "kind": kind,
            "share": share,
            **interval._asdict(),
        }
        for person in people
        for kind, share, interval in (
            (kinds[0], person.precision, person.precision_interval),
            (kinds[1], person.recall, person.recall_interval),
        )
        if share is not None
    ]
    if not values:
        return None
    y: Spec = {"field": "annotator", "type": "nominal", "title": None, "sort": None}
    y["axis"] = WRAPPED
    x: Spec = {"field": "share", "type": "quantitative", "title": "Share"}
    x["scale"] = {"domain": [0, 1]}
    mark_of_kind: Spec = {"field": "kind", "type": "nominal", "title": None}
    mark_of_kind["legend"] = {"orient": "top"}
    colour = mark_of_kind | {"scale": {"domain": kinds, "range": ["@blue", "@amber"]}}
    shape = mark_of_kind | {"scale": {"domain": kinds, "range": ["circle", "diamond"]}}
    tooltip = [
        tooltip_row("annotator", "Annotator"),
        tooltip_row("kind", "Measure"),
        tooltip_row("share", "Share", ".3f"),
    ]
    return {
        "data": {"values": values},
        "height": {"step": 20},
        "encoding": {"y": y, "yOffset": {"field": "kind"}, "color": colour},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule"},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"x": x, "shape": shape, "tooltip": tooltip},
            },
        ],
    }
