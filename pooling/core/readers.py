"""How run files of text become blocks of rows: TREC's six columns, JSON lines, tables with a header."""

from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems, finite_number, shown
from annotate.core.reading import blocks, header_of, json_objects, table_rows

N_FIELDS = 6  # query, iteration, document, rank, score, tag
ROWS_IN_BLOCK = 50_000
LARGEST_RANK = 2**31 - 1
COLUMNS = {
    "query": ("query", "query_id", "query-id", "qid", "source"),
    "document": ("document", "document_id", "doc_id", "docid", "docno", "corpus-id", "target"),
    "score": ("score", "sim", "similarity"),
    "rank": ("rank",),
}
_IS_SPACE = np.zeros(256, dtype=bool)
_IS_SPACE[[9, 10, 11, 12, 13, 32]] = True  # what bytes.split takes for blanks


class Block(NamedTuple):
    """Rows of a run in the file's order; all five are of one length N.

    line : (N,) 1-based line of the row
    source, target : ids in UTF-8
    score : (N,) finite float64
    rank : (N,) the rank the file gives, 0 where it gives none
    """

    line: NDArray[np.int64]
    source: list[bytes]
    target: list[bytes]
    score: NDArray[np.float64]
    rank: NDArray[np.int64]


class Row(NamedTuple):
    """One row as the readers of JSON and tables see it."""

    line: int
    source: str
    target: str
    score: float
    rank: int


def read_trec(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block]:
    """Rows of a TREC run: query, anything, document, rank, score, tag; blanks or tabs between, blank lines allowed.

    A line of another number of fields, or whose score is no finite number, becomes a problem.
    """
    for first, data in blocks(stream, name):
        tokens, line = _six_fields(first, data, name, problems)
        score, good = _scores(tokens[4::N_FIELDS], line, name, problems)
        columns = [tokens[field::N_FIELDS] for field in (0, 2, 3)]
        if not good.all():
            columns = [list(compress(column, good)) for column in columns]
        yield Block(line[good], columns[0], columns[1], score[good], _ranks(columns[2]))


def _six_fields(first: int, data: bytes, name: str, problems: Problems) -> tuple[list[bytes], NDArray[np.int64]]:
    """The tokens of the lines that have six, one line after the other, and those lines' numbers."""
    tokens = data.split()
    raw = np.frombuffer(data, dtype=np.uint8)
    blank = _IS_SPACE[raw]
    starts = ~blank
    starts[1:] &= blank[:-1]
    ends = np.flatnonzero(raw == ord("\n"))
    line_starts = np.concatenate(([0], ends[:-1] + 1))
    counts = np.add.reduceat(starts, line_starts, dtype=np.int64)
    for at in np.flatnonzero((counts != N_FIELDS) & (counts != 0)).tolist():
        message = f"expected {N_FIELDS} fields, found {counts[at]}."
        problems.add(FormatError(name, first + at, "", message))
    whole = counts == N_FIELDS
    if len(tokens) != N_FIELDS * np.count_nonzero(whole):
        tokens = list(compress(tokens, np.repeat(whole, counts)))
    return tokens, first + np.flatnonzero(whole)


