"""Files of scores a query, in several forms; each becomes one table of queries and runs.

topics by runs : CSV or tabs; a header names the runs, and a first column, if there is one, the
    queries
a row a score : a table with the columns query and value, and perhaps group, as Downloads make it
evaluate's : the output of `evaluate --per-query` and `trec_eval -q`: measure, query, value
numbers : one a line, the scores of one run
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems, is_missing, quoted
from annotate.core.files.text_files import fields_of, first_line, header_of, lines, table_rows
from metrics.core.files.groups import GROUP, GroupNames
from metrics.core.files.score_headings import QUERY_NAMES, RUN_NAMES, names_queries, names_runs

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE
)
# a table is of one value of each
CHOICES = ("measure", "direction", "query_set", "label_source", "threshold")
SUMMARIES = ("all", "mean", "average", "avg", "amean")  # rows below a table that are no query
MAX_LISTED_VALUES = 20  # values that a message names
# sizes whose squares and quotients are numbers still; RBP of a positive far down is a smaller one
SMALLEST, LARGEST = 1e-100, 1e100


class ScoreTable(NamedTuple):
    """Scores of runs on queries.

    queries, runs : Q and S names, in the file's order
    values : (Q, S) float64; nan where a run has no score on a query
    groups : (Q,) the group of each query, "" where it stands by itself; None where the file has
        none
    row_head : the heading of the column that names the rows, "query" in a file with a row a score;
        "" where nothing says it
    """

    queries: list[str]
    runs: list[str]
    values: NDArray[np.float64]
    groups: list[str] | None = None
    row_head: str = ""

    @property
    def has_queries(self) -> bool:
        """True if the heading says that rows are queries; "id" may be that of a run too."""
        return names_queries(self.row_head)

    @property
    def has_runs(self) -> bool:
        """True if the heading says that rows are runs."""
        return names_runs(self.row_head)

    def of(self, run: str) -> dict[str, float]:
        """A run's scores by query, without missing ones. Raises ValueError for an unknown run."""
        column = self.values[:, self.runs.index(run)].tolist()
        return {
            query: value
            for query, value in zip(self.queries, column, strict=True)
            if not np.isnan(value)
        }

    def of_queries(self, indices: NDArray[np.int64]) -> "ScoreTable":
        """The scores on some of the queries, by (K,) their indices among all."""
        rows = indices.tolist()
        groups = None if self.groups is None else [self.groups[q] for q in rows]
        queries = [self.queries[q] for q in rows]
        return ScoreTable(queries, self.runs, self.values[rows], groups, self.row_head)

    def of_columns(self, names: Sequence[str]) -> "ScoreTable":
        """The scores of some of the runs, by name, in the file's order."""
        columns = [column for column, run in enumerate(self.runs) if run in names]
        return self._replace(runs=[self.runs[c] for c in columns], values=self.values[:, columns])


def read_scores(
    stream: BinaryIO, *, name: str, chosen_values: Mapping[str, str] | None = None
) -> ScoreTable:
    """Read the scores of a file, gzip or plain; its first line tells the form.

    chosen_values : by the columns of CHOICES, the value of the rows to read where the file holds
        several
    A score smaller than SMALLEST is 0 beside larger ones.
    Raises FormatError, also where several scores of one run on one query remain, or none at all,
    for a score larger than LARGEST, and where none but 0 reaches SMALLEST.
    """
    header = [cell.strip() for cell in header_of(stream, name)]
    choices = _ColumnChoices(chosen_values or {}, name)
    first = first_line(stream, name)
    fields = first.split()
    if {"query", "value"} <= set(header):
        return _read_rows(stream, name, header, choices)
    if "," not in first and len(fields) in (1, 3) and _is_score(fields[-1]):
        return _read_lines(stream, name, choices)
    return _read_topics(stream, name, header, choices)


def option_name(column: str) -> str:
    """The name of the command line option for one of CHOICES."""
    return f"--{column.replace('_', '-')}"


