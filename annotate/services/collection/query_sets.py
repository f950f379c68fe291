"""Query sets: named, frozen source items of one direction, from lists of their ids."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from django.db import connection, transaction

from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import FormatError, Problems, guarded, name_fault, quoted
from annotate.core.files.id_lists import ListedId, read_ids
from annotate.core.phrases import counted
from annotate.models import Collection, Direction, Item, QuerySet, QuerySetItem, Side, User
from annotate.services.background.progress import ProgressCallback, ignore_progress, with_progress
from annotate.services.background.workers import lock_task
from annotate.services.collection.references import FileRejected
from annotate.services.seating import note_changes
from annotate.services.seating.in_use import item_in_use

log = logging.getLogger(__name__)

CHUNK = 5_000
MAX_NAME = 60
EVERYTHING = "all"  # the query set of all test items of a side
SOURCE_SIDES = {Direction.FORWARD: Side.QUERY, Direction.REVERSE: Side.DOCUMENT}
_COMPLETE = f"""
    INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
    SELECT everything.id, item.id, 'source' FROM annotate_queryset everything, annotate_item item
    WHERE everything.id = %s AND item.collection_id = %s AND item.side = %s
      AND {item_in_use("item")}
      AND NOT EXISTS (SELECT FROM annotate_querysetitem member
                      WHERE member.query_set_id = everything.id AND member.item_id = item.id)
    ORDER BY item.id
"""  # noqa: S608 - own words


class BadQuerySetName(Exception):
    """The name cannot be a query set's; nothing was stored."""


class QuerySetExists(Exception):
    """There is a query set of this name and direction with other items; nothing was stored."""


@dataclass
class QuerySetReport(FileTallies):
    """Result of loading a list of ids."""

    name: str
    n_items: int = 0
    is_new: bool = True

    def figures(self) -> list[tuple[str, int]]:
        """The first figures of an import's report, in order."""
        return [("Items", self.n_items)]

    def __str__(self) -> str:
        if not self.is_new:
            holds = f"holds these {counted(self.n_items, 'item')} already"
            return f'Query set "{self.name}" {holds}. Nothing changed.'
        return f'Query set "{self.name}": {counted(self.n_items, "item")}.'


@transaction.atomic
def load_query_set(
    *,
    collection: Collection,
    stream: BinaryIO,
    file_name: str,
    name: str,
    direction: str,
    by: User | None = None,
    on_progress: ProgressCallback = ignore_progress,
) -> QuerySetReport:
    """Store the items that a file lists as the query set of this name.

    They are queries, or documents in reverse. The same items under the same name again change
    nothing. Raises BadQuerySetName, FileRejected, QuerySetExists.
    """
    name = _checked_name(name)
    lock_task("loading", collection=collection)
    problems = Problems()
    report = QuerySetReport(name)
    listed_ids = list(
        with_progress(guarded(read_ids(stream, file_name, problems), problems), on_progress)
    )
    members = _members(
        collection, Direction(direction), listed_ids, file_name, problems, report=report
    )
    if not members and not problems:
        problems.add(FormatError(file_name, None, "", f"{file_name} lists no ids."))
    if problems:
        raise FileRejected(problems, report)
    query_set, is_new = QuerySet.objects.get_or_create(
        collection=collection, direction=direction, name=name
    )
    if is_new:
        rows = (QuerySetItem(query_set=query_set, item_id=pk) for pk in members)
        QuerySetItem.objects.bulk_create(rows, batch_size=CHUNK)
        note_changes(collection_id=collection.pk, pair_ids=[None])  # the runs are scored on it too
    elif set(query_set.members.values_list("part", "item_id")) != {
        (QuerySetItem.Part.SOURCE, pk) for pk in members
    }:
        raise QuerySetExists(
            f'Query set "{name}" already exists with other items; choose another name.'
        )
    report.n_items, report.is_new = len(members), is_new
    log.info("%s loaded %s into %s: %s", by, file_name, collection.slug, report)
    return report


@transaction.atomic
def narrow_query_set(
    *,
    collection: Collection,
    direction: Direction,
    name: str,
    sources: Sequence[int],
    within: QuerySet | None,
) -> QuerySet:
    """Store some source items as a new query set, with the gallery of another one, if it has one.

    sources : keys. Raises BadQuerySetName, QuerySetExists.
    """
    query_set, is_new = QuerySet.objects.get_or_create(
        collection=collection, direction=direction, name=_checked_name(name)
    )
    if not is_new:
        raise QuerySetExists(f'there is a query set "{query_set.name}"; choose another name.')
    part = QuerySetItem.Part.GALLERY
    gallery = within.members.filter(part=part).values_list("item_id", flat=True) if within else []
    rows = [
        *(QuerySetItem(query_set=query_set, item_id=pk) for pk in sources),
        *(QuerySetItem(query_set=query_set, item_id=pk, part=part) for pk in gallery),
    ]
    QuerySetItem.objects.bulk_create(rows, batch_size=CHUNK)
    note_changes(collection_id=collection.pk, pair_ids=[None])  # the runs are scored on it too
    return query_set


def complete_query_sets(*, collection: Collection) -> None:
    """Add every test item to the query sets "all" of both directions, until one is judged."""
    if collection.scheme_frozen_at is not None:
        return
    for direction, side in SOURCE_SIDES.items():
        everything, _ = QuerySet.objects.get_or_create(
            collection=collection, direction=direction, name=EVERYTHING
        )
        with connection.cursor() as cursor:
            cursor.execute(_COMPLETE, [everything.pk, collection.pk, side])


def _checked_name(name: str) -> str:
    name = name.strip()
    if fault := name_fault(name, longest=MAX_NAME):
        raise BadQuerySetName(f"A query set's name {fault}.")
    if name == EVERYTHING:
        raise BadQuerySetName(f'"{EVERYTHING}" is the set of all test items; choose another name.')
    return name


def _members(
    collection: Collection,
    direction: Direction,
    listed_ids: list[ListedId],
    file_name: str,
    problems: Problems,
    *,
    report: QuerySetReport,
) -> list[int]:
    side = SOURCE_SIDES[direction]
    items = Item.objects.filter(collection=collection, side=side)
    stored_items = {
        external_id: (pk, split)
        for external_id, pk, split in items.values_list("external_id", "pk", "split")
    }
    members = []
    for row in listed_ids:
        pk, split = stored_items.get(row.id, (0, ""))
        if not pk:
            (report.unknown_queries if side == Side.QUERY else report.unknown_documents).add(row.id)
            message = f"the collection has no {side} {quoted(row.id)}."
        elif split != "test":
            message = (
                f"{quoted(row.id)} is of the split {split}; "
                "only items of the split test are retrieved and judged."
            )
        else:
            members.append(pk)
            continue
        problems.add(FormatError(file_name, row.line, "id", message))
    return members
