"""Previews of files of labels: reference labels and judgments, with the items that they name."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from annotate.core.files.archives.file_heads import HeadSource
from annotate.core.files.file_previews import MAX_SHOWN, FilePreview
from annotate.core.files.formats import Blanks, FormatError
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    JudgmentRow,
    judgment_format,
    read_judgments,
)
from annotate.core.files.references.orientation import oriented
from annotate.core.files.references.reference_formats import ReferenceRow, reference_reader
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
    unknown_queries, unknown_documents : ids that they name and the collection lacks
    """

    labels: Sequence[ReferenceRow | JudgmentRow] = ()
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


def preview_reference(
    source: HeadSource, *, skip_blank: bool, columns: Mapping[str, int]
) -> LabelPreview:
    """Read the head of a file of reference labels, or of each in an archive of them.

    columns : see `read_reference`. Raises AbsentBytes where pieces of it are to be sent.
    """
    preview, blanks = LabelPreview(source.name), Blanks(are_left_out=skip_blank)

    def rows() -> Iterator[ReferenceRow]:
        for name in source.names():
            stream = source.open(name)
            reader = reference_reader(stream, name, columns=columns)
            preview.format = preview.format or reader.name
            yield from reader.read(stream, name, preview.problems, blanks)

    return _read(preview, source, rows())


def preview_judgments(
    source: HeadSource, *, skip_blank: bool, columns: JudgmentColumns
) -> LabelPreview:
    """Read the head of a file of judgments. Raises AbsentBytes where pieces are to be sent."""
    preview = LabelPreview(source.name)
    blanks = Blanks(are_left_out=skip_blank or bool(columns.annotators))

    def rows() -> Iterator[JudgmentRow]:
        for name in source.names():
            stream = source.open(name)
            preview.format = judgment_format(stream, name).name
            yield from read_judgments(stream, name, columns, preview.problems, blanks)

    return _read(preview, source, rows())


def _read(
    preview: LabelPreview, source: HeadSource, rows: Iterator[ReferenceRow] | Iterator[JudgmentRow]
) -> LabelPreview:
    preview.labels = list(preview.head_rows(source, rows))
    if not (preview.labels or preview.problems):
        preview.fault = f"{source.name} holds no labels."
    return preview
