"""Runs as Parquet files with the columns of a table, read a row group at a time.

Only called in the sandbox process.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems, id_fault
from annotate.core.files.text_files import LIMITS, Limits
from pooling.core.files.binary.matrices import RunPart
from pooling.core.files.text.run_tables import columns_of
from pooling.core.files.text.runs import RunFile

ROWS_AT_ONCE = 131_072
PLAIN_ID = "^[!-~]{1,255}$"  # such an id needs no further check
MAX_ROWS = 200_000_000
MAX_COLUMNS = 1_000
MAX_ROW_GROUPS = 20_000
MAX_HEADER = 64 * 1024 * 1024  # bytes of the file's own description


def read_parquet(
    stream: BinaryIO, name: str, problems: Problems, *, limits: Limits = LIMITS
) -> Iterator[RunPart]:
    """The rows of a run, row i of the file as its "line" i + 1.

    Columns are called as in a table with a header. Ids are text or whole numbers, scores numbers.
    The description is checked before any data is read. Raises FormatError; rows at fault become
    problems.
    """
    try:
        with pa.PythonFile(stream, mode="r") as source:
            file = pq.ParquetFile(
                source, thrift_string_size_limit=MAX_HEADER, thrift_container_size_limit=1_000_000
            )
            columns = _checked_columns(file, stream.seek(0, 2), name, limits)
            ids = [columns["query"], columns["document"]]
            file = pq.ParquetFile(
                source,
                metadata=file.metadata,
                read_dictionary=ids,
                thrift_string_size_limit=MAX_HEADER,
            )
            yield from _parts(file, columns, name, problems)
    except (
        pa.ArrowException,
        OSError,
        MemoryError,
        OverflowError,
        UnicodeDecodeError,
        IndexError,
    ) as error:
        message = "The Parquet file is damaged, cut short or uses too much memory; write it again."
        raise FormatError(name, None, "", message) from error


def _checked_columns(
    file: pq.ParquetFile, n_bytes: int, name: str, limits: Limits
) -> dict[str, str]:
    """Names of the columns by field.

    Raises FormatError for too large a file, or columns that cannot be a run's.
    """
    metadata = file.metadata
    if metadata.num_columns > MAX_COLUMNS or metadata.num_row_groups > MAX_ROW_GROUPS:
        message = (
            f"The file has more than {MAX_COLUMNS:,} columns or {MAX_ROW_GROUPS:,} row groups; "
            "write it plainer."
        )
        raise FormatError(name, None, "", message)
    unpacked = sum(
        metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)
    )
    if unpacked > limits.unpacked or unpacked > max(limits.free, limits.ratio * n_bytes):
        raise FormatError(
            name, None, "", f"The file unpacks to {unpacked:,} bytes, more than is accepted."
        )
    # A column of one repeated value takes a few bytes, however many rows it has.
    if not 0 <= metadata.num_rows <= min(MAX_ROWS, max(1_000_000, limits.ratio * n_bytes)):
        raise FormatError(
            name, None, "", f"The file claims {metadata.num_rows:,} rows, more than is accepted."
        )
    schema = file.schema_arrow
    columns = columns_of(schema.names, name)
    for field, column in columns.items():
        if schema.names.count(column) > 1:
            raise FormatError(
                name, None, column, f"column {column} stands twice; keep one of them."
            )
        if column and not _fits(schema.field(column).type, field):
            message = (
                f"column {column} is {schema.field(column).type}; ids are text or whole numbers, "
                "scores numbers."
            )
            raise FormatError(name, None, column, message)
    return columns


def _fits(kind: pa.DataType, field: str) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if field in ("query", "document"):
        return text or pa.types.is_integer(kind)
    return pa.types.is_integer(kind) or (field == "score" and pa.types.is_floating(kind))


def _parts(
    file: pq.ParquetFile, columns: dict[str, str], name: str, problems: Problems
) -> Iterator[RunPart]:
    names_read = [column for column in columns.values() if column]
    start = 0
    for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=names_read, use_threads=False):
        batch_columns = _RowBatch(batch, start, name, problems)
        queries, query = batch_columns.ids(columns["query"], "query")
        targets, target = batch_columns.ids(columns["document"], "document")
        scores = batch_columns.scores(columns["score"])
        ranks = (
            batch_columns.ranks(columns["rank"])
            if columns["rank"]
            else np.zeros(len(scores), dtype=np.int32)
        )
        if not problems and len(scores):
            run = RunFile(queries, query.astype(np.int32), targets[target], scores, ranks, "")
            yield RunPart(run, np.arange(start + 1, start + 1 + len(scores)))
        start += batch.num_rows


class _RowBatch:
    """Some rows of the file: their columns as arrays, and their faults with the row's number."""

    def __init__(self, batch: pa.RecordBatch, start: int, name: str, problems: Problems) -> None:
        self.batch, self.start, self.name, self.problems = batch, start, name, problems

    def ids(self, column: str, field: str) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
        """(D,) the distinct ids, and (n,) the index of each row's id among them."""
        values = self.batch.column(column)
        if not pa.types.is_dictionary(values.type):
            values = values.dictionary_encode()
        self._refuse(values.is_null(), field, "the id is missing")
        codes = values.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        # the dictionary may be that of many rows more
        used_codes, codes = np.unique(codes, return_inverse=True)
        texts = values.dictionary.take(pa.array(used_codes)).cast(pa.string()).fill_null("")
        if pc.all(pc.match_substring_regex(texts, PLAIN_ID)).as_py():
            return np.array(texts.to_pylist(), dtype=np.str_).astype(np.bytes_), codes
        id_texts = texts.to_pylist()
        for code, text in enumerate(id_texts):
            if fault := id_fault(text):
                self._fault(int(np.argmax(codes == code)), field, f"the {field} id {fault}")
        return np.array([text.encode() for text in id_texts], dtype=np.bytes_), codes

    def scores(self, column: str) -> NDArray[np.float64]:
        """(n,) finite scores."""
        values = self.batch.column(column)
        numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)  # a missing one is NaN
        self._refuse(~np.isfinite(numbers), "score", "the score is no finite number")
        return numbers

    def ranks(self, column: str) -> NDArray[np.int32]:
        """(n,) ranks; 0 where the file gives none that could be one."""
        numbers = self.batch.column(column).to_numpy(zero_copy_only=False).astype(np.float64)
        sound = (numbers > 0) & (numbers < 2**31 - 1)
        return np.where(sound, numbers, 0).astype(np.int32)

    def _refuse(self, is_wrong: Any, field: str, message: str) -> None:
        for row in np.flatnonzero(np.asarray(is_wrong))[: self.problems.limit].tolist():
            self._fault(row, field, message)

    def _fault(self, row: int, field: str, message: str) -> None:
        self.problems.add(FormatError(self.name, self.start + row + 1, field, f"{message}."))
