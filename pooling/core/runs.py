"""Run files of any format: read whole, checked, and put into the canonical order.

Canonical order is trec_eval's: score descending, ties by the target's id descending in bytes; the order of
lines does not matter, nor does the rank column unless it is asked for.
"""

import re
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems, guarded, id_fault, shown
from annotate.core.reading import first_line
from pooling.core.matrices import read_npz
from pooling.core.readers import COLUMNS, N_FIELDS, Reader, read_jsonl, read_table, read_trec

SCORE_TYPES = ("float32", "float64", "rank")
_ID_SEPARATOR = b"\n"
_PLAIN_IDS = re.compile(rb"[!-~\n]*")


class Format(NamedTuple):
    """One kind of run file: what people call it, what it looks like, and what reads it."""

    label: str
    sentence: str
    read: Reader


FORMATS: dict[str, Format] = {
    "trec": Format("TREC run", "query Q0 document rank score tag, with blanks or tabs between", read_trec),
    "jsonl": Format(
        "JSON lines", '{"query", "document", "score"} or {"query", "ranking": [[document, score], ...]}', read_jsonl
    ),
    "table": Format("CSV or TSV", "a header query,document,score and one line a row", read_table),
    "npz": Format(
        "NumPy .npz matrix", "sim_mat with row_ids and column_ids; the 100 best of each row are kept", read_npz
    ),
}


class RunRows(NamedTuple):
    """All rows of a run in the file's order, ids as positions in two lists.

    sources, targets : the distinct ids in UTF-8, in the order of their first row
    source, target : (N,) positions in those lists
    score : (N,) finite float64
    rank : (N,) the rank the file gives, counted from 1; 0 where it gives none
    line : (N,) 1-based line of each row
    """

    sources: list[bytes]
    targets: list[bytes]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    score: NDArray[np.float64]
    rank: NDArray[np.int32]
    line: NDArray[np.int64]


class RankedRun(NamedTuple):
    """A run in canonical order: source q's targets are target[indptr[q]:indptr[q + 1]], best first.

    indptr : (Q + 1,) with Q = the number of sources
    target : (N,) positions in RunRows.targets
    score : (N,) what was compared, as float64; with score type "rank" it is minus the rank
    """

    indptr: NDArray[np.int64]
    target: NDArray[np.int32]
    score: NDArray[np.float64]


class RunFigures(NamedTuple):
    """What a report says about a run.

    ties : share of rows whose score equals a neighbour's in the same ranking, in [0, 1]
    contradictions : sources for which the rank column and the scores order some neighbours differently
    """

    rows: int
    sources: int
    shallowest: int
    median_depth: float
    deepest: int
    ties: float
    contradictions: int


class _Codes(dict[bytes, int]):
    """Gives each id it is asked for a number, counting from 0."""

    def __missing__(self, key: bytes) -> int:
        self[key] = code = len(self)
        return code


def format_of(stream: BinaryIO, name: str) -> str:
    """The key in FORMATS of what this file is, by its first bytes or line. Raises FormatError where it is none."""
    stream.seek(0)
    magic = stream.read(6)
    if magic[:4] == b"PK\x03\x04":
        return "npz"
    if magic == b"\x93NUMPY":
        raise FormatError(
            name, None, "", "A .npy file holds no ids: save np.savez(..., sim_mat=, row_ids=, column_ids=)."
        )
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
    return "table" if delimited and len(head.split()) != N_FIELDS else "trec"


def read_run(stream: BinaryIO, name: str, problems: Problems, *, format: str = "") -> RunRows:
    """Read a run file, gzip or plain, of the format named or told by its first line.

    Whatever is wrong goes into `problems`: lines that cannot be read, odd ids, scores that are no finite
    numbers, a pair that stands twice. The rows returned are sound only while `problems` is empty.
    """
    try:
        read = FORMATS[format or format_of(stream, name)].read
    except FormatError as error:
        problems.add(error)
        return _rows([], _Codes(), _Codes())
    sources, targets = _Codes(), _Codes()
    columns: list[tuple[NDArray[Any], ...]] = []
    for block in guarded(read_blocks(read, stream, name, problems), problems):
        size = len(block.score)
        source = np.fromiter(map(sources.__getitem__, block.source), dtype=np.int32, count=size)
        target = np.fromiter(map(targets.__getitem__, block.target), dtype=np.int32, count=size)
        columns.append((source, target, block.score, block.rank.astype(np.int32), block.line))
    rows = _rows(columns, sources, targets)
    if not len(rows.score) and not problems:
        problems.add(FormatError(name, None, "", "The file holds no rows."))
    _refuse_ids(rows.sources, rows.source, rows.line, "query", name, problems)
    _refuse_ids(rows.targets, rows.target, rows.line, "document", name, problems)
    _refuse_repeats(rows, name, problems)
    return rows


