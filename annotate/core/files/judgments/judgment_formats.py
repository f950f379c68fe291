"""Files of people's judgments: tables and JSON lines, the columns named by the caller.

A new format is a reader of named cells and one entry of FORMATS.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple, Self

from annotate.core.files import text_files
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
from annotate.core.files.records import are_numbers, read_records


class JudgmentRow(NamedTuple):
    """One annotator's label in a file; `at` is None where the file has no time."""

    annotator: str
    query: str
    document: str
    grade: int
    at: datetime | None
    line: int


class JudgmentColumns(NamedTuple):
    """The columns of a judgment file, by name, or by number where a table has no header.

    annotator, grade : the columns of a file with one label a line
    annotators : instead of both, one column of grades per annotator; its name is the annotator's
    time : optional; ISO 8601 (UTC where it names no zone) or seconds since 1970
    grades : optional; the grades of the file's words, as {"yes": 1, "no": 0}
    """

    query: str = "query"
    document: str = "document"
    annotator: str = "annotator"
    grade: str = "grade"
    annotators: tuple[str, ...] = ()
    time: str = ""
    grades: Mapping[str, int] = {}

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[str]], grades: Mapping[str, int]) -> Self:
        """Return the columns of a mapping by hand, as JUDGMENT_FIELDS checks it."""
        names = {field: columns[field][0] for field in columns if field != "annotators"}
        return cls(annotators=tuple(columns.get("annotators", ())), grades=grades, **names)

    def required(self) -> list[str]:
        """The columns that the file must have."""
        label_columns = list(self.annotators) or [self.annotator, self.grade]
        return [self.query, self.document, *label_columns, *([self.time] if self.time else [])]

    def are_numbers(self) -> bool:
        """True if all columns are numbers, from 1 on: then the table has no header."""
        return are_numbers(self.required())


class JudgmentFileFormat(NamedTuple):
    """A format of judgment files: a test of the first line, and a reader of named cells."""

    name: str
    sniff: Callable[[str], bool]
    read: Callable[
        [BinaryIO, str, Problems, JudgmentColumns], Iterator[tuple[int, Mapping[str, Any]]]
    ]


def read_judgments(
    stream: BinaryIO,
    name: str,
    columns: JudgmentColumns,
    problems: Problems,
    blanks: Blanks | None = None,
) -> Iterator[JudgmentRow]:
    """Yield the labels of a judgment file, in its order.

    blanks : counts labels without a grade, and decides whether they are left out or faults; by
        default those in annotators' own columns are left out, and others are faults
    Raises FormatError for a file that is empty or lacks a named column.
    """
    file_format = judgment_format(stream, name)
    blanks = blanks or Blanks(are_left_out=bool(columns.annotators))
    for number, cells in file_format.read(stream, name, problems, columns):
        yield from _judgments(cells, number, name, columns, problems, blanks=blanks)


def judgment_format(stream: BinaryIO, name: str) -> JudgmentFileFormat:
    """The format of a judgment file. Raises FormatError for one that is empty."""
    if text_files.begins_with(stream, b"["):
        return JSON_ARRAY
    first_line = text_files.first_line(stream, name)
    if not first_line:
        raise FormatError(name, None, "", f"{name} is empty.")
    return next(file_format for file_format in FORMATS if file_format.sniff(first_line))


