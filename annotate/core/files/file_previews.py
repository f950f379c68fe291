"""Previews of files: how the head of one is understood before anything is loaded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from annotate.core.files.archives.file_heads import AbsentBytes, HeadSource
from annotate.core.files.formats import FormatError, Problems

MAX_ROWS = 500  # read of a head
MAX_SHOWN = 5  # rows, and faults
Row = TypeVar("Row")


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
