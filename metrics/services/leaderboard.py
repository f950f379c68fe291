"""What the researcher's leaderboard shows: FIRE's Table 1 from the stored scores; nothing is computed here."""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.models import Collection, Direction, QuerySet, ReferenceSet
from metrics.charts import Bar, Chart, leaderboard
from metrics.models import LabelSource, Score, Snapshot
from metrics.services.measuring import MEASURES
from pooling.models import Run
from pooling.services.waiting import worker_is_missing

JUDGED = next(measure.name for measure in MEASURES if measure.family == "Judged")
COLUMNS = [measure.name for measure in MEASURES if measure.name != JUDGED]
EVERYTHING = "all"


class Cell(NamedTuple):
    """A score in per cent: the whole (with people's labels), the reference's part, the difference of the two.

    The three are rounded so that what is printed adds up. `defined` is the mean over queries with a positive.
    """

    whole: float
    reference: float | None
    difference: float | None
    low: float | None
    high: float | None
    defined: float | None
    n_defined: int

    @property
    def text(self) -> str:
        """A (B + C), or A alone where there is no reference."""
        if self.reference is None or self.difference is None:
            return f"{self.whole:.1f}"
        sign = "\N{MINUS SIGN}" if self.difference < 0 else "+"
        return f"{self.whole:.1f} ({self.reference:.1f} {sign} {abs(self.difference):.1f})"


class Row(NamedTuple):
    """One run: a cell a measure, the share of its top ten that is judged, the queries it misses."""

    run: Run
    cells: list[Cell | None]
    judged: float | None
    n_missing: int
    computed_at: datetime


class Table(NamedTuple):
    """The runs of one direction on one query set."""

    direction: Direction
    query_set: QuerySet
    n_queries: int
    rows: list[Row]
    chart: Chart


class Leaderboard(NamedTuple):
    """The page. `waiting` are runs that have no scores yet."""

    label_source: LabelSource
    reference_set: ReferenceSet | None
    reference_sets: list[ReferenceSet]
    query_sets: list[str]
    query_set: str
    threshold: int
    columns: list[str]
    tables: list[Table]
    conflicts: dict[str, Any] | None
    waiting: list[Run]
    worker_missing: bool

    @property
    def has_rows(self) -> bool:
        """Whether any run has scores."""
        return any(table.rows for table in self.tables)


def leaderboard_of(
    *, collection: Collection, reference: str | None = None, query_set: str | None = None
) -> Leaderboard:
    """The leaderboard with one reference set (by default the oldest) and one query set (by default all queries).

    A name that the collection does not have counts as none given. Eight queries, however many runs there are.
    """
    references = list(ReferenceSet.objects.filter(collection=collection).order_by("pk"))
    chosen = next((row for row in references if row.name == reference), references[0] if references else None)
    sets = list(QuerySet.objects.filter(collection=collection).order_by("pk"))
    names = list(dict.fromkeys(row.name for row in sets))
    name = query_set if query_set in names else next((n for n in names if n == EVERYTHING), names[0] if names else "")
    runs = list(Run.objects.filter(collection=collection, state=Run.State.READY, retired_at=None).order_by("name"))
    scores = _scores(collection, chosen, name)
    scored = {score["run"] for score in scores}
    return Leaderboard(
        label_source=_source(chosen),
        reference_set=chosen,
        reference_sets=references,
        query_sets=names,
        query_set=name,
        threshold=collection.positive_from,
        columns=COLUMNS,
        tables=[
            _table(row, [run for run in runs if run.direction == row.direction and run.pk in scored], scores)
            for row in sets
            if row.name == name
        ],
        conflicts=_conflicts(collection, chosen),
        waiting=[run for run in runs if run.pk not in scored],
        worker_missing=worker_is_missing(),
    )


def _source(reference: ReferenceSet | None) -> LabelSource:
    return LabelSource.PEOPLE_OVER_REFERENCE if reference else LabelSource.PEOPLE


def _scores(collection: Collection, reference: ReferenceSet | None, query_set: str) -> list[dict[str, Any]]:
    """The scores of the page, without their values a query: those are long."""
    scores = Score.objects.filter(
        run__collection=collection,
        query_set__name=query_set,
        reference_set=reference,
        threshold=collection.positive_from,
    )
    fields = ("mean", "mean_with_positive", "low", "high", "n_queries", "n_missing", "n_with_positive", "computed_at")
    return list(scores.values("run", "query_set", "label_source", "measure", *fields))


def _table(query_set: QuerySet, runs: list[Run], scores: list[dict[str, Any]]) -> Table:
    found = {
        (row["run"], row["label_source"], row["measure"]): row for row in scores if row["query_set"] == query_set.pk
    }
    rows = [_row(run, found) for run in runs if any(key[0] == run.pk for key in found)]
    n_queries = max((row["n_queries"] for row in found.values()), default=0)
    direction = Direction(query_set.direction)
    return Table(direction, query_set, n_queries, rows, _chart(direction, rows))


def _row(run: Run, found: dict[tuple[int, str, str], dict[str, Any]]) -> Row:
    whole = {measure: row for (pk, source, measure), row in found.items() if pk == run.pk and source != "reference"}
    reference = {measure: row for (pk, source, measure), row in found.items() if pk == run.pk and source == "reference"}
    judged = whole[JUDGED]
    return Row(
        run=run,
        cells=[_cell(whole[name], reference.get(name)) for name in COLUMNS],
        judged=_per_cent(judged["mean"]),
        n_missing=judged["n_missing"],
        computed_at=max(row["computed_at"] for row in whole.values()),
    )


def _cell(whole: dict[str, Any], reference: dict[str, Any] | None) -> Cell | None:
    if whole["mean"] is None:
        return None
    part = None if reference is None else round(100 * reference["mean"], 1)
    total = 100 * whole["mean"]
    return Cell(
        whole=total,
        reference=part,
        difference=None if part is None else round(round(total, 1) - part, 1),
        low=_per_cent(whole["low"]),
        high=_per_cent(whole["high"]),
        defined=_per_cent(whole["mean_with_positive"]),
        n_defined=whole["n_with_positive"],
    )


def _per_cent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _chart(direction: Direction, rows: list[Row]) -> Chart:
    bars = [
        Bar(row.run.name, measure, cell.whole, cell.reference, cell.low, cell.high)
        for row in rows
        for measure, cell in zip(COLUMNS, row.cells, strict=True)
        if cell is not None
    ]
    return leaderboard(
        bars,
        id=f"scores-{direction}",
        title=f"Scores, {direction.label.lower()}",
        subtitle="Bar: with people's labels, and its 95 % interval. Thick tick: with the reference alone.",
    )


def _conflicts(collection: Collection, reference: ReferenceSet | None) -> dict[str, Any] | None:
    """How often people and the chosen reference differ, with the share in per cent."""
    snapshot = Snapshot.objects.filter(collection=collection, kind="conflicts").first()
    rows = snapshot.value["references"] if snapshot else []
    found = next((row for row in rows if reference and row["reference_set"] == reference.pk), None)
    if found is None:
        return None
    n_both = found["n_both"]
    return {**found, "equal": 100 * found["n_equal"] / n_both if n_both else None}
