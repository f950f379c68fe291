"""Similarity matrices as blocks of whole rows: the best targets of each row, and the ids checked."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, id_fault, shown
from pooling.core.runs import RunFile

MATRIX = "sim_mat"
ID_NAMES = (("row_ids", "column_ids"), ("query_ids", "document_ids"), ("vis_ids", "txt_ids"))
DEPTH = 100  # targets of each row that pools and pages see
CELLS_AT_ONCE = 500_000  # a block and what is made of it stay in the processor's cache
ROWS_AT_ONCE = 100_000
MAX_IDS = 2_000_000  # of one side


class Block(NamedTuple):
    """Some whole rows of a matrix; a matrix comes as blocks in the order of its rows.

    rows, columns : (R,), (C,) ids of all of them, each once
    start : place of the first of these rows, from 0; values : (n, C) floats, -inf means not retrieved
    """

    rows: NDArray[np.bytes_]
    columns: NDArray[np.bytes_]
    start: int
    values: NDArray[Any]


class Part(NamedTuple):
    """Some rows of a run, whose queries are numbered by themselves; line : (N,) the row of the file each stands in."""

    run: RunFile
    line: NDArray[np.int64]


class _Kept(NamedTuple):
    """Entries of a block: row, column and score."""

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    score: NDArray[Any]


def rows_at_once(n_columns: int) -> int:
    """How many rows to read as one block."""
    return max(1, CELLS_AT_ONCE // max(1, n_columns))


Columns = Callable[[NDArray[np.bytes_]], NDArray[np.bool_]]


def forget(block: Block) -> None:
    """Keep nothing of a block."""


def all_columns(columns: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Rank every column."""
    return np.ones(len(columns), dtype=bool)


def keep_best(
    blocks: Iterable[Block], name: str, *, score_type: str = "float32", keep: Callable[[Block], None] = forget,
    ranked: Columns = all_columns,
) -> Iterator[Part]:  # fmt: skip
    """The DEPTH best entries of each row of a matrix.

    score_type : scores are compared as "float32" or as "float64"
    keep : called with each block once it is found to be sound
    ranked : asked once which columns are ranked at all; the best are the best of these
    Of targets that tie at the last place kept those with the larger ids stay, as in the canonical order. Each part has
    some ROWS_AT_ONCE rows. Raises FormatError for a row with NaN or +inf.
    """
    kept: list[_Kept] = []
    start, stop = 0, 0
    for block in blocks:
        if not stop:
            chosen = ranked(block.columns)
            columns = block.columns[chosen]
            place = np.empty(len(columns), dtype=np.int32)  # of each column among the ids, in descending order
            place[np.argsort(columns)[::-1]] = np.arange(len(columns))
        refuse_undefined(block, name)
        keep(block)
        kept.append(_kept(block.values if chosen.all() else block.values[:, chosen], stop - start, place, score_type))
        stop += len(block.values)
        if sum(len(each.score) for each in kept) >= ROWS_AT_ONCE:
            yield _part(kept, block.rows[start:stop], start, columns)
            kept, start = [], stop
    if kept:
        yield _part(kept, block.rows[start:stop], start, columns)


def _kept(values: NDArray[Any], start: int, place: NDArray[np.int32], score_type: str) -> _Kept:
    # numpy has fast selection for these two types alone: not for halves, nor for the other byte order
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite there
        part = values.astype(np.float64 if score_type == "float64" else np.float32, copy=False)
    at = np.flatnonzero(_best(part, place))
    row, score = at // max(1, part.shape[1]), values.ravel()[at]
    column = at - row * part.shape[1]
    found = score != -np.inf
    return _Kept((row[found] + start).astype(np.int32), column[found].astype(np.int32), score[found])


def _part(kept: list[_Kept], rows: NDArray[np.bytes_], start: int, columns: NDArray[np.bytes_]) -> Part:
    row, column, score = (np.concatenate(each) for each in zip(*kept, strict=True))
    ranks = np.zeros(len(row), dtype=np.int32)
    run = RunFile(rows, row, columns[column], score.astype(np.float64), ranks, "")
    return Part(run, row.astype(np.int64) + start + 1)


def refuse_undefined(block: Block, name: str) -> None:
    """Raise FormatError for the first row with NaN or +inf."""
    largest = block.values.max(axis=1, initial=-np.inf)  # NaN where the row holds any
    undefined = np.flatnonzero(np.isnan(largest) | (largest == np.inf))
    if len(undefined):
        message = f"Row {block.start + undefined[0] + 1} of {MATRIX} holds NaN or +inf; scores are finite, or -inf."
        raise FormatError(name, None, MATRIX, message)


def _best(part: NDArray[Any], place: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which entries are among the DEPTH largest of their row; of equal ones those of the first places."""
    if part.shape[1] <= DEPTH:
        return np.ones(part.shape, dtype=bool)
    last = np.partition(part, part.shape[1] - DEPTH, axis=1)[:, -DEPTH, None]
    best = part >= last
    for row in np.flatnonzero(np.count_nonzero(best, axis=1) > DEPTH):  # several equal scores stand at the last place
        level = np.flatnonzero(part[row] == last[row])
        n_too_many = np.count_nonzero(best[row]) - DEPTH
        best[row, level[np.argsort(place[level])[len(level) - n_too_many :]]] = False
    return best


def checked_ids(values: Iterable[Any], array: str, name: str) -> NDArray[np.bytes_]:
    """Texts, bytes or whole numbers as ids. Raises FormatError for one that is none, or stands twice."""
    ids = [_text(value, entry, array, name) for entry, value in enumerate(values, start=1)]
    seen: set[str] = set()
    for entry, each in enumerate(ids, start=1):
        fault = id_fault(each) or (f"{shown(each)} stands twice" if each in seen else "")
        if fault:
            raise FormatError(name, None, array, f"Entry {entry} of {array}: the id {fault}.")
        seen.add(each)
    return np.array([each.encode() for each in ids], dtype=np.bytes_)


def _text(value: bytes | str | int, entry: int, array: str, name: str) -> str:
    try:
        return value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError as error:
        message = f"Entry {entry} of {array} is no UTF-8; save the ids as text in UTF-8."
        raise FormatError(name, None, array, message) from error
