"""The values of queries in a release: those of one score after another, from per-query.parquet."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError
from metrics.core.releases import tables
from metrics.core.releases.verification.release_folder import (
    WordColumn,
    blocks_of,
    open_table,
    word_column,
)
from metrics.core.statistics.groups import Groups

PER_QUERY = "scores/per-query.parquet"
WEIGHT = "weight"  # the first releases have no such column: each query counts alike


class ScoreKey(NamedTuple):
    """A score of a release: its run, its query set, its labels and its measure."""

    run: str
    direction: str
    query_set: str
    label_source: str
    measure: str
    threshold: int

    def __str__(self) -> str:
        """The key for people."""
        return (
            f"{self.measure} of {self.run} on {self.query_set} ({self.direction}) by "
            f"{self.label_source}"
        )


class QueryValues(NamedTuple):
    """The values of a score, query by query; n of them.

    first_row : of them in the table, from 1; queries, groups : ids and names, coded
    values : NaN where undefined; weight : how many queries each stands for
    """

    key: ScoreKey
    first_row: int
    queries: list[str]
    values: NDArray[np.float64]
    groups: NDArray[np.int64]
    weight: NDArray[np.float64]

    @property
    def query_groups(self) -> Groups:
        """The groups of the queries, with their weights."""
        return Groups.of(self.groups, weight=self.weight)

    @property
    def mean(self) -> float | None:
        """The mean; None where it is undefined."""
        if not len(self.values) or np.isnan(self.values).any():
            return None
        return float(self.query_groups.mean(self.values))


class ScoreStretch(NamedTuple):
    """Rows of one score: a stretch of a block."""

    key: ScoreKey
    queries: list[str]
    values: NDArray[np.float64]
    groups: list[str]
    weight: NDArray[np.float64]


def query_values(source: Source) -> Iterator[QueryValues]:
    """Yield the values of each score, as they stand in the table.

    Raises FormatError and ArrowException.
    """
    parts: list[ScoreStretch] = []
    first_row = 1
    for part in stretches(source):
        if parts and parts[0].key != part.key:
            yield query_values_of(parts, first_row)
            first_row += sum(len(earlier.values) for earlier in parts)
            parts = []
        parts.append(part)
    if parts:
        yield query_values_of(parts, first_row)


def query_values_of(parts: list[ScoreStretch], first_row: int) -> QueryValues:
    groups = [group for part in parts for group in part.groups]
    return QueryValues(
        parts[0].key,
        first_row,
        [query for part in parts for query in part.queries],
        np.concatenate([part.values for part in parts]),
        np.unique(np.array(groups), return_inverse=True)[1].astype(np.int64),
        np.concatenate([part.weight for part in parts]),
    )


def stretches(source: Source) -> Iterator[ScoreStretch]:
    """Yield the stretches of each block that are of one score."""
    schema = pa.schema([field for field in tables.QUERY_SCORES if field.name != WEIGHT])
    with open_table(source, PER_QUERY, schema) as table:
        has_weight = WEIGHT in table.schema_arrow.names
        for block in blocks_of(table, [*schema.names, *[WEIGHT] * has_weight]):
            columns = {
                name: word_column(block, name, PER_QUERY)
                for name in (*ScoreKey._fields[:-1], "query", "group")
            }
            threshold = _numbers(block, "threshold").astype(np.int64)
            values = block.column("value").to_numpy(zero_copy_only=False).astype(np.float64)
            weight = _numbers(block, WEIGHT) if has_weight else np.ones(len(block))
            if not (weight > 0).all():
                raise FormatError(PER_QUERY, None, "", "A weight is not above 0.")
            keys = [columns[name].codes for name in ScoreKey._fields[:-1]] + [threshold]
            changes = np.any([np.diff(column) != 0 for column in keys], axis=0)
            borders = [0, *(np.flatnonzero(changes) + 1).tolist(), len(block)]
            for start, end in pairwise(borders if len(block) else []):
                run, direction, query_set, label_source, measure = (
                    columns[name].words[columns[name].codes[start]]
                    for name in ScoreKey._fields[:-1]
                )
                yield ScoreStretch(
                    ScoreKey(
                        run, direction, query_set, label_source, measure, int(threshold[start])
                    ),
                    _words(columns["query"], start, end),
                    values[start:end],
                    _words(columns["group"], start, end),
                    weight[start:end],
                )


def _numbers(block: pa.RecordBatch, name: str) -> NDArray[np.float64]:
    column = block.column(name)
    if column.null_count:
        raise FormatError(PER_QUERY, None, "", f'Its column "{name}" has an empty cell.')
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _words(column: WordColumn, start: int, end: int) -> list[str]:
    return [column.words[code] for code in column.codes[start:end].tolist()]
