"""Read lines, JSON objects and table rows from bytes: gzip or plain, UTF-8, within limits."""

import csv
import gzip
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, cast

from annotate.core.files.formats import FormatError, Problems, quoted

_MEGABYTE = 1024 * 1024
# Errors that zipfile raises on an archive with changed bytes.
DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile)
_CHECK_EVERY = 8 * _MEGABYTE
_HEAD = 4096
_MAX_BLANK_LINES = 1000
_SEPARATOR = re.compile("[ \t]+")


class Limits(NamedTuple):
    """The limits of a file, in bytes but for ratio and members.

    line : size of one line
    unpacked : size of the whole file, unpacked
    free : a packed file may unpack to this size whatever its ratio
    ratio : a larger one unpacks to at most this many times its packed size
    members : number of files in an archive; directory : size of its directory
    """

    line: int = 2 * _MEGABYTE
    unpacked: int = 4096 * _MEGABYTE
    free: int = 64 * _MEGABYTE
    ratio: int = 50
    members: int = 50_000
    directory: int = 10 * _MEGABYTE


LIMITS = Limits()


def lines(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line, without its ending; a byte order mark is dropped.

    stream : seekable, read from its start; gzip is recognised by two bytes, not by the name
    Raises FormatError with the line where the file is no UTF-8, is damaged, cut short, or too
    large.
    """
    stream.seek(0)
    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    source = cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")) if is_packed else stream
    number, size, next_check = 0, 0, _CHECK_EVERY
    try:
        while raw := source.readline(limits.line + 1):
            number += 1
            size += len(raw)
            if len(raw) > limits.line:
                raise FormatError(
                    name, number, "", f"the line is longer than {limits.line:,} bytes."
                )
            if size >= next_check or size > limits.unpacked:
                next_check = size + _CHECK_EVERY
                _check_size(name, size, stream.tell() if is_packed else size, limits)
            yield number, _decode(raw, name, number)
    except _DAMAGED as error:
        message = "the packed file is damaged or cut short here; pack or upload it again."
        raise FormatError(name, number + 1, "", message) from error


class Unpacked:
    """The bytes of a file, gzip or plain, within limits, for readers that take large blocks.

    stream : seekable, read from its start
    The constructor and `read` raise FormatError where the file is UTF-16, damaged, cut short,
    packed twice, too large, or has a line that is too long.
    """

    def __init__(self, stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> None:
        stream.seek(0)
        self._packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        self._stream, self._name, self._limits = stream, name, limits
        self._source = (
            cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")) if self._packed else stream
        )
        self._size = self._line = self._n_blank = 0
        self._last_read = b""
        self._unread = self._fetch(_HEAD)
        if self._unread[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FormatError(name, 1, "", "the file is UTF-16; save it as UTF-8.")
        if self._unread[:2] == b"\x1f\x8b":
            raise FormatError(name, None, "", "The file is packed twice; unpack it once.")

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes, at least one before the end."""
        self._last_read, self._unread = self._unread[:size], self._unread[size:]
        self._last_read = self._last_read or self._fetch(size)
        return self._last_read

    def seek(self, offset: int, whence: int = 1) -> None:
        """Step back over bytes of the last read, to read them again."""
        if whence != 1 or not -len(self._last_read) <= offset <= 0:
            raise OSError("an unpacked stream steps back over its last read alone")
        self._unread = self._last_read[len(self._last_read) + offset :] + self._unread

    def _fetch(self, size: int) -> bytes:
        try:
            part = self._source.read(size)
        except _DAMAGED as error:
            message = "The packed file is damaged or cut short; pack or upload it again."
            raise FormatError(self._name, None, "", message) from error
        self._size += len(part)
        _check_size(
            self._name,
            self._size,
            self._stream.tell() if self._packed else self._size,
            self._limits,
        )
        line_end = part.rfind(b"\n")
        self._line = len(part) - line_end - 1 if line_end >= 0 else self._line + len(part)
        if self._line > self._limits.line:
            raise FormatError(
                self._name, None, "", f"A line is longer than {self._limits.line:,} bytes."
            )
        self._n_blank = 0 if part.strip() else self._n_blank + len(part)
        if self._n_blank > self._limits.line:
            raise FormatError(
                self._name, None, "", f"More than {self._limits.line:,} bytes in a row are blank."
            )
        return part


def _check_size(name: str, unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked:
        raise FormatError(
            name,
            None,
            "",
            f"The file is larger than {limits.unpacked // _MEGABYTE:,} MB; split it.",
        )
    if unpacked > max(limits.free, limits.ratio * packed):
        message = (
            f"The file unpacks to more than {limits.ratio} times its size; unpack it and load it "
            "plain."
        )
        raise FormatError(name, None, "", message)


def _decode(raw: bytes, name: str, number: int) -> str:
    if number == 1 and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError(name, 1, "", "the file is UTF-16; save it as UTF-8.")
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of the line is no UTF-8; save the file as UTF-8."
        raise FormatError(name, number, "", message) from error
    return text.rstrip("\r\n")


def first_line(stream: BinaryIO, name: str) -> str:
    """The first line that is not blank, to recognise formats by; "" if none is near the start.

    Raises FormatError.
    """
    return next(
        (text for _, text in islice(lines(stream, name), _MAX_BLANK_LINES) if text.strip()), ""
    )


def begins_with(stream: BinaryIO, start: bytes) -> bool:
    """True if a file, gzip or plain, begins with `start` after blanks and a byte order mark."""
    try:
        head = Unpacked(stream, "", limits=LIMITS._replace(line=LIMITS.unpacked)).read(_HEAD)
    except FormatError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(start)


def json_objects(
    stream: BinaryIO, name: str, problems: Problems, *, limits: Limits = LIMITS
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line that is not blank; other lines become problems."""
    for number, text in lines(stream, name, limits=limits):
        if not text.strip():
            continue
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except RecursionError:
            problems.add_or_stop(FormatError(name, number, "", "the JSON is nested too deeply."))
            continue
        except ValueError as error:
            problems.add_or_stop(FormatError(name, number, "", f"this is no JSON: {error}."))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.add_or_stop(
                FormatError(name, number, "", "expected a JSON object, {...}, on this line.")
            )


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def table_rows(
    stream: BinaryIO, name: str, problems: Problems, *, has_header: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells by column name.

    The table is tab-separated if its first line has a tab, else CSV.
    has_header : False for a table whose first line is a row; its columns are then called 1, 2, ...
    Rows of another length become problems. Raises FormatError for a repeated column in the header.
    """
    records = _records(stream, name)
    header_line, first_cells = next(records, (1, []))
    header = [column.strip() for column in first_cells] if has_header else _numbers(first_cells)
    repeated_columns = sorted({column for column in header if header.count(column) > 1})
    if repeated_columns:
        raise FormatError(
            name,
            header_line,
            repeated_columns[0],
            f"column {quoted(repeated_columns[0])} stands twice in the header.",
        )
    if not has_header and first_cells:
        yield header_line, dict(zip(header, first_cells, strict=True))
    for number, cells in records:
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            message = f"expected {len(header)} fields, found {len(cells)}."
            problems.add_or_stop(FormatError(name, number, "", message))


def fields_of(text: str) -> list[str]:
    """The fields of a line, separated by blanks or tabs.

    Other white space does not separate: a field with it inside is no id, and is refused later.
    """
    if text.isascii() and text.isprintable():
        return text.split()
    return [field for field in _SEPARATOR.split(text) if field]


def header_of(stream: BinaryIO, name: str, *, has_header: bool = True) -> list[str]:
    """The column names of a table; see `table_rows`. Raises FormatError."""
    _, header = next(_records(stream, name), (1, []))
    return [column.strip() for column in header] if has_header else _numbers(header)


def numbered_header(stream: BinaryIO, name: str, columns: Mapping[str, int]) -> dict[str, str]:
    """The names of numbered columns, as `table_rows` without a header has them.

    Raises FormatError for an empty file, and for a number beyond the first line's columns.
    """
    header = header_of(stream, name, has_header=False)
    if not header:
        raise FormatError(name, None, "", f"{name} is empty.")
    for field, number in columns.items():
        if not 0 < number <= len(header):
            advice = "" if len(header) > 1 else "; cells are parted by commas or tabs"
            raise FormatError(
                name, 1, field, f"there is no column {number}: this line has {len(header)}{advice}."
            )
    return {field: str(number) for field, number in columns.items()}


def _numbers(cells: list[str]) -> list[str]:
    return [str(number) for number in range(1, len(cells) + 1)]


def _records(stream: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each record that is not blank."""
    if "\t" in first_line(stream, name):
        yield from (
            (number, text.split("\t")) for number, text in lines(stream, name) if text.strip()
        )
        return
    reader = csv.reader((text + "\n" for _, text in lines(stream, name)), strict=True)
    start = 1
    try:
        for cells in reader:
            if any(cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            name, start, "", f"the quotes or cells that begin here are broken: {error}."
        ) from error
