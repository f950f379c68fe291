"""Files of items in any shape: tables, JSON lines and arrays, read by columns that were chosen."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from annotate.core.files.formats import (
    FormatError,
    Problems,
    is_missing,
    quoted,
    whole_number,
)
from annotate.core.files.items.item_columns import (
    CONTENT,
    DOCUMENT,
    MEDIA,
    QUERY,
    ItemColumns,
    are_captions,
    is_numbered,
    mapping_fault,
    of_side,
)
from annotate.core.files.items.item_rows import ItemRow, check_item, flat_parts
from annotate.core.files.records import Record, are_numbers, read_records, require_columns
from annotate.core.files.references.reference_formats import LISTED_GRADE, ReferenceRow


class MappedRow(NamedTuple):
    """The items of one row of a file, as records that `check_item` reads, and its grade.

    queries : none, one, or the captions of the document
    """

    line: int
    queries: tuple[dict[str, Any], ...]
    document: dict[str, Any] | None
    grade: str


def read_mapped_items(
    stream: BinaryIO, name: str, problems: Problems, columns: ItemColumns
) -> Iterator[ItemRow]:
    """Yield the items of a file by its columns; an item that several rows repeat comes once.

    An item without a column of ids has the name of its file. Captions without one are called
    after what they describe: video7#0, video7#1... Pairs of texts without ids are numbered q1,
    q2... and d1, d2... in the file's order. Raises FormatError for columns that it lacks.
    """
    contents: dict[tuple[object, object], int] = {}
    for row in _mapped_rows(stream, name, problems, columns):
        for record in (*row.queries, *((row.document,) if row.document else ())):
            key, content = (record["side"], record["id"]), hash(json.dumps(record, default=str))
            if contents.get(key) != content:
                contents.setdefault(key, content)
                yield from check_item(record, name, row.line, problems)


def read_mapped_labels(
    stream: BinaryIO, name: str, problems: Problems, columns: ItemColumns
) -> Iterator[ReferenceRow]:
    """Yield a file's labels by its columns: its grades, or each caption with what it describes.

    A row without a grade has no label; faults of the items are `read_mapped_items`'s.
    """
    is_listed = are_captions(columns)
    for row in _mapped_rows(stream, name, Problems(), columns):
        grade = LISTED_GRADE if is_listed else whole_number(row.grade)
        if grade is None and not is_missing(row.grade):
            message = f"grade {quoted(row.grade)} is no whole number."
            problems.add_or_stop(FormatError(name, row.line, "grade", message))
        if grade is None or row.document is None:
            continue
        for query in row.queries:
            ids = str(query["id"]), str(row.document["id"])
            yield ReferenceRow(*ids, grade, row.line, None, is_listed, name)


def _mapped_rows(
    stream: BinaryIO, name: str, problems: Problems, columns: ItemColumns
) -> Iterator[MappedRow]:
    if fault := mapping_fault(columns):
        raise FormatError(name, None, "columns", fault)
    has_header = not are_numbers(columns.values())
    require_columns(stream, name, columns.values(), has_header=has_header)
    numbers: Counter[str] = Counter()
    ids_by_text: dict[str, dict[str, str]] = {QUERY: {}, DOCUMENT: {}}
    sides = {side: of_side(columns, side) for side in (QUERY, DOCUMENT)}
    for line, record in read_records(stream, name, problems, has_header=has_header):
        split = _cell(record.get(columns.get("split", "")))
        document = _item(record, DOCUMENT, sides[DOCUMENT], split) if sides[DOCUMENT] else None
        if are_captions(columns) and document and "query_id" not in columns:
            queries = _captions(record.get(columns["query_text"]), document, split, numbers)
        else:
            query = _item(record, QUERY, sides[QUERY], split) if sides[QUERY] else None
            queries = (query,) if query else ()
        for item in (*queries, *((document,) if document else ())):
            if is_numbered(columns, item["side"]):
                ids, side = ids_by_text[item["side"]], item["side"]
                item["id"] = ids.setdefault(str(item.get("parts")), f"{side[0]}{len(ids) + 1}")
        yield MappedRow(line, queries, document, _cell(record.get(columns.get("grade", ""))))


def _captions(
    texts: object, document: Record, split: str, numbers: Counter[str]
) -> tuple[dict[str, Any], ...]:
    """Return the queries of a caption or a list of them, numbered on for each document."""
    records = []
    for text in texts if isinstance(texts, list) else [texts]:
        caption_id = f"{document['id']}#{numbers[document['id']]}"
        numbers[document["id"]] += 1
        fields = {"side": QUERY, "id": caption_id, "text": _cell(text) or None}
        records.append({**fields, "split": split} if split else fields)
    return tuple(records)


def _item(record: Record, side: str, columns: ItemColumns, split: str) -> dict[str, Any]:
    """Return the record of one side's item."""
    cells = {
        field: cell for field, column in columns.items() if (cell := _cell(record.get(column)))
    }
    file_id = next((cells[kind] for kind in MEDIA if kind in cells), "")
    title = [{"kind": "text", "text": cells["title"]}] if "title" in cells else []
    parts = title + flat_parts(cells)
    item = {"side": side, "id": cells.get("id", file_id if "id" not in columns else "")}
    item |= {field: cells[field] for field in ("group", "warning") if field in cells}
    item |= {"split": split} if split else {}
    # without a column to show items are known by their ids; a blank cell of one is a fault
    has_content = any(field in columns for field in CONTENT)
    return {**item, "parts": parts} if parts or not has_content else item


def _cell(value: object) -> str:
    """A cell or JSON value as text, without blanks around it; a list of texts line by line."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_cell, value)))
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value).strip()