def _scores(
    tokens: list[bytes], line: NDArray[np.int64], name: str, problems: Problems
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The scores and which of them are finite numbers; the others become problems."""
    try:
        values = np.array(list(map(float, tokens)), dtype=np.float64)
    except ValueError:
        values = np.array([_number(token) for token in tokens], dtype=np.float64)
    good = np.isfinite(values)
    if any(b"_" in token for token in tokens):  # Python reads 1_0 as ten, other tools do not
        good &= np.array([b"_" not in token for token in tokens])
    for at in np.flatnonzero(~good).tolist():
        text = shown(tokens[at].decode(errors="replace"))
        problems.add(FormatError(name, int(line[at]), "score", f"score {text} is not a finite number."))
    return values, good


def _number(token: bytes) -> float:
    try:
        return float(token)
    except ValueError:
        return np.nan


def _ranks(tokens: list[bytes]) -> NDArray[np.int64]:
    """The rank column; 0 where it says nothing that can be a rank: evaluation tools ignore it too."""
    try:
        values = np.array(list(map(int, tokens)), dtype=np.int64)
    except (ValueError, OverflowError):
        values = np.array([_whole(token) for token in tokens], dtype=np.int64)
    # Counted from 0 or from 1, only the order is used; what is out of range says nothing.
    return np.where((values < 0) | (values >= LARGEST_RANK), 0, values + 1)


def _whole(token: bytes) -> int:
    return int(token) if token.isdigit() and len(token) <= 10 else -1  # noqa: PLR2004


def read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block]:
    """Rows of JSON lines: {"query", "document", "score"} a row, or {"query", "ranking": [[document, score], ...]}."""
    return _in_blocks(_json_rows(stream, name, problems))


def _json_rows(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Row]:
    for number, record in json_objects(stream, name, problems):
        try:
            yield from _rows_of(record, number, name)
        except FormatError as error:
            problems.add(error)


def _rows_of(record: dict[str, Any], number: int, name: str) -> list[Row]:
    source = _id(record, "query", number, name)
    if "ranking" not in record:
        target = _id(record, "document", number, name)
        rank = record.get("rank", -1)
        return [_row(number, source, target, record.get("score"), rank, name)]
    ranking = record["ranking"]
    if not isinstance(ranking, list) or any(not isinstance(each, list) or len(each) != 2 for each in ranking):
        raise FormatError(name, number, "ranking", "ranking is not a list of [document, score] pairs.")
    return [
        _row(number, source, _id({"document": target}, "document", number, name), score, rank, name)
        for rank, (target, score) in enumerate(ranking, start=1)
    ]


def _id(record: dict[str, Any], field: str, number: int, name: str) -> str:
    value = record.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise FormatError(name, number, field, f'"{field}" is missing or no text; every row needs one.')
    return value


def _row(number: int, source: str, target: str, score: object, rank: object, name: str) -> Row:
    value = finite_number(score)
    if value is None:
        raise FormatError(name, number, "score", f"score {shown(str(score))} is not a finite number.")
    known = isinstance(rank, int) and not isinstance(rank, bool) and 0 <= rank < LARGEST_RANK
    return Row(number, source, target, value, rank + 1 if known else 0)


def read_table(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block]:
    """Rows of a table with a header: columns query, document, score, perhaps rank; commas or tabs.

    Raises FormatError for a header that lacks one of the first three.
    """
    header = header_of(stream, name)
    columns = {field: next((each for each in names if each in header), "") for field, names in COLUMNS.items()}
    for field in ("query", "document", "score"):
        if not columns[field]:
            message = f"the header names no column {field}; the first line reads query,document,score."
            raise FormatError(name, 1, field, message)
    return _in_blocks(_table_rows(stream, name, problems, columns))


def _table_rows(stream: BinaryIO, name: str, problems: Problems, columns: dict[str, str]) -> Iterator[Row]:
    query, document, score, rank = (columns[field] for field in ("query", "document", "score", "rank"))
    for number, cells in table_rows(stream, name, problems):
        at = _whole(cells[rank].strip().encode()) if rank else -1
        try:
            yield _row(number, cells[query].strip(), cells[document].strip(), cells[score], at, name)
        except FormatError as error:
            problems.add(error)


def _in_blocks(rows: Iterable[Row]) -> Iterator[Block]:
    kept: list[Row] = []
    for row in rows:
        kept.append(row)
        if len(kept) == ROWS_IN_BLOCK:
            yield _block(kept)
            kept = []
    if kept:
        yield _block(kept)


def _block(rows: list[Row]) -> Block:
    line, source, target, score, rank = zip(*rows, strict=True)
    return Block(
        np.array(line, dtype=np.int64),
        _encoded(source),
        _encoded(target),
        np.array(score, dtype=np.float64),
        np.array(rank, dtype=np.int64),
    )


def _encoded(ids: Iterable[str]) -> list[bytes]:
    # Half a surrogate pair, which JSON can spell, stays recognisable: the check of ids refuses it by name.
    return [each.encode(errors="surrogatepass") for each in ids]


Reader = Callable[[BinaryIO, str, Problems], Iterator[Block]]
