"""Training pairs from a file: a table of ids, right grades, reasons and guideline paragraphs."""

import csv
import io
from collections.abc import Container
from typing import NamedTuple

from annotate.core.files.formats import (
    FormatError,
    Problems,
    add_faults,
    id_fault,
    quoted,
    text_fault,
    whole_number,
)

NEEDED = ("query", "document", "grade")
OPTIONAL = ("why", "paragraph")
MAX_ROWS = 2000
MAX_WHY, MAX_PARAGRAPH = 2000, 120


class TrainingLine(NamedTuple):
    """One training pair of a file; line counts from 1."""

    line: int
    query: str
    document: str
    grade: int
    why: str
    paragraph: str


def read_training(
    content: bytes, name: str, *, grades: Container[int], problems: Problems
) -> list[TrainingLine]:
    """Read the pairs of a CSV or TSV file: query, document, grade, and perhaps why and paragraph.

    name : the file's name, whose ending tells a TSV file
    grades : the scheme's grades
    Faults of single lines are added to the problems. Raises FormatError where nothing can be read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            name, None, "", "it is no UTF-8 text; save it as CSV in UTF-8."
        ) from error
    reader = csv.DictReader(
        io.StringIO(text), delimiter="\t" if name.endswith((".tsv", ".tsv.txt")) else ","
    )
    missing_columns = [column for column in NEEDED if column not in (reader.fieldnames or [])]
    if missing_columns:
        raise FormatError(
            name,
            1,
            missing_columns[0],
            f"the column {missing_columns[0]} is missing; the first line names the columns.",
        )
    training_lines: list[TrainingLine] = []
    try:
        for row in reader:
            if len(training_lines) + problems.n >= MAX_ROWS:
                raise FormatError(
                    name, reader.line_num, "", f"a file holds at most {MAX_ROWS:,} pairs; split it."
                )
            training_line = _line(row, reader.line_num, name, grades, problems)
            if training_line:
                training_lines.append(training_line)
    except csv.Error as error:
        raise FormatError(name, reader.line_num, "", f"it is no table: {error}.") from error
    return training_lines


def _line(
    row: dict[str, str | None], number: int, name: str, grades: Container[int], problems: Problems
) -> TrainingLine | None:
    cells = {column: (row.get(column) or "").strip() for column in (*NEEDED, *OPTIONAL)}
    grade = whole_number(cells["grade"])
    faults = {
        "query": id_fault(cells["query"]),
        "document": id_fault(cells["document"]),
        "grade": ""
        if grade in grades
        else f"{quoted(cells['grade'])} is no grade of this collection",
        "why": text_fault(cells["why"]) or _too_long(cells["why"], MAX_WHY),
        "paragraph": text_fault(cells["paragraph"]) or _too_long(cells["paragraph"], MAX_PARAGRAPH),
    }
    if any(faults.values()) or grade is None:
        add_faults(faults, number, name, problems)
        return None
    return TrainingLine(
        number, cells["query"], cells["document"], grade, cells["why"], cells["paragraph"]
    )


def _too_long(text: str, limit: int) -> str:
    return f"is longer than {limit:,} characters" if len(text) > limit else ""
