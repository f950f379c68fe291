"""Files of people's judgments: tables and JSON lines, the columns named by the caller.

A new format is a reader of named cells and one entry of FORMATS.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple

from annotate.core import reading
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


class JudgmentRow(NamedTuple):
    """One person's label as a file gives it; `at` is None where the file has no time."""

    annotator: str
    query: str
    document: str
    grade: int
    at: datetime | None
    line: int


class JudgmentColumns(NamedTuple):
    """Which columns of a judgment file say what; by number where a table has no header.

    annotator, grade : the columns of a file with one label a line
    annotators : instead of both, one column of grades an annotator, who is named by the column's name
    time : optional; ISO 8601 (UTC where it names no zone) or seconds since 1970
    grades : optional; what the file's words mean, as {"yes": 1, "no": 0}
    """

    query: str = "query"
    document: str = "document"
    annotator: str = "annotator"
    grade: str = "grade"
    annotators: tuple[str, ...] = ()
    time: str = ""
    grades: Mapping[str, int] = {}

    def named(self) -> list[str]:
        """All columns the file must have."""
        said = list(self.annotators) or [self.annotator, self.grade]
        return [self.query, self.document, *said, *([self.time] if self.time else [])]

    def are_numbers(self) -> bool:
        """Whether all columns are named by their numbers, from 1 on: then the table has no header."""
        return all(column.isascii() and column.isdecimal() and not column.startswith("0") for column in self.named())


class Format(NamedTuple):
    """A kind of judgment file: whether its first line is of one, and its reader of named cells."""

    name: str
    sniff: Callable[[str], bool]
    read: Callable[[BinaryIO, str, Problems, JudgmentColumns], Iterator[tuple[int, Mapping[str, Any]]]]


def read_judgments(
    stream: BinaryIO, name: str, columns: JudgmentColumns, problems: Problems, blanks: Blanks | None = None
) -> Iterator[JudgmentRow]:
    """The labels of a judgment file, in its order.

    blanks : counts labels without a grade, and says whether they are left out or faults; where nothing is said, those
        of annotators' own columns are left out, and others are faults
    Raises FormatError for a file that is empty or lacks a named column.
    """
    first = reading.first_line(stream, name)
    if not first:
        raise FormatError(name, None, "", f"{name} is empty.")
    known = next(known for known in FORMATS if known.sniff(first))
    blanks = blanks or Blanks(are_left_out=bool(columns.annotators))
    for number, cells in known.read(stream, name, problems, columns):
        yield from _judgments(cells, number, name, columns, problems, blanks=blanks)


def judgment_columns(stream: BinaryIO, name: str) -> list[str]:
    """The columns of a judgment file, to choose from. Raises FormatError for an empty or unreadable one."""
    first = reading.first_line(stream, name)
    if not first:
        raise FormatError(name, None, "", f"{name} is empty.")
    if first.lstrip().startswith("{"):
        _, record = next(reading.json_objects(stream, name, Problems()), (1, {}))
        return [str(field) for field in record]
    return reading.header_of(stream, name)


def _read_judgment_table(
    stream: BinaryIO, name: str, problems: Problems, columns: JudgmentColumns
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    is_numbered = columns.are_numbers()
    header = reading.header_of(stream, name, has_header=not is_numbered)
    for column in columns.named():
        if column not in header:
            message = f"the header has no column {shown(column)}; it names {', '.join(map(shown, header))}."
            if is_numbered:
                message = f"the table has no column {column}: its first line has {len(header)}."
            raise FormatError(name, 1, column, message)
    return reading.table_rows(stream, name, problems, has_header=not is_numbered)


def _read_judgment_json(
    stream: BinaryIO, name: str, problems: Problems, columns: JudgmentColumns
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    unseen = set(columns.annotators or [columns.grade])
    for number, record in reading.json_objects(stream, name, problems):
        optional = {*columns.annotators, columns.time, columns.grade}  # a label without a grade is a blank one
        unseen -= record.keys()
        missing = [column for column in columns.named() if column not in record and column not in optional]
        for column in missing:
            problems.note(FormatError(name, number, column, f"the object has no field {shown(column)}."))
        if not missing:
            yield number, record
    for column in [column for column in columns.named() if column in unseen]:
        problems.add(FormatError(name, None, column, f"No object has a field {shown(column)}."))


def _judgments(
    cells: Mapping[str, Any], number: int, name: str, columns: JudgmentColumns, problems: Problems, *, blanks: Blanks
) -> Iterator[JudgmentRow]:
    """One label, or one for each annotator's column that is not blank; or the line's faults."""
    grade = "" if columns.annotators else _word(cells.get(columns.grade))
    if not columns.annotators and blanks.are_left_out and _is_blank(grade, columns):
        blanks.fault(grade)  # whatever else it lacks: perhaps nobody judged it
        return
    query, document = _word(cells.get(columns.query)), _word(cells.get(columns.document))
    faults = {columns.query: id_fault(query), columns.document: id_fault(document)}
    at, time_fault = _time(cells.get(columns.time)) if columns.time else (None, "")
    faults[columns.time] = time_fault
    if columns.annotators:
        said = {person: _word(cells.get(person)) for person in columns.annotators}
    else:
        person = _word(cells.get(columns.annotator))
        faults[columns.annotator] = id_fault(person)
        said = {person: grade}
    for person in [person for person, text in said.items() if _is_blank(text, columns)]:
        faults[person if columns.annotators else columns.grade] = blanks.fault(said.pop(person))
    grades = {person: columns.grades.get(text, whole_number(text)) for person, text in said.items()}
    for person, grade in grades.items():
        if grade is None or grade < 0:
            column = person if columns.annotators else columns.grade
            faults[column] = f"{shown(said[person])} is no grade: a whole number from 0 on"
    add_faults(faults, number, name, problems)
    if not any(faults.values()):
        for person, grade in grades.items():
            yield JudgmentRow(person, query, document, grade or 0, at, number)


def _is_blank(text: str, columns: JudgmentColumns) -> bool:
    return is_missing(text) and text not in columns.grades


def _word(value: object) -> str:
    """A cell or JSON value as it is compared with ids: blanks and tabs around it do not count."""
    return "" if value is None else str(value).strip(" \t")


def _time(value: object) -> tuple[datetime | None, str]:
    """The moment a cell says, None where it is blank; and what is wrong with it."""
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
        return None, f"{shown(text)} is no time; write 2024-05-31T14:00:00Z or seconds since 1970"


FORMATS = (
    Format("JSON lines", lambda first: first.lstrip().startswith("{"), _read_judgment_json),
    Format("CSV or TSV", lambda first: True, _read_judgment_table),
)
