"""croissant.json is valid for mlcroissant, which loads every table of a release by it."""

import json
import logging
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import mlcroissant
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from annotate.core.files.judgments.judgment_exports import SCHEMA, as_parquet
from annotate.core.labels.answers import Telemetry
from metrics.core.releases.croissant import CONTEXT, croissant_json
from metrics.core.releases.manifest import Creator, FileEntry, Manifest
from metrics.core.releases.release_tables import (
    ABOUT_JUDGMENTS,
    BOOLEAN,
    FLOAT,
    INTEGER,
    MOMENT,
    TABLES,
    TEXT,
    ReleaseTable,
)
from tests.metrics.core.releases.samples.small_release import SMALL

IDS = (
    "",
    " ",
    "NaN",
    "None",
    "null",
    "007",
    "1e5",
    "a\tb",
    "a\nb",
    '"',
    "../x",
    "%20",
    "é",
    "e\u0301",
)
IDS += ("日本語", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u202eright", "true", "x" * 3000)
ARROW_TYPES = {TEXT: pa.string(), INTEGER: pa.int32(), FLOAT: pa.float64(), BOOLEAN: pa.bool_()}
PARQUET = "application/vnd.apache.parquet"


def file_entry(folder: Path, path: str, media_type: str = PARQUET) -> FileEntry:
    data = (folder / path).read_bytes()
    return FileEntry(path, media_type, len(data), sha256(data).hexdigest(), None, f"What {path} is")


def put(folder: Path, path: str, data: bytes) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)


def write_table(folder: Path, table: ReleaseTable, n_rows: int) -> None:
    """Write rows with hostile texts, and with nulls in columns that may be empty."""
    rng = np.random.default_rng(n_rows)
    columns = {}
    for column in table.columns:
        cells: Sequence[Any] = {
            TEXT: [IDS[i % len(IDS)] for i in rng.integers(100, size=n_rows)],
            INTEGER: rng.integers(-(2**31), 2**31, size=n_rows).tolist(),
            FLOAT: rng.normal(size=n_rows).tolist(),
            BOOLEAN: (rng.integers(2, size=n_rows) > 0).tolist(),
        }[column.data_type]
        if "empty" in column.about:
            cells = [None if i % 3 == 0 else cell for i, cell in enumerate(cells)]
        columns[column.name] = pa.array(cells, ARROW_TYPES[column.data_type])
    put(folder, table.path, b"")
    parquet.write_table(pa.table(columns), folder / table.path)


def judgment_lines(n: int) -> Iterable[bytes]:
    for i in range(n):
        name = IDS[i % len(IDS)]
        has_times = i % 2 == 0
        telemetry = Telemetry(1_200, None, 0, 3) if has_times else Telemetry()
        row = {
            "query": name,
            "document": IDS[(3 * i) % len(IDS)],
            "annotator": f"annotator-{i % 3}",
            "origin": "person",
            "grade": i % 4 - 1,
            "level": name,
            "reasons": [IDS[k] for k in range(i % 4)],
            "shown_at": "2026-01-06T09:00:00.123Z" if has_times else None,
            "at": "1969-12-31T23:59:59.999Z" if has_times else None,
            **telemetry._asdict(),
            "guidelines": None if has_times else 2,
            "grouped": (None, True, False)[i % 3],
            "purpose": "label",
            "why": "first",
            "round": name,
            "status": "counts",
        }
        yield f"{json.dumps(row)}\n".encode()


def write_tables(folder: Path, n_rows: int) -> list[FileEntry]:
    for table in TABLES:
        if table.name != "judgments":
            write_table(folder, table, n_rows)
    put(folder, "judgments/judgments.parquet", b"".join(as_parquet(judgment_lines(n_rows))))
    return [file_entry(folder, table.path) for table in TABLES]


