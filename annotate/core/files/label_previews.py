"""Previews of files of labels: reference labels and judgments, with the items that they name."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, NamedTuple

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
from annotate.core.files.formats import Blanks, FormatError
from annotate.core.files.items.item_columns import names_columns
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    JudgmentRow,
    judgment_format,
    read_judgments,
)
from annotate.core.files.label_columns import JUDGMENT_FIELDS, REFERENCE_FIELDS, LabelFields
from annotate.core.files.misplaced_files import ITEMS, RUN, guess
from annotate.core.files.records import OWN_SHAPE, Record, first_records, is_json
from annotate.core.files.references.orientation import oriented
from annotate.core.files.references.reference_formats import (
    ReferenceColumns,
    ReferenceRow,
    reference_reader,
)
from annotate.core.phrases import count_of, counted

CELLS = {  # of a label, and their titles
    "annotator": "Annotator",
    "query": "Query",
    "document": "Document",
    "grade": "Grade",
    "stratum": "Stratum",
    "at": "Time",
}


@dataclass
class LabelPreview(FilePreview):
    """A file of labels as it is understood: its first labels, and items that are not there.

    labels : those of the head
    choices : the columns, where they are chosen by hand; may_choose : True where they can be
    is_table : True if a first line may name them, has_header : if it does
    unknown_queries, unknown_documents : ids that they name and the collection lacks
    """

    caption: ClassVar = "The first labels"
    labels: Sequence[ReferenceRow | JudgmentRow] = ()
    choices: Sequence[ColumnChoice] = ()
    may_choose: bool = False
    has_header: bool = True
    is_table: bool = False
    unknown_queries: list[str] = field(default_factory=list)
    unknown_documents: list[str] = field(default_factory=list)

    @property
    def counts(self) -> str:
        """The number of labels in the file, or of those read before reading stopped."""
        labels = counted(len(self.labels), "label")
        if self.is_cut:
            return f"Only the first {labels} were read."
        faults = f", {counted(self.problems.n, 'line')} at fault" if self.problems else ""
        return f"The whole file was read: {labels}{faults}."

    @property
    def unknown_items(self) -> str:
        """The items that the collection lacks, with the first of each side."""
        sides = ((self.unknown_queries, "queries"), (self.unknown_documents, "documents"))
        texts = [f"{count_of(len(ids), nouns)}, first {ids[0]}" for ids, nouns in sides if ids]
        return f"Not in this collection: {'; '.join(texts)}." if texts else ""

    @property
    def columns(self) -> list[str]:
        """The titles of what a label consists of in this file."""
        return [CELLS[cell] for cell in self.cells]

    @property
    def rows(self) -> list[list[str]]:
        """The first labels, cell by cell."""
        return [
            [_cell_text(getattr(label, cell)) for cell in self.cells]
            for label in self.labels[:MAX_SHOWN]
        ]

    @property
    def cells(self) -> list[str]:
        """The keys of CELLS that a label of this file has."""
        return [
            cell
            for cell in CELLS
            if any(getattr(label, cell, None) is not None for label in self.labels)
        ]

    @property
    def ids(self) -> set[str]:
        """The ids that the labels name, of either side."""
        return {item_id for label in self.labels for item_id in (label.query, label.document)}

    def match(self, queries: Container[str], documents: Container[str]) -> None:
        """Tell the sides of lists by the ids that the collection has, and which ids it lacks."""
        try:
            reference_labels = (label for label in self.labels if isinstance(label, ReferenceRow))
            self.labels = list(oriented(reference_labels, queries, documents)) or self.labels
        except FormatError as error:
            self.problems.add(error)
        named_queries = dict.fromkeys(label.query for label in self.labels)
        named_documents = dict.fromkeys(label.document for label in self.labels)
        self.unknown_queries = [name for name in named_queries if name not in queries]
        self.unknown_documents = [name for name in named_documents if name not in documents]


def _cell_text(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%-d %b %Y %H:%M} UTC"
    return "" if value is None else str(value)


class _LabelSample(NamedTuple):
    """The first records of a file whose columns can be chosen; none where they cannot."""

    records: Sequence[Record] = ()
    is_table: bool = False
    has_header: bool = True
    is_misplaced: bool = False


def preview_reference(
    source: HeadSource,
    reading: FileReading,
    *,
    skip_blank: bool,
    columns: ReferenceColumns | None = None,
) -> LabelPreview:
    """Read the head of a file of reference labels, or of each in an archive of them.

    A file in no format known here is read by columns, guessed unless they are chosen.
    columns : see `read_reference`. Raises AbsentBytes where pieces of it are to be sent.
    """
    preview = LabelPreview(source.name)
    if not reading.is_by_hand:
        _read(preview, source, _reference_rows(source, preview, columns, skip_blank=skip_blank))
    sample = _sample(source, reading)
    is_unknown = not (preview.format or sample.is_misplaced)
    if sample.records and (reading.is_by_hand or is_unknown):
        by_hand = LabelPreview(source.name, OWN_SHAPE)
        chosen_columns = _choose(by_hand, sample, reading, REFERENCE_FIELDS)
        names = {field: columns[0] for field, columns in chosen_columns.items()}
        if not by_hand.fault:
            _read(by_hand, source, _reference_rows(source, by_hand, names, skip_blank=skip_blank))
        return by_hand
    preview.may_choose = bool(sample.records) and not columns
    return preview


def _reference_rows(
    source: HeadSource, preview: LabelPreview, columns: ReferenceColumns | None, *, skip_blank: bool
) -> Iterator[ReferenceRow]:
    blanks = Blanks(are_left_out=skip_blank)
    for name in source.names():
        stream = source.open(name)
        reader = reference_reader(stream, name, columns=columns)
        preview.format = preview.format or reader.name
        yield from reader.read(stream, name, preview.problems, blanks)


def preview_judgments(
    source: HeadSource, reading: FileReading, *, skip_blank: bool, grades: Mapping[str, int]
) -> LabelPreview:
    """Read the head of a file of judgments by columns, guessed unless they are chosen.

    grades : see JudgmentColumns. Raises AbsentBytes where pieces are to be sent.
    """
    preview = LabelPreview(source.name)
    columns = JudgmentColumns.of(
        _choose(preview, _sample(source, reading), reading, JUDGMENT_FIELDS), grades
    )
    blanks = Blanks(are_left_out=skip_blank or bool(columns.annotators))

    def rows() -> Iterator[JudgmentRow]:
        for name in source.names():
            stream = source.open(name)
            preview.format = judgment_format(stream, name).name
            yield from read_judgments(stream, name, columns, preview.problems, blanks)

    if preview.fault:
        preview.format = judgment_format(source.open(source.names()[0]), source.name).name
        return preview
    return _read(preview, source, rows())


def _choose(
    preview: LabelPreview, sample: _LabelSample, reading: FileReading, fields: LabelFields
) -> dict[str, list[str]]:
    """Give the preview the columns as chosen, or as guessed; return them by their fields."""
    names = {name for record in sample.records for name in record}
    choices = [choice for choice in reading.choices if choice[0] in names]
    choices = choices or fields.guess(sample.records)
    preview.choices = [
        ColumnChoice(
            name,
            field_name,
            fields.meanings.get(field_name, LEFT_OUT),
            example_of(name, sample.records),
        )
        for name, field_name in choices
    ]
    preview.has_header, preview.is_table = sample.has_header, sample.is_table
    columns = fields.columns_of(choices)
    preview.fault = fields.fault(columns) if choices else ""
    return columns


def _sample(source: HeadSource, reading: FileReading) -> _LabelSample:
    """The first records of the first file, as the reading takes its first line."""
    try:
        name = next(iter(source.names()), source.name)
        stream = source.open(name)
        is_table, has_header = not is_json(stream), reading.has_header
        first_cells = text_files.header_of(stream, name) if is_table else []
        if has_header is None:
            has_header = not first_cells or names_columns(first_cells)
        records = first_records(stream, name, has_header=has_header)
        file_guess = guess(text_files.first_line(stream, name))
    except FormatError:
        return _LabelSample()
    are_flat = all(not isinstance(value, dict | list) for row in records for value in row.values())
    if not are_flat or not any(len(record) > 1 for record in records):
        return _LabelSample()
    is_misplaced = file_guess is not None and file_guess.kind in (ITEMS, RUN)
    return _LabelSample(records, is_table, has_header, is_misplaced)


def _read(
    preview: LabelPreview, source: HeadSource, rows: Iterator[ReferenceRow] | Iterator[JudgmentRow]
) -> LabelPreview:
    preview.labels = list(preview.head_rows(source, rows))
    if not (preview.labels or preview.problems):
        preview.fault = f"{source.name} holds no labels."
    return preview
