"""Label files for the agreement command: a label a line, or a column an annotator."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from annotate.core.files.formats import FormatError, Problems, finite_number, is_missing, quoted
from annotate.core.files.text_files import header_of, table_rows
from metrics.core.agreement.agreement import MeasurementLevel
from metrics.core.agreement.counts import CodedLabels, annotations

MAX_LISTED_COLUMNS = 30  # columns that a message names
# Words of the columns of a file of judgments for labels that count and were planned regardless of
# other labels of the unit; a table may lack the last two columns.
_PLANNED_WORDS = {"why": ("first", "double"), "purpose": ("label", "import"), "status": ("counts",)}
_SPAN = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


class LabelTable(NamedTuple):
    """Labels of a table, and the groups of their units.

    groups : (U,) of each of `labels.units` the values of the group's columns; () where they are
        blank, or not requested
    """

    labels: CodedLabels
    groups: list[tuple[str, ...]]


def read_labels(
    stream: BinaryIO,
    problems: Problems,
    *,
    name: str,
    unit: Sequence[str],
    annotator: Sequence[str],
    value: str | None,
    level: MeasurementLevel | str,
    has_header: bool = True,
    group: Sequence[str] = (),
    planned: bool = False,
) -> LabelTable:
    """Read the labels of a table (CSV, or tabs), in its order; gzip or plain.

    unit, group : columns, by names or numbers (3-5), that name the unit and its group; may overlap
    annotator : with `value`, the columns that name the annotator; without, a column each
    level : values are numbers on all levels but the nominal one
    has_header : whether the first line names the columns
    planned : only labels that count and were planned whatever the others, by the column `why`
    Empty cells and "NA" are missing labels; faulty lines go to `problems`. Raises FormatError.
    """
    header = header_of(stream, name, has_header=has_header)
    unit, annotator, group = (
        _columns(columns, header, name) for columns in (unit, annotator, group)
    )
    value = _value_column(value, header, name) if value else None
    _refuse_repeated_columns([unit, group], [*annotator, *([value] if value else [])], name)
    units = _Units(unit, group, name)
    table_labels = _Labels()
    lines = table_rows(stream, name, problems, has_header=has_header)
    required_words = _planned_words(header, name) if planned else {}
    is_nominal = level == MeasurementLevel.NOMINAL  # else a label is a number
    for number, cells, labels in _labelled_rows(lines, annotator, value, required_words):
        try:
            key = units.number(cells, number)
        except FormatError as error:
            problems.add(error)
            continue
        for annotator_key, text in labels:
            label = text.strip() if is_nominal else finite_number(text.strip(" \t"))
            if label is None:
                message = f"{quoted(text)} is not a number; use the nominal level for words."
                problems.add(FormatError(name, number, value or annotator_key[0], message))
                continue
            table_labels.add(key, annotator_key, label)
    coded = table_labels.coded()
    return LabelTable(coded, [units.groups[key] for key in coded.units.tolist()])


class _Labels:
    """Labels in the order of the file; annotators are numbered as they come."""

    def __init__(self) -> None:
        self._people: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[int, int]] = []
        self._values: list[float | str] = []

    def add(self, unit: int, annotator: tuple[str, ...], label: float | str) -> None:
        """Add a label."""
        self._values.append(label)
        self._rows.append((unit, self._people.setdefault(annotator, len(self._people))))

    def coded(self) -> CodedLabels:
        """The labels by the numbers of their units and annotators."""
        unit_code, person_code = np.array(self._rows, dtype=np.int64).reshape(-1, 2).T
        return annotations(unit_code, person_code, np.array(self._values))


class _Units:
    """Units by their names, numbered as they are read; groups : the group of each."""

    def __init__(self, unit: Sequence[str], group: Sequence[str], name: str) -> None:
        self._unit, self._group, self._name = unit, group, name
        self._numbers: dict[tuple[str, ...], int] = {}
        self._lines: list[int] = []
        self.groups: list[tuple[str, ...]] = []

    def number(self, cells: Mapping[str, str], line: int) -> int:
        """Return the number of a row's unit.

        Raises FormatError where an earlier row has another group.
        """
        key = tuple(cells[column] for column in self._unit)
        group = tuple(cells[column].strip() for column in self._group)
        group = group if any(group) else ()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number == len(self.groups):
            self.groups.append(group)
            self._lines.append(line)
        if self.groups[number] != group:
            group_text, earlier_text = (
                quoted(", ".join(names)) if names else "no group"
                for names in (group, self.groups[number])
            )
            message = (
                f"the unit {quoted(', '.join(key))} is of {group_text}, but of {earlier_text} in "
                f"line {self._lines[number]}"
            )
            raise FormatError(
                self._name, line, self._group[0], f"{message}: a unit belongs to one group."
            )
        return number


def _value_column(column: str, header: list[str], name: str) -> str:
    """The one column of labels. Raises FormatError."""
    value, *further_columns = _columns([column], header, name)
    if further_columns:
        raise FormatError(
            name,
            1,
            value,
            f"labels stand in one column each line, not also in {further_columns[0]}.",
        )
    return value


def _planned_words(header: list[str], name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a planned label's row, by column. Raises FormatError."""
    if "why" not in header:
        raise FormatError(name, 1, "why", 'no column "why" says what each label was asked for.')
    return {column: words for column, words in _PLANNED_WORDS.items() if column in header}


