"""Lists of ids: text, one a line, or the keys of one JSON object."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems, id_fault, shown
from annotate.core.json_files import json_members


class ListedId(NamedTuple):
    """One id of a list and its line."""

    id: str
    line: int


def read_ids(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ListedId]:
    """The ids of a file, gzip or plain, in its order; what is no id, or comes again, becomes a problem.

    Raises FormatError where the file cannot be read.
    """
    seen: dict[str, int] = {}
    for row in _listed(stream, name):
        if fault := id_fault(row.id):
            problems.note(FormatError(name, row.line, "id", f"the id {fault}."))
        elif row.id in seen:
            message = f"the id {shown(row.id)} stands already in line {seen[row.id]}; keep one of them."
            problems.note(FormatError(name, row.line, "id", message))
        else:
            seen[row.id] = row.line
            yield row


def _listed(stream: BinaryIO, name: str) -> Iterator[ListedId]:
    if reading.begins_with(stream, b"{"):
        yield from (ListedId(member.key, member.line) for member in json_members(stream, name))
    else:
        yield from (ListedId(text.strip(" \t"), line) for line, text in reading.lines(stream, name) if text.strip())
