"""Writers of judgments: CSV for spreadsheets, JSON lines and Parquet for programs, in pieces.

The same lines always give the same bytes: no file holds the time of writing.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from annotate.core.files.sinks import Sink
from annotate.core.files.spreadsheet_cells import safe_cell
from annotate.core.labels.answers import Telemetry

LINES_A_PIECE = 5_000
ROWS_A_GROUP = 5_000  # rows of a Parquet file in memory at a time
_MOMENT = pa.timestamp("ms", tz="UTC")
_WORD = pa.dictionary(pa.int32(), pa.string())


class JudgmentLine(NamedTuple):
    """One judgment as a row of an exported file.

    level : the grade's name at present
    reasons, shown_at, at : in the order given; moments as 2024-05-31T14:00:00.000Z
    telemetry : a column for each of its fields
    guidelines : the version of the guidelines that the annotator read
    grouped : whether the batch showed one query's pairs together, or mixed
    purpose, why : of the seat: label, gold, training...; first, double, disagreement, top-up
    status : counts, superseded by a later answer, undone, withdrawn, or surplus (it came too late
        to count)
    """

    query: str
    document: str
    annotator: str
    origin: str
    grade: int
    level: str
    reasons: list[str]
    shown_at: str | None
    at: str | None
    telemetry: Telemetry
    guidelines: int | None
    grouped: bool | None
    purpose: str
    why: str
    round: str
    status: str

    @property
    def cells(self) -> tuple[Any, ...]:
        """The cells of its row, one for each column of SCHEMA."""
        return (*self[:_TELEMETRY], *self.telemetry, *self[_TELEMETRY + 1 :])


_TELEMETRY = JudgmentLine._fields.index("telemetry")


SCHEMA = pa.schema(
    {
        "query": pa.string(),
        "document": pa.string(),
        "annotator": _WORD,
        "origin": _WORD,
        "grade": pa.int32(),
        "level": _WORD,
        "reasons": pa.list_(pa.string()),
        "shown_at": _MOMENT,
        "at": _MOMENT,
        **dict.fromkeys(Telemetry._fields, pa.int32()),
        "guidelines": pa.int32(),
        "grouped": pa.bool_(),
        "purpose": _WORD,
        "why": _WORD,
        "round": _WORD,
        "status": _WORD,
    }
)


def as_csv(lines: Iterable[JudgmentLine]) -> Iterator[bytes]:
    """Write a CSV table that is safe to open in a spreadsheet."""
    yield (",".join(SCHEMA.names) + "\n").encode()
    for block in _blocks(lines, LINES_A_PIECE):
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerows(map(csv_cells, block))
        yield text.getvalue().encode()


def csv_cells(line: JudgmentLine) -> list[object]:
    """The cells of its row in CSV, reasons joined.

    Names from people or files are made safe, other columns are ours.
    """
    query, document, annotator, origin, grade, level, reasons, *seat, round_, status = line.cells
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


def as_jsonl(lines: Iterable[JudgmentLine]) -> Iterator[bytes]:
    """Write one JSON object per line."""
    encode, names = json.JSONEncoder(ensure_ascii=False).encode, SCHEMA.names
    for block in _blocks(lines, LINES_A_PIECE):
        rows = (dict(zip(names, line.cells, strict=True)) for line in block)
        yield "".join(f"{encode(row)}\n" for row in rows).encode()


def as_parquet(lines: Iterable[JudgmentLine]) -> Iterator[bytes]:
    """Write Parquet with typed columns: moments are timestamps in UTC, reasons lists."""
    sink = Sink()
    with parquet.ParquetWriter(sink, SCHEMA, compression="zstd", store_schema=False) as writer:
        for block in _blocks(lines, ROWS_A_GROUP):
            rows = (line.cells for line in block)
            columns = zip(SCHEMA, zip(*rows, strict=True), strict=True)
            # A table becomes a row group of its own; batches would wait in memory for a million
            # rows.
            writer.write_table(
                pa.table([_column(field, cells) for field, cells in columns], schema=SCHEMA)
            )
            yield sink.take()
    yield sink.take()


# the writers of the formats, by the suffix of their files
FORMATS: dict[str, Callable[[Iterable[JudgmentLine]], Iterator[bytes]]] = {
    "csv": as_csv,
    "jsonl": as_jsonl,
    "parquet": as_parquet,
}


def _blocks(lines: Iterable[JudgmentLine], size: int) -> Iterator[list[JudgmentLine]]:
    remaining_lines = iter(lines)
    while block := list(islice(remaining_lines, size)):
        yield block


def _column(field: pa.Field, cells: tuple[object, ...]) -> pa.Array:
    if field.type == _MOMENT:
        return pa.array(cells, pa.string()).cast(_MOMENT)
    if field.type == _WORD:
        return pa.array(cells, pa.string()).dictionary_encode()
    return pa.array(cells, field.type)
