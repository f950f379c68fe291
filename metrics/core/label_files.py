"""Label files for the agreement command: a label a line, or a column an annotator."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from annotate.core.formats import FormatError, Problems, finite_number, is_missing, shown
from annotate.core.reading import header_of, table_rows
from metrics.core.agreement import Level
from metrics.core.counts import Annotations, annotations

MAX_TOLD = 30  # columns that a message names
# What a file of judgments says of labels that count and were asked for whatever others said of the unit; a table may do
# without the last two columns.
_PLANNED = {"why": ("first", "double"), "purpose": ("label", "import"), "status": ("counts",)}
_SPAN = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


class LabelTable(NamedTuple):
    """Labels of a table, and where their units belong.

    groups : (U,) of each of `labels.units` what the columns of the group say; () where they are blank, or not asked for
    """

    labels: Annotations
    groups: list[tuple[str, ...]]


def read_labels(
    stream: BinaryIO,
    problems: Problems,
    *,
    name: str,
    unit: Sequence[str],
    annotator: Sequence[str],
    value: str | None,
    level: Level | str,
    has_header: bool = True,
    group: Sequence[str] = (),
    planned: bool = False,
) -> LabelTable:
    """Labels of a table (CSV, or tabs), in its order; gzip or plain.

    unit : the columns that name what was labelled, together
    annotator : with `value`, the columns that name who labelled; without, one column of values an annotator
    level : values are numbers on all levels but the nominal one
    has_header : whether the first line names the columns; a column is named so, or by its number, several as 3-5
    group : the columns that name, together, what a unit belongs to; they may be columns of the unit
    planned : only labels that count and were asked for whatever others said, by the column `why`

    Empty cells, "NA" and the like are missing labels. Faulty lines go to `problems`; raises FormatError for the header.
    """
    header = header_of(stream, name, has_header=has_header)
    unit, annotator, group = (_columns(columns, header, name) for columns in (unit, annotator, group))
    value = _value_column(value, header, name) if value else None
    _refuse_twice([unit, group], [*annotator, *([value] if value else [])], name)
    units = _Units(unit, group, name)
    people: dict[tuple[str, ...], int] = {}
    rows: list[tuple[int, int]] = []
    values: list[float | str] = []
    lines = table_rows(stream, name, problems, has_header=has_header)
    for number, cells, labels in _labelled(lines, annotator, value, _planned(header, name) if planned else {}):
        try:
            key = units.number(cells, number)
        except FormatError as error:
            problems.add(error)
            continue
        for who, text in labels:
            said = text.strip() if level == Level.NOMINAL else finite_number(text.strip(" \t"))
            if said is None:
                message = f"{shown(text)} is not a number; use the nominal level for words."
                problems.add(FormatError(name, number, value or who[0], message))
                continue
            values.append(said)
            rows.append((key, people.setdefault(who, len(people))))
    unit_code, person_code = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    coded = annotations(unit_code, person_code, np.array(values))
    return LabelTable(coded, [units.groups[key] for key in coded.units.tolist()])


class _Units:
    """Units by their names, as they are read; groups : what each belongs to."""

    def __init__(self, unit: Sequence[str], group: Sequence[str], name: str) -> None:
        self._unit, self._group, self._name = unit, group, name
        self._numbers: dict[tuple[str, ...], int] = {}
        self._lines: list[int] = []
        self.groups: list[tuple[str, ...]] = []

    def number(self, cells: Mapping[str, str], line: int) -> int:
        """The number of a row's unit. Raises FormatError where an earlier row has it belong elsewhere."""
        key = tuple(cells[column] for column in self._unit)
        group = tuple(cells[column].strip() for column in self._group)
        group = group if any(group) else ()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self.groups):
            self.groups.append(group)
            self._lines.append(line)
        if self.groups[number] != group:
            here, there = (shown(", ".join(names)) if names else "no group" for names in (group, self.groups[number]))
            message = f"the unit {shown(', '.join(key))} is of {here}, but of {there} in line {self._lines[number]}"
            raise FormatError(self._name, line, self._group[0], f"{message}: a unit belongs to one group.")
        return number


def _value_column(asked: str, header: list[str], name: str) -> str:
    """The one column of labels. Raises FormatError."""
    value, *others = _columns([asked], header, name)
    if others:
        raise FormatError(name, 1, value, f"labels stand in one column each line, not also in {others[0]}.")
    return value


def _planned(header: list[str], name: str) -> dict[str, tuple[str, ...]]:
    """What the columns of a planned label's row say. Raises FormatError."""
    if "why" not in header:
        raise FormatError(name, 1, "why", 'no column "why" says what each label was asked for.')
    return {column: words for column, words in _PLANNED.items() if column in header}


def _refuse_twice(naming: Sequence[Sequence[str]], labelling: Sequence[str], name: str) -> None:
    """Raises FormatError where a column occurs twice among those of labels and those of units, or of groups."""
    for columns in naming:
        if twice := [column for column, n in Counter([*columns, *labelling]).items() if n > 1]:
            message = f"column {shown(twice[0])} stands for two things"
            raise FormatError(name, 1, twice[0], f"{message}: units, annotators and labels have columns of their own.")


def _columns(asked: Sequence[str], header: list[str], name: str) -> list[str]:
    """The columns of these names or numbers. Raises FormatError."""
    found: list[str] = []
    for text in asked:
        span = _SPAN.fullmatch(text.strip())
        if span and text.strip() in header and header.index(text.strip()) + 1 != int(span[1]):
            place = header.index(text.strip()) + 1
            message = f"{shown(text)} is the name of column {place}, and a number of another one"
            raise FormatError(name, 1, text, f"{message}: rename the column, or say there is no header.")
        if text.strip() in header:
            found.append(text.strip())
        elif span and 1 <= int(span[1]) <= int(span[2] or span[1]) <= len(header):
            found += header[int(span[1]) - 1 : int(span[2] or span[1])]
        else:
            columns = ", ".join(f"{number} {column[:60]}" for number, column in enumerate(header[:MAX_TOLD], start=1))
            columns += f" and {len(header) - MAX_TOLD:,} more" if len(header) > MAX_TOLD else ""
            message = f"there is no column {shown(text)}. Name one of these or its number, or say there is no header"
            raise FormatError(name, 1, text, f"{message}: {columns}.")
    return found


def _labelled(
    lines: Iterable[tuple[int, dict[str, str]]],
    annotator: Sequence[str],
    value: str | None,
    wanted: Mapping[str, Sequence[str]],
) -> Iterator[tuple[int, dict[str, str], list[tuple[tuple[str, ...], str]]]]:
    """The rows that hold labels, with these; wanted : words of which a row's columns say one."""
    for number, cells in lines:
        labels = [(who, text) for who, text in _labels_of(cells, annotator, value) if not is_missing(text)]
        if labels and all(cells[column].strip() in words for column, words in wanted.items()):
            yield number, cells, labels


def _labels_of(cells: dict[str, str], annotator: Sequence[str], value: str | None) -> list[tuple[tuple[str, ...], str]]:
    if value:
        return [(tuple(cells[column] for column in annotator), cells[value])]
    return [((column,), cells[column]) for column in annotator]
