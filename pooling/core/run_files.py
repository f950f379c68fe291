"""Run files of any format: told by their content, read whole, checked, and put into the canonical order."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems, guarded, id_fault, shown
from annotate.core.reading import Unpacked, first_line
from pooling.core.matrices import read_npz
from pooling.core.readers import COLUMNS, Row, read_jsonl, read_table
from pooling.core.runs import SCORE_TYPES, Canonical, RunFile, canonical, read_run

BY_RANK = "rank"
ROWS_AT_ONCE = 100_000
TOO_MANY = 10_000
EMPTY = RunFile(np.empty(0, "S1"), np.empty(0, np.int32), np.empty(0, "S1"), np.empty(0), np.empty(0, np.int32), "")


class ReadRun(NamedTuple):
    """A run as read. line : (N,) where each row stands in the file; None where row i stands in line i + 1."""

    run: RunFile
    line: NDArray[np.int64] | None


class Format(NamedTuple):
    """One kind of run file: what people call it, what it looks like, and what reads it."""

    label: str
    sentence: str
    read: Callable[[BinaryIO, str, Problems], ReadRun]


class RunFigures(NamedTuple):
    """What a report says about a run.

    ties : share of rows whose score equals another's in the same ranking, in [0, 1]
    misranked : neighbours in canonical order whose rank column says otherwise
    """

    rows: int
    queries: int
    shallowest: int
    median_depth: float
    deepest: int
    ties: float
    misranked: int


def _read_trec(stream: BinaryIO, name: str, problems: Problems) -> ReadRun:
    try:
        text = cast(BinaryIO, Unpacked(stream, name))
        return ReadRun(read_run(text, name=name, on_error=partial(_note, problems)), None)
    except FormatError as error:
        problems.add(error)
        return ReadRun(EMPTY, None)


def _note(problems: Problems, error: FormatError) -> None:
    """Add a fault; give up on a file that has little else: each costs time, and nobody reads them all."""
    problems.add(error)
    if problems.n >= TOO_MANY:
        raise FormatError(error.file, error.line, "", "too many lines are at fault; reading stopped here.")


def _read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> ReadRun:
    return _gather(read_jsonl(stream, name, problems), name, problems)


def _read_table(stream: BinaryIO, name: str, problems: Problems) -> ReadRun:
    try:
        rows = read_table(stream, name, problems)
    except FormatError as error:
        problems.add(error)
        return ReadRun(EMPTY, None)
    return _gather(rows, name, problems)


def _read_npz(stream: BinaryIO, name: str, problems: Problems) -> ReadRun:
    try:
        matrix = read_npz(stream, name)
    except FormatError as error:
        problems.add(error)
        return ReadRun(EMPTY, None)
    run = RunFile(matrix.rows, matrix.row, matrix.columns[matrix.column], matrix.score, matrix.rank, "")
    return ReadRun(run, matrix.row.astype(np.int64) + 1)


FORMATS: dict[str, Format] = {
    "trec": Format("TREC run", "query Q0 document rank score tag, with blanks or tabs between", _read_trec),
    "jsonl": Format(
        "JSON lines", '{"query", "document", "score"}, or {"query", "ranking": [[document, score], ...]}', _read_jsonl
    ),
    "table": Format("CSV or TSV", "a header query,document,score and one line a row", _read_table),
    "npz": Format("NumPy .npz matrix", "sim_mat, row_ids and column_ids; the 100 best of each row are kept", _read_npz),
}


def format_of(stream: BinaryIO, name: str) -> str:
    """The key in FORMATS of what this file is, by its first bytes or line. Raises FormatError where it is none."""
    stream.seek(0)
    magic = stream.read(6)
    if magic[:4] == b"PK\x03\x04":
        return "npz"
    if magic == b"\x93NUMPY":
        message = "A .npy file holds no ids: save np.savez(file, sim_mat=, row_ids=, column_ids=) instead."
        raise FormatError(name, None, "", message)
    if magic[:1] == b"\x80":
        message = "Pickles are never loaded: save np.savez_compressed(file, sim_mat=, row_ids=, column_ids=) instead."
        raise FormatError(name, None, "", message)
    head = first_line(stream, name)
    if head.lstrip().startswith(("{", "[")):
        return "jsonl"
    cells = {cell.strip().strip('"') for cell in re.split("[,\t]", head)}
    if cells & {*COLUMNS["query"], *COLUMNS["document"]}:
        return "table"
    delimited = name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    return "table" if delimited and len(head.split()) != 6 else "trec"


def read_file(stream: BinaryIO, name: str, problems: Problems, *, format: str = "") -> ReadRun:
    """Read a run file, gzip or plain, of the format named or else told by its content.

    stream : seekable; name : the file's name as its owner knows it
    Whatever is wrong goes into `problems`, nothing is raised; the rows are sound only while `problems` is empty.
    Ids of TREC rows are left to `refuse_odd_ids`: most are known, and known ids are lawful.
    """
    try:
        known = format or format_of(stream, name)
    except FormatError as error:
        problems.add(error)
        return ReadRun(EMPTY, None)
    read = FORMATS[known].read(stream, name, problems)
    if not len(read.run.scores) and not problems:
        problems.add(FormatError(name, None, "", "The file holds no rows."))
    return read


def rank_file(read: ReadRun, *, score_type: str, name: str, problems: Problems) -> Canonical | None:
    """The canonical order of a run; a document twice in one ranking becomes a problem that names both lines.

    score_type : "float32" or "float64" compares scores so, "rank" trusts the rank column instead
    Returns None where the order is not defined: no rows, or no rank to trust.
    """
    if not len(read.run.scores):
        return None
    by_rank = score_type == BY_RANK
    if by_rank and not read.run.ranks.any():
        problems.add(FormatError(name, None, "rank", "The file gives no ranks; choose float32 to order by score."))
        return None
    return canonical(
        read.run,
        score_type=SCORE_TYPES[0] if by_rank else score_type,
        use_ranks=by_rank,
        name=name,
        on_error=lambda error: problems.add(_repeat(read, cast(int, error.line) - 1, name)),
    )


def refuse_odd_ids(read: ReadRun, rows: NDArray[np.int64], name: str, problems: Problems) -> None:
    """Make a problem of each query id, and of each distinct document id among these rows, that cannot be an id."""
    queries, first_of_query = np.unique(read.run.query, return_index=True)
    documents, first = np.unique(read.run.docs[rows], return_index=True)
    for field, ids, first_rows in (
        ("query", read.run.queries[queries], first_of_query),
        ("document", documents, rows[first]),
    ):
        for raw, at in zip(ids.tolist(), first_rows.tolist(), strict=True):
            if fault := id_fault(raw.decode(errors="replace")):
                problems.add(FormatError(name, line_of(read, at), field, f"the {field} id {fault}."))


def line_of(read: ReadRun, row: int) -> int:
    """The line of the file in which a row stands."""
    return row + 1 if read.line is None else int(read.line[row])


def describe(read: ReadRun, order: Canonical) -> RunFigures:
    """The figures of a run's report."""
    depth = np.diff(order.indptr)
    return RunFigures(
        rows=len(read.run.scores),
        queries=len(depth),
        shallowest=int(depth.min()),
        median_depth=float(np.median(depth)),
        deepest=int(depth.max()),
        ties=order.n_tied / len(read.run.scores),
        misranked=order.n_misranked,
    )


