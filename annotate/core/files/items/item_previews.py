"""Previews of files of items: how a head is understood before anything is loaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from annotate.core.files import text_files
from annotate.core.files.archives.file_heads import HeadSource
from annotate.core.files.file_previews import (
    LEFT_OUT,
    MAX_SHOWN,
    ColumnChoice,
    FilePreview,
    FileReading,
    example_of,
)
from annotate.core.files.formats import FormatError
from annotate.core.files.items import item_formats
from annotate.core.files.items.documents_by_id import id_only_sentence
from annotate.core.files.items.item_columns import (
    CAPTION,
    DOCUMENT,
    FIELDS,
    PAIR,
    ItemColumns,
    columns_of,
    guess_columns,
    is_numbered,
    mapping_fault,
    names_columns,
    row_kind,
    side_of_name,
)
from annotate.core.files.items.item_rows import ItemRow, is_address
from annotate.core.files.misplaced_files import LABELS, RUN, FileGuess, guess
from annotate.core.files.records import OWN_SHAPE, Record, first_records
from annotate.core.files.references import captions
from annotate.core.phrases import count_of, counted, enumeration

NATIVE_FIELDS = {
    "side": "the side, query or document",
    "id": "the item's id",
    "text": "the item's text",
    "html": "the item's page",
    "image": "the item's image",
    "video": "the item's video",
    "audio": "the item's audio",
    "parts": "what is shown of the item, part by part",
    "also": "further sources of its clip or recording",
    "start": "where its clip or recording starts",
    "end": "where its clip or recording ends",
    "split": FIELDS["split"],
    "warning": "a warning before it is shown",
    "group": "the group that it belongs to",
}
CAPTION_FIELDS = {
    **dict.fromkeys((*captions.COLUMNS["video"], *captions.COLUMNS["image"]), "the document's id"),
    **dict.fromkeys(captions.TEXTS, "the query's text"),
    **dict.fromkeys(captions.COLUMNS["id"], "the query's id"),
    "split": FIELDS["split"],
}


@dataclass
class ItemPreview(FilePreview):
    """A file of items as it is understood: its format, columns, first items and faults.

    kind : what a row holds, a key of ROW_KINDS, where columns are chosen by hand; else ""
    may_choose : True if columns can be chosen by hand; is_table : if a first line may name them
    n_lacking : items that name files which the upload does not hold; named_media : those files,
        each once
    """

    sentence: str = ""
    columns: Sequence[ColumnChoice] = ()
    kind: str = ""
    may_choose: bool = False
    has_header: bool = True
    is_table: bool = False
    queries: list[ItemRow] = field(default_factory=list)
    documents: list[ItemRow] = field(default_factory=list)
    n_queries: int = 0
    n_documents: int = 0
    n_bare: int = 0
    n_lacking: int = 0
    named_media: list[str] = field(default_factory=list)

    @property
    def n_items(self) -> int:
        """The number of items read."""
        return self.n_queries + self.n_documents

    @property
    def counts(self) -> str:
        """The number of items in the file, or of those read before reading stopped."""
        sides = ((self.n_queries, "queries"), (self.n_documents, "documents"))
        sides_text = enumeration([count_of(n, nouns) for n, nouns in sides if n])
        if self.is_cut:
            return f"Only the first {counted(self.n_items, 'item')} were read: {sides_text}."
        return f"The whole file was read: {sides_text}."

    @property
    def lacking_side(self) -> str:
        """The side of which a file that was read whole holds nothing: queries, documents or ""."""
        if self.is_cut or not self.n_items or (self.n_queries and self.n_documents):
            return ""
        return "documents" if self.n_queries else "queries"

    @property
    def id_only(self) -> str:
        """The sentence on documents that have an id and nothing else."""
        return id_only_sentence(self.n_bare) if self.n_bare else ""

    @property
    def lacking_files(self) -> str:
        """The items whose files are to come from elsewhere."""
        if not self.n_lacking:
            return ""
        verb = "names a file" if self.n_lacking == 1 else "name files"
        return (
            f"{counted(self.n_lacking, 'item')} {verb} that {self.file} does not hold: give the "
            "zip that does under Media, unless the media are on the server."
        )


def preview_items(source: HeadSource, request: FileReading) -> ItemPreview:
    """Read the head of a file of items. Raises AbsentBytes where pieces of it are to be sent.

    A file in no format known here is read by columns, guessed unless they are chosen.
    """
    preview, has_header = ItemPreview(source.name), request.has_header
    if not request.is_by_hand:
        try:
            _read_by_format(source, preview)
        except FormatError as error:
            preview.fault = str(error)
    table = _table(source)
    if has_header is None:
        has_header = not table.first_cells or names_columns(table.first_cells)
    records = _records(source, has_header)
    preview.may_choose = bool(records)
    is_misplaced = table.guess is not None and table.guess.kind in (LABELS, RUN)
    if preview.may_choose and (request.is_by_hand or not (preview.n_items or is_misplaced)):
        by_hand = ItemPreview(source.name, OWN_SHAPE, may_choose=True, has_header=has_header)
        by_hand.is_table = bool(table.first_cells)
        _read_by_columns(source, by_hand, records, request)
        return by_hand
    if not preview.n_items:
        preview.format = preview.sentence = ""
        no_items = f"{source.name} holds no items."
        preview.fault = preview.fault or ("" if preview.problems else no_items)
    return preview


class _Table(NamedTuple):
    """The file whose columns can be chosen: cells of its first line, none of JSON; its guess."""

    first_cells: Sequence[str]
    guess: FileGuess | None


def _table(source: HeadSource) -> _Table:
    try:
        name = item_formats.mapped_file(source)
        with source.open(name) as stream:
            first_line = text_files.first_line(stream, name)
            is_json = first_line.lstrip().startswith(("{", "["))
            first_cells = [] if is_json else text_files.header_of(stream, name)
            return _Table(first_cells, guess(first_line))
    except FormatError:
        return _Table([], None)


def _read_by_format(source: HeadSource, preview: ItemPreview) -> None:
    file_format = item_formats.format_of(source)
    preview.format, preview.sentence = file_format.name, file_format.sentence
    for row in preview.head_rows(source, file_format.read(source, preview.problems)):
        _add_item(preview, source, row)
    meanings = CAPTION_FIELDS if file_format.name == "caption list" else NATIVE_FIELDS
    if file_format.has_columns:
        preview.columns = _native_columns(_records(source, has_header=True), meanings)


def _native_columns(records: Sequence[Record], meanings: Mapping[str, str]) -> list[ColumnChoice]:
    columns = dict.fromkeys(column for record in records for column in record)
    return [
        ColumnChoice(column, "", meanings.get(column, LEFT_OUT), example_of(column, records))
        for column in columns
    ]


def _read_by_columns(
    source: HeadSource, preview: ItemPreview, records: Sequence[Record], request: FileReading
) -> None:
    names = list(dict.fromkeys(column for record in records for column in record))
    fields = dict(request.choices)
    if not fields.keys() & {*names} or request.kind:
        file_side = side_of_name(item_formats.mapped_file(source))
        likely_side = file_side or request.missing_side or DOCUMENT
        guesses = guess_columns(records, request.kind, likely_side=likely_side)
        fields = {column: field_name for field_name, column in guesses.items()}
    choices = [(name, fields.get(name, "")) for name in names]
    columns, preview.fault = columns_of(choices)
    preview.columns = [
        ColumnChoice(name, field_name, FIELDS.get(field_name, LEFT_OUT), example_of(name, records))
        for name, field_name in choices
    ]
    preview.kind = request.kind or row_kind(columns)
    preview.sentence = _by_hand_sentence(columns, row_kind(columns))
    preview.fault = preview.fault or mapping_fault(columns)
    if not preview.fault:
        try:
            rows = item_formats.read_items(source, preview.problems, columns)
            for row in preview.head_rows(source, rows):
                _add_item(preview, source, row)
        except FormatError as error:
            preview.fault = str(error)


def _by_hand_sentence(columns: ItemColumns, kind: str) -> str:
    if kind == CAPTION:
        is_named = "query_id" in columns
        name = "" if is_named else ", called after what it describes (video7#0, video7#1)"
        return (
            f"Each caption becomes a query{name}, "
            'and with it a label of the reference set "original".'
        )
    numbers = [
        f"{side} by {side[0]}1, {side[0]}2"
        for side in ("query", "document")
        if is_numbered(columns, side)
    ]
    sentence = (
        f"Without a column of ids texts are numbered, {enumeration(numbers)}. " if numbers else ""
    )
    if "grade" in columns:
        return f'{sentence}The grades become the reference set "original".'
    return f"{sentence}No labels are made of these pairs." if kind == PAIR else ""


def _records(source: HeadSource, has_header: bool) -> list[Record]:
    """The first records of the file whose columns can be chosen; [] where there is none."""
    try:
        name = item_formats.mapped_file(source)
        with source.open(name) as stream:
            records = first_records(stream, name, has_header=has_header)
    except FormatError:
        return []
    return records if any(len(record) > 1 for record in records) else []


def _add_item(preview: ItemPreview, source: HeadSource, row: ItemRow) -> None:
    files = [part.path for part in row.parts if part.path and not is_address(part.path)]
    lacking_files = [path for path in files if not source.holds(path)]
    preview.n_lacking += bool(lacking_files)
    preview.named_media += (path for path in lacking_files if path not in preview.named_media)
    side_rows = preview.queries if row.side == "query" else preview.documents
    if len(side_rows) < MAX_SHOWN:
        side_rows.append(row)
    preview.n_queries += row.side == "query"
    preview.n_documents += row.side == "document"
    preview.n_bare += row.side == "document" and not row.parts
