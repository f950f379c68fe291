"""Similarity matrices as blocks of whole rows: the best targets of each row, and checked ids."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, id_fault, quoted
from pooling.core.files.text.runs import RunFile

MATRIX = "sim_mat"
ID_NAMES = (("row_ids", "column_ids"), ("query_ids", "document_ids"), ("vis_ids", "txt_ids"))
DEPTH = 100  # targets of each row that pools and pages use
CELLS_AT_ONCE = 500_000  # a block and the arrays made of it stay in the processor's cache
ROWS_AT_ONCE = 100_000
MAX_IDS = 2_000_000  # of one side


class MatrixBlock(NamedTuple):
    """Some whole rows of a matrix; a matrix comes as blocks in the order of its rows.

    rows, columns : (R,), (C,) ids of all of them, each once
    start : index of the first of these rows, from 0; values : (n, C) floats, -inf means not
        retrieved
    """

    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]
    start: int
    values: NDArray[Any]


class RunPart(NamedTuple):
    """Some rows of a run, whose queries are numbered by themselves.

    line : (N,) the line of each row in the file.
    """

    run: RunFile
    line: NDArray[np.int64]


class _BestCells(NamedTuple):
    """The best cells of a block: row, column and score."""

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    score: NDArray[Any]


def rows_at_once(n_columns: int) -> int:
    """Number of rows to read as one block."""
    return max(1, CELLS_AT_ONCE // max(1, n_columns))


ColumnFilter = Callable[[NDArray[np.bytes_]], NDArray[np.bool_]]


def discard(block: MatrixBlock) -> None:
    """Discard a block: the default for `keep`."""


def all_columns(columns: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Rank every column."""
    return np.ones(len(columns), dtype=bool)


def keep_best(
    blocks: Iterable[MatrixBlock],
    name: str,
    *,
    score_type: str = "float32",
    keep: Callable[[MatrixBlock], None] = discard,
    select_columns: ColumnFilter = all_columns,
) -> Iterator[RunPart]:
    """The DEPTH best entries of each row of a matrix.

    score_type : scores are compared as "float32" or as "float64"
    keep : called with each block once it is found to be sound
    select_columns : called once with the ids; returns a mask of the columns that are ranked at all

    Of targets that tie at the last place those with the larger ids stay, as in the canonical order.
    Each part has some ROWS_AT_ONCE rows. Raises FormatError for a row with NaN or +inf.
    """
    parts: list[_BestCells] = []
    start, stop = 0, 0
    for block in blocks:
        if not stop:
            is_ranked = select_columns(block.columns)
            columns = block.columns[is_ranked]
            # of each column's id in descending order of ids
            id_position = np.empty(len(columns), dtype=np.int32)
            id_position[np.argsort(columns)[::-1]] = np.arange(len(columns))
        refuse_undefined(block, name)
        keep(block)
        parts.append(
            _best_cells(
                block.values if is_ranked.all() else block.values[:, is_ranked],
                stop - start,
                id_position,
                score_type,
            )
        )
        stop += len(block.values)
        if sum(len(cells.score) for cells in parts) >= ROWS_AT_ONCE:
            yield _part(parts, block.rows[start:stop], start, columns)
            parts, start = [], stop
    if parts:
        yield _part(parts, block.rows[start:stop], start, columns)


def _best_cells(
    values: NDArray[Any], start: int, id_position: NDArray[np.int32], score_type: str
) -> _BestCells:
    # numpy has fast selection for these two types alone: not for halves or the other byte order
    with np.errstate(over="ignore"):  # a score that float32 cannot hold is infinite there
        part = values.astype(np.float64 if score_type == "float64" else np.float32, copy=False)
    best = np.flatnonzero(_best(part, id_position))
    row, score = best // max(1, part.shape[1]), values.ravel()[best]
    column = best - row * part.shape[1]
    is_retrieved = score != -np.inf
    return _BestCells(
        (row[is_retrieved] + start).astype(np.int32),
        column[is_retrieved].astype(np.int32),
        score[is_retrieved],
    )


def _part(
    parts: list[_BestCells], rows: NDArray[np.bytes_], start: int, columns: NDArray[np.bytes_]
) -> RunPart:
    row, column, score = (
        np.concatenate(columns_of_parts) for columns_of_parts in zip(*parts, strict=True)
    )
    ranks = np.zeros(len(row), dtype=np.int32)
    run = RunFile(rows, row, columns[column], score.astype(np.float64), ranks, "")
    return RunPart(run, row.astype(np.int64) + start + 1)


def refuse_undefined(block: MatrixBlock, name: str) -> None:
    """Raise FormatError for the first row with NaN or +inf."""
    largest = block.values.max(axis=1, initial=-np.inf)  # NaN where the row holds any
    undefined_rows = np.flatnonzero(np.isnan(largest) | (largest == np.inf))
    if len(undefined_rows):
        message = (
            f"Row {block.start + undefined_rows[0] + 1} of {MATRIX} holds NaN or +inf; scores are "
            "finite, or -inf."
        )
        raise FormatError(name, None, MATRIX, message)


def _best(part: NDArray[Any], id_position: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mask of the DEPTH largest cells of each row.

    Of equal ones those with the smallest `id_position`.
    """
    if part.shape[1] <= DEPTH:
        return np.ones(part.shape, dtype=bool)
    last = np.partition(part, part.shape[1] - DEPTH, axis=1)[:, -DEPTH, None]
    best = part >= last
    # several equal scores stand at the last place
    for row in np.flatnonzero(np.count_nonzero(best, axis=1) > DEPTH):
        tied_columns = np.flatnonzero(part[row] == last[row])
        n_too_many = np.count_nonzero(best[row]) - DEPTH
        best[
            row,
            tied_columns[np.argsort(id_position[tied_columns])[len(tied_columns) - n_too_many :]],
        ] = False
    return best


def checked_ids(values: Iterable[Any], array: str, name: str) -> NDArray[np.bytes_]:
    """Return texts, bytes or whole numbers as ids.

    Raises FormatError for one that is none, or stands twice.
    """
    ids: list[str] = []
    for entry, value in enumerate(values, start=1):
        try:
            ids.append(value.decode() if isinstance(value, bytes) else str(value))
        except UnicodeDecodeError as error:
            message = f"Entry {entry} of {array} is no UTF-8; save the ids as text in UTF-8."
            raise FormatError(name, None, array, message) from error
    earlier_ids: set[str] = set()
    for entry, id_text in enumerate(ids, start=1):
        fault = id_fault(id_text) or (
            f"{quoted(id_text)} stands twice" if id_text in earlier_ids else ""
        )
        if fault:
            raise FormatError(name, None, array, f"Entry {entry} of {array}: the id {fault}.")
        earlier_ids.add(id_text)
    return np.array([id_text.encode() for id_text in ids], dtype=np.bytes_)
