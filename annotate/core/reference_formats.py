"""Files of reference labels: TREC qrels, with strata or without, tables, lists of ids and of captions.

A new format of lines is a reader and one entry of FORMATS.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO, NamedTuple

from annotate.core import reading
from annotate.core.captions import (
    Caption,
    as_id,
    is_caption_header,
    is_caption_list,
    lists_captions,
    read_captions,
)
from annotate.core.formats import (
    Blanks,
    FormatError,
    Problems,
    add_faults,
    finite_number,
    id_fault,
    is_missing,
    shown,
    whole_number,
)
from annotate.core.json_files import json_members, opens_object_of_objects
from annotate.core.mistaken import LABELS, mistaken_for
from annotate.core.sources import ZipSource

COLUMNS = {  # the names in use for the three columns of a table with a header
    "query": ("query-id", "query_id", "qid", "query"),
    "document": ("corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "document"),
    "grade": ("score", "grade", "relevance", "label"),
}
STRATA = ("stratum", "strata")  # a table may have this column too
TREC_FIELDS, STRATIFIED_FIELDS = 4, 5
MAX_STRATUM = 32_767
NO_HEADER = "Of a table without a header give the numbers of its columns."
LISTED_GRADE = 1  # of a pair in a list of positives, which has no grades


class ReferenceRow(NamedTuple):
    """One reference label as a file gives it; a negative grade means "not judged" in TREC's files.

    stratum : the part of a sampled pool that the pair is in, None where the file has none; the pool's targets that
        were not drawn for judging have the grade -1
    listed : the row comes from a list of positives without grades; query and document may be the other way round
    file : the file's name, inside the archive where it came in one
    """

    query: str
    document: str
    grade: int
    line: int
    stratum: int | None = None
    listed: bool = False
    file: str = ""


class Format(NamedTuple):
    """A kind of reference file: whether its first line is of one, and its reader."""

    name: str
    sniff: Callable[[str], bool]
    read: Callable[[BinaryIO, str, Problems, Blanks], Iterator[ReferenceRow]]


def read_reference(
    stream: BinaryIO,
    name: str,
    problems: Problems,
    blanks: Blanks | None = None,
    *,
    of_items: bool = False,
    columns: Mapping[str, int] | None = None,
) -> Iterator[ReferenceRow]:
    """The rows of a file of reference labels, or of all files in a zip archive of them.

    columns : of tables without a header: the numbers, from 1, of the columns query, document, grade, perhaps stratum
    of_items : whether the file's items were read from it, so that lists in it are of captions, not of ids
    blanks : counts rows of tables without a grade, and says whether they are left out or faults
    Raises FormatError for a file that is empty or in no known format.
    """
    blanks = blanks or Blanks()
    stream.seek(0)
    if stream.read(4) != b"PK\x03\x04":
        yield from _read_file(stream, name, problems, blanks, of_items=of_items, columns=columns)
        return
    archive = ZipSource(stream, name)
    for member in archive.names():
        with archive.open(member) as inside:
            yield from _read_file(inside, member, problems, blanks, columns=columns)


def _read_file(
    stream: BinaryIO,
    name: str,
    problems: Problems,
    blanks: Blanks,
    *,
    of_items: bool = False,
    columns: Mapping[str, int] | None = None,
) -> Iterator[ReferenceRow]:
    if columns:
        yield from _read_headless_table(stream, name, problems, blanks, columns)
        return
    first_key = opens_object_of_objects(stream, name)
    has_captions = is_caption_list(first_key) or lists_captions(stream, name, of_items=of_items)
    if first_key is not None or has_captions:
        read = _read_captions if has_captions else _read_lists
        yield from read(stream, name, problems, blanks)
        return
    first = reading.first_line(stream, name)
    if not first:
        raise FormatError(name, None, "", f"{name} is empty.")
    if mistaken := mistaken_for(first, wanted=LABELS):
        raise FormatError(name, 1, "", mistaken)
    for known in FORMATS:
        if known.sniff(first):
            yield from known.read(stream, name, problems, blanks)
            return
    names = " or ".join(known.name for known in FORMATS)
    raise FormatError(name, 1, "", f"{shown(first)} begins no file of labels known here: {names}. {NO_HEADER}")


def _read_trec(stream: BinaryIO, name: str, problems: Problems, blanks: Blanks) -> Iterator[ReferenceRow]:
    for number, fields in _fields(stream, name, TREC_FIELDS, problems):
        if is_missing(fields[3]):
            _note_blank(fields[3], number, name, problems, blanks)
            continue
        yield from _checked((fields[0], fields[2], fields[3]), number, name, problems)


def _read_stratified(stream: BinaryIO, name: str, problems: Problems, blanks: Blanks) -> Iterator[ReferenceRow]:
    """The form of TREC's sample_eval: query, iteration, document, stratum, grade; -1: pooled, not drawn for judging."""
    for number, fields in _fields(stream, name, STRATIFIED_FIELDS, problems):
        yield from _checked((fields[0], fields[2], fields[4]), number, name, problems, fields[3])


