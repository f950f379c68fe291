"""Items of a file compared with the stored ones, chunk by chunk, and written with their parts."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, Problems, quoted
from annotate.core.files.items.item_rows import ItemRow, PartRow, is_address, read_page
from annotate.core.labels.cards import MediaSource
from annotate.models import Collection, Item, Pair, Part, Side, User
from annotate.services.background.progress import ProgressCallback
from annotate.services.collection import media
from annotate.services.collection.item_groups import awaits_groups, go_by_column, update_groups
from annotate.services.collection.query_sets import complete_query_sets
from annotate.services.collection.references import FileRejected
from annotate.services.imports.further_sources import (
    Sources,
    add_sources,
    differ_in_sources,
    sources_of,
    with_stored,
    write_sources,
)
from annotate.services.imports.item_reports import CollectionReport
from annotate.services.seating import note_changes
from annotate.services.storage.bulk_copy import NULL, copy_rows, escape_texts, reserve_keys
from annotate.signals import items_joined

CHUNK = 5_000


class QueriesFixed(Exception):
    """The collection has been judged, so no queries may join it; nothing was loaded."""


class StoredItem(NamedTuple):
    """A stored item: its key, the content compared with later rows, its sources and group."""

    key: int
    content: tuple[object, ...]
    sources: Sources
    group: str


StoredItems = dict[tuple[str, str], StoredItem]


class ItemLoader:
    """Compares rows with stored items, chunk by chunk, and writes while there is no fault."""

    def __init__(
        self,
        collection: Collection,
        media_sources: list[Source],
        problems: Problems,
        by: User | None,
    ) -> None:
        self.collection = collection
        self.by = by
        self.media_sources = media_sources
        self.stored_media = media.StoredMedia(collection)
        self.problems = problems
        self.report = CollectionReport()
        self.n_played = 0
        # of a chunk: stored items with more sources now, by key
        self._further_sources: dict[int, ItemRow] = {}
        self._new_types: dict[int, ItemRow] = {}  # and with another type of an address now
        self._first_query = ""
        self.media: dict[str, Source] = {}  # source of each file to copy, by path
        self._first_lines: dict[tuple[str, str], tuple[int, int]] = {}
        self._is_first_load = not Item.objects.filter(collection=collection).exists()
        self._awaits_groups = awaits_groups(collection=collection)

    def load(
        self, rows: Iterator[ItemRow], file_name: str, on_progress: ProgressCallback
    ) -> CollectionReport:
        """Load all rows; `finish` must follow at the end. Raises FileRejected, QueriesFixed."""
        while chunk := list(islice(rows, CHUNK)):
            self._add(chunk)
            on_progress(self.report.n_rows)
        if not self.report.n_rows and not self.problems:
            self.problems.add(FormatError(file_name, None, "", f"{file_name} holds no items."))
        if self.problems:
            raise FileRejected(self.problems, self.report)
        self._require_open_queries()
        return self.report

    def finish(self) -> None:
        """Complete the query sets and notify pooling and metrics, as the last step of a load.

        From here on rows are locked that other requests wait for: the collection's, which tells
        whether it was judged since, and the runs that may name the items. Raises QueriesFixed.
        """
        self.collection = Collection.objects.select_for_update(no_key=True).get(
            pk=self.collection.pk
        )
        self._require_open_queries()
        self.report.are_sets_fixed = self.collection.scheme_frozen_at is not None
        complete_query_sets(collection=self.collection)
        if self._awaits_groups and (self.report.n_grouped or self.report.n_regrouped):
            self.report.goes_by_column = go_by_column(collection=self.collection)
        if self.report.n_items or self.report.n_regrouped:
            # more items, or other groups
            note_changes(collection_id=self.collection.pk, pair_ids=[None])
        if self.report.n_items:
            items_joined.send(sender=Item, collection_id=self.collection.pk)

    def _require_open_queries(self) -> None:
        if self.report.n_queries and self.collection.scheme_frozen_at is not None:
            raise QueriesFixed(
                "The collection has been judged, so its queries are fixed; this file would add "
                f"{self.report.n_queries:,}, the first of them {self._first_query}. "
                "Documents may join: leave the new queries out, or load them as a new collection."
            )

    def _add(self, rows: list[ItemRow]) -> None:
        """Load one chunk."""
        self.report.n_rows += len(rows)
        complete_rows = map(self._drop_missing_files, map(self._embed_pages, rows))
        first_rows = [row for row in complete_rows if self._is_first(row)]
        stored_items = {} if self._is_first_load else self._stored_items(first_rows)
        bare_items = self._bare_items(first_rows, stored_items)
        new_rows = [
            row
            for row in first_rows
            if (row.side, row.id) not in bare_items and self._is_new(row, stored_items)
        ]
        filled_rows = [row for row in first_rows if (row.side, row.id) in bare_items]
        for row in (*new_rows, *filled_rows, *self._further_sources.values()):
            self._check_media(row)
        if not self.problems:
            self._write(new_rows)
            keys = [bare_items[row.side, row.id] for row in filled_rows]
            self._write_parts(np.array(keys, dtype=np.int64), filled_rows)
            self.report.n_filled += len(filled_rows)
            add_sources(self._further_sources, by=self.by)
            self.report.n_with_new_sources += len(self._further_sources)
            write_sources(self._new_types)
            self.report.n_typed += len(self._new_types)
            stored_rows = [
                (row, stored_items[row.side, row.id])
                for row in first_rows
                if (row.side, row.id) in stored_items
            ]
            self.report.n_regrouped += update_groups(
                (item.key, item.group, row.group) for row, item in stored_rows
            )
            self.n_played += len(self._further_sources) + len(self._new_types)
        self._further_sources, self._new_types = {}, {}

    def _embed_pages(self, row: ItemRow) -> ItemRow:
        """The row with the text of its page files: they are read once, here, and kept as text."""
        if not any(part.kind == "html" and part.path for part in row.parts):
            return row
        return row._replace(
            parts=tuple(
                self._page(row, part) if part.kind == "html" else part for part in row.parts
            )
        )

    def _drop_missing_files(self, row: ItemRow) -> ItemRow:
        """The row without the files that are in no source, if it may lack them."""
        if not row.may_lack_files:
            return row
        parts = [
            part
            for part in row.parts
            if not part.path or is_address(part.path) or self._has_media(part.path)
        ]
        self.report.n_without_file += len(parts) < len(row.parts)
        return row._replace(parts=tuple(parts))

    def _page(self, row: ItemRow, part: PartRow) -> PartRow:
        source_of_page = next(
            (source for source in self.media_sources if part.path and source.holds(part.path)), None
        )
        if not part.path:
            return part
        if source_of_page is None:
            self._add_missing_file(row, part.path)
            return part
        with source_of_page.open(part.path) as stream:
            page = read_page(part, stream)
        if isinstance(page, str):
            self._fault(row, f"the page {quoted(part.path)} {page}.")
            return part
        return page

    def _add_missing_file(self, row: ItemRow, path: str) -> None:
        source_names = " or ".join(source.name for source in self.media_sources)
        self._fault(
            row, f"there is no file {quoted(path)} in {source_names}; give the zip that holds it."
        )

    def _is_first(self, row: ItemRow) -> bool:
        """True if this is the file's first row of an item; a second, different row is a fault."""
        if (row.side, row.id) not in self._first_lines:
            self._first_lines[row.side, row.id] = row.line, hash((_content(row), row.group))
            return True
        # perhaps the same line: a whole file may be one line
        line, content = self._first_lines[row.side, row.id]
        self.report.repeats.add(row.line, line, f"{row.side} {row.id}")
        if content != hash((_content(row), row.group)):
            difference = "other content or another group"
            self._fault(
                row,
                f"{row.side} {quoted(row.id)} stands with {difference} in line {line}; "
                "keep one of them.",
            )
        return False

    def _is_new(self, row: ItemRow, stored_items: StoredItems) -> bool:
        stored_item = stored_items.get((row.side, row.id))
        if stored_item is None:
            return True
        self.report.n_known += 1
        content = _content(row)
        has_more = differ_in_sources(content, stored_item.content)
        if (
            has_more
            or stored_item.content == content
            or differ_in_sources(stored_item.content, content)
        ):
            merged_row = with_stored(row, stored_item.sources)
            if has_more:
                self._further_sources[stored_item.key] = merged_row
            elif sources_of(merged_row) != stored_item.sources:
                self._new_types[stored_item.key] = merged_row
            return False
        item_name = f"{row.side} {quoted(row.id)}"
        if stored_item.content == _content(row._replace(parts=())):
            self.report.n_still_id_only += 1
        elif row.parts or stored_item.content[:2] != _content(row)[:2]:
            self._fault(
                row, f"{item_name} was loaded before with other content; give it another id."
            )
        return False

    def _stored_items(self, rows: Iterable[ItemRow]) -> StoredItems:
        items = Item.objects.filter(
            collection=self.collection, external_id__in={row.id for row in rows}
        )
        return {
            (item.side, item.external_id): StoredItem(
                item.pk,
                (
                    item.split,
                    item.warning,
                    tuple(_stored_content(part) for part in item.parts.all()),
                ),
                tuple(tuple(part.sources) for part in item.parts.all()),
                item.group,
            )
            for item in items.prefetch_related("parts")
        }

    def _bare_items(
        self, rows: Iterable[ItemRow], stored_items: StoredItems
    ) -> dict[tuple[str, str], int]:
        """Keys of items known by id alone that are in no pair and that rows now give content."""
        bare_items = {}
        for row in rows:
            stored_item = stored_items.get((row.side, row.id))
            if (
                stored_item
                and row.parts
                and stored_item.content == _content(row._replace(parts=()))
            ):
                bare_items[row.side, row.id] = stored_item.key
        if bare_items:
            keys = list(bare_items.values())
            pairs = Pair.objects.filter(Q(query__in=keys) | Q(document__in=keys)).values_list(
                "query", "document"
            )
            pooled_keys = {key for pair in pairs for key in pair}
            bare_items = {name: key for name, key in bare_items.items() if key not in pooled_keys}
        return bare_items

    def _check_media(self, row: ItemRow) -> None:
        for part in row.parts:
            for path in part.paths if part.kind != "html" else []:
                if is_address(path):
                    if not media.is_allowed_address(path):
                        fault = "is on a host that MEDIA_HOSTS does not name; add it there."
                        self._fault(row, f"{quoted(path)} {fault}")
                elif not self._has_media(path):
                    self._add_missing_file(row, path)

    def _has_media(self, path: str) -> bool:
        """True if the medium is in a source or stored; notes the source to copy it from."""
        if path in self.media:
            return True
        media_source = next((source for source in self.media_sources if source.holds(path)), None)
        if media_source:
            self.media[path] = media_source
            return True
        return media.find_file(
            collection=self.collection, path=path
        ) is not None or self.stored_media.holds(path)

    def _write(self, rows: list[ItemRow]) -> None:
        """Write new items by COPY, with reserved keys: one object a row would be slow."""
        if not rows:
            return
        keys = reserve_keys("annotate_item", len(rows))
        copy_rows(
            "annotate_item",
            {
                "id": keys,
                "collection_id": str(self.collection.pk),
                "side": [row.side for row in rows],
                "external_id": escape_texts(row.id for row in rows),
                "split": escape_texts(row.split for row in rows),
                "warning": escape_texts(row.warning for row in rows),
                '"group"': escape_texts(row.group for row in rows),
                "excluded_reason": "",
            },
        )
        self.report.n_items += len(rows)
        self.report.n_grouped += sum(bool(row.group) for row in rows)
        self.report.n_id_only += sum(row.side == Side.DOCUMENT and not row.parts for row in rows)
        queries = [row for row in rows if row.side == Side.QUERY]
        if queries and not self.report.n_queries:
            self._first_query = f"{quoted(queries[0].id)} in line {queries[0].line:,}"
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
                "text": escape_texts(part.text for part in parts),
                "path": escape_texts(part.path for part in parts),
                "start": [_number(part.start) for part in parts],
                '"end"': [_number(part.end) for part in parts],
                "type": escape_texts(part.type for part in parts),
                "also": escape_texts(
                    json.dumps([source._asdict() for source in part.also]) for part in parts
                ),
            },
        )
        self.report.n_parts += len(parts)
        self.n_played += sum(part.kind in Part.PLAYED for part in parts)

    def _fault(self, row: ItemRow, message: str) -> None:
        self.problems.add(FormatError(row.file, row.line, "", message))


def _content(row: ItemRow) -> tuple[object, ...]:
    """Content by which two rows of one id are compared."""
    return row.split, row.warning, tuple(part.content for part in row.parts)


def _stored_content(part: Part) -> tuple[object, ...]:
    """Content of a stored part, comparable with a row's."""
    sources = tuple(MediaSource(**source) for source in part.also)
    return PartRow(part.kind, part.text, part.path, part.start, part.end, also=sources).content


def _number(seconds: float | None) -> str:
    return NULL if seconds is None else repr(seconds)
