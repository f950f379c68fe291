"""The log of leads' actions, each written in the transaction of the action."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Prefetch, Q, QuerySet

from annotate.core.files.spreadsheet_cells import safe_cell, timestamp
from annotate.models import Annotator, Batch, Collection, Item, Pair, ReviewAction, User

COLUMNS = ("at", "by", "action", "person", "batch", "query", "document", "item", "labels", "reason")


class ActionSubject(NamedTuple):
    """The subject of an action: an annotator, a pair or an item, but for golds made in bulk."""

    annotator: Annotator | None = None
    batch: Batch | None = None
    pair: Pair | None = None
    item: Item | None = None


NO_SUBJECT = ActionSubject()


def note(
    *,
    collection: Collection,
    kind: ReviewAction.Kind,
    by: User | None,
    subject: ActionSubject = NO_SUBJECT,
    reason: str = "",
    n_labels: int = 0,
) -> ReviewAction:
    """Write one line of the log. Without `by` the policy acted in a lead's place."""
    action: ReviewAction = ReviewAction.objects.create(
        collection=collection,
        kind=kind,
        by=by,
        reason=reason,
        n_labels=n_labels,
        **subject._asdict(),
    )
    return action


def entries(
    *,
    collection: Collection,
    by: User | None = None,
    kinds: tuple[str, ...] = (),
    person: int | None = None,
    pair: Pair | None = None,
) -> QuerySet[ReviewAction]:
    """Return the log, newest first: all, or by lead, kinds, annotator, or pair with its items."""
    rows = ReviewAction.objects.filter(collection=collection)
    if by is not None:
        rows = rows.filter(by=by)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    if person is not None:
        rows = rows.filter(annotator=person)
    if pair is not None:
        rows = rows.filter(Q(pair=pair) | Q(item__in=[pair.query_id, pair.document_id]))
    with_subjects = rows.select_related(
        "by", "annotator", "pair__query", "pair__document", "item", "work__work"
    ).prefetch_related(Prefetch("batch", Batch.objects.with_judging_numbers()))
    return with_subjects.order_by("-pk")


def with_parts(rows: QuerySet[ReviewAction]) -> QuerySet[ReviewAction]:
    """The log with the parts of its items, for pages that show these."""
    return rows.prefetch_related("pair__query__parts", "pair__document__parts", "item__parts")


def csv_rows(rows: QuerySet[ReviewAction]) -> Iterator[list[object]]:
    """Yield the log as rows of a table, header first; no spreadsheet runs its cells as formulas."""
    yield list(COLUMNS)
    for row in rows.iterator(chunk_size=2_000):
        yield list(map(safe_cell, _cells(row)))


def _cells(row: ReviewAction) -> list[object]:
    return [
        timestamp(row.at),
        row.by.username if row.by else "policy",
        row.get_kind_display(),
        row.annotator.pseudonym if row.annotator else None,
        row.batch.judging_number if row.batch else None,
        row.pair.query.external_id if row.pair else None,
        row.pair.document.external_id if row.pair else None,
        row.item.external_id if row.item else None,
        row.n_moved,
        row.reason,
    ]
