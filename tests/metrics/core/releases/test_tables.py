"""The Parquet tables of a release."""

import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from metrics.core.releases import tables

ROWS = {
    "pool": ["first", "first", "zweiter"],
    "query": ["q1", "q 2", "問"],
    "document": ["d1", "d2", "d3"],
    "best_rank": [1, None, 3],
    "stratum": [0, None, 2],
    "inclusion_probability": [1.0, None, 0.25],
}


def written(blocks: list[dict[str, list[object]]]) -> bytes:
    return b"".join(tables.parquet_pieces(tables.POOL_PAIRS, blocks))


def test_rows_come_back_as_they_were() -> None:
    table = parquet.read_table(io.BytesIO(written([ROWS, ROWS])))
    assert table.to_pydict() == {name: cells * 2 for name, cells in ROWS.items()}


def test_without_rows_there_are_columns() -> None:
    table = parquet.read_table(io.BytesIO(written([])))
    assert (table.num_rows, table.schema.names) == (0, list(ROWS))


def test_the_same_rows_give_the_same_bytes_and_no_time() -> None:
    content = written([ROWS])
    assert content == written([ROWS])
    metadata = parquet.ParquetFile(io.BytesIO(content)).metadata
    assert not metadata.metadata, "no key and value of ours, nor of Arrow"
    assert metadata.created_by.startswith("parquet-cpp-arrow")


@pytest.mark.parametrize(
    "schema", [tables.QRELS, tables.SCORES, tables.QUERY_SCORES, tables.POOL_PAIRS]
)
def test_each_table_can_be_written_empty(schema: pa.Schema) -> None:
    content = b"".join(tables.parquet_pieces(schema, []))
    assert parquet.read_table(io.BytesIO(content)).schema.names == schema.names


def test_names_by_their_positions_are_those_names():
    column = tables.words(np.array([2, 0, 2, 1]), ["b", "a", "b"])
    assert column.to_pylist() == ["b", "b", "b", "a"]
    assert column.dictionary.to_pylist() == ["b", "a"]
    assert tables.words(np.zeros(0, dtype=np.int64), []).to_pylist() == []
    assert tables.one_word("a", 2).to_pylist() == ["a", "a"]
