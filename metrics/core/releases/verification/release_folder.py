"""The folder of a release as a verification reads it: a folder, or the zip archive of one."""

import gzip
import io
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from annotate.core.files import text_files
from annotate.core.files.archives.sources import FolderSource, Source, ZipSource
from annotate.core.files.formats import FormatError, quoted
from annotate.core.files.text_files import LIMITS
from metrics.core.releases.tables import type_words

# a release is as large as its collection; an archive that unpacks to 50 times its size is refused
WIDE = LIMITS._replace(unpacked=1 << 42, free=1 << 40)
ARCHIVE = LIMITS._replace(unpacked=1 << 42)
ROWS_AT_ONCE = 50_000


class WordColumn(NamedTuple):
    """A column of words: (n,) the code of each row, and the words by their codes."""

    codes: NDArray[np.int64]
    words: list[str]


@contextmanager
def open_release(path: Path) -> Iterator[Source]:
    """Open the folder or the archive at a path. Raises FormatError and OSError."""
    if path.is_dir():
        yield FolderSource(path)
        return
    with path.open("rb") as stream:
        if stream.read(2) != b"PK":
            raise FormatError(
                str(path), None, "", "It is neither a folder nor a zip archive of one."
            )
        stream.seek(0)
        yield ZipSource(stream, path.name, ARCHIVE)


@contextmanager
def opened(source: Source, path: str) -> Iterator[BinaryIO]:
    """Open a file that can be sought, on the disk. Raises FormatError where there is none."""
    if not source.holds(path):
        raise FormatError(path, None, "", "It is not there.")
    with source.open(path) as stream:
        if isinstance(stream, io.BufferedReader):
            yield stream
            return
        with tempfile.TemporaryFile() as copy:  # a member of an archive
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield cast(BinaryIO, copy)


def lines_of(source: Source, path: str) -> Generator[tuple[int, str], None, None]:
    """Yield number and text of each line of a file, packed or not. Raises FormatError."""
    with opened(source, path) as stream:
        yield from text_files.lines(stream, path, limits=WIDE)


def rows_of(
    source: Source, path: str, header: tuple[str, ...]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield number and cells of each line of a table with tabs and this header.

    Raises FormatError.
    """
    lines = lines_of(source, path)
    _, first = next(lines, (0, ""))
    if tuple(first.split("\t")) != header:
        message = f"the header is {quoted(first)}; a release has {', '.join(header)}."
        raise FormatError(path, 1, "", message)
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(header):
            message = f"expected {len(header)} cells, found {len(cells)}."
            raise FormatError(path, number, "", message)
        yield number, dict(zip(header, cells, strict=True))


def holds_nothing(stream: BinaryIO) -> bool:
    """True if a file, packed or not, has no byte; it is at its start afterwards.

    Raises EOFError, OSError and zlib.error for a damaged one.
    """
    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    content = gzip.GzipFile(fileobj=stream, mode="rb") if is_packed else stream
    is_blank = not content.read(1)
    stream.seek(0)
    return is_blank


def n_lines(stream: BinaryIO) -> int:
    """The number of line ends in a file, packed or not. Raises as `holds_nothing`."""
    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    content = gzip.GzipFile(fileobj=stream, mode="rb") if is_packed else stream
    return sum(block.count(b"\n") for block in iter(lambda: content.read(1 << 20), b""))


@contextmanager
def open_table(source: Source, path: str, schema: pa.Schema) -> Iterator[parquet.ParquetFile]:
    """Open a Parquet table that has the columns of a schema. Raises FormatError and ArrowException.

    Further columns are left alone. Columns of words are read as dictionaries.
    """
    words = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    with opened(source, path) as stream:
        stored_schema = parquet.ParquetFile(stream).schema_arrow
        kinds = {field.name: type_words(field.type) for field in stored_schema}
        for field in schema:
            kind = type_words(field.type)
            if kinds.get(field.name) != kind:
                stored_kind = kinds.get(field.name, "missing")
                message = f"Its column {quoted(field.name)} is {stored_kind}; a release has {kind}."
                raise FormatError(path, None, "", message)
        yield parquet.ParquetFile(stream, read_dictionary=words)


def blocks_of(table: parquet.ParquetFile, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table in their order, some thousand at a time.

    Raises ArrowException for a code without a word, and for words that are no UTF-8.
    """
    for block in table.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
        for name, column in zip(columns, block.columns, strict=True):
            try:
                column.validate(full=True)
            except pa.ArrowInvalid as error:
                message = f"its column {quoted(name)} has codes without a word, or no UTF-8"
                raise pa.ArrowInvalid(message) from error
        yield block


def word_column(block: pa.RecordBatch, name: str, path: str) -> WordColumn:
    """A column of words. Raises FormatError for one with an empty cell."""
    column = block.column(name)
    if column.null_count:
        raise FormatError(path, None, "", f"Its column {quoted(name)} has an empty cell.")
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return WordColumn(
        column.indices.to_numpy(zero_copy_only=False).astype(np.int64),
        column.dictionary.to_pylist(),
    )
