"""Previews of files: how the head of one is understood before anything is loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from annotate.core.files.archives.file_heads import AbsentBytes, HeadSource
from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.records import Record

MAX_ROWS = 500  # read of a head
MAX_SHOWN = 5  # rows, and faults
MAX_EXAMPLE = 60  # characters of a column's first value
LEFT_OUT = "left out"
Row = TypeVar("Row")


@dataclass(frozen=True)
class ColumnChoice:
    """A column of a file, what it is taken for, and its first value.

    field : its field, "" where it is left out or the format itself says what it is
    """

    name: str
    field: str
    meaning: str
    example: str


@dataclass(frozen=True)
class FileReading:
    """A reading of a file for its preview.

    choices : columns and what somebody chose for them, as a form sends them
    is_by_hand : True if the columns are chosen, False if the format of the file is to tell
    kind : of a file of items, what a row holds, if the columns are to be guessed by that
    has_header : if the first line of a table names its columns; None where this is guessed
    missing_side : query or document, of which alone the collection has no items; "" for neither
    """

    choices: Sequence[tuple[str, str]] = ()
    is_by_hand: bool = False
    kind: str = ""
    has_header: bool | None = None
    missing_side: str = ""


@dataclass
class FilePreview:
    """A file as it is understood: its format and its faults.

    fault : why nothing can be read of it, as a sentence; "" if something can
    is_cut : True if the file goes on after what was read, or a fault stopped the reader
    """

    file: str
    format: str = ""
    fault: str = ""
    is_cut: bool = False
    problems: Problems = field(default_factory=lambda: Problems(limit=MAX_SHOWN))

    @property
    def heading(self) -> str:
        """The file and its format, where one is known."""
        return f"{self.file}: {self.format}" if self.format else f"{self.file} is not understood"

    @property
    def faults(self) -> list[str]:
        """The first faults with their places, and how many more there are."""
        return self.problems.lines()

    def head_rows(self, source: HeadSource, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the first rows; a fault where a cut head ends is none of the file.

        Raises AbsentBytes where a piece is to be sent before the first of them.
        """
        n_rows = 0
        try:
            for row in islice(rows, MAX_ROWS):
                n_rows += 1
                yield row
            self.is_cut = source.is_cut or next(rows, None) is not None
        except AbsentBytes:
            if not n_rows:
                raise
            self.is_cut = True
        except FormatError as error:
            self.add_fault(error, source)
            self.is_cut = True

    def add_fault(self, error: FormatError, source: HeadSource) -> None:
        """Add a fault, unless it comes of the end of a cut head."""
        is_at_end = error.line is None or error.line >= source.n_lines
        if not (source.is_cut and (is_at_end or "end of data" in error.message)):
            self.problems.add(error)


def example_of(column: str, records: Sequence[Record]) -> str:
    """Return the first value of a column that is not blank, cut to MAX_EXAMPLE characters."""
    values = (str(record[column]) for record in records if record.get(column) not in (None, ""))
    value = " ".join(next(values, "").split())
    return value if len(value) <= MAX_EXAMPLE else f"{value[: MAX_EXAMPLE - 1]}\u2026"
