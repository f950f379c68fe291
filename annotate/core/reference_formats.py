"""Files of reference labels: TREC qrels and tables. A new format is a reader and one entry of FORMATS."""

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.formats import FormatError, Problems, add_faults, id_fault, shown, whole_number

COLUMNS = {  # the names in use for the three columns of a table with a header
    "query": ("query-id", "query_id", "qid", "query"),
    "document": ("corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "document"),
    "grade": ("score", "grade", "relevance", "label"),
}
TREC_FIELDS = 4


class ReferenceRow(NamedTuple):
    """One reference label as a file gives it; a negative grade means "not judged" in TREC's files."""

    query: str
    document: str
    grade: int
    line: int


class Format(NamedTuple):
    """A kind of reference file: whether its first line is of one, and its reader."""

    name: str
    sniff: Callable[[str], bool]
    read: Callable[[BinaryIO, str, Problems], Iterator[ReferenceRow]]


def read_reference(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReferenceRow]:
    """The rows of a file of reference labels. Raises FormatError for one that is empty or in no known format."""
    first = reading.first_line(stream, name)
    if not first:
        raise FormatError(name, None, "", f"{name} is empty.")
    for known in FORMATS:
        if known.sniff(first):
            yield from known.read(stream, name, problems)
            return
    names = " or ".join(known.name for known in FORMATS)
    raise FormatError(name, 1, "", f"{shown(first)} begins no file of labels known here: {names}.")


def _read_trec(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReferenceRow]:
    for number, text in reading.lines(stream, name):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != TREC_FIELDS:
            message = f"expected 4 fields (query, iteration, document, grade), found {len(fields)}."
            problems.add(FormatError(name, number, "", message))
            continue
        yield from _checked((fields[0], fields[2], fields[3]), number, name, problems)


def _read_reference_table(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReferenceRow]:
    columns = _reference_columns(reading.header_of(stream, name), name)
    for number, cells in reading.table_rows(stream, name, problems):
        query, document, grade = (cells[column].strip() for column in columns)
        yield from _checked((query, document, grade), number, name, problems)


def _reference_columns(header: list[str], name: str) -> list[str]:
    found = []
    for field, names in COLUMNS.items():
        column = next((column for column in header if column.lower() in names), None)
        if column is None:
            message = f"the header has no column for the {field}; it may be called {', '.join(names)}."
            raise FormatError(name, 1, field, message)
        found.append(column)
    return found


def _checked(cells: tuple[str, str, str], number: int, name: str, problems: Problems) -> Iterator[ReferenceRow]:
    """The row of a query, a document and a grade, or nothing and its faults added to the problems."""
    query, document, grade = cells
    value = whole_number(grade)
    faults = {"query": id_fault(query), "document": id_fault(document)}
    if value is None:
        faults["grade"] = f"{shown(grade)} is no whole number"
    add_faults(faults, number, name, problems)
    if value is not None and not any(faults.values()):
        yield ReferenceRow(query, document, value, number)


def _has_trec_fields(first: str) -> bool:
    fields = first.split()
    return len(fields) == TREC_FIELDS and "," not in fields[0]


def _is_reference_header(first: str) -> bool:
    cells = [cell.strip().strip('"').lower() for cell in first.replace("\t", ",").split(",")]
    return any(cell in COLUMNS["query"] for cell in cells)


FORMATS = (
    Format('a table with the header "query-id, corpus-id, score"', _is_reference_header, _read_reference_table),
    Format("TREC qrels (query, iteration, document, grade)", _has_trec_fields, _read_trec),
)
