"""Label files for the agreement command: a label a line, or a column an annotator."""

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from annotate.core.formats import FormatError, Problems
from annotate.core.reading import header_of, table_rows
from metrics.core.agreement import Level
from metrics.core.counts import Annotations, annotations

MISSING = ("", "na", "nan", "null", "none")


def read_labels(
    stream: BinaryIO,
    problems: Problems,
    *,
    name: str,
    unit: Sequence[str],
    annotator: Sequence[str],
    value: str | None,
    level: Level | str,
) -> Annotations:
    """Labels of a table with a header (CSV, or tabs), in its order; gzip or plain.

    unit : the columns that name what was labelled, together
    annotator : with `value`, the columns that name who labelled; without, one column of values an annotator
    level : values are numbers on all levels but the nominal one

    Empty cells, "NA" and the like are missing labels. Faulty lines go to `problems`; raises FormatError for the header.
    """
    header = header_of(stream, name)
    for column in (*unit, *annotator, *([value] if value else [])):
        if column not in header:
            raise FormatError(name, 1, column, f'there is no column "{column}"; there are: {", ".join(header)}.')
    units: dict[tuple[str, ...], int] = {}
    people: dict[tuple[str, ...], int] = {}
    rows: list[tuple[int, int]] = []
    values: list[float | str] = []
    for number, cells in table_rows(stream, name, problems):
        key = units.setdefault(tuple(cells[column] for column in unit), len(units))
        for who, text in _labels_of(cells, annotator, value):
            if text.strip().lower() in MISSING:
                continue
            try:
                values.append(text.strip() if level == Level.NOMINAL else float(text))
            except ValueError:
                message = f'"{text}" is not a number; use the nominal level for words.'
                problems.add(FormatError(name, number, value or who[0], message))
                continue
            rows.append((key, people.setdefault(who, len(people))))
    unit_code, person_code = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return annotations(unit_code, person_code, np.array(values))


def _labels_of(cells: dict[str, str], annotator: Sequence[str], value: str | None) -> list[tuple[tuple[str, ...], str]]:
    if value:
        return [(tuple(cells[column] for column in annotator), cells[value])]
    return [((column,), cells[column]) for column in annotator]
