"""Files of reference labels: TREC qrels, perhaps with strata, tables, lists of ids and captions.

A new format of lines is a reader and one entry of FORMATS.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import BinaryIO, NamedTuple

from annotate.core.files import text_files
from annotate.core.files.archives.sources import ZipSource
from annotate.core.files.formats import (
    Blanks,
    FormatError,
    Problems,
    add_faults,
    finite_number,
    id_fault,
    is_missing,
    quoted,
    whole_number,
)
from annotate.core.files.json_files import json_members, opens_object_of_objects
from annotate.core.files.misplaced_files import LABELS, misplaced_sentence
from annotate.core.files.records import (
    OWN_SHAPE,
    are_numbers,
    read_records,
    require_columns,
)
from annotate.core.files.references.captions import (
    Caption,
    as_id,
    is_caption_header,
    is_caption_list,
    lists_captions,
    read_captions,
)

COLUMNS = {  # names in use for the three columns of a table with a header
    "query": ("query-id", "query_id", "qid", "query"),
    "document": ("corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "document"),
    "grade": ("score", "grade", "relevance", "label"),
}
STRATA = ("stratum", "strata")  # a table may have this column too
TREC_FIELDS, STRATIFIED_FIELDS = 4, 5
MAX_STRATUM = 32_767
NO_HEADER = "Of a table without a header give the numbers of its columns."
LISTED_GRADE = 1  # the grade of a pair in a list of positives, which has no grades


class ReferenceRow(NamedTuple):
    """One reference label of a file; a negative grade means "not judged" in TREC's files.

    stratum : the pair's part of a sampled pool, None where the file has none; the pool's targets
        that were not drawn for judging have the grade -1
    is_listed : the row comes from a list of positives without grades; query and document may be the
        other way round
    file : the file's name, inside the archive where it came in one
    """

    query: str
    document: str
    grade: int
    line: int
    stratum: int | None = None
    is_listed: bool = False
    file: str = ""


# by field: query, document, grade, perhaps stratum; the column's name, or its number from 1
ReferenceColumns = Mapping[str, str] | Mapping[str, int]
ReadLabels = Callable[[BinaryIO, str, Problems, Blanks], Iterator[ReferenceRow]]


class ReferenceFileFormat(NamedTuple):
    """A format of reference files: its name, a test of the first line, and its reader."""

    name: str
    sniff: Callable[[str], bool]
    read: ReadLabels


class LabelFileReader(NamedTuple):
    """The reader of one file, and the name of the file's format."""

    name: str
    read: ReadLabels


def read_reference(
    stream: BinaryIO,
    name: str,
    problems: Problems,
    blanks: Blanks | None = None,
    *,
    of_items: bool = False,
    columns: ReferenceColumns | None = None,
) -> Iterator[ReferenceRow]:
    """Yield the rows of a file of reference labels, or of all files in a zip archive of them.

    columns : for a file in a shape of its own, table or JSON, its columns of query, document,
        grade, perhaps stratum; of a table without a header their numbers, from 1
    of_items : whether the file holds items, too, so that its lists are of captions, not of ids
    blanks : counts rows of tables without a grade, and decides whether they are left out or faults
    Raises FormatError for a file that is empty or in no known format.
    """
    blanks = blanks or Blanks()
    stream.seek(0)
    if stream.read(4) != b"PK\x03\x04":
        reader = reference_reader(stream, name, of_items=of_items, columns=columns)
        yield from reader.read(stream, name, problems, blanks)
        return
    archive = ZipSource(stream, name)
    for member in archive.names():
        with archive.open(member) as file:
            reader = reference_reader(file, member, columns=columns)
            yield from reader.read(file, member, problems, blanks)


def reference_reader(
    stream: BinaryIO,
    name: str,
    *,
    of_items: bool = False,
    columns: ReferenceColumns | None = None,
) -> LabelFileReader:
    """The reader of a file of labels, by its first lines; see `read_reference`."""
    if columns:
        name_of_format = OWN_SHAPE if _are_names(columns) else "a table without a header"
        return LabelFileReader(name_of_format, partial(_read_by_columns, columns=columns))
    first_key = opens_object_of_objects(stream, name)
    if is_caption_list(first_key) or lists_captions(stream, name, of_items=of_items):
        return LabelFileReader("a list of captions", _read_captions)
    if first_key is not None:
        return LabelFileReader("JSON lists of positives or grades", _read_lists)
    first_line = text_files.first_line(stream, name)
    if not first_line:
        raise FormatError(name, None, "", f"{name} is empty.")
    if sentence := misplaced_sentence(first_line, expected=LABELS):
        raise FormatError(name, 1, "", sentence)
    for file_format in FORMATS:
        if file_format.sniff(first_line):
            return LabelFileReader(file_format.name, file_format.read)
    names = " or ".join(file_format.name for file_format in FORMATS)
    raise FormatError(
        name,
        1,
        "",
        f"{quoted(first_line)} begins no file of labels known here: {names}. {NO_HEADER}",
    )


