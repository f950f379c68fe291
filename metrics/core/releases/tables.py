"""The Parquet tables of a release. The same rows in the same blocks give the same bytes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from annotate.core.files.sinks import Sink

_WORD = pa.dictionary(pa.int32(), pa.string())
# one row a pair and label source; a pair of duplicates may have its grade from its originals
QRELS = pa.schema(
    {
        "query_set": _WORD,
        "direction": _WORD,
        "label_source": _WORD,
        "query": _WORD,
        "document": _WORD,
        "grade": pa.int32(),
        "is_propagated": pa.bool_(),
    }
)
# one row a run, query set, label source and measure; see manifest.ScoreEntry
SCORES = pa.schema(
    {
        "run": _WORD,
        "direction": _WORD,
        "query_set": _WORD,
        "label_source": _WORD,
        "measure": _WORD,
        "threshold": pa.int32(),
        "mean": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
        "best": pa.float64(),
        "n_queries": pa.int32(),
        "n_missing": pa.int32(),
        "n_with_positive": pa.int32(),
    }
)
# the values that those are the means of; queries of one group are resampled together, and one that
# was drawn counts by its weight
QUERY_SCORES = pa.schema(
    {
        "run": _WORD,
        "direction": _WORD,
        "query_set": _WORD,
        "label_source": _WORD,
        "measure": _WORD,
        "threshold": pa.int32(),
        "query": _WORD,
        "value": pa.float64(),
        "group": _WORD,
        "weight": pa.float64(),
    }
)
# one row a pair of a pool, as it was at the pool's opening
POOL_PAIRS = pa.schema(
    {
        "pool": _WORD,
        "query": pa.string(),
        "document": pa.string(),
        "best_rank": pa.int32(),
        "stratum": pa.int32(),
        "inclusion_probability": pa.float64(),
    }
)


def parquet_pieces(schema: pa.Schema, blocks: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """A Parquet file in pieces, a row group a block.

    blocks : the columns of some rows each, by the names of the schema: lists or arrays of one
        length, or columns made by `words`
    """
    sink = Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd", store_schema=False) as writer:
        for block in blocks:
            columns = [_column(field, block[field.name]) for field in schema]
            writer.write_table(pa.table(columns, schema=schema))
            yield sink.take()
    yield sink.take()


def words(positions: NDArray[np.integer], names: Sequence[str]) -> pa.DictionaryArray:
    """A column of names by their positions among these, without a Python string a row."""
    encoded_names = pa.array(names, pa.string()).dictionary_encode()
    indices = encoded_names.indices.take(pa.array(positions.astype(np.int64)))
    return pa.DictionaryArray.from_arrays(indices, encoded_names.dictionary)


def one_word(name: str, n: int) -> pa.DictionaryArray:
    """A column of n times the same name."""
    return words(np.zeros(n, dtype=np.int32), [name])


def type_words(kind: pa.DataType) -> str:
    """The type of a column in words; a dictionary of words is text, and lists name no items."""
    if pa.types.is_list(kind):
        return f"list of {type_words(kind.value_type)}"
    return "string" if pa.types.is_dictionary(kind) else str(kind)


def _column(field: pa.Field, cells: Any) -> pa.Array:
    if isinstance(cells, pa.Array):
        return cells
    if field.type == _WORD:
        return pa.array(cells, pa.string()).dictionary_encode()
    return pa.array(cells, field.type)
