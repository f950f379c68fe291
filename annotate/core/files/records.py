"""Records of files in any shape: rows of tables, JSON lines and arrays of objects."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems, guarded, quoted
from annotate.core.files.json_files import json_elements

Record = Mapping[str, Any]
OWN_SHAPE = "read by its columns"
SAMPLE = 50  # records by which columns are guessed


def read_records(
    stream: BinaryIO, name: str, problems: Problems, *, has_header: bool = True
) -> Iterator[tuple[int, Record]]:
    """Yield line number and cells by column of a table, of JSON lines or of an array of objects."""
    if text_files.begins_with(stream, b"["):
        for line, _, record in json_elements(stream, name):
            if isinstance(record, dict):
                yield line, record
            else:
                message = "expected a JSON object, {...}, as entry of the array."
                problems.add_or_stop(FormatError(name, line, "", message))
    elif text_files.begins_with(stream, b"{"):
        yield from text_files.json_objects(stream, name, problems)
    else:
        yield from text_files.table_rows(stream, name, problems, has_header=has_header)


def first_records(stream: BinaryIO, name: str, *, has_header: bool = True) -> list[Record]:
    """Return the first records of a file, as far as it can be read."""
    records = read_records(stream, name, Problems(), has_header=has_header)
    return [record for _, record in islice(guarded(records, Problems()), SAMPLE)]


def is_json(stream: BinaryIO) -> bool:
    """True if the file begins as JSON lines or as an array: then it is no table."""
    return text_files.begins_with(stream, b"[") or text_files.begins_with(stream, b"{")


def are_numbers(columns: Collection[str]) -> bool:
    """True if all columns are numbers, from 1 on: then a table of them has no header."""
    return all(
        column.isascii() and column.isdecimal() and not column.startswith("0") for column in columns
    )


def require_columns(
    stream: BinaryIO, name: str, columns: Collection[str], *, has_header: bool
) -> None:
    """Raise FormatError for the first of these columns that a table lacks; JSON may lack some."""
    if is_json(stream):
        return
    header = text_files.header_of(stream, name, has_header=has_header)
    if absent_columns := [column for column in columns if column not in header]:
        message = (
            f"there is no column {quoted(absent_columns[0])}; there are "
            f"{', '.join(map(quoted, header))}."
        )
        raise FormatError(name, 1, "columns", message)