def _refuse_repeated_columns(
    naming: Sequence[Sequence[str]], labelling: Sequence[str], name: str
) -> None:
    """Raise FormatError where a column of labels is also one of units or groups, or is repeated."""
    for columns in naming:
        if repeated_columns := [
            column for column, n in Counter([*columns, *labelling]).items() if n > 1
        ]:
            message = f"column {quoted(repeated_columns[0])} stands for two things"
            raise FormatError(
                name,
                1,
                repeated_columns[0],
                f"{message}: units, annotators and labels have columns of their own.",
            )


def _columns(names: Sequence[str], header: list[str], name: str) -> list[str]:
    """The columns of these names or numbers. Raises FormatError."""
    columns_found: list[str] = []
    for text in names:
        span = _SPAN.fullmatch(text.strip())
        if span and text.strip() in header and header.index(text.strip()) + 1 != int(span[1]):
            number_of_column = header.index(text.strip()) + 1
            raise FormatError(
                name,
                1,
                text,
                f"{quoted(text)} is the name of column {number_of_column}, and a number of "
                "another one: rename the column, or say there is no header.",
            )
        if text.strip() in header:
            columns_found.append(text.strip())
        elif span and 1 <= int(span[1]) <= int(span[2] or span[1]) <= len(header):
            columns_found += header[int(span[1]) - 1 : int(span[2] or span[1])]
        else:
            columns = ", ".join(
                f"{number} {column[:60]}"
                for number, column in enumerate(header[:MAX_LISTED_COLUMNS], start=1)
            )
            columns += (
                f" and {len(header) - MAX_LISTED_COLUMNS:,} more"
                if len(header) > MAX_LISTED_COLUMNS
                else ""
            )
            raise FormatError(
                name,
                1,
                text,
                f"there is no column {quoted(text)}. Name one of these or its number, or say "
                f"there is no header: {columns}.",
            )
    return columns_found


def _labelled_rows(
    lines: Iterable[tuple[int, dict[str, str]]],
    annotator: Sequence[str],
    value: str | None,
    required_words: Mapping[str, Sequence[str]],
) -> Iterator[tuple[int, dict[str, str], list[tuple[tuple[str, ...], str]]]]:
    """The rows that hold labels, with their labels.

    required_words : by column, the words of which a row must have one
    """
    for number, cells in lines:
        label_cells: list[tuple[tuple[str, ...], str]] = (
            [(tuple(cells[column] for column in annotator), cells[value])]
            if value
            else [((column,), cells[column]) for column in annotator]
        )
        labels = [
            (annotator_key, text) for annotator_key, text in label_cells if not is_missing(text)
        ]
        if labels and all(
            cells[column].strip() in words for column, words in required_words.items()
        ):
            yield number, cells, labels
