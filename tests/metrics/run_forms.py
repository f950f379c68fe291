"""One run in every form in which runs are uploaded."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.metrics.worlds import canonical

Rows = list[tuple[str, str, float]]
NAMES = ("query", "document", "score")


def _trec(rows: Rows) -> bytes:
    return "".join(
        f"{source} Q0 {target} 1 {score!r} tag\n" for source, target, score in rows
    ).encode()


def _by_source(rows: Rows) -> dict[str, Rows]:
    rows_of_source: dict[str, Rows] = {}
    for row in rows:
        rows_of_source.setdefault(row[0], []).append(row)
    return rows_of_source


def _ranked(rows: Rows) -> list[tuple[str, str, int]]:
    """Each row with its rank instead of its score."""
    lists = _by_source(canonical(rows)).values()
    return [
        (source, target, rank)
        for source_rows in lists
        for rank, (source, target, _) in enumerate(source_rows, start=1)
    ]


def _table(rows: Rows, separator: str, *header: str) -> bytes:
    lines = [separator.join(header)] if header else []
    return "".join(
        line + "\n" for line in [*lines, *(separator.join(map(str, row)) for row in rows)]
    ).encode()


def _json_lines(rows: Rows) -> bytes:
    named_rows = (dict(zip(NAMES, row, strict=True)) for row in rows)
    return "".join(json.dumps(row) + "\n" for row in named_rows).encode()


def _rankings(rows: Rows) -> bytes:
    lists = _by_source(rows).items()
    lines = (
        {"query": source, "ranking": [row[1:] for row in source_rows]}
        for source, source_rows in lists
    )
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def _parquet(rows: Rows) -> bytes:
    file = io.BytesIO()
    columns = zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)
    pq.write_table(pa.table(dict(columns)), file)
    return file.getvalue()


def _dictionary(rows: Rows) -> bytes:
    return json.dumps(
        {
            source: {row[1]: row[2] for row in source_rows}
            for source, source_rows in _by_source(rows).items()
        }
    ).encode()


def _pairs(rows: Rows) -> bytes:
    lists = _by_source(canonical(rows)).items()
    return json.dumps(
        {source: [row[1:] for row in source_rows] for source, source_rows in lists}
    ).encode()


def _ids(rows: Rows) -> bytes:
    lists = _by_source(canonical(rows)).items()
    return json.dumps(
        {source: [row[1] for row in source_rows] for source, source_rows in lists}
    ).encode()


def _columns(rows: Rows) -> bytes:
    columns = zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)
    return json.dumps(dict(columns)).encode()


def matrix(rows: Rows, kind: str) -> tuple[np.ndarray, list[str], list[str]]:
    """The rows as a similarity matrix, -inf for absent pairs, with the ids of both sides."""
    sources, targets = (list(dict.fromkeys(row[end] for row in rows)) for end in (0, 1))
    order = "F" if kind.endswith("64") else "C"
    cells = np.full((len(sources), len(targets)), -np.inf, dtype=kind, order=order)
    for source, target, score in rows:
        cells[sources.index(source), targets.index(target)] = score
    return cells, sources, targets


def _npz(rows: Rows, kind: str) -> bytes:
    cells, sources, targets = matrix(rows, kind)
    file = io.BytesIO()
    np.savez_compressed(
        file, sim_mat=cells, row_ids=np.array(sources), column_ids=np.array(targets)
    )
    return file.getvalue()


def _npy(rows: Rows) -> bytes:
    cells, sources, targets = matrix(rows, "float32")
    file, member = io.BytesIO(), io.BytesIO()
    np.save(member, cells)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("scores.npy", member.getvalue())
        archive.writestr("rows.txt", "\n".join(sources))
        archive.writestr("columns.txt", "\n".join(targets))
    return file.getvalue()


def _hdf5(rows: Rows) -> bytes:
    file = io.BytesIO()
    with h5py.File(file, "w") as out:
        out["sim_mat"], out["row_ids"], out["column_ids"] = matrix(rows, "float32")
    return file.getvalue()


# By what a form is called: the name of its file, its bytes, and what is said on the form beside it.
FORMS: dict[str, tuple[str, Callable[[Rows], bytes], dict[str, str]]] = {
    "TREC": ("a.run", _trec, {}),
    "TREC, gzipped": ("a.run.gz", lambda rows: gzip.compress(_trec(rows), mtime=0), {}),
    "JSON lines": ("a.jsonl", _json_lines, {}),
    "JSON lines of rankings": ("a.jsonl", _rankings, {}),
    "CSV": ("a.csv", lambda rows: _table(rows, ",", "query", "document", "score"), {}),
    "TSV": ("a.tsv", lambda rows: _table(rows, "\t", "query_id", "docno", "similarity"), {}),
    "CSV without a header": (
        "a.csv",
        lambda rows: _table([(target, source, score) for source, target, score in rows], ","),
        {"columns": "document:1, query:2, score:3"},
    ),
    "CSV of ranks": (
        "a.csv",
        lambda rows: _table(_ranked(rows), ","),
        {"columns": "query:1, document:2, rank:3"},
    ),
    "Parquet": ("a.parquet", _parquet, {}),
    "JSON": ("a.json", _dictionary, {}),
    "JSON of pairs": ("a.json", _pairs, {}),
    "JSON of ids": ("a.json", _ids, {}),
    "JSON of columns": ("a.json", _columns, {}),
    "npz float16": ("a.npz", lambda rows: _npz(rows, "float16"), {}),
    "npz float32": ("a.npz", lambda rows: _npz(rows, "float32"), {}),
    "npz float64": ("a.npz", lambda rows: _npz(rows, "float64"), {}),
    "npy in a zip": ("a.zip", _npy, {}),
    "hdf5": ("a.h5", _hdf5, {}),
}