def _read_judgment_table(
    stream: BinaryIO, name: str, problems: Problems, columns: JudgmentColumns
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    is_numbered = columns.are_numbers()
    header = text_files.header_of(stream, name, has_header=not is_numbered)
    for column in columns.required():
        if column not in header:
            message = (
                f"the header has no column {quoted(column)}; it names "
                f"{', '.join(map(quoted, header))}."
            )
            if is_numbered:
                message = f"the table has no column {column}: its first line has {len(header)}."
            raise FormatError(name, 1, column, message)
    return text_files.table_rows(stream, name, problems, has_header=not is_numbered)


def _read_judgment_json(
    stream: BinaryIO, name: str, problems: Problems, columns: JudgmentColumns
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    unseen_columns = set(columns.annotators or [columns.grade])
    for number, record in read_records(stream, name, problems):
        # a label without a grade is a blank one
        optional = {*columns.annotators, columns.time, columns.grade}
        unseen_columns -= record.keys()
        missing_columns = [
            column
            for column in columns.required()
            if column not in record and column not in optional
        ]
        for column in missing_columns:
            problems.add_or_stop(
                FormatError(name, number, column, f"the object has no field {quoted(column)}.")
            )
        if not missing_columns:
            yield number, record
    for column in [column for column in columns.required() if column in unseen_columns]:
        problems.add(FormatError(name, None, column, f"No object has a field {quoted(column)}."))


def _judgments(
    cells: Mapping[str, Any],
    number: int,
    name: str,
    columns: JudgmentColumns,
    problems: Problems,
    *,
    blanks: Blanks,
) -> Iterator[JudgmentRow]:
    """Yield a label, or one per annotator's column that is not blank; faults go to problems."""
    grade_text = "" if columns.annotators else _word(cells.get(columns.grade))
    if not columns.annotators and blanks.are_left_out and _is_blank(grade_text, columns):
        blanks.fault(grade_text)  # other fields are not checked: perhaps nobody judged the pair
        return
    query, document = _word(cells.get(columns.query)), _word(cells.get(columns.document))
    faults = {columns.query: id_fault(query), columns.document: id_fault(document)}
    at, time_fault = _time(cells.get(columns.time)) if columns.time else (None, "")
    faults[columns.time] = time_fault
    if columns.annotators:
        grade_texts = {annotator: _word(cells.get(annotator)) for annotator in columns.annotators}
    else:
        annotator = _word(cells.get(columns.annotator))
        faults[columns.annotator] = id_fault(annotator)
        grade_texts = {annotator: grade_text}
    for annotator in [
        annotator for annotator, text in grade_texts.items() if _is_blank(text, columns)
    ]:
        faults[annotator if columns.annotators else columns.grade] = blanks.fault(
            grade_texts.pop(annotator)
        )
    grades = {
        annotator: columns.grades.get(text, whole_number(text))
        for annotator, text in grade_texts.items()
    }
    for annotator, grade in grades.items():
        if grade is None or grade < 0:
            column = annotator if columns.annotators else columns.grade
            faults[column] = (
                f"{quoted(grade_texts[annotator])} is no grade: a whole number from 0 on"
            )
    add_faults(faults, number, name, problems)
    if not any(faults.values()):
        for annotator, grade in grades.items():
            yield JudgmentRow(annotator, query, document, grade or 0, at, number)


def _is_blank(text: str, columns: JudgmentColumns) -> bool:
    return is_missing(text) and text not in columns.grades


def _word(value: object) -> str:
    """A cell or JSON value as text, without blanks and tabs around it."""
    return "" if value is None else str(value).strip(" \t")


def _time(value: object) -> tuple[datetime | None, str]:
    """The moment in a cell, None for a blank one, and the cell's fault."""
    text = _word(value)
    if not text:
        return None, ""
    seconds = finite_number(text)
    try:
        if seconds is not None:
            return datetime.fromtimestamp(math.floor(seconds), UTC), ""
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC), ""
    except (ValueError, OverflowError, OSError):
        return None, f"{quoted(text)} is no time; write 2024-05-31T14:00:00Z or seconds since 1970"


JSON_ARRAY = JudgmentFileFormat(
    "a JSON array", lambda first: first.lstrip().startswith("["), _read_judgment_json
)
FORMATS = (
    JSON_ARRAY,
    JudgmentFileFormat(
        "JSON lines", lambda first: first.lstrip().startswith("{"), _read_judgment_json
    ),
    JudgmentFileFormat("CSV or TSV", lambda first: True, _read_judgment_table),
)
