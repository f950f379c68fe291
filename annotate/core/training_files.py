"""Training pairs from a file: a table of ids, right grades, reasons and places in the guidelines."""

import csv
import io
from collections.abc import Container
from typing import NamedTuple

from annotate.core.formats import FormatError, Problems, add_faults, id_fault, shown, text_fault, whole_number

NEEDED = ("query", "document", "grade")
OPTIONAL = ("why", "paragraph")
MAX_ROWS = 2000
MAX_WHY, MAX_PARAGRAPH = 2000, 120


class TrainingLine(NamedTuple):
    """One pair as the file says it; line counts from 1."""

    line: int
    query: str
    document: str
    grade: int
    why: str
    paragraph: str


def read_training(content: bytes, name: str, *, grades: Container[int], problems: Problems) -> list[TrainingLine]:
    """The pairs of a CSV or TSV file with the columns query, document, grade and perhaps why and paragraph.

    name : of the file, which says whether it is TSV
    grades : those of the scheme
    What is wrong with single lines is added to the problems. Raises FormatError where nothing can be read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(name, None, "", "it is no UTF-8 text; save it as CSV in UTF-8.") from error
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if name.endswith((".tsv", ".tsv.txt")) else ",")
    missing = [column for column in NEEDED if column not in (reader.fieldnames or [])]
    if missing:
        raise FormatError(name, 1, missing[0], f"the column {missing[0]} is missing; the first line names the columns.")
    found = []
    try:
        for row in reader:
            if len(found) + problems.n >= MAX_ROWS:
                raise FormatError(name, reader.line_num, "", f"a file holds at most {MAX_ROWS:,} pairs; split it.")
            line = _line(row, reader.line_num, name, grades, problems)
            if line:
                found.append(line)
    except csv.Error as error:
        raise FormatError(name, reader.line_num, "", f"it is no table: {error}.") from error
    return found


def _line(
    row: dict[str, str | None], number: int, name: str, grades: Container[int], problems: Problems
) -> TrainingLine | None:
    said = {column: (row.get(column) or "").strip() for column in (*NEEDED, *OPTIONAL)}
    grade = whole_number(said["grade"])
    faults = {
        "query": id_fault(said["query"]),
        "document": id_fault(said["document"]),
        "grade": "" if grade in grades else f"{shown(said['grade'])} is no grade of this collection",
        "why": text_fault(said["why"]) or _too_long(said["why"], MAX_WHY),
        "paragraph": text_fault(said["paragraph"]) or _too_long(said["paragraph"], MAX_PARAGRAPH),
    }
    if any(faults.values()) or grade is None:
        add_faults(faults, number, name, problems)
        return None
    return TrainingLine(number, said["query"], said["document"], grade, said["why"], said["paragraph"])


def _too_long(text: str, most: int) -> str:
    return f"is longer than {most:,} characters" if len(text) > most else ""
