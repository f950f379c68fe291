"""A run of any size, taken in the parts of its file, returned a few whole queries at a time."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pooling.core.files.text.runs import ReadRun, RunFile

ROWS_AT_ONCE = 200_000  # in memory, while they are put in order and while they are worked on
FIELDS = ("query", "rank", "line", "score", "doc")


class ScatteredQueries(Exception):
    """A query comes again after others, so that its rows are complete only at the file's end."""


def whole_queries(parts: Iterable[ReadRun]) -> Iterator[ReadRun]:
    """The rows of a file with each query's rows together, as most, in batches of whole queries.

    Raises ScatteredQueries at the first query that comes again.
    """
    parts_of_batch: list[list[NDArray[Any]]] = []
    queries: list[bytes] = []
    earlier_queries: set[bytes] = set()
    n_waiting = 0
    for part in parts:
        # for each row the number of its stretch of rows of one query; and the stretches' queries
        begins = np.flatnonzero(np.diff(part.run.query, prepend=-1))
        lengths = np.diff(np.append(begins, len(part.run.query)))
        query = np.repeat(np.arange(len(begins), dtype=np.int32), lengths)
        stretch_queries: list[bytes] = part.run.queries[part.run.query[begins]].tolist()
        # more rows of the last query
        is_next = bool(queries) and bool(stretch_queries) and queries[-1] == stretch_queries[0]
        new_queries = stretch_queries[1:] if is_next else stretch_queries
        if len(set(new_queries)) < len(new_queries) or not earlier_queries.isdisjoint(new_queries):
            raise ScatteredQueries
        query += np.int32(len(queries) - is_next)
        parts_of_batch.append([query, part.run.ranks, part.line, part.run.scores, part.run.docs])
        earlier_queries.update(new_queries)
        queries += new_queries
        n_waiting += len(query)
        if n_waiting >= ROWS_AT_ONCE and len(queries) > 1:
            rows = _join_columns(parts_of_batch)
            end = int(np.searchsorted(rows[0], len(queries) - 1))
            yield _batch(queries[:-1], [column[:end] for column in rows])
            parts_of_batch = [[column[end:].copy() for column in rows]]
            parts_of_batch[0][0][:] = 0
            queries, n_waiting = queries[-1:], len(parts_of_batch[0][0])
    if n_waiting:
        yield _batch(queries, _join_columns(parts_of_batch))


def spooled_queries(
    parts: Iterable[ReadRun], *, on_progress: Callable[..., None]
) -> Iterator[ReadRun]:
    """All rows of a file, in batches of whole queries, by way of the disk.

    Tells how many have been returned.
    """
    n_returned = 0
    with Spool() as spool:
        for part in parts:
            spool.add(part)
        for batch in spool.batches():
            yield batch
            n_returned += len(batch.line)
            on_progress(n_done=n_returned, total=spool.n_rows, unit="rows stored")


def _join_columns(rows: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    return [np.concatenate(column) for column in zip(*rows, strict=True)]


def _batch(names: list[bytes], rows: list[NDArray[Any]]) -> ReadRun:
    query, rank, line, score, doc = rows
    return ReadRun(RunFile(np.array(names, dtype=np.bytes_), query, doc, score, rank, ""), line)


class _Chunk(NamedTuple):
    """Rows on disk in the order of their queries, those of one query in the file's order.

    queries : (D,) ascending, those of the chunk; starts : (D + 1,) where the rows of each begin
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
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
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
        """All rows, a query whole in one batch, in the order of queries' first lines, of lines."""
        self._write()
        names = list(self._number)
        for first, last in pairwise(self._borders()):
            rows = [
                chunk_rows
                for chunk in self._chunks
                if len(chunk_rows := self._rows(chunk, first, last))
            ]
            query, rank, line, score, doc = (
                np.concatenate([chunk_rows[field] for chunk_rows in rows]) for field in FIELDS
            )
            if np.any(query[1:] < query[:-1]):
                order = np.argsort(query, kind="stable")
                query, rank, line, score, doc = (
                    column[order] for column in (query, rank, line, score, doc)
                )
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
        self._chunks.append(
            _Chunk(self._file.seek(0, 2), rows.dtype, rows["query"][begins], starts)
        )
        self._file.write(rows.data)
        self._waiting, self._n_waiting = [], 0

    def _codes(self, part: ReadRun) -> NDArray[np.int32]:
        """(Q,) this spool's number of each query of a part; a query without rows has none."""
        has_rows = np.bincount(part.run.query, minlength=len(part.run.queries)) > 0
        number, codes = self._number, np.zeros(len(has_rows), dtype=np.int32)
        codes[has_rows] = [
            number.setdefault(id_, len(number)) for id_ in part.run.queries[has_rows].tolist()
        ]
        return codes

    def _borders(self) -> list[int]:
        """First queries of the batches, and the number of queries.

        A batch has the rows that fit, or one query.
        """
        counts = np.zeros(len(self._number), dtype=np.int64)
        for chunk in self._chunks:
            counts[chunk.queries] += np.diff(chunk.starts)
        ends = np.cumsum(counts)
        borders = [0]
        while borders[-1] < len(ends):
            n_before = ends[borders[-1] - 1] if borders[-1] else 0
            borders.append(
                max(
                    int(np.searchsorted(ends, n_before + ROWS_AT_ONCE, side="right")),
                    borders[-1] + 1,
                )
            )
        return borders

    def _rows(self, chunk: _Chunk, first: int, last: int) -> NDArray:
        """A chunk's rows of the queries from `first` to before `last`."""
        start, end = chunk.starts[np.searchsorted(chunk.queries, [first, last])].tolist()
        self._file.seek(chunk.offset + start * chunk.dtype.itemsize)
        return np.frombuffer(
            self._file.read((end - start) * chunk.dtype.itemsize), dtype=chunk.dtype
        )