def read_blocks(read: Reader, stream: BinaryIO, name: str, problems: Problems):  # noqa: ANN201
    """The blocks of a reader, which may already raise when it is called."""
    yield from read(stream, name, problems)


def _rows(columns: list[tuple[NDArray[Any], ...]], sources: _Codes, targets: _Codes) -> RunRows:
    kinds = (np.int32, np.int32, np.float64, np.int32, np.int64)
    joined = [
        np.concatenate([block[at] for block in columns]) if columns else np.empty(0, dtype=kind)
        for at, kind in enumerate(kinds)
    ]
    columns.clear()
    return RunRows(list(sources), list(targets), *joined)


def _refuse_ids(
    ids: list[bytes], code: NDArray[np.int32], line: NDArray[np.int64], field: str, name: str, problems: Problems
) -> None:
    joined = _ID_SEPARATOR.join(ids)
    if ids and _PLAIN_IDS.fullmatch(joined) and joined.count(_ID_SEPARATOR) == len(ids) - 1:
        if b"" not in ids and max(map(len, ids)) <= 255:  # noqa: PLR2004
            return
    faults = [(at, fault) for at, each in enumerate(ids) if (fault := _id_fault(each))]
    if not faults:
        return
    first = line[np.unique(code, return_index=True)[1]]
    for at, fault in faults:
        problems.add(FormatError(name, int(first[at]), field, f"the {field} id {fault}."))


def _id_fault(raw: bytes) -> str:
    try:
        return id_fault(raw.decode())
    except UnicodeDecodeError:
        return f"{shown(raw.decode(errors='replace'))} is no UTF-8; save the file as UTF-8"


def _refuse_repeats(rows: RunRows, name: str, problems: Problems) -> None:
    pair = rows.source.astype(np.int64) * max(1, len(rows.targets)) + rows.target
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    for row, before in sorted(zip(order[again + 1].tolist(), order[again].tolist(), strict=True)):
        query, document = (
            shown(ids[code[row]].decode(errors="replace"))
            for ids, code in ((rows.sources, rows.source), (rows.targets, rows.target))
        )
        message = f"document {document} of query {query} stands already in line {rows.line[before]}."
        problems.add(FormatError(name, int(rows.line[row]), "document", message))


def rank_run(rows: RunRows, *, score_type: str = "float32") -> RankedRun:
    """Put a run into the canonical order.

    score_type : "float32" compares scores as trec_eval 9 does, "float64" as version 10, "rank" trusts the
        rank column: the smallest rank is best, rows without a rank come last
    Raises KeyError for another one.
    """
    key = comparable(rows, score_type)
    place = np.empty(len(rows.targets), dtype=np.int32)
    place[sorted(range(len(rows.targets)), key=rows.targets.__getitem__)] = np.arange(len(rows.targets))
    order = np.lexsort((-place[rows.target], -key, rows.source))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows.source, minlength=len(rows.sources)))))
    stored = key if score_type == "rank" else rows.score
    return RankedRun(indptr, rows.target[order], stored[order].astype(np.float64))


def comparable(rows: RunRows, score_type: str) -> NDArray[Any]:
    """(N,) what rows are compared by, larger is better; beyond the range of float32 scores tie."""
    with np.errstate(over="ignore"):
        choices = {"float32": np.float32, "float64": np.float64}
        if score_type != "rank":
            return rows.score.astype(choices[score_type])
    return -np.where(rows.rank == 0, np.iinfo(np.int32).max, rows.rank).astype(np.float64)


def describe(rows: RunRows, *, score_type: str = "float32") -> RunFigures:
    """The figures of a run's report; needs at least one row."""
    key = comparable(rows, score_type)
    order = np.lexsort((-key, rows.source))
    source, key, rank, score = rows.source[order], key[order], rows.rank[order], rows.score[order]
    same = source[1:] == source[:-1]
    equal = same & (key[1:] == key[:-1])
    tied = np.zeros(len(key), dtype=bool)
    tied[1:] |= equal
    tied[:-1] |= equal
    by_rank, by_score = np.sign(rank[1:] - rank[:-1]), np.sign(score[:-1] - score[1:])
    known = (rank[1:] > 0) & (rank[:-1] > 0)
    against = same & known & ~equal & (by_rank * by_score < 0)
    depth = np.bincount(rows.source)
    return RunFigures(
        rows=len(key),
        sources=len(depth),
        shallowest=int(depth.min()),
        median_depth=float(np.median(depth)),
        deepest=int(depth.max()),
        ties=float(tied.mean()),
        contradictions=len(np.unique(source[1:][against])),
    )
