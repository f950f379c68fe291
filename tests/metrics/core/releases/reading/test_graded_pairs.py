"""Grades are read out of the table of qrels query by query, whatever its row groups are."""

import io
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from metrics.core.releases import tables
from metrics.core.releases.reading.graded_pairs import (
    GradeCount,
    GradedPairs,
    GradedTarget,
    QuerySetName,
    rank_counts,
)
from metrics.core.releases.tables import parquet_pieces

ALL = QuerySetName("all", "forward")
REVERSE = QuerySetName("all", "reverse")
SOURCES = ("over:a", "only")


def rows() -> list[dict]:
    """Two query sets and label sources; the queries of few are not those of all."""
    generator = np.random.default_rng(0)
    table = []
    for query_set, direction, n in (
        ("all", "forward", 30),
        ("all", "reverse", 12),
        ("few", "forward", 3),
    ):
        for label_source in SOURCES:
            ends = ("query", "document") if direction == "forward" else ("document", "query")
            names = sorted((f"é{i}" for i in range(n)), key=str.encode)
            table += [
                {
                    "query_set": query_set,
                    "direction": direction,
                    "label_source": label_source,
                    ends[0]: source,
                    ends[1]: f"t{target}",
                    "grade": int(generator.integers(0, 3)),
                    "is_propagated": bool(generator.integers(0, 2)),
                }
                for source in names
                for target in sorted(generator.permutation(9)[: generator.integers(0, 6)])
            ]
    return table


def qrels(group_rows: int) -> io.BytesIO:
    """The table of all rows, so many in each row group."""
    table = rows()
    blocks = [table[start : start + group_rows] for start in range(0, len(table), group_rows)]
    columns = [
        {name: [row[name] for row in block] for name in tables.QRELS.names} for block in blocks
    ]
    return io.BytesIO(b"".join(parquet_pieces(tables.QRELS, columns)))


@pytest.mark.parametrize("group_rows", [1, 7, 50, 10_000])
@pytest.mark.parametrize("query_set", [ALL, REVERSE, QuerySetName("few", "forward")])
def test_every_query_has_its_grades(group_rows, query_set):
    ends = ("query", "document") if query_set.direction == "forward" else ("document", "query")
    own = [row for row in rows() if (row["query_set"], row["direction"]) == query_set]
    with GradedPairs(qrels(group_rows)) as pairs:
        for source in {row[ends[0]] for row in own}:
            expected = {
                GradedTarget(row[ends[1]], row["label_source"], row["grade"], row["is_propagated"])
                for row in own
                if row[ends[0]] == source
            }
            found_rows = pairs.targets(query_set, source)
            assert set(found_rows) == expected and len(found_rows) == len(expected)


@pytest.mark.parametrize("group_rows", [1, 7, 10_000])
def test_counts_are_those_of_the_rows(group_rows):
    names = sorted((f"é{i}" for i in range(30)), key=str.encode)
    own = [
        row
        for row in rows()
        if (row["query_set"], row["direction"]) == ALL and row["label_source"] == "only"
    ]
    n = Counter(row["query"] for row in own)
    n_positive = Counter(row["query"] for row in own if row["grade"] >= 2)
    with GradedPairs(qrels(group_rows)) as pairs:
        for start in range(0, 30, 7):
            stretch = names[start : start + 7]
            counts = pairs.counts(ALL, stretch, label_source="only", positive_from=2)
            assert counts == [GradeCount(n[name], n_positive[name]) for name in stretch]


def test_what_the_table_does_not_have_has_no_grades():
    with GradedPairs(qrels(50)) as pairs:
        assert pairs.targets(ALL, "nothing") == []
        assert pairs.targets(QuerySetName("other", "forward"), "é1") == []
        assert pairs.counts(ALL, ["é1"], label_source="none:b", positive_from=1) == [
            GradeCount(0, 0)
        ]


def test_a_table_without_rows_has_no_grades():
    with GradedPairs(io.BytesIO(b"".join(parquet_pieces(tables.QRELS, [])))) as pairs:
        assert pairs.targets(ALL, "é1") == []


def test_of_a_large_table_the_row_groups_of_the_query_alone_are_read():
    class CountingBytes(io.BytesIO):
        n_read = 0

        def read(self, size: int = -1) -> bytes:
            content = super().read(size)
            self.n_read += len(content)
            return content

    content = CountingBytes(qrels(5).getvalue())
    with GradedPairs(content) as pairs:
        before = content.n_read
        pairs.targets(ALL, "é1")
        assert content.n_read - before < len(content.getvalue()) / 5


def test_pairs_are_counted_by_their_best_rank():
    columns = {
        "pool": ["deep", "deep", "deep", "wide", "wide"],
        "query": ["q"] * 5,
        "document": ["d"] * 5,
        "best_rank": [1, 2, 2, None, 1],
        "stratum": [None] * 5,
        "inclusion_probability": [None] * 5,
    }
    blocks = [columns, {name: cells[:1] for name, cells in columns.items()}]
    stream = io.BytesIO(b"".join(parquet_pieces(tables.POOL_PAIRS, blocks)))
    assert rank_counts(stream) == {"deep": {1: 2, 2: 2}, "wide": {1: 1}}


def test_statistics_that_are_missing_hide_nothing():
    table = pa.Table.from_pylist(rows(), schema=tables.QRELS)
    stream = io.BytesIO()
    parquet.write_table(table, stream, write_statistics=False)
    with GradedPairs(io.BytesIO(stream.getvalue())) as pairs, GradedPairs(qrels(50)) as others:
        assert pairs.targets(ALL, "é7") == others.targets(ALL, "é7") != []
