"""The log of what leads do, written in the transaction that does it."""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Q, QuerySet

from annotate.core.tables import safe_cell, timestamp
from annotate.models import Annotator, Batch, Collection, Item, Pair, ReviewAction, User

COLUMNS = ("at", "by", "action", "person", "batch", "query", "document", "item", "labels", "reason")


class About(NamedTuple):
    """What an action was done to; at least one of the first, third and fourth, but for golds made by the dozen."""

    annotator: Annotator | None = None
    batch: Batch | None = None
    pair: Pair | None = None
    item: Item | None = None


NOTHING = About()


def note(
    *,
    collection: Collection,
    kind: ReviewAction.Kind,
    by: User | None,
    about: About = NOTHING,
    reason: str = "",
    n_labels: int = 0,
) -> ReviewAction:
    """Write one line of the log. Without `by` the policy acted in a lead's place."""
    action: ReviewAction = ReviewAction.objects.create(
        collection=collection, kind=kind, by=by, reason=reason, n_labels=n_labels, **about._asdict()
    )
    return action


def entries(*, collection: Collection, by: User | None = None, kinds: tuple[str, ...] = (), person: int | None = None,
            pair: Pair | None = None) -> QuerySet[ReviewAction]:  # fmt: skip
    """The log, newest first: all of it, or by whom, of some kinds, about one annotator, about one pair or its items."""
    rows = ReviewAction.objects.filter(collection=collection)
    if by is not None:
        rows = rows.filter(by=by)
    if kinds:
        rows = rows.filter(kind__in=kinds)
    if person is not None:
        rows = rows.filter(annotator=person)
    if pair is not None:
        rows = rows.filter(Q(pair=pair) | Q(item__in=[pair.query_id, pair.document_id]))
    named = rows.select_related(
        "by", "annotator", "batch", "pair__query", "pair__document", "item", "work__work"
    )
    return named.order_by("-pk")


def csv_rows(rows: QuerySet[ReviewAction]) -> Iterator[list[object]]:
    """The same as lines of a table, the head first; cells that no spreadsheet runs."""
    yield list(COLUMNS)
    for row in rows.iterator(chunk_size=2_000):
        yield list(map(safe_cell, _cells(row)))


def _cells(row: ReviewAction) -> list[object]:
    return [
        timestamp(row.at),
        row.by.username if row.by else "policy",
        row.get_kind_display(),
        row.annotator.pseudonym if row.annotator else None,
        row.batch.number if row.batch else None,
        row.pair.query.external_id if row.pair else None,
        row.pair.document.external_id if row.pair else None,
        row.item.external_id if row.item else None,
        row.n_moved,
        row.reason,
    ]
