"""Collections and reference sets from files: all or nothing, and the same file twice changes nothing."""

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Q
from numpy.typing import NDArray

from annotate.core import item_formats
from annotate.core.cards import MediaSource
from annotate.core.formats import FormatError, Problems, guarded, shown
from annotate.core.item_rows import ItemRow, PartRow, check_item, is_address, read_page
from annotate.core.sources import Source
from annotate.models import Collection, Item, Pair, Part, Side, User
from annotate.services import looking, media, references
from annotate.services.background.progress import Tell, tell_nobody
from annotate.services.background.workers import take_turn
from annotate.services.copying import NULL, copy_rows, escaped, reserve_keys
from annotate.services.further_sources import (
    Sources,
    add_sources,
    differ_in_sources,
    sources_of,
    with_stored,
    write_sources,
)
from annotate.services.item_groups import awaits_groups, go_by_column, regroup
from annotate.services.item_reports import CollectionReport
from annotate.services.query_sets import complete_query_sets
from annotate.services.references import ReferenceReport, Rejected
from annotate.services.seating import note_changes
from annotate.signals import items_joined

log = logging.getLogger(__name__)

CHUNK = 5_000


class QueriesFixed(Exception):
    """The collection has been judged, so no queries may join it; nothing was loaded."""


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
    Once the collection has been judged, its queries and query sets are fixed; documents may join at any time. Raises
    Rejected with the first 50 faults, QueriesFixed, and what the loading of media and references raises.
    """
    take_turn("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    problems = Problems()
    loader = _Loader(collection, [media_source, source] if media_source else [source], problems, by)
    report = loader.load(guarded(item_formats.read_items(source, problems), problems), source.name, tell)
    report.references = _load_labels(collection, source, by, tell)
    # late: files do not go back by themselves when a transaction does
    report.n_media = media.store_media(collection=collection, sources=loader.media, tell=tell)
    if loader.n_played and looking.look_into_files(collection=collection, tell=tell):
        report.doubts = looking.doubts(collection=collection)
    loader.join_collection()
    log.info("%s loaded %s into %s: %s", by, source.name, collection.slug, report)
    return report


@transaction.atomic
def load_documents(
    *,
    collection: Collection,
    ids: Sequence[str],
    file_name: str,
    by: User | None = None,
    tell: Tell = tell_nobody,
) -> CollectionReport:
    """Add documents that are known by their ids alone; those that are there already stay as they are.

    Raises Rejected where an id cannot be one.
    """
    take_turn("loading", collection=collection)
    collection = Collection.objects.get(pk=collection.pk)
    problems = Problems()
    loader = _Loader(collection, [], problems, by)
    items = ({"side": Side.DOCUMENT.value, "id": each, "parts": []} for each in ids)
    rows = chain.from_iterable(
        check_item(item, file_name, number, problems) for number, item in enumerate(items, start=1)
    )
    report = loader.load(rows, file_name, tell) if ids else loader.report
    loader.join_collection()
    log.info("%s made %s documents of %s in %s", by, report.n_items, file_name, collection.slug)
    return report


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


class StoredItem(NamedTuple):
    """An item that is there already: its key, what makes two rows of one id the same, its sources and group."""

    key: int
    content: tuple[object, ...]
    sources: Sources
    group: str


Stored = dict[tuple[str, str], StoredItem]


class _Loader:
    """Takes rows chunk by chunk; compares them with what is there, and writes while nothing is wrong."""

    def __init__(
        self, collection: Collection, media_sources: list[Source], problems: Problems, by: User | None
    ) -> None:
        self.collection = collection
        self.by = by
        self.media_sources = media_sources
        self.stored_media = media.StoredMedia(collection)
        self.problems = problems
        self.report = CollectionReport()
        self.n_played = 0
        self._further: dict[int, ItemRow] = {}  # of a chunk, what is there and has more sources now
        self._typed: dict[int, ItemRow] = {}  # and what has another type of an address
        self._first_query = ""
        self.media: dict[str, Source] = {}  # what to copy, and from where
        self._seen: dict[tuple[str, str], tuple[int, int]] = {}
        self._is_first_load = not Item.objects.filter(collection=collection).exists()
        self._awaits_groups = awaits_groups(collection=collection)

    def load(self, rows: Iterator[ItemRow], file_name: str, tell: Tell) -> CollectionReport:
        """Load all rows; `join_collection` is to follow at the very end. Raises Rejected, QueriesFixed."""
        while chunk := list(islice(rows, CHUNK)):
            self._add(chunk)
            tell(self.report.n_rows)
        if not self.report.n_rows and not self.problems:
            self.problems.add(FormatError(file_name, None, "", f"{file_name} holds no items."))
        if self.problems:
            raise Rejected(self.problems, self.report)
        self._require_open_queries()
        return self.report

    def join_collection(self) -> None:
        """Let the query sets and whom it concerns know of what was loaded; the last of a load, done in a moment.

        What others wait for is locked from here on: the collection's row, which tells whether it has been judged
        since, and the runs that may name the items. Raises QueriesFixed.
        """
        self.collection = Collection.objects.select_for_update(no_key=True).get(pk=self.collection.pk)
        self._require_open_queries()
        self.report.are_sets_fixed = self.collection.scheme_frozen_at is not None
        complete_query_sets(collection=self.collection)
        if self._awaits_groups and (self.report.n_grouped or self.report.n_regrouped):
            self.report.goes_by_column = go_by_column(collection=self.collection)
        if self.report.n_items or self.report.n_regrouped:
            note_changes(collection_id=self.collection.pk, pair_ids=[None])  # of more items, or by other groups now
        if self.report.n_items:
            items_joined.send(sender=Item, collection_id=self.collection.pk)

    def _require_open_queries(self) -> None:
        if self.report.n_queries and self.collection.scheme_frozen_at is not None:
            raise QueriesFixed(
                "The collection has been judged, so its queries are fixed; this file would add "
                f"{self.report.n_queries:,}, the first of them {self._first_query}. Documents may join: leave the new "
                "queries out, or load them as a new collection."
            )

    def _add(self, rows: list[ItemRow]) -> None:
        """Load one chunk."""
        self.report.n_rows += len(rows)
        given = map(self._with_files, map(self._with_pages, rows))
        fresh = [row for row in given if self._is_first(row)]
        stored = {} if self._is_first_load else self._stored(fresh)
        bare = self._bare(fresh, stored)
        new = [row for row in fresh if (row.side, row.id) not in bare and self._is_new(row, stored)]
        filled = [row for row in fresh if (row.side, row.id) in bare]
        for row in (*new, *filled, *self._further.values()):
            self._check_media(row)
        if not self.problems:
            self._write(new)
            keys = [bare[row.side, row.id] for row in filled]
            self._write_parts(np.array(keys, dtype=np.int64), filled)
            self.report.n_filled += len(filled)
            add_sources(self._further, by=self.by)
            self.report.n_further += len(self._further)
            write_sources(self._typed)
            self.report.n_typed += len(self._typed)
            known = [(row, stored[row.side, row.id]) for row in fresh if (row.side, row.id) in stored]
            self.report.n_regrouped += regroup((item.key, item.group, row.group) for row, item in known)
            self.n_played += len(self._further) + len(self._typed)
        self._further, self._typed = {}, {}

    def _with_pages(self, row: ItemRow) -> ItemRow:
        """The row with the pages in it that it names as files: they are read once, here, and kept as text."""
        if not any(part.kind == "html" and part.path for part in row.parts):
            return row
        return row._replace(parts=tuple(self._page(row, part) if part.kind == "html" else part for part in row.parts))

    def _with_files(self, row: ItemRow) -> ItemRow:
        """The row without files that were not given, if it may lack them."""
        if not row.may_lack_files:
            return row
        parts = [part for part in row.parts if not part.path or is_address(part.path) or self._has_media(part.path)]
        self.report.n_lacking += len(parts) < len(row.parts)
        return row._replace(parts=tuple(parts))

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
        if (row.side, row.id) not in self._seen:
            self._seen[row.side, row.id] = row.line, hash((_content(row), row.group))
            return True
        line, content = self._seen[row.side, row.id]  # perhaps of the same line: a whole file may be one
        self.report.repeats.add(row.line, line, f"{row.side} {row.id}")
        if content != hash((_content(row), row.group)):
            other = "other content or another group"
            self._fault(row, f"{row.side} {shown(row.id)} stands with {other} in line {line}; keep one of them.")
        return False

    def _is_new(self, row: ItemRow, stored: Stored) -> bool:
        known = stored.get((row.side, row.id))
        if known is None:
            return True
        self.report.n_known += 1
        content = _content(row)
        has_more = differ_in_sources(content, known.content)
        if has_more or known.content == content or differ_in_sources(known.content, content):
            merged = with_stored(row, known.sources)
            if has_more:
                self._further[known.key] = merged
            elif sources_of(merged) != known.sources:
                self._typed[known.key] = merged
            return False
        named = f"{row.side} {shown(row.id)}"
        if known.content == _content(row._replace(parts=())):
            self.report.n_asked += 1
        elif row.parts or known.content[:2] != _content(row)[:2]:
            self._fault(row, f"{named} was loaded before with other content; give it another id.")
        return False

    def _stored(self, rows: Iterable[ItemRow]) -> Stored:
        items = Item.objects.filter(collection=self.collection, external_id__in={row.id for row in rows})
        return {
            (item.side, item.external_id): StoredItem(
                item.pk,
                (item.split, item.warning, tuple(_content_of(part) for part in item.parts.all())),
                tuple(tuple(part.sources) for part in item.parts.all()),
                item.group,
            )
            for item in items.prefetch_related("parts")
        }

    def _bare(self, rows: Iterable[ItemRow], stored: Stored) -> dict[tuple[str, str], int]:
        """The keys of items that were known by their ids alone, that nobody is asked about, and that rows now show."""
        found = {}
        for row in rows:
            known = stored.get((row.side, row.id))
            if known and row.parts and known.content == _content(row._replace(parts=())):
                found[row.side, row.id] = known.key
        if found:
            keys = list(found.values())
            pairs = Pair.objects.filter(Q(query__in=keys) | Q(document__in=keys)).values_list("query", "document")
            asked = {key for pair in pairs for key in pair}
            found = {name: key for name, key in found.items() if key not in asked}
        return found

    def _check_media(self, row: ItemRow) -> None:
        for part in row.parts:
            for path in part.paths if part.kind != "html" else []:
                if is_address(path):
                    if not media.is_allowed_address(path):
                        self._fault(row, f"{shown(path)} is on a host that MEDIA_HOSTS does not name; add it there.")
                elif not self._has_media(path):
                    self._missing(row, path)

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
                '"group"': escaped(row.group for row in rows),
                "excluded_reason": "",
            },
        )
        self.report.n_items += len(rows)
        self.report.n_grouped += sum(bool(row.group) for row in rows)
        queries = [row for row in rows if row.side == Side.QUERY]
        if queries and not self.report.n_queries:
            self._first_query = f"{shown(queries[0].id)} in line {queries[0].line:,}"
        self.report.n_queries += len(queries)
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
                "type": escaped(part.type for part in parts),
                "also": escaped(json.dumps([source._asdict() for source in part.also]) for part in parts),
            },
        )
        self.report.n_parts += len(parts)
        self.n_played += sum(part.kind in Part.PLAYED for part in parts)

    def _fault(self, row: ItemRow, message: str) -> None:
        self.problems.add(FormatError(row.file, row.line, "", message))


def _content(row: ItemRow) -> tuple[object, ...]:
    """What makes two rows of one id the same."""
    return row.split, row.warning, tuple(part.content for part in row.parts)


def _content_of(part: Part) -> tuple[object, ...]:
    """The same of a part that is stored."""
    sources = tuple(MediaSource(**each) for each in part.also)
    return PartRow(part.kind, part.text, part.path, part.start, part.end, also=sources).content


def _number(seconds: float | None) -> str:
    return NULL if seconds is None else repr(seconds)
