"""How bytes become numbered lines, JSON objects and table rows: gzip or plain, UTF-8, within limits."""

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

from annotate.core.formats import FormatError, Problems, shown

_MEGABYTE = 1024 * 1024
# What zipfile lets escape on an archive whose bytes were changed.
DAMAGED_ZIP = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, OSError, ValueError,
    NotImplementedError, RuntimeError,
)  # fmt: skip
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, zipfile.BadZipFile)
_CHECK_EVERY = 8 * _MEGABYTE
_HEAD = 4096
_NEAR = 1000
_PARTING = re.compile("[ \t]+")


class Limits(NamedTuple):
    """How much a file may unpack to, in bytes.

    line : one line
    unpacked : all of it
    free : a packed file may unpack to this much whatever its ratio
    ratio : beyond that, at most this many times its packed size
    members : files in an archive; directory : bytes of its list of them
    """

    line: int = 2 * _MEGABYTE
    unpacked: int = 4096 * _MEGABYTE
    free: int = 64 * _MEGABYTE
    ratio: int = 50
    members: int = 50_000
    directory: int = 10 * _MEGABYTE


LIMITS = Limits()


def lines(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[tuple[int, str]]:
    """Number and text of each line, without its ending; a byte order mark is dropped.

    stream : seekable, read from its start; gzip is told by its first two bytes, not by the name
    Raises FormatError with the line where the file is no UTF-8, is damaged, cut short, or too large.
    """
    stream.seek(0)
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    source = cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")) if packed else stream
    number, size, next_check = 0, 0, _CHECK_EVERY
    try:
        while raw := source.readline(limits.line + 1):
            number += 1
            size += len(raw)
            if len(raw) > limits.line:
                raise FormatError(name, number, "", f"the line is longer than {limits.line:,} bytes.")
            if size >= next_check or size > limits.unpacked:
                next_check = size + _CHECK_EVERY
                _check_size(name, size, stream.tell() if packed else size, limits)
            yield number, _decode(raw, name, number)
    except _DAMAGED as error:
        message = "the packed file is damaged or cut short here; pack or upload it again."
        raise FormatError(name, number + 1, "", message) from error


class Unpacked:
    """The bytes of a file, gzip or plain, within limits: for readers that take whole stretches of it at once.

    stream : seekable, read from its start
    Making it and `read` raise FormatError where the file is UTF-16, is damaged, cut short, packed twice, too large, or
    has a line that is too long.
    """

    def __init__(self, stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> None:
        stream.seek(0)
        self._packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
        self._stream, self._name, self._limits = stream, name, limits
        self._source = cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")) if self._packed else stream
        self._size = self._line = self._blank = 0
        self._told = b""
        self._ahead = self._fetch(_HEAD)
        if self._ahead[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FormatError(name, 1, "", "the file is UTF-16; save it as UTF-8.")
        if self._ahead[:2] == b"\x1f\x8b":
            raise FormatError(name, None, "", "The file is packed twice; unpack it once.")

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, at least one before the end."""
        self._told, self._ahead = self._ahead[:size], self._ahead[size:]
        self._told = self._told or self._fetch(size)
        return self._told

    def seek(self, offset: int, whence: int = 1) -> None:
        """Step back over bytes that the last read gave, to look at them and read them again."""
        if whence != 1 or not -len(self._told) <= offset <= 0:
            raise OSError("an unpacked stream steps back over its last read alone")
        self._ahead = self._told[len(self._told) + offset :] + self._ahead

    def _fetch(self, size: int) -> bytes:
        try:
            part = self._source.read(size)
        except _DAMAGED as error:
            message = "The packed file is damaged or cut short; pack or upload it again."
            raise FormatError(self._name, None, "", message) from error
        self._size += len(part)
        _check_size(self._name, self._size, self._stream.tell() if self._packed else self._size, self._limits)
        feed = part.rfind(b"\n")
        self._line = len(part) - feed - 1 if feed >= 0 else self._line + len(part)
        if self._line > self._limits.line:
            raise FormatError(self._name, None, "", f"A line is longer than {self._limits.line:,} bytes.")
        self._blank = 0 if part.strip() else self._blank + len(part)
        if self._blank > self._limits.line:
            raise FormatError(self._name, None, "", f"More than {self._limits.line:,} bytes in a row are blank.")
        return part


def _check_size(name: str, unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.unpacked:
        raise FormatError(name, None, "", f"The file is larger than {limits.unpacked // _MEGABYTE:,} MB; split it.")
    if unpacked > max(limits.free, limits.ratio * packed):
        message = f"The file unpacks to more than {limits.ratio} times its size; unpack it and load it plain."
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
    """The first line that is not blank, "" where there is none near the start; what formats are told by.

    Raises FormatError.
    """
    return next((text for _, text in islice(lines(stream, name), _NEAR) if text.strip()), "")


def begins_with(stream: BinaryIO, start: bytes) -> bool:
    """Whether the text of a file, gzip or plain, begins so, blanks and a byte order mark aside."""
    try:
        head = Unpacked(stream, "", limits=LIMITS._replace(line=LIMITS.unpacked)).read(_HEAD)
    except FormatError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(start)


def json_objects(stream: BinaryIO, name: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line that is not blank; lines that hold no JSON object become problems."""
    for number, text in lines(stream, name):
        if not text.strip():
            continue
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except RecursionError:
            problems.note(FormatError(name, number, "", "the JSON is nested too deeply."))
            continue
        except ValueError as error:
            problems.note(FormatError(name, number, "", f"this is no JSON: {error}."))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.note(FormatError(name, number, "", "expected a JSON object, {...}, on this line."))


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def table_rows(
    stream: BinaryIO, name: str, problems: Problems, *, has_header: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells by column name; a first line with a tab makes it tab-separated, else commas and quotes.

    has_header : False for a table whose first line is a row like the others: its columns are called 1, 2, ...
    Rows of another length become problems. Raises FormatError for a header with a column named twice.
    """
    records = _records(stream, name)
    header_line, first = next(records, (1, []))
    header = [column.strip() for column in first] if has_header else _numbers(first)
    repeated = sorted({column for column in header if header.count(column) > 1})
    if repeated:
        raise FormatError(name, header_line, repeated[0], f"column {shown(repeated[0])} stands twice in the header.")
    if not has_header and first:
        yield header_line, dict(zip(header, first, strict=True))
    for number, cells in records:
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            message = f"expected {len(header)} fields, found {len(cells)}."
            problems.note(FormatError(name, number, "", message))


def fields_of(text: str) -> list[str]:
    """The fields of a line, parted by blanks or tabs.

    Other white space parts nothing: what has it inside is no id, and is told so.
    """
    if text.isascii() and text.isprintable():
        return text.split()
    return [field for field in _PARTING.split(text) if field]


def header_of(stream: BinaryIO, name: str, *, has_header: bool = True) -> list[str]:
    """The column names of a table; see `table_rows`. Raises FormatError."""
    _, header = next(_records(stream, name), (1, []))
    return [column.strip() for column in header] if has_header else _numbers(header)


def numbered_header(stream: BinaryIO, name: str, columns: Mapping[str, int]) -> dict[str, str]:
    """What columns are called that are named by their numbers, as `table_rows` without a header calls them.

    Raises FormatError for an empty file, and for a number that the first line does not reach.
    """
    header = header_of(stream, name, has_header=False)
    if not header:
        raise FormatError(name, None, "", f"{name} is empty.")
    for field, number in columns.items():
        if not 0 < number <= len(header):
            parted = "" if len(header) > 1 else "; cells are parted by commas or tabs"
            raise FormatError(name, 1, field, f"there is no column {number}: this line has {len(header)}{parted}.")
    return {field: str(number) for field, number in columns.items()}


def _numbers(cells: list[str]) -> list[str]:
    return [str(number) for number in range(1, len(cells) + 1)]


def _records(stream: BinaryIO, name: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each record that is not blank."""
    if "\t" in first_line(stream, name):
        yield from ((number, text.split("\t")) for number, text in lines(stream, name) if text.strip())
        return
    reader = csv.reader((text + "\n" for _, text in lines(stream, name)), strict=True)
    start = 1
    try:
        for cells in reader:
            if any(cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(name, start, "", f"the quotes or cells that begin here are broken: {error}.") from error
