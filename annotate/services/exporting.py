"""Every judgment of a collection as rows of a file: streamed, one snapshot, the same bytes each time.

People appear under their pseudonyms alone; comments, which may name anybody, stay here.
"""

import csv
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from annotate.core.tables import safe_cell, timestamp
from annotate.models import Collection, Judgment, JudgmentEvent, Seat

CHUNK = 5_000
_COLUMNS = (
    *("pair__query__external_id", "pair__document__external_id", "annotator__pseudonym", "annotator__origin"),
    *("level__grade", "level__name", "reasons", "shown_at", "at", "active_ms", "purpose", "why", "round_name"),
    *("seat__pk", "superseded_by__pk", "event"),
)


class JudgmentLine(NamedTuple):
    """One judgment as it is written.

    level : the grade's name at present
    active_ms : time the person was active, in milliseconds
    why : why it was asked for (first, double, disagreement, top-up)
    status : counts, superseded by a later answer, undone, withdrawn, or surplus (it came too late to count)
    """

    query: str
    document: str
    annotator: str
    origin: str
    grade: int
    level: str
    reasons: list[str]
    shown_at: str | None
    at: str | None
    active_ms: int | None
    purpose: str
    why: str
    round: str
    status: str


class Export(NamedTuple):
    """A kind of file: the end of its name, its content type, and what writes it."""

    suffix: str
    content_type: str
    write: Callable[[Collection], Iterator[str]]


def judgment_lines(*, collection: Collection) -> Iterator[JudgmentLine]:
    """All judgments in the order they were stored, by one statement: no later one slips in halfway."""
    for row in _rows(collection).iterator(chunk_size=CHUNK):
        seat, superseded_by, event = row.pop("seat__pk"), row.pop("superseded_by__pk"), row.pop("event")
        yield JudgmentLine(
            query=row["pair__query__external_id"],
            document=row["pair__document__external_id"],
            annotator=row["annotator__pseudonym"],
            origin=row["annotator__origin"],
            grade=row["level__grade"],
            level=row["level__name"],
            reasons=row["reasons"],
            shown_at=timestamp(row["shown_at"]),
            at=timestamp(row["at"]),
            active_ms=row["active_ms"],
            purpose=row["purpose"],
            why=row["why"],
            round=row["round_name"],
            status=_status(seat, superseded_by, event),
        )


def write_csv(collection: Collection) -> Iterator[str]:
    """The judgments as a table that is safe to open in a spreadsheet."""
    line = csv.writer(_Echo(), lineterminator="\n")
    yield line.writerow(JudgmentLine._fields)
    for judgment in judgment_lines(collection=collection):
        cells = judgment._replace(reasons="; ".join(judgment.reasons))  # type: ignore[arg-type]
        yield line.writerow(map(safe_cell, cells))


def write_jsonl(collection: Collection) -> Iterator[str]:
    """The judgments as one JSON object a line, for programs."""
    for judgment in judgment_lines(collection=collection):
        yield json.dumps(judgment._asdict(), ensure_ascii=False) + "\n"


EXPORTS = {
    "csv": Export(".csv", "text/csv; charset=utf-8", write_csv),
    "jsonl": Export(".jsonl", "application/jsonl; charset=utf-8", write_jsonl),
}


class _Echo:
    """What a csv.writer writes to: it hands each line back."""

    def write(self, line: str) -> str:
        """The line."""
        return line


def _rows(collection: Collection) -> QuerySet[Judgment, dict[str, Any]]:
    last_event = JudgmentEvent.objects.filter(judgment=OuterRef("pk")).order_by("-pk")
    return (
        Judgment.objects.filter(collection=collection)
        .order_by("pk")
        .annotate(
            why=Coalesce("seat__why", "hand_out__seat__why", Value(Seat.Why.FIRST.value)),
            round_name=Coalesce("seat__round__name", "hand_out__seat__round__name", Value("")),
            event=Subquery(last_event.values("kind")[:1]),
        )
        .values(*_COLUMNS)
    )


def _status(seat: int | None, superseded_by: int | None, event: str | None) -> str:
    if superseded_by is not None:
        return "superseded"
    if seat is not None:
        return "counts"
    gone = (JudgmentEvent.Kind.UNDONE, JudgmentEvent.Kind.WITHDRAWN)
    return event if event in gone else "surplus"
