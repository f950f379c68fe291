"""Files of judgments: CSV for spreadsheets, JSON lines and Parquet for programs, in pieces.

They are made of pieces of JSON lines: whole lines, each an object with the columns of SCHEMA in
their order. The same pieces always give the same bytes: no file holds the time of writing.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import json as arrow_json
from pyarrow import parquet

from annotate.core.files.sinks import Sink
from annotate.core.files.spreadsheet_cells import safe_cell
from annotate.core.labels.answers import Telemetry

LINES_A_PIECE = 5_000  # at least, but for the last: rows of a Parquet file in memory at a time
MOMENT = pa.timestamp("ms", tz="UTC")
WORD = pa.dictionary(pa.int32(), pa.string())
# level : the grade's name at present
# reasons, shown_at, at : in the order given; moments as 2024-05-31T14:00:00.000Z
# guidelines : the version of the guidelines that the annotator read
# grouped : whether the batch showed one query's pairs together, or mixed
# purpose, why : of the seat: label, gold, training...; first, double, disagreement, top-up
# status : counts, superseded by a later answer, undone, withdrawn, or surplus (it came too late to
#     count)
SCHEMA = pa.schema(
    {
        "query": pa.string(),
        "document": pa.string(),
        "annotator": WORD,
        "origin": WORD,
        "grade": pa.int32(),
        "level": WORD,
        "reasons": pa.list_(pa.string()),
        "shown_at": MOMENT,
        "at": MOMENT,
        **dict.fromkeys(Telemetry._fields, pa.int32()),
        "guidelines": pa.int32(),
        "grouped": pa.bool_(),
        "purpose": WORD,
        "why": WORD,
        "round": WORD,
        "status": WORD,
    }
)


def as_csv(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Write a CSV table that is safe to open in a spreadsheet."""
    yield (",".join(SCHEMA.names) + "\n").encode()
    for piece in pieces:
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerows(map(csv_cells, map(json.loads, piece.splitlines())))
        yield text.getvalue().encode()


def csv_cells(row: Mapping[str, Any]) -> list[object]:
    """The cells of a row in CSV, reasons joined.

    Names from people or files are made safe, other columns are ours.
    """
    query, document, annotator, origin, grade, level, reasons, *seat, round_, status = row.values()
    return [
        safe_cell(query),
        safe_cell(document),
        safe_cell(annotator),
        origin,
        grade,
        safe_cell(level),
        safe_cell("; ".join(reasons)),
        # a boolean as JSON writes it
        *(str(cell).lower() if isinstance(cell, bool) else cell for cell in seat),
        safe_cell(round_),
        status,
    ]


def as_parquet(pieces: Iterable[bytes], schema: pa.Schema = SCHEMA) -> Iterator[bytes]:
    """Write Parquet with typed columns: moments are timestamps in UTC, reasons lists."""
    sink = Sink()
    with parquet_writer(sink, schema) as writer:
        for piece in pieces:
            writer.write_table(table_of(piece, schema))
            yield sink.take()
    yield sink.take()


def parquet_writer(stream: BinaryIO | Sink, schema: pa.Schema = SCHEMA) -> parquet.ParquetWriter:
    """A writer of a Parquet file of judgments: each table is a row group of its own.

    Batches would wait in memory for a million rows.
    """
    return parquet.ParquetWriter(stream, schema, compression="zstd", store_schema=False)


def table_of(piece: bytes, schema: pa.Schema = SCHEMA) -> pa.Table:
    """The rows of a piece."""
    as_json = pa.schema(
        pa.field(field.name, pa.string() if field.type in (WORD, MOMENT) else field.type)
        for field in schema
    )
    rows = arrow_json.read_json(
        pa.BufferReader(piece),
        arrow_json.ReadOptions(use_threads=False, block_size=len(piece)),
        arrow_json.ParseOptions(explicit_schema=as_json, unexpected_field_behavior="error"),
    )
    columns = [_column(field, rows[field.name].combine_chunks()) for field in schema]
    return pa.table(columns, schema=schema)


# the writers of the formats, by the suffix of their files
FORMATS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    "csv": as_csv,
    "jsonl": iter,
    "parquet": as_parquet,
}


def _column(field: pa.Field, cells: pa.Array) -> pa.Array:
    return cells.dictionary_encode() if field.type == WORD else cells.cast(field.type)