def load(folder: Path, manifest: Manifest, files: Sequence[FileEntry]) -> mlcroissant.Dataset:
    """Load croissant.json as a program does; any warning of a library is an error."""
    (folder / "croissant.json").write_text(croissant_json(manifest, files), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # of rdflib's own classes, whatever they read
        warnings.simplefilter("ignore", DeprecationWarning)
        return mlcroissant.Dataset(jsonld=folder / "croissant.json")


def records(dataset: mlcroissant.Dataset, table: str) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        # of what mlcroissant calls in pandas, whatever it reads
        warnings.simplefilter("ignore", DeprecationWarning)
        return list(dataset.records(table))


def as_loaded(cell: object) -> object:
    """A cell of a table as mlcroissant gives it: texts as bytes."""
    if isinstance(cell, list):
        return [as_loaded(part) for part in cell]
    return cell.encode() if isinstance(cell, str) else cell


@pytest.mark.parametrize("n_rows", [0, 1, 257])
def test_every_table_loads_with_all_its_rows_in_order(tmp_path: Path, n_rows: int) -> None:
    files = write_tables(tmp_path, n_rows)
    dataset = load(tmp_path, SMALL, files)
    assert [record_set.id for record_set in dataset.metadata.record_sets] == [
        table.name for table in TABLES
    ]
    for table in TABLES:
        rows = parquet.read_table(tmp_path / table.path).to_pylist()
        assert len(rows) == n_rows
        assert records(dataset, table.name) == [
            {f"{table.name}/{name}": as_loaded(cell) for name, cell in row.items()} for row in rows
        ]


def test_loaded_values_have_the_types_of_their_fields(tmp_path: Path) -> None:
    dataset = load(tmp_path, SMALL, write_tables(tmp_path, 7))
    judgments = records(dataset, "judgments")
    (reasons,) = [
        field
        for record_set in dataset.metadata.record_sets
        for field in record_set.fields
        if field.id == "judgments/reasons"
    ]
    assert (reasons.is_array, reasons.array_shape_tuple) == (True, (-1,))
    assert judgments[0]["judgments/reasons"] == []
    assert judgments[3]["judgments/reasons"] == [b"", b" ", b"NaN"]
    assert type(judgments[0]["judgments/active_ms"]) is int
    assert judgments[0]["judgments/at"] == datetime(1969, 12, 31, 23, 59, 59, 999000, UTC)
    assert [row["judgments/grouped"] for row in judgments[:3]] == [None, True, False]
    assert type(records(dataset, "scores")[0]["scores/n_queries"]) is int


def test_no_warning_for_a_full_manifest(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        dataset = load(tmp_path, SMALL, write_tables(tmp_path, 1))
    issues = dataset.metadata.ctx.issues
    assert (issues.errors, issues.warnings, caplog.messages) == (set(), set(), [])


def test_without_licence_it_is_valid_and_warns_of_that_alone(tmp_path: Path) -> None:
    bare = replace(SMALL, licence="", creators=(), notes="", limits=(), pool_bias=(), people=())
    bare = replace(bare, collection=replace(SMALL.collection, description=""), sides=(), pools=())
    dataset = load(tmp_path, bare, write_tables(tmp_path, 1))
    assert not dataset.metadata.ctx.issues.errors
    (warning,) = dataset.metadata.ctx.issues.warnings
    assert "license" in warning
    assert dataset.metadata.creators == []
    assert dataset.metadata.description == "Relevance judgments of the test collection Clips."
    assert dataset.metadata.cite_as == "Clips of 2026, version 1.0.0 (2026)."


def test_without_any_file_it_is_valid(tmp_path: Path) -> None:
    dataset = load(tmp_path, SMALL, [])
    assert not dataset.metadata.ctx.issues.errors
    assert json.loads((tmp_path / "croissant.json").read_text())["recordSet"] == []


def test_a_version_of_another_form_stays_as_it_is_and_warns(tmp_path: Path) -> None:
    dataset = load(tmp_path, replace(SMALL, version="spring"), [])
    assert not dataset.metadata.ctx.issues.errors
    assert any("MAJOR.MINOR.PATCH" in warning for warning in dataset.metadata.ctx.issues.warnings)
    assert json.loads((tmp_path / "croissant.json").read_text())["version"] == "spring"


def test_metadata_are_those_of_the_manifest(tmp_path: Path) -> None:
    metadata = load(tmp_path, replace(SMALL, cite_as='He said "x" \\ {Ünï}'), []).metadata
    assert metadata.name == "Clips of 2026"
    assert metadata.description == f"{SMALL.collection.description}\n\nFirst release."
    assert metadata.version == "1.0.0"
    assert metadata.license == ["https://spdx.org/licenses/CC-BY-4.0.html"]
    assert metadata.date_published == datetime(2026, 3, 1)
    assert metadata.cite_as == 'He said "x" \\ {Ünï}'
    assert {(person.name, person.url) for person in metadata.creators} == {
        ("Ana Núñez", "https://orcid.org/0000-0002-1825-0097"),
        ("Bo", None),
    }
    assert set(metadata.data_limitations or []) == set(SMALL.limits)
    assert set(metadata.conforms_to) == {
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    }


def test_every_file_is_in_the_distribution_whatever_its_name(tmp_path: Path) -> None:
    paths = ["qrels/forward.over:cxc,original.qrels.gz", "a b/%20.gz", "日本語", "cr:x", "#1", "?q"]
    for path in paths:
        put(tmp_path, path, path.encode())
    files = [file_entry(tmp_path, path, "application/gzip") for path in paths]
    dataset = load(tmp_path, SMALL, files)
    assert not dataset.metadata.ctx.issues.errors
    objects = {node.content_url: node for node in dataset.metadata.distribution}
    assert set(objects) == set(paths)
    for file in files:
        node = objects[file.path]
        assert (node.sha256, node.content_size) == (file.sha256, f"{file.n_bytes} B")
        assert (node.encoding_formats, node.description) == (["application/gzip"], file.about)


def test_the_same_manifest_and_files_give_the_same_text(tmp_path: Path) -> None:
    files = write_tables(tmp_path, 2)
    text = croissant_json(SMALL, files)
    assert croissant_json(replace(SMALL), list(files)) == text
    assert text.endswith("}\n")
    assert croissant_json(replace(SMALL, creators=(Creator("Cy"),)), files) != text


def test_parquet_files_bear_their_registered_type_too(tmp_path: Path) -> None:
    files = write_tables(tmp_path, 1)
    formats = [
        file["encodingFormat"] for file in json.loads(croissant_json(SMALL, files))["distribution"]
    ]
    assert formats == [[PARQUET, "application/x-parquet"]] * len(TABLES)
    old_type = [replace(file, media_type="application/x-parquet") for file in files]
    (file, *_) = json.loads(croissant_json(SMALL, old_type))["distribution"]
    assert file["encodingFormat"] == ["application/x-parquet"]


def test_the_context_has_every_prefix_that_the_document_uses() -> None:
    assert all(
        value.partition(":")[0] in CONTEXT
        for value in CONTEXT.values()
        if isinstance(value, str) and not value.startswith("http") and ":" in value
    )


def test_moments_are_the_only_type_without_generated_cells() -> None:
    assert {column.data_type for table in TABLES for column in table.columns} == {
        *ARROW_TYPES,
        MOMENT,
    }
    assert {field.name for field in SCHEMA} == set(ABOUT_JUDGMENTS)