class _ColumnChoices:
    """The choice of rows in a file that describes each score by columns."""

    def __init__(self, chosen_values: Mapping[str, str], name: str) -> None:
        self._chosen_values, self._name = chosen_values, name
        self._columns: Sequence[str] = ()
        self._values_in_file: dict[str, dict[str, None]] = {}
        self._values_accepted: dict[str, dict[str, None]] = {}

    def of(self, columns: Sequence[str]) -> None:
        """Set the columns of CHOICES that the file has.

        Raises FormatError where another one is chosen.
        """
        if unknown := [column for column in self._chosen_values if column not in columns]:
            message = (
                f"the file does not say the {unknown[0]} of its scores: leave out "
                f"{option_name(unknown[0])}."
            )
            raise FormatError(self._name, None, unknown[0], message)
        self._columns = columns
        self._values_in_file, self._values_accepted = (
            {column: {} for column in columns},
            {column: {} for column in columns},
        )

    def accept(self, cells: Mapping[str, str]) -> bool:
        """True if a row is chosen.

        For columns without a choice, whether it is like the first such row.
        """
        for column in self._columns:
            self._values_in_file[column].setdefault(cells[column])
        if any(cells[column] != value for column, value in self._chosen_values.items()):
            return False
        for column in self._columns:
            self._values_accepted[column].setdefault(cells[column])
        return all(
            next(iter(self._values_accepted[column])) == cells[column] for column in self._columns
        )

    def check(self) -> None:
        """Raise FormatError where a choice is missing, or leaves no score."""
        for column in self._columns:
            if len(self._values_accepted[column]) > 1:
                message = (
                    f"the file holds several: {_list_values(self._values_accepted[column])}. "
                    f"Choose one by {option_name(column)}."
                )
                raise FormatError(self._name, None, column, message)
        for column, value in self._chosen_values.items():
            if value not in self._values_in_file[column]:
                values_text = _list_values(self._values_in_file[column]) or "no scores"
                raise FormatError(
                    self._name,
                    None,
                    column,
                    f"no score is of {column} {value}; the file holds {values_text}.",
                )
        if self._chosen_values and not any(self._values_accepted.values()):
            chosen_text = ", ".join(
                f"{column} {value}" for column, value in self._chosen_values.items()
            )
            raise FormatError(
                self._name,
                None,
                "",
                f"the file holds each of {chosen_text}, but no score of all of them.",
            )


class _Scores:
    """Scores by run and query, as they are read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._queries: dict[str, int] = {}
        self._runs: dict[str, int] = {}
        self._values: dict[tuple[int, int], tuple[float, int]] = {}

    def has(self, run: str) -> bool:
        """True if there are scores of a run already."""
        return run in self._runs

    def add(self, run: str, query: str, text: str, line: int, *, column: str = "value") -> None:
        """Add a score; "NA" and the like are missing.

        Raises FormatError for a second one and for no number.
        """
        cell = (
            self._queries.setdefault(query, len(self._queries)),
            self._runs.setdefault(run, len(self._runs)),
        )
        if cell in self._values:
            message = (
                f"run {quoted(run)} has a score on query {quoted(query)} in line "
                f"{self._values[cell][1]} already."
            )
            raise FormatError(self._name, line, "", message)
        self._values[cell] = _number(text, line, self._name, column), line

    def table(self) -> ScoreTable:
        """The table of all scores. Raises FormatError where there are none, or all are tiny."""
        values = np.full((len(self._queries), len(self._runs)), np.nan)
        for (row, column), (value, _) in self._values.items():
            values[row, column] = value
        if np.isnan(values).all():
            raise FormatError(self._name, None, "", "The file holds no scores.")
        is_tiny = (values != 0) & (np.abs(values) < SMALLEST)
        if is_tiny.any() and np.nanmax(np.abs(values)) < SMALLEST:
            value, line = next(cell for cell in self._values.values() if abs(cell[0]) > 0)
            message = (
                f"{value:g} is too small to compute with, and no score is larger: give all scores "
                f"in another unit, so that some reach {SMALLEST:g}."
            )
            raise FormatError(self._name, line, "", message)
        values[is_tiny] = 0
        return ScoreTable(list(self._queries), list(self._runs), values)


def _read_rows(
    stream: BinaryIO, name: str, header: list[str], choices: _ColumnChoices
) -> ScoreTable:
    """Read a score a row, with any columns of CHOICES, and the group if there is that column."""
    choices.of([column for column in CHOICES if column in header])
    run_column = next((column for column in RUN_NAMES if column in header), None)
    scores, names, problems = _Scores(name), GroupNames(name), Problems()
    for number, cells in table_rows(stream, name, problems):
        if choices.accept(cells):
            scores.add(
                cells[run_column] if run_column else _stem(name),
                cells["query"],
                cells["value"],
                number,
            )
            names.add(cells["query"], cells.get(GROUP, ""), number)
    _refuse_problems(problems)
    choices.check()
    table, groups = scores.table(), names.by_query()
    return table._replace(
        groups=[groups[query] for query in table.queries] if GROUP in header else None,
        row_head="query",
    )


def _read_lines(stream: BinaryIO, name: str, choices: _ColumnChoices) -> ScoreTable:
    """Read measure, query and value a line, with a run's name below its lines.

    Or a number a line.
    """
    scores = _Scores(name)
    rows: list[tuple[str, str, int]] = []
    choices.of(["measure"])
    for number, text in lines(stream, name):
        fields = fields_of(text)
        if len(fields) == 1:
            fields = ["", str(number), *fields]
        if fields[2:3] == ["n/a"]:  # evaluate adds the rank beyond which it lies
            fields = fields[:3]
        if len(fields) not in (0, 3):
            raise FormatError(
                name, number, "", f"expected measure, query and value, found {len(fields)} fields."
            )
        measure, query, value = fields or ("", "all", "")
        if measure == "runid":
            _add(scores, value, rows)
            rows = []
        elif query != "all" and choices.accept({"measure": measure}):
            rows.append((query, value, number))
    _add(scores, _stem(name), rows)
    choices.check()
    return scores.table()._replace(row_head="query")


def _add(scores: _Scores, run: str, rows: list[tuple[str, str, int]]) -> None:
    """Add a run's scores; a second run of one name gets a number."""
    names = (run, *(f"{run} ({number})" for number in range(2, 1_000)))
    run = next((name for name in names if not scores.has(name)), run) if rows else run
    for query, value, number in rows:
        scores.add(run, query, value, number)


