"""A run of any size, taken in parts as its file gives them, given back a few whole queries at a time."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pooling.core.runs import ReadRun, RunFile

ROWS_AT_ONCE = 200_000  # in memory, while they are put in order and while they are worked on
FIELDS = ("query", "rank", "line", "score", "doc")


class Scattered(Exception):
    """A query comes again behind others, so that its rows are known to be whole at the file's end alone."""


def whole_queries(parts: Iterable[ReadRun]) -> Iterator[ReadRun]:
    """The rows of a file that has each query's rows together, as most have, in batches of whole queries.

    Raises Scattered at the first query that comes again.
    """
    waiting: list[list[NDArray[Any]]] = []
    names: list[bytes] = []
    seen: set[bytes] = set()
    n_waiting = 0
    for part in parts:
        query, called = _stretches(part.run)
        is_next = bool(names) and bool(called) and names[-1] == called[0]  # more rows of the last query
        new = called[1:] if is_next else called
        if len(set(new)) < len(new) or not seen.isdisjoint(new):
            raise Scattered
        query += np.int32(len(names) - is_next)
        waiting.append([query, part.run.ranks, part.line, part.run.scores, part.run.docs])
        seen.update(new)
        names += new
        n_waiting += len(query)
        if n_waiting >= ROWS_AT_ONCE and len(names) > 1:
            rows = _joined(waiting)
            end = int(np.searchsorted(rows[0], len(names) - 1))
            yield _batch(names[:-1], [column[:end] for column in rows])
            waiting = [[column[end:].copy() for column in rows]]
            waiting[0][0][:] = 0
            names, n_waiting = names[-1:], len(waiting[0][0])
    if n_waiting:
        yield _batch(names, _joined(waiting))


def spooled(parts: Iterable[ReadRun], *, tell: Callable[..., None]) -> Iterator[ReadRun]:
    """All rows of a file, in batches of whole queries, by way of the disk; tells how many have been given back."""
    n_done = 0
    with Spool() as spool:
        for part in parts:
            spool.add(part)
        for batch in spool.batches():
            yield batch
            n_done += len(batch.line)
            tell(done=n_done, total=spool.n_rows, unit="rows stored")


def _stretches(run: RunFile) -> tuple[NDArray[np.int32], list[bytes]]:
    """For each row which stretch of rows of one query it is in, and the queries of the stretches."""
    begins = np.flatnonzero(np.diff(run.query, prepend=-1))
    lengths = np.diff(np.append(begins, len(run.query)))
    return np.repeat(np.arange(len(begins), dtype=np.int32), lengths), run.queries[run.query[begins]].tolist()


def _joined(rows: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    return [np.concatenate(column) for column in zip(*rows, strict=True)]


def _batch(names: list[bytes], rows: list[NDArray[Any]]) -> ReadRun:
    query, rank, line, score, doc = rows
    return ReadRun(RunFile(np.array(names, dtype=np.bytes_), query, doc, score, rank, ""), line)


class _Chunk(NamedTuple):
    """Rows on disk in the order of their queries, those of one query in the file's order.

    queries : (D,) ascending, which of them the chunk holds; starts : (D + 1,) where the rows of each begin
    """

    offset: int
    dtype: np.dtype
    queries: NDArray[np.int32]
    starts: NDArray[np.int64]


class Spool:
    """Rows of a run in a temporary file, which goes when the `with` block ends."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._number: dict[bytes, int] = {}
        self._waiting: list[ReadRun] = []
        self._n_waiting = 0
        self._chunks: list[_Chunk] = []

    def __enter__(self) -> Self:
        self._file = TemporaryFile()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, part: ReadRun) -> None:
        """Keep the next rows of the file."""
        self.n_rows += len(part.run.scores)
        self._waiting.append(part)
        self._n_waiting += len(part.run.scores)
        if self._n_waiting >= ROWS_AT_ONCE:
            self._write()

    def batches(self) -> Iterator[ReadRun]:
        """All rows, every query whole and in one batch, in the order of queries' first lines, then of lines."""
        self._write()
        names = list(self._number)
        for first, last in pairwise(self._borders()):
            rows = [each for chunk in self._chunks if len(each := self._rows(chunk, first, last))]
            query, rank, line, score, doc = (np.concatenate([each[field] for each in rows]) for field in FIELDS)
            if np.any(query[1:] < query[:-1]):
                order = np.argsort(query, kind="stable")
                query, rank, line, score, doc = (column[order] for column in (query, rank, line, score, doc))
            queries = np.array(names[first:last], dtype=np.bytes_)
            yield ReadRun(RunFile(queries, query - np.int32(first), doc, score, rank, ""), line)

    def _write(self) -> None:
        """Put the waiting rows on disk, in the order of their queries."""
        if not self._n_waiting:
            return
        query = np.concatenate([self._codes(part)[part.run.query] for part in self._waiting])
        widest = max(part.run.docs.dtype.itemsize for part in self._waiting)
        kinds = ("<i4", "<i4", "<i8", "<f8", f"S{widest}")
        rows = np.empty(len(query), dtype=list(zip(FIELDS, kinds, strict=True)))
        rows["query"] = query
        rows["rank"] = np.concatenate([part.run.ranks for part in self._waiting])
        rows["line"] = np.concatenate([part.line for part in self._waiting])
        rows["score"] = np.concatenate([part.run.scores for part in self._waiting])
        rows["doc"] = np.concatenate([part.run.docs for part in self._waiting])
        if np.any(query[1:] < query[:-1]):
            rows = rows[np.argsort(query, kind="stable")]
        begins = np.flatnonzero(np.diff(rows["query"], prepend=-1))
        starts = np.append(begins, len(rows))
        self._chunks.append(_Chunk(self._file.seek(0, 2), rows.dtype, rows["query"][begins], starts))
        self._file.write(rows.data)
        self._waiting, self._n_waiting = [], 0

    def _codes(self, part: ReadRun) -> NDArray[np.int32]:
        """(Q,) this spool's number of each query of a part; one without rows is none."""
        used = np.bincount(part.run.query, minlength=len(part.run.queries)) > 0
        number, codes = self._number, np.zeros(len(used), dtype=np.int32)
        codes[used] = [number.setdefault(each, len(number)) for each in part.run.queries[used].tolist()]
        return codes

    def _borders(self) -> list[int]:
        """First queries of the batches, and the number of queries: no more rows between two than fit, or one query."""
        counts = np.zeros(len(self._number), dtype=np.int64)
        for chunk in self._chunks:
            counts[chunk.queries] += np.diff(chunk.starts)
        ends = np.cumsum(counts)
        borders = [0]
        while borders[-1] < len(ends):
            done = ends[borders[-1] - 1] if borders[-1] else 0
            borders.append(max(int(np.searchsorted(ends, done + ROWS_AT_ONCE, side="right")), borders[-1] + 1))
        return borders

    def _rows(self, chunk: _Chunk, first: int, last: int) -> NDArray:
        """A chunk's rows of the queries from `first` to before `last`."""
        start, end = chunk.starts[np.searchsorted(chunk.queries, [first, last])].tolist()
        self._file.seek(chunk.offset + start * chunk.dtype.itemsize)
        return np.frombuffer(self._file.read((end - start) * chunk.dtype.itemsize), dtype=chunk.dtype)
