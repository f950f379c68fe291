"""Runs and qrels in TREC form: read as arrays, and put into the one canonical order.

A run line is `query Q0 document rank score tag`, a qrels line `query 0 document grade`. Fields are
parted by blanks or tabs.
"""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError
from pooling.core.files.text.decimals import floats, integers
from pooling.core.files.text.ids import as_words, hash_words
from pooling.core.files.text.text_blocks import (
    LineFault,
    OnError,
    TextBlock,
    as_bytes,
    ids,
    map_blocks,
    report,
)

SCORE_TYPES = ("float32", "float64")
LARGEST_RANK = np.iinfo(np.int32).max


class RunFile(NamedTuple):
    """A run as in its file: row i is the file's (i + 1)th good line.

    queries : (Q,) ids in order of first appearance; query : (N,) int32 index into them
    docs : (N,) ids; scores : (N,) float64; ranks : (N,) int32, the file's own, which decide nothing
        unless they are to order the run
    tag : the first line's last field
    """

    queries: NDArray[np.bytes_]
    query: NDArray[np.int32]
    docs: NDArray[np.bytes_]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int32]
    tag: str


class ReadRun(NamedTuple):
    """Rows as read: a whole run, or the next part of one, whose queries are numbered by itself.

    line : (N,) the line of each row in the file
    """

    run: RunFile
    line: NDArray[np.int64]


class QrelsFile(NamedTuple):
    """Labels as in their file: `queries` (Q,), and a row a line.

    query (N,) index, docs (N,), grades (N,) int64.

    stratum : (N,) in a file with strata
    """

    queries: NDArray[np.bytes_]
    query: NDArray[np.int32]
    docs: NDArray[np.bytes_]
    grades: NDArray[np.int64]
    stratum: NDArray[np.int64] | None = None


class CanonicalOrder(NamedTuple):
    """Rows of a run in canonical order: ranking q is order[indptr[q]:indptr[q + 1]], best first.

    n_tied : rows whose score equals another's of the same query, so that only the document id
        orders them
    n_misranked : neighbours in this order whose rank column says otherwise
    """

    order: NDArray[np.int64]
    indptr: NDArray[np.int64]
    n_tied: int
    n_misranked: int


class _RunBlock(NamedTuple):
    """Content of one block: where queries begin, their ids, documents as words, numbers."""

    begins: NDArray[np.int64]
    names: NDArray[np.bytes_]
    docs: NDArray[np.uint64]
    numbers: NDArray[Any]
    ranks: NDArray[np.int32]
    tag: str
    line: NDArray[np.int64]
    faults: list[LineFault]


def read_run(stream: BinaryIO, *, name: str, on_error: OnError | None = None) -> RunFile:
    """A TREC run, plain or gzip, from a seekable binary stream.

    name : the file's name for error messages
    on_error : called with each FormatError in the order of lines while reading goes on without
        those lines; by default the first error is raised. An empty file or a damaged archive is
        always raised.
    """
    parts = _collect(map_blocks(stream, 6, _run_part, name=name), name, on_error)
    queries, query = _number_queries(parts)
    ranks = np.concatenate([part.ranks for part in parts])
    scores = np.concatenate([part.numbers for part in parts])
    return RunFile(queries, query, _join_docs(parts), scores, ranks, parts[0].tag)


def run_parts(stream: BinaryIO, *, name: str, on_error: OnError | None = None) -> Iterator[ReadRun]:
    """As `read_run`, some thousand rows at a time, for files of any size."""
    for part in _sound(map_blocks(stream, 6, _run_part, name=name), name, on_error):
        query = np.repeat(np.arange(len(part.names), dtype=np.int32), _lengths(part))
        run = RunFile(part.names, query, as_bytes(part.docs), part.numbers, part.ranks, part.tag)
        yield ReadRun(run, part.line)


def read_qrels(stream: BinaryIO, *, name: str, on_error: OnError | None = None) -> QrelsFile:
    """TREC qrels, plain or gzip; see `read_run`. A pair on two lines is an error."""
    parts = _collect(map_blocks(stream, 4, _qrels_part, name=name), name, on_error)
    queries, query = _number_queries(parts)
    grades = np.concatenate([part.numbers for part in parts])
    qrels = QrelsFile(queries, query, _join_docs(parts), grades)
    for row, _ in repeats(qrels.query, qrels.docs):
        _report_repeat(qrels.docs[row], qrels.queries[qrels.query[row]], row, name, on_error)
    return qrels


def canonical_order(
    run: RunFile,
    *,
    score_type: str = "float32",
    use_ranks: bool = False,
    name: str = "",
    on_error: OnError | None = None,
) -> CanonicalOrder:
    """Return the canonical order of a run: score descending, ties by document id descending.

    Ids are compared in bytes.

    score_type : scores are compared as "float32", as trec_eval 9.0.8 does, or as "float64", as
        version 10 does
    use_ranks : order by the rank column instead, for runs whose scores mean nothing

    A document twice in one ranking is a FormatError with its line (lines that were in error
    themselves are not counted).
    """
    for row, _ in repeats(run.query, run.docs):
        _report_repeat(run.docs[row], run.queries[run.query[row]], row, name, on_error)
    return order_rows(run, score_type=score_type, use_ranks=use_ranks)


