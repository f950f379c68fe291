"""Rows of files with items and labels, in JSON lines or Parquet."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.references.reference_formats import (
    COLUMNS,
    ReferenceRow,
    read_reference,
    table_labels,
)
from annotate.core.files.text_files import LIMITS, json_objects
from assayer.datasets.data_sets import (
    DOCUMENT,
    QUERY,
    DataItem,
    SourceFault,
    media_parts,
    optional_module,
    text_parts,
)

PACKED_LINES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
PARQUET = ".parquet"
TABLES = (".tsv", ".tsv.gz", ".csv", ".csv.gz")
ROW_ENDS = (*PACKED_LINES, PARQUET)
ANY_SIZE = LIMITS._replace(unpacked=1 << 60, free=1 << 60)  # one's own disk holds no bombs
BATCH = 500  # rows of Parquet in memory: texts may be long
ID_COLUMNS = {
    QUERY: ("_id", "id", "query_id", "query-id"),
    DOCUMENT: ("_id", "id", "doc_id", "corpus-id"),
}


def read_rows(path: Path, problems: Problems) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield number and fields of each row of a file of JSON lines or Parquet.

    Raises FormatError, and SourceFault for Parquet without pyarrow.
    """
    if path.name.endswith(PARQUET):
        yield from parquet_rows(path)
        return
    with path.open("rb") as stream:
        yield from json_objects(stream, path.name, problems, limits=ANY_SIZE)


def parquet_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield number and fields of each row of a Parquet file. Raises FormatError, SourceFault."""
    pyarrow = optional_module("pyarrow", "pyarrow", f"Parquet ({path.name})")
    parquet = optional_module("pyarrow.parquet", "pyarrow", f"Parquet ({path.name})")
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pyarrow.ArrowInvalid, OSError) as error:
        message = "the Parquet file is damaged or cut short; get it again."
        raise FormatError(path.name, number + 1, "", message) from error


def read_items(path: Path, side: str, problems: Problems) -> Iterator[DataItem]:
    """Yield the items of a file in the manner of BEIR: an id, a title and a text."""
    for number, row in read_rows(path, problems):
        column = next((column for column in ID_COLUMNS[side] if column in row), "_id")
        parts = [
            *text_parts(row.get("title"), row.get("text")),
            *media_parts(row.get("metadata")),
        ]
        yield DataItem(side, row.get(column), parts, path.name, number)


def read_labels(path: Path, problems: Problems) -> Iterator[ReferenceRow]:
    """Yield the labels of a file: a table, TREC qrels, JSON lines or Parquet."""
    if not path.name.endswith(ROW_ENDS):
        with path.open("rb") as stream:
            yield from read_reference(stream, path.name, problems)
        return
    yield from table_labels(
        ((number, cells_of(row)) for number, row in read_rows(path, problems)),
        path.name,
        problems,
    )


def cells_of(row: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a row as text, as tables have them; what is null is blank."""
    return {
        column: value
        if isinstance(value, str)
        else ("" if value is None else json.dumps(value, ensure_ascii=False, default=str))
        for column, value in row.items()
    }


def is_labels_row(columns: Mapping[str, Any]) -> bool:
    """True for a row that has the columns of labels."""
    names = {column.lower() for column in columns}
    return all(names & set(spellings) for spellings in COLUMNS.values())


def files_below(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files of a folder with such endings, by their names."""
    if not folder.is_dir():
        return []
    return sorted(
        path for path in folder.iterdir() if path.is_file() and path.name.endswith(endings)
    )


def require_folder(folder: Path) -> None:
    """Raises SourceFault for what is no folder."""
    if not folder.is_dir():
        raise SourceFault(f"{folder} is no folder.")
