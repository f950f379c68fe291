"""Collections and reference sets from files: all or nothing, and the same file twice changes nothing."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from annotate.core import item_formats
from annotate.core.formats import FormatError, Problems, guarded, shown
from annotate.core.item_rows import ItemRow, PartRow, is_address, read_page
from annotate.core.sources import Source
from annotate.core.tallies import Tallies
from annotate.models import Collection, Direction, Item, QuerySet, Side, User
from annotate.services import media, references
from annotate.services.copying import NULL, copy_rows, escaped, reserve_keys
from annotate.services.jobs import Tell, tell_nobody
from annotate.services.references import ReferenceReport, Rejected
from annotate.services.seating import note_changes
from annotate.signals import items_joined

log = logging.getLogger(__name__)

CHUNK = 5_000
EVERYTHING = "all"  # the query set of all test items of a side
SOURCE_SIDES = {Direction.FORWARD: Side.QUERY, Direction.REVERSE: Side.DOCUMENT}
_COMPLETE = """
    INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
    SELECT everything.id, item.id, 'source' FROM annotate_queryset everything, annotate_item item
    WHERE everything.id = %s AND item.collection_id = %s AND item.side = %s
      AND item.split = 'test' AND item.excluded_at IS NULL
      AND NOT EXISTS (SELECT FROM annotate_querysetitem known
                      WHERE known.query_set_id = everything.id AND known.item_id = item.id)
    ORDER BY item.id