def order_rows(
    run: RunFile, *, score_type: str = "float32", use_ranks: bool = False
) -> CanonicalOrder:
    """As `canonical_order`, for a run without repeated documents."""
    if score_type not in SCORE_TYPES:
        raise ValueError(
            f'There is no score type "{score_type}"; there are: {", ".join(SCORE_TYPES)}.'
        )
    key = -run.ranks.astype(np.float64) if use_ranks else run.scores.astype(score_type)
    query = run.query
    falls = (query[1:] < query[:-1]) | ((query[1:] == query[:-1]) & (key[1:] > key[:-1]))
    # stable, by query, then key descending; most files are in order already
    order = np.lexsort((-key, query)) if falls.any() else np.arange(len(query))
    neighbours = query[order[1:]] == query[order[:-1]]
    same = neighbours & (key[order[1:]] == key[order[:-1]])
    is_tied = np.append(same, False) | np.append(False, same)
    if is_tied.any():
        # rows of equal query and score: in descending order of their document ids
        positions = np.flatnonzero(is_tied)
        group = np.cumsum(~np.append(False, same))[positions]
        rows = order[positions]
        _, code = np.unique(run.docs[rows], return_inverse=True)
        order[positions] = rows[np.lexsort((-code, group))]
    misranked = np.count_nonzero(neighbours & (run.ranks[order[1:]] < run.ranks[order[:-1]]))
    indptr = np.append(0, np.cumsum(np.bincount(query, minlength=len(run.queries))))
    return CanonicalOrder(order, indptr, int(np.count_nonzero(is_tied)), int(misranked))


def repeats(query: NDArray[np.int32], docs: NDArray[np.bytes_]) -> Iterator[tuple[int, int]]:
    """Rows that repeat an earlier row's (query, document), ascending, with the first such row."""
    mixed = hash_words(as_words(docs)) ^ (query.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    in_order = np.sort(mixed)
    twice = in_order[1:][in_order[1:] == in_order[:-1]]
    first: dict[tuple[int, bytes], int] = {}
    for row in np.flatnonzero(np.isin(mixed, twice)).tolist() if len(twice) else ():
        first_row = first.setdefault((int(query[row]), bytes(docs[row])), row)
        if first_row != row:
            yield row, first_row


def _report_repeat(doc: bytes, query: bytes, row: int, name: str, on_error: OnError | None) -> None:
    message = (
        f'document "{doc.decode()}" stands twice for query "{query.decode()}"; keep one line of '
        "them."
    )
    report(LineFault(row + 1, "document", message), name, on_error)


def _run_part(block: TextBlock) -> _RunBlock:
    scores, faults = floats(block, 4, "score")
    ranks, rank_faults = integers(block, 3, "rank")
    tag = block.text(0, 5) if len(block.line) else ""
    wide = np.flatnonzero((ranks < 0) | (ranks > LARGEST_RANK))
    bounds = f"ranks are whole numbers from 0 to {LARGEST_RANK:,}"
    rank_faults += [
        LineFault(int(block.line[row]), "rank", f"the rank {ranks[row]} is out of range; {bounds}.")
        for row in wide
    ]
    return _part(block, scores, ranks.astype(np.int32), tag=tag, faults=faults + rank_faults)


def _qrels_part(block: TextBlock) -> _RunBlock:
    grades, faults = integers(block, 3, "grade")
    return _part(block, grades, np.zeros(0, dtype=np.int32), tag="", faults=faults)


def _part(
    block: TextBlock,
    numbers: NDArray[Any],
    ranks: NDArray[np.int32],
    *,
    tag: str,
    faults: list[LineFault],
) -> _RunBlock:
    names = ids(block, 0)
    changes = np.any(names[1:] != names[:-1], axis=1)
    begins = np.append(np.zeros(min(len(names), 1), dtype=np.int64), np.flatnonzero(changes) + 1)
    faults = sorted(block.faults + faults)
    return _RunBlock(
        begins, as_bytes(names[begins]), ids(block, 2), numbers, ranks, tag, block.line, faults
    )


def _collect(
    parts: Iterable[tuple[int, _RunBlock]], name: str, on_error: OnError | None
) -> list[_RunBlock]:
    no_lines = np.zeros(0, dtype=np.int64)  # the lines are not needed: row i is good line i + 1
    return [part._replace(line=no_lines) for part in _sound(parts, name, on_error)]


def _sound(
    parts: Iterable[tuple[int, _RunBlock]], name: str, on_error: OnError | None
) -> Iterator[_RunBlock]:
    """The parts with their lines numbered in the file, after their faults have been reported."""
    is_empty = True
    for n_before, part in parts:
        is_empty = False
        for fault in part.faults:
            report(fault._replace(line=n_before + fault.line), name, on_error)
        yield part._replace(line=n_before + part.line)
    if is_empty:
        raise FormatError(name, None, "", "The file is empty.")


def _lengths(part: _RunBlock) -> NDArray[np.int64]:
    """Number of rows of each query of a part."""
    return np.diff(np.append(part.begins, len(part.docs)))


def _number_queries(parts: list[_RunBlock]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """Ids in order of first appearance, and each row's index among them."""
    number: dict[bytes, int] = {}
    codes: list[int] = []
    for part in parts:
        codes.extend(number.setdefault(name, len(number)) for name in part.names.tolist())
    lengths = np.concatenate([_lengths(part) for part in parts])
    return np.array(list(number), dtype=np.bytes_), np.repeat(
        np.array(codes, dtype=np.int32), lengths
    )


def _join_docs(parts: list[_RunBlock]) -> NDArray[np.bytes_]:
    width = max(part.docs.shape[1] for part in parts)
    words = np.zeros((sum(len(part.docs) for part in parts), width), dtype="<u8")
    at = 0
    for part in parts:
        words[at : at + len(part.docs), : part.docs.shape[1]] = part.docs
        at += len(part.docs)
    return as_bytes(words)
