"""Collections and reference sets from files: all or nothing, and the same file twice changes nothing."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from annotate.core import item_formats
from annotate.core.formats import FormatError, Problems, guarded, shown
from annotate.core.item_rows import ItemRow, is_address
from annotate.core.sources import Source
from annotate.models import Collection, Direction, Item, Part, QuerySet, QuerySetItem, Side, User
from annotate.services import media, references
from annotate.services.references import ReferenceReport, Rejected
from annotate.services.seating import note_changes

log = logging.getLogger(__name__)

CHUNK = 5_000
EVERYTHING = "all"  # the query set of all test items of a side
SOURCE_SIDES = {Direction.FORWARD: Side.QUERY, Direction.REVERSE: Side.DOCUMENT}


class ItemsFixed(Exception):
    """The collection has been judged, so no items may join it; nothing was loaded."""


@dataclass
class CollectionReport:
    """What loading a file of items did: rows read, of them repeated or known before; what was made of the others."""

    n_rows: int = 0
    n_repeated: int = 0
    n_known: int = 0
    n_items: int = 0
    n_parts: int = 0
    n_media: int = 0
    references: tuple[ReferenceReport, ...] = ()

    def __str__(self) -> str:
        rows = f"{self.n_rows:,} rows: {self.n_items:,} new items with {self.n_parts:,} parts"
        before = f"{self.n_known:,} known before, {self.n_repeated:,} repeated"
        unchanged = "" if self.n_items else " Nothing changed."
        return f"{rows}, {before}; {self.n_media:,} media files copied.{unchanged}"


@transaction.atomic
def load_collection(
    *, collection: Collection, source: Source, by: User | None = None, media_source: Source | None = None
) -> CollectionReport:
    """Add a file's items, their media and the query sets of all test items; a BEIR folder's labels too.

    source : the file, folder or archive of items; media are looked for in `media_source`, by default in the source
    Raises Rejected with the first 50 faults, ItemsFixed, and what the loading of media and references raises.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    problems = Problems()
    loader = _Loader(locked, media_source or source, problems)
    rows = guarded(item_formats.read_items(source, problems), problems)
    while chunk := list(islice(rows, CHUNK)):
        loader.add(chunk)
    if not loader.report.n_rows and not problems:
        problems.add(FormatError(source.name, None, "", f"{source.name} holds no items."))
    if problems:
        raise Rejected(problems)
    report = loader.report
    if report.n_items and locked.scheme_frozen_at is not None:
        raise ItemsFixed(
            f"The collection has been judged, so its items are fixed; this file would add {report.n_items:,}. "
            "Load it as a new collection."
        )
    complete_query_sets(collection=locked)
    if report.n_items:
        note_changes(collection_id=locked.pk, pair_ids=[None])  # scores average over more items now
    report.references = _load_beir_labels(locked, source, by)
    report.n_media = media.store_media(collection=locked, source=media_source or source, paths=loader.missing_media)
    log.info("%s loaded %s into %s: %s", by, source.name, locked.slug, report)
    return report


def complete_query_sets(*, collection: Collection) -> None:
    """Let the query sets "all" name every test item that can be a source, in both directions."""
    for direction, side in SOURCE_SIDES.items():
        items = Item.objects.filter(collection=collection, side=side, split="test", excluded_at=None)
        everything, _ = QuerySet.objects.get_or_create(collection=collection, direction=direction, name=EVERYTHING)
        missing = items.exclude(pk__in=everything.members.values("item")).order_by("pk")
        QuerySetItem.objects.bulk_create(
            (QuerySetItem(query_set=everything, item_id=pk) for pk in missing.values_list("pk", flat=True)),
            batch_size=CHUNK,
        )


def _load_beir_labels(collection: Collection, source: Source, by: User | None) -> tuple[ReferenceReport, ...]:
    reports = []
    for name in item_formats.beir_qrels(source) if item_formats.is_beir(source) else ():
        with source.open(name) as stream:
            reports.append(
                references.load_reference(
                    collection=collection,
                    stream=stream,
                    file_name=name,
                    name=item_formats.reference_name(name),
                    by=by,
                )
            )
    return tuple(reports)


class _Loader:
    """Takes rows chunk by chunk; compares them with what is there, and writes while nothing is wrong."""

    def __init__(self, collection: Collection, media_source: Source, problems: Problems) -> None:
        self.collection = collection
        self.media_source = media_source
        self.problems = problems
        self.report = CollectionReport()
        self.missing_media: set[str] = set()
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}
        self._is_first_load = not Item.objects.filter(collection=collection).exists()

    def add(self, rows: list[ItemRow]) -> None:
        """Load one chunk."""
        self.report.n_rows += len(rows)
        fresh = [row for row in rows if self._is_first(row)]
        stored = {} if self._is_first_load else self._stored(fresh)
        new = [row for row in fresh if self._is_new(row, stored)]
        for row in new:
            self._check_media(row)
        if not self.problems:
            self._write(new)

    def _is_first(self, row: ItemRow) -> bool:
        """Whether the file has not said this before; a second, different word on an item is a fault."""
        line, content = self._seen.setdefault((row.side, row.id), (row.line, hash(_content(row))))
        if line == row.line:
            return True
        self.report.n_repeated += 1
        if content != hash(_content(row)):
            self._fault(row, f"{row.side} {shown(row.id)} stands with other content in line {line}; keep one of them.")
        return False

    def _is_new(self, row: ItemRow, stored: dict[tuple[str, str], tuple[object, ...]]) -> bool:
        content = stored.get((row.side, row.id))
        if content is None:
            return True
        self.report.n_known += 1
        if content != _content(row):
            self._fault(row, f"{row.side} {shown(row.id)} was loaded before with other content; give it another id.")
        return False

    def _stored(self, rows: Iterable[ItemRow]) -> dict[tuple[str, str], tuple[object, ...]]:
        items = Item.objects.filter(collection=self.collection, external_id__in={row.id for row in rows})
        return {
            (item.side, item.external_id): (
                item.split,
                item.warning,
                tuple((part.kind, part.text, part.path, part.start, part.end) for part in item.parts.all()),
            )
            for item in items.prefetch_related("parts")
        }

    def _check_media(self, row: ItemRow) -> None:
        for part in row.parts:
            if not part.path:
                continue
            if is_address(part.path):
                if not media.is_allowed_address(part.path):
                    self._fault(row, f"{shown(part.path)} is on a host that MEDIA_HOSTS does not name; add it there.")
            elif self.media_source.holds(part.path):
                self.missing_media.add(part.path)
            elif media.find_file(collection=self.collection, path=part.path) is None:
                where = self.media_source.name
                self._fault(
                    row, f"there is no file {shown(part.path)} in {where}; give the folder or zip that holds it."
                )

    def _write(self, rows: list[ItemRow]) -> None:
        items = Item.objects.bulk_create(
            Item(collection=self.collection, side=row.side, external_id=row.id, split=row.split, warning=row.warning)
            for row in rows
        )
        parts = Part.objects.bulk_create(
            Part(item=item, position=position, **part._asdict())
            for item, row in zip(items, rows, strict=True)
            for position, part in enumerate(row.parts)
        )
        self.report.n_items += len(items)
        self.report.n_parts += len(parts)

    def _fault(self, row: ItemRow, message: str) -> None:
        self.problems.add(FormatError(row.file, row.line, "", message))


def _content(row: ItemRow) -> tuple[object, ...]:
    """What makes two rows of one id the same."""
    return row.split, row.warning, tuple(tuple(part) for part in row.parts)