def _read_trec(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks
) -> Iterator[ReferenceRow]:
    for number, fields in _fields(stream, name, TREC_FIELDS, problems):
        if is_missing(fields[3]):
            _note_blank(fields[3], number, name, problems, blanks)
            continue
        yield from _checked_row((fields[0], fields[2], fields[3]), number, name, problems)


def _read_stratified(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks
) -> Iterator[ReferenceRow]:
    """Read the form of TREC's sample_eval: query, iteration, document, stratum, grade.

    The grade -1 marks a target that was pooled, but not drawn for judging.
    """
    for number, fields in _fields(stream, name, STRATIFIED_FIELDS, problems):
        yield from _checked_row(
            (fields[0], fields[2], fields[4]), number, name, problems, fields[3]
        )


def _fields(
    stream: BinaryIO, name: str, n: int, problems: Problems
) -> Iterator[tuple[int, list[str]]]:
    for number, text in text_files.lines(stream, name):
        fields = text_files.fields_of(text)
        if len(fields) == n:
            yield number, fields
        elif fields:
            names = (
                "query, iteration, document, stratum, grade"
                if n > TREC_FIELDS
                else "query, iteration, document, grade"
            )
            message = f"expected {n} fields ({names}), found {len(fields)}."
            problems.add_or_stop(FormatError(name, number, "", message))


def _read_reference_table(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks
) -> Iterator[ReferenceRow]:
    header = text_files.header_of(stream, name)
    columns = _reference_columns(header, name)
    columns["stratum"] = next((column for column in header if column.lower() in STRATA), "")
    yield from _table_rows(
        text_files.table_rows(stream, name, problems), columns, name, problems, blanks
    )


def _read_by_columns(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks, columns: ReferenceColumns
) -> Iterator[ReferenceRow]:
    """Read a file whose columns were named, or numbered in a table without a header."""
    if _are_names(columns):
        header = {field: str(column) for field, column in columns.items()}
        has_header = not are_numbers(header.values())
        require_columns(stream, name, header.values(), has_header=has_header)
    else:
        numbers = {field: int(column) for field, column in columns.items()}
        header, has_header = text_files.numbered_header(stream, name, numbers), False
    records = read_records(stream, name, problems, has_header=has_header)
    rows = (
        (number, {column: _cell_text(record.get(column)) for column in header.values()})
        for number, record in records
    )
    yield from _table_rows(rows, header, name, problems, blanks)


def _cell_text(value: object) -> str:
    return "" if value is None else str(value)


def _are_names(columns: ReferenceColumns) -> bool:
    return any(isinstance(column, str) for column in columns.values())


def table_labels(
    rows: Iterable[tuple[int, Mapping[str, str]]], name: str, problems: Problems
) -> Iterator[ReferenceRow]:
    """Yield the labels of numbered rows, cells by column; the first row has all columns.

    A blank grade is a fault. Raises FormatError where a column is missing.
    """
    numbered_rows = iter(rows)
    for first_row in numbered_rows:
        columns = _reference_columns([*first_row[1]], name)
        labels = (
            (number, {column: cells.get(column, "") for column in columns.values()})
            for number, cells in chain([first_row], numbered_rows)
        )
        yield from _table_rows(labels, columns, name, problems, Blanks())


def _table_rows(
    rows: Iterable[tuple[int, dict[str, str]]],
    columns: Mapping[str, str],
    name: str,
    problems: Problems,
    blanks: Blanks,
) -> Iterator[ReferenceRow]:
    """The reference rows of a table.

    columns : the table's names of query, document and grade, and of a stratum if any
    """
    stratum = columns.get("stratum", "")
    for number, cells in rows:
        query, document, grade = (cells[columns[field]].strip(" \t") for field in COLUMNS)
        if is_missing(grade) and stratum:  # if left out, its stratum would lack it
            message = "grade is blank; of a sample write -1 for what was not drawn."
            problems.add_or_stop(FormatError(name, number, "grade", message))
            continue
        if is_missing(grade):
            _note_blank(grade, number, name, problems, blanks)
            continue
        yield from _checked_row(
            (query, document, grade), number, name, problems, cells[stratum] if stratum else None
        )