"""


class ItemsFixed(Exception):
    """The collection has been judged, so no items may join it; nothing was loaded."""


@dataclass
class CollectionReport(Tallies):
    """What loading a file of items did: rows read, of them repeated or known before; what was made of the others."""

    n_rows: int = 0
    n_known: int = 0
    n_items: int = 0
    n_parts: int = 0
    n_media: int = 0
    references: tuple[ReferenceReport, ...] = ()

    def figures(self) -> list[tuple[str, int]]:
        """What the report of an import shows first, in order."""
        return [
            ("Rows", self.n_rows),
            ("New items", self.n_items),
            ("Known before", self.n_known),
            ("Parts", self.n_parts),
            ("Media files copied", self.n_media),
        ]

    def __str__(self) -> str:
        rows = f"{self.n_rows:,} rows: {self.n_items:,} new items with {self.n_parts:,} parts"
        before = f"{self.n_known:,} known before, {self.repeats.n:,} repeated"
        unchanged = "" if self.n_items else " Nothing changed."
        return f"{rows}, {before}; {self.n_media:,} media files copied.{unchanged}"


@transaction.atomic
def load_collection(
    *,
    collection: Collection,
    source: Source,
    by: User | None = None,
    media_source: Source | None = None,
    tell: Tell = tell_nobody,
) -> CollectionReport:
    """Add a file's items, their media and the query sets of all test items; a BEIR folder's labels too.

    source : the file, folder or archive of items; media are looked for in `media_source`, then in the source, in the
        collection's own folder and in the operator's store
    Raises Rejected with the first 50 faults, ItemsFixed, and what the loading of media and references raises.
    """
    locked = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    problems = Problems()
    loader = _Loader(locked, [media_source, source] if media_source else [source], problems)
    rows = guarded(item_formats.read_items(source, problems), problems)
    while chunk := list(islice(rows, CHUNK)):
        loader.add(chunk)
        tell(loader.report.n_rows)
    if not loader.report.n_rows and not problems:
        problems.add(FormatError(source.name, None, "", f"{source.name} holds no items."))
    if problems:
        raise Rejected(problems, loader.report)
    report = loader.report
    if report.n_items and locked.scheme_frozen_at is not None:
        raise ItemsFixed(
            f"The collection has been judged, so its items are fixed; this file would add {report.n_items:,}. "
            "Load it as a new collection."
        )
    complete_query_sets(collection=locked)
    if report.n_items:
        note_changes(collection_id=locked.pk, pair_ids=[None])  # scores average over more items now
    report.references = _load_labels(locked, source, by, tell)
    # last: files do not go back by themselves when a transaction does
    report.n_media = media.store_media(collection=locked, sources=loader.media, tell=tell)
    if report.n_items:
        items_joined.send(sender=Item, collection_id=locked.pk)
    log.info("%s loaded %s into %s: %s", by, source.name, locked.slug, report)
    return report


def complete_query_sets(*, collection: Collection) -> None:
    """Let the query sets "all" name every test item that can be a source, in both directions."""
    for direction, side in SOURCE_SIDES.items():
        everything, _ = QuerySet.objects.get_or_create(collection=collection, direction=direction, name=EVERYTHING)
        with connection.cursor() as cursor:
            cursor.execute(_COMPLETE, [everything.pk, collection.pk, side])


def _load_labels(collection: Collection, source: Source, by: User | None, tell: Tell) -> tuple[ReferenceReport, ...]:
    def tell_labels(done: int, total: int | None = None, unit: str = "labels") -> None:
        tell(done, total, unit)

    reports = []
    for name in item_formats.label_files(source):
        with source.open(name) as stream:
            reports.append(
                references.load_reference(
                    collection=collection,
                    stream=stream,
                    file_name=name,
                    name=item_formats.reference_name(name),
                    by=by,
                    of_items=True,
                    tell=tell_labels,
                )
            )
    return tuple(reports)


class _Loader:
    """Takes rows chunk by chunk; compares them with what is there, and writes while nothing is wrong."""

    def __init__(self, collection: Collection, media_sources: list[Source], problems: Problems) -> None:
        self.collection = collection
        self.media_sources = media_sources
        self.stored_media = media.StoredMedia(collection)
        self.problems = problems
        self.report = CollectionReport()
        self.media: dict[str, Source] = {}  # what to copy, and from where
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}
        self._is_first_load = not Item.objects.filter(collection=collection).exists()

    def add(self, rows: list[ItemRow]) -> None:
        """Load one chunk."""
        self.report.n_rows += len(rows)
        fresh = [row for row in map(self._with_pages, rows) if self._is_first(row)]
        stored = {} if self._is_first_load else self._stored(fresh)
        new = [row for row in fresh if self._is_new(row, stored)]
        for row in new:
            self._check_media(row)
        if not self.problems:
            self._write(new)

    def _with_pages(self, row: ItemRow) -> ItemRow:
        """The row with the pages in it that it names as files: they are read once, here, and kept as text."""
        if not any(part.kind == "html" and part.path for part in row.parts):
            return row
        return row._replace(parts=tuple(self._page(row, part) if part.kind == "html" else part for part in row.parts))

    def _page(self, row: ItemRow, part: PartRow) -> PartRow:
        holder = next((source for source in self.media_sources if part.path and source.holds(part.path)), None)
        if not part.path:
            return part
        if holder is None:
            self._missing(row, part.path)
            return part
        with holder.open(part.path) as stream:
            page = read_page(part, stream)
        if isinstance(page, str):
            self._fault(row, f"the page {shown(part.path)} {page}.")
            return part
        return page

    def _missing(self, row: ItemRow, path: str) -> None:
        where = " or ".join(source.name for source in self.media_sources)
        self._fault(row, f"there is no file {shown(path)} in {where}; give the zip that holds it.")

    def _is_first(self, row: ItemRow) -> bool:
        """Whether the file has not said this before; a second, different word on an item is a fault."""
        line, content = self._seen.setdefault((row.side, row.id), (row.line, hash(_content(row))))
        if line == row.line:
            return True
        self.report.repeats.add(row.line, line, f"{row.side} {row.id}")
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
            if not part.path or part.kind == "html":
                continue
            if is_address(part.path):
                if not media.is_allowed_address(part.path):
                    self._fault(row, f"{shown(part.path)} is on a host that MEDIA_HOSTS does not name; add it there.")
            elif not self._has_media(part.path):
                self._missing(row, part.path)

    def _has_media(self, path: str) -> bool:
        """Whether the medium is somewhere; from where to copy it is noted."""
        if path in self.media:
            return True
        holder = next((source for source in self.media_sources if source.holds(path)), None)
        if holder:
            self.media[path] = holder
            return True
        return media.find_file(collection=self.collection, path=path) is not None or self.stored_media.holds(path)

    def _write(self, rows: list[ItemRow]) -> None:
        """By COPY with keys reserved before: a model's object for each row would take most of the time."""
        if not rows:
            return
        keys = reserve_keys("annotate_item", len(rows))
        copy_rows(
            "annotate_item",
            {
                "id": keys,
                "collection_id": str(self.collection.pk),
                "side": [row.side for row in rows],
                "external_id": escaped(row.id for row in rows),
                "split": escaped(row.split for row in rows),
                "warning": escaped(row.warning for row in rows),
                "excluded_reason": "",
            },
        )
        self.report.n_items += len(rows)
        self._write_parts(keys, rows)

    def _write_parts(self, keys: NDArray[np.int64], rows: list[ItemRow]) -> None:
        parts = [part for row in rows for part in row.parts]
        n_parts = [len(row.parts) for row in rows]
        if not parts:
            return
        copy_rows(
            "annotate_part",
            {
                "item_id": np.repeat(keys, n_parts),
                "position": [str(position) for n in n_parts for position in range(n)],
                "kind": [part.kind for part in parts],
                "text": escaped(part.text for part in parts),
                "path": escaped(part.path for part in parts),
                "start": [_number(part.start) for part in parts],
                '"end"': [_number(part.end) for part in parts],
            },
        )
        self.report.n_parts += len(parts)

    def _fault(self, row: ItemRow, message: str) -> None:
        self.problems.add(FormatError(row.file, row.line, "", message))


def _content(row: ItemRow) -> tuple[object, ...]:
    """What makes two rows of one id the same."""
    return row.split, row.warning, tuple(tuple(part) for part in row.parts)


def _number(seconds: float | None) -> str:
    return NULL if seconds is None else repr(seconds)