def _repeat(read: ReadRun, row: int, name: str) -> FormatError:
    run = read.run
    same = (run.query == run.query[row]) & (run.docs == run.docs[row])
    before = line_of(read, int(np.flatnonzero(same)[0]))
    query, document = run.queries[run.query[row]].decode(), run.docs[row].decode()
    message = f"document {shown(document)} of query {shown(query)} stands already in line {before}."
    return FormatError(name, line_of(read, row), "document", message)


def _gather(rows: Iterable[Row], name: str, problems: Problems) -> ReadRun:
    """The rows as columns; a stretch at a time, so that few of them are objects at once."""
    number: dict[bytes, int] = {}
    columns: list[tuple[NDArray[Any], ...]] = []
    left = iter(guarded(rows, problems))
    while part := list(islice(left, ROWS_AT_ONCE)):
        line, source, target, score, rank = zip(*part, strict=True)
        query = np.array([number.setdefault(each.encode(), len(number)) for each in source], dtype=np.int32)
        docs = np.array([each.encode() for each in target], dtype=np.bytes_)
        columns.append((query, docs, np.array(score), np.array(rank, np.int32), np.array(line, np.int64)))
    if not columns:
        return ReadRun(EMPTY, None)
    queries = np.array(list(number), dtype=np.bytes_)
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    return ReadRun(RunFile(queries, *joined[:4], ""), joined[4])