def _read_lists(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks
) -> Iterator[ReferenceRow]:
    """Read {id: [ids of its positives]}, from either side, or {query: {document: grade}}."""
    for line, key, value in json_members(stream, name):
        if isinstance(value, dict):
            for document, grade in value.items():
                if grade is None:
                    _note_blank("", line, name, problems, blanks)
                    continue
                text = (
                    str(grade)
                    if isinstance(grade, int | float) and not isinstance(grade, bool)
                    else "no number"
                )
                yield from _checked_row((key, document, text), line, name, problems, in_json=True)
        else:
            for target in value if isinstance(value, list) else [value]:
                for row in _checked_row(
                    (key, as_id(target), str(LISTED_GRADE)), line, name, problems, in_json=True
                ):
                    yield row._replace(is_listed=True)


def _note_blank(grade: str, number: int, name: str, problems: Problems, blanks: Blanks) -> None:
    if fault := blanks.fault(grade):
        problems.add_or_stop(FormatError(name, number, "grade", f"grade {fault}."))


def _read_captions(
    stream: BinaryIO, name: str, problems: Problems, blanks: Blanks
) -> Iterator[ReferenceRow]:
    """Yield each caption with its own video or image as a positive."""
    for row in read_captions(stream, name, problems):
        if isinstance(row, Caption):
            yield ReferenceRow(row.id, row.media_id, LISTED_GRADE, row.line, None, True, name)


def _reference_columns(header: list[str], name: str) -> dict[str, str]:
    columns = {}
    for field, names in COLUMNS.items():
        column = next((column for column in header if column.lower() in names), None)
        if column is None:
            message = (
                f"the header has no column for the {field}; it may be called {', '.join(names)}."
            )
            raise FormatError(name, 1, field, message)
        columns[field] = column
    return columns


def _checked_row(
    cells: tuple[str, str, str],
    number: int,
    name: str,
    problems: Problems,
    stratum: str | None = None,
    *,
    in_json: bool = False,
) -> Iterator[ReferenceRow]:
    """Yield the row of a query, document and grade, or nothing and add its faults to the problems.

    in_json : whether faults name the row, because a JSON file may be a single line
    """
    query, document, grade = cells
    grade_number = whole_number(grade)
    stratum_number = None if stratum is None else whole_number(stratum)
    faults = {"query": id_fault(query), "document": id_fault(document)}
    if grade_number is None:
        is_score = finite_number(grade) is not None
        faults["grade"] = (
            f"{quoted(grade)} is no whole number{'; scores are uploaded as a run' * is_score}"
        )
    if stratum is not None and (stratum_number is None or not 0 <= stratum_number <= MAX_STRATUM):
        faults["stratum"] = f"{quoted(stratum)} is no whole number from 0 to {MAX_STRATUM:,}"
    if in_json:
        location = f" (query {quoted(query)}, document {quoted(document)})"
        faults = {field: f"{fault}{location}" if fault else "" for field, fault in faults.items()}
    add_faults(faults, number, name, problems)
    if grade_number is not None and not any(faults.values()):
        yield ReferenceRow(query, document, grade_number, number, stratum_number, False, name)


def _has_fields(first_line: str, n: int) -> bool:
    fields = first_line.split()
    return len(fields) == n and "," not in fields[0]


def _is_reference_header(first_line: str) -> bool:
    cells = [cell.strip().strip('"').lower() for cell in first_line.replace("\t", ",").split(",")]
    return any(cell in COLUMNS["query"] for cell in cells)


def as_line(row: ReferenceRow) -> str:
    """The row as a line of TREC qrels, with a fifth field for a stratum.

    Reading it gives the same row.
    """
    stratum = "" if row.stratum is None else f"{row.stratum} "
    return f"{row.query} 0 {row.document} {stratum}{row.grade}\n"


FORMATS = (
    ReferenceFileFormat(
        'a table with the header "query-id, corpus-id, score"',
        _is_reference_header,
        _read_reference_table,
    ),
    ReferenceFileFormat("a table of captions", is_caption_header, _read_captions),
    ReferenceFileFormat(
        "TREC qrels (query, iteration, document, grade)",
        lambda first: _has_fields(first, TREC_FIELDS),
        _read_trec,
    ),
    ReferenceFileFormat(
        "stratified qrels (query, iteration, document, stratum, grade)",
        lambda first: _has_fields(first, STRATIFIED_FIELDS),
        _read_stratified,
    ),
)
