"""Reads grades out of the table of qrels of a release, a query at a time.

Its rows are ordered by query set and label source, then by the bytes of the source's id, so that
of each label source a row group or two are read, however many there are.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

SOURCE_COLUMNS = {"forward": ("query", "document"), "reverse": ("document", "query")}


class GradedTarget(NamedTuple):
    """The grade of a target for one source under one label source."""

    target: str
    label_source: str
    grade: int
    is_propagated: bool


class GradeCount(NamedTuple):
    """The graded targets of a source, and the positives among them."""

    n: int
    n_positive: int


class QuerySetName(NamedTuple):
    """A query set by its name and direction."""

    name: str
    direction: str


class GradedPairs:
    """The table of qrels, read from a stream; use it as a context manager."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._file = parquet.ParquetFile(
            stream,
            read_dictionary=["query_set", "direction", "label_source", "query", "document"],
        )

    def __enter__(self) -> "GradedPairs":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close(force=True)

    def targets(self, query_set: QuerySetName, source: str) -> list[GradedTarget]:
        """Return the grades of the targets of a source, label source by label source."""
        source_column, target_column = SOURCE_COLUMNS[query_set.direction]
        rows = []
        columns = (target_column, "label_source", "grade", "is_propagated")
        for table in self._tables(query_set, [source], columns):
            positions = np.flatnonzero(_equal(table, source_column, source))
            own_rows = table.take(pa.array(positions)).select(columns)
            rows += [GradedTarget(*cells) for cells in zip(*_lists(own_rows), strict=True)]
        return rows

    def counts(
        self,
        query_set: QuerySetName,
        sources: Sequence[str],
        *,
        label_source: str,
        positive_from: int,
    ) -> list[GradeCount]:
        """Count the graded and the positive targets of some sources under a label source.

        sources : a stretch of the sources in their order
        """
        column = SOURCE_COLUMNS[query_set.direction][0]
        n = np.zeros(len(sources), dtype=np.int64)
        n_positive = np.zeros(len(sources), dtype=np.int64)
        columns = ("label_source", "grade")
        for table in self._tables(query_set, sources, columns, label_source=label_source):
            of_source = _equal(table, "label_source", label_source)
            rows = table.column(column).combine_chunks()
            # positions of the dictionary's names among the sources; beyond them for other names
            names = {name: position for position, name in enumerate(sources)}
            places = np.array(
                [names.get(name, len(sources)) for name in rows.dictionary.to_pylist()],
                dtype=np.int64,
            )
            own = places[_indices(rows)]
            grades = table.column("grade").to_numpy()
            is_positive = of_source & (grades >= positive_from)
            n += np.bincount(own[of_source], minlength=len(sources) + 1)[:-1]
            n_positive += np.bincount(own[is_positive], minlength=len(sources) + 1)[:-1]
        return [GradeCount(*cells) for cells in zip(n.tolist(), n_positive.tolist(), strict=True)]

    def _tables(
        self,
        query_set: QuerySetName,
        sources: Sequence[str],
        columns: Sequence[str],
        *,
        label_source: str | None = None,
    ) -> Iterator[pa.Table]:
        """The row groups that may hold some sources of a query set, without those of other sets.

        label_source : of which some rows are wanted; None for every one
        """
        source_column = SOURCE_COLUMNS[query_set.direction][0]
        ends = {
            "query_set": (query_set.name, query_set.name),
            "direction": (query_set.direction, query_set.direction),
            source_column: (min(sources, key=str.encode), max(sources, key=str.encode)),
        }
        if label_source is not None:
            ends["label_source"] = (label_source, label_source)
        names = self._file.schema_arrow.names
        for number in range(self._file.num_row_groups):
            group = self._file.metadata.row_group(number)
            if all(
                _may_hold(group.column(names.index(name)).statistics, *pair)
                for name, pair in ends.items()
            ):
                table = self._file.read_row_group(
                    number, columns=list(dict.fromkeys([*ends, *columns]))
                )
                mask = _equal(table, "query_set", query_set.name)
                mask &= _equal(table, "direction", query_set.direction)
                yield table if mask.all() else table.filter(pa.array(mask))


def rank_counts(stream: io.RawIOBase) -> dict[str, dict[int, int]]:
    """Count the pairs of each pool of a release by their best rank; those without one are left out.

    stream : of pools/pairs.parquet
    """
    counts: dict[str, dict[int, int]] = {}
    with closing(parquet.ParquetFile(stream, read_dictionary=["pool"])) as file:
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, columns=["pool", "best_rank"])
            for pool in table.column("pool").combine_chunks().dictionary.to_pylist():
                ranks = table.filter(pa.array(_equal(table, "pool", pool))).column("best_rank")
                for row in ranks.drop_null().value_counts().to_pylist():
                    of_pool = counts.setdefault(pool, {})
                    of_pool[row["values"]] = of_pool.get(row["values"], 0) + row["counts"]
    return counts


def _may_hold(statistics: Any, first: str, last: str) -> bool:
    """True unless the least and largest value of a row group say that none lies between."""
    if statistics is None or not statistics.has_min_max:
        return True
    least, largest = (_bytes(end) for end in (statistics.min, statistics.max))
    return bool(least <= last.encode() and largest >= first.encode())


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _indices(column: pa.DictionaryArray) -> NDArray[np.integer[Any]]:
    indices: NDArray[np.integer[Any]] = column.indices.to_numpy(zero_copy_only=False)
    return indices


def _equal(table: pa.Table, column: str, name: str) -> NDArray[np.bool_]:
    """A mask of the rows whose word is this one."""
    rows = table.column(column).combine_chunks()
    position = rows.dictionary.index(pa.scalar(name)).as_py()
    return _indices(rows) == position


def _lists(table: pa.Table) -> list[list[Any]]:
    return [column.to_pylist() for column in table.columns]
