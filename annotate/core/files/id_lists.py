"""Lists of ids: text, one a line, or the keys of one JSON object."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from annotate.core.files import text_files
from annotate.core.files.formats import FormatError, Problems, id_fault, quoted
from annotate.core.files.json_files import json_members


class ListedId(NamedTuple):
    """One id of a list and its line."""

    id: str
    line: int


def read_ids(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ListedId]:
    """Yield a file's ids in its order, gzip or plain; faulty and repeated ids become problems.

    Raises FormatError where the file cannot be read.
    """
    first_lines: dict[str, int] = {}
    for listed_id in _listed_ids(stream, name):
        if fault := id_fault(listed_id.id):
            problems.add_or_stop(FormatError(name, listed_id.line, "id", f"the id {fault}."))
        elif listed_id.id in first_lines:
            message = (
                f"the id {quoted(listed_id.id)} stands already in line "
                f"{first_lines[listed_id.id]}; keep one of them."
            )
            problems.add_or_stop(FormatError(name, listed_id.line, "id", message))
        else:
            first_lines[listed_id.id] = listed_id.line
            yield listed_id


def _listed_ids(stream: BinaryIO, name: str) -> Iterator[ListedId]:
    if text_files.begins_with(stream, b"{"):
        yield from (ListedId(member.key, member.line) for member in json_members(stream, name))
    else:
        yield from (
            ListedId(text.strip(" \t"), line)
            for line, text in text_files.lines(stream, name)
            if text.strip()
        )