def _read_topics(
    stream: BinaryIO, name: str, header: list[str], choices: _ColumnChoices
) -> ScoreTable:
    """Read a row a query and a column a run; queries without a column are numbered."""
    choices.of([])
    if header and all(map(_is_score, header)):
        raise FormatError(
            name,
            1,
            "",
            'it holds numbers; write a line before it that names the runs: "query,A,B".',
        )
    if len(header) == 1 and len(re.split("[; ]", header[0])) > 1:
        raise FormatError(name, 1, "", "the columns of a table are parted by commas or tabs.")
    problems = Problems()
    rows = list(table_rows(stream, name, problems))
    _refuse_problems(problems)
    query_column = _query_column(header, rows, name)
    runs = [
        column
        for column in header
        if column != query_column and (column or query_column in (None, ""))
    ]
    scores = _Scores(name)
    for row_number, (number, cells) in enumerate(rows, start=1):
        query = str(row_number) if query_column is None else cells[query_column].strip()
        if query.lower() in SUMMARIES:
            raise FormatError(
                name,
                number,
                "",
                f"{quoted(query)} is no query but a summary of them: take the row out.",
            )
        for run in runs:
            scores.add(run, query, cells[run], number, column=run)
    return scores.table()._replace(row_head=query_column or "")


def _query_column(
    header: list[str], rows: list[tuple[int, dict[str, str]]], name: str
) -> str | None:
    """The column that names the queries, None where there is none.

    Raises FormatError where it is unclear.
    """
    query_columns = [column for column in header if column and column.lower() in QUERY_NAMES]
    if query_columns or "" in header:
        return query_columns[0] if query_columns else ""
    first = header[0] if header else ""
    column = [cells[first] for _, cells in rows]
    if names_queries(first) or not all(map(_is_score, column)):
        return first
    numbers = {float(text) for text in column if not is_missing(text)}
    if numbers <= {0, 1} or not (
        max(numbers) > 1 or all(number.is_integer() for number in numbers)
    ):
        return None
    message = (
        f"column {quoted(first)} may name the queries or hold scores: if it names them, call it "
        '"query"'
    )
    raise FormatError(
        name, 1, "", f'{message}; if it holds scores, put a column "query" before it.'
    )


def _refuse_problems(problems: Problems) -> None:
    if problems:
        raise problems.errors[0]


def _list_values(values: Mapping[str, None]) -> str:
    text = ", ".join(list(values)[:MAX_LISTED_VALUES])
    return f"{text}, ..." if len(values) > MAX_LISTED_VALUES else text


def _stem(name: str) -> str:
    return PurePath(name).name


def _is_score(text: str) -> bool:
    return is_missing(text) or _NUMBER.fullmatch(text.strip(" \t")) is not None


def _number(text: str, number: int, name: str, column: str = "value") -> float:
    if is_missing(text):
        return np.nan
    if not _NUMBER.fullmatch(text.strip(" \t")):
        raise FormatError(
            name, number, column, f"{quoted(text)} is not a number{_column_text(column)}."
        )
    value = float(text)
    if not np.isfinite(value):
        raise FormatError(
            name, number, column, f"{quoted(text)} is not a finite number{_column_text(column)}."
        )
    if abs(value) > LARGEST:
        message = (
            f"{quoted(text)} is too large to compute with{_column_text(column)}: give all scores "
            f"in another unit, so that none is beyond {LARGEST:g}."
        )
        raise FormatError(name, number, column, message)
    return value


def _column_text(column: str) -> str:
    return "" if column == "value" else f", in column {quoted(column)}"