def _fields(stream: BinaryIO, name: str, n: int, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    for number, text in reading.lines(stream, name):
        fields = reading.fields_of(text)
        if len(fields) == n:
            yield number, fields
        elif fields:
            names = (
                "query, iteration, document, stratum, grade" if n > TREC_FIELDS else "query, iteration, document, grade"
            )
            message = f"expected {n} fields ({names}), found {len(fields)}."
            problems.note(FormatError(name, number, "", message))


def _read_reference_table(stream: BinaryIO, name: str, problems: Problems, blanks: Blanks) -> Iterator[ReferenceRow]:
    header = reading.header_of(stream, name)
    columns = _reference_columns(header, name)
    columns["stratum"] = next((column for column in header if column.lower() in STRATA), "")
    yield from _table_rows(reading.table_rows(stream, name, problems), columns, name, problems, blanks)


def _read_headless_table(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks, columns: Mapping[str, int]
) -> Iterator[ReferenceRow]:
    header = reading.numbered_header(stream, name, columns)
    yield from _table_rows(
        reading.table_rows(stream, name, problems, has_header=False), header, name, problems, blanks
    )


def _table_rows(
    rows: Iterable[tuple[int, dict[str, str]]],
    columns: Mapping[str, str],
    name: str,
    problems: Problems,
    blanks: Blanks,
) -> Iterator[ReferenceRow]:
    """columns : what query, document and grade are called, and stratum where there is one"""
    stratum = columns.get("stratum", "")
    for number, cells in rows:
        query, document, grade = (cells[columns[field]].strip(" \t") for field in COLUMNS)
        if is_missing(grade) and stratum:  # left out it would be no part of its stratum
            message = "grade is blank; of a sample write -1 for what was not drawn."
            problems.note(FormatError(name, number, "grade", message))
            continue
        if is_missing(grade):
            _note_blank(grade, number, name, problems, blanks)
            continue
        yield from _checked((query, document, grade), number, name, problems, cells[stratum] if stratum else None)


def _read_lists(stream: BinaryIO, name: str, problems: Problems, blanks: Blanks) -> Iterator[ReferenceRow]:
    """{id: [ids of its positives]}, from either side, or {query: {document: grade}}."""
    for line, key, value in json_members(stream, name):
        if isinstance(value, dict):
            for document, grade in value.items():
                if grade is None:
                    _note_blank("", line, name, problems, blanks)
                    continue
                text = str(grade) if isinstance(grade, int | float) and not isinstance(grade, bool) else "no number"
                yield from _checked((key, document, text), line, name, problems, in_json=True)
        else:
            for other in value if isinstance(value, list) else [value]:
                for row in _checked((key, as_id(other), str(LISTED_GRADE)), line, name, problems, in_json=True):
                    yield row._replace(listed=True)


def _note_blank(grade: str, number: int, name: str, problems: Problems, blanks: Blanks) -> None:
    if fault := blanks.fault(grade):
        problems.note(FormatError(name, number, "grade", f"grade {fault}."))


def _read_captions(stream: BinaryIO, name: str, problems: Problems, blanks: Blanks) -> Iterator[ReferenceRow]:
    """Every caption's own video or image."""
    for row in read_captions(stream, name, problems):
        if isinstance(row, Caption):
            yield ReferenceRow(row.id, row.of, LISTED_GRADE, row.line, None, True, name)


def _reference_columns(header: list[str], name: str) -> dict[str, str]:
    found = {}
    for field, names in COLUMNS.items():
        column = next((column for column in header if column.lower() in names), None)
        if column is None:
            message = f"the header has no column for the {field}; it may be called {', '.join(names)}."
            raise FormatError(name, 1, field, message)
        found[field] = column
    return found


def _checked(
    cells: tuple[str, str, str],
    number: int,
    name: str,
    problems: Problems,
    stratum: str | None = None,
    *,
    in_json: bool = False,
) -> Iterator[ReferenceRow]:
    """The row of a query, a document and a grade, or nothing and its faults added to the problems.

    in_json : whether the line, perhaps the only one, does not say which row it is, so that faults name it
    """
    query, document, grade = cells
    value = whole_number(grade)
    place = None if stratum is None else whole_number(stratum)
    faults = {"query": id_fault(query), "document": id_fault(document)}
    if value is None:
        is_score = finite_number(grade) is not None
        faults["grade"] = f"{shown(grade)} is no whole number{'; scores are uploaded as a run' * is_score}"
    if stratum is not None and (place is None or not 0 <= place <= MAX_STRATUM):
        faults["stratum"] = f"{shown(stratum)} is no whole number from 0 to {MAX_STRATUM:,}"
    if in_json:
        row = f" (query {shown(query)}, document {shown(document)})"
        faults = {field: f"{fault}{row}" if fault else "" for field, fault in faults.items()}
    add_faults(faults, number, name, problems)
    if value is not None and not any(faults.values()):
        yield ReferenceRow(query, document, value, number, place, False, name)


def _has_fields(first: str, n: int) -> bool:
    fields = first.split()
    return len(fields) == n and "," not in fields[0]


def _is_reference_header(first: str) -> bool:
    cells = [cell.strip().strip('"').lower() for cell in first.replace("\t", ",").split(",")]
    return any(cell in COLUMNS["query"] for cell in cells)


def as_line(row: ReferenceRow) -> str:
    """The row as TREC qrels have it, in five fields where it has a stratum, so that reading it gives the row again."""
    stratum = "" if row.stratum is None else f"{row.stratum} "
    return f"{row.query} 0 {row.document} {stratum}{row.grade}\n"


FORMATS = (
    Format('a table with the header "query-id, corpus-id, score"', _is_reference_header, _read_reference_table),
    Format("a table of captions", is_caption_header, _read_captions),
    Format("TREC qrels (query, iteration, document, grade)", lambda first: _has_fields(first, TREC_FIELDS), _read_trec),
    Format(
        "stratified qrels (query, iteration, document, stratum, grade)",
        lambda first: _has_fields(first, STRATIFIED_FIELDS),
        _read_stratified,
    ),
)
