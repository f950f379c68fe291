"""Previews of run files: what the head of each format is understood as, and the first fault."""

import gzip
import io
from typing import BinaryIO, cast

import numpy as np
import pytest

from annotate.core.files.archives.file_heads import (
    MAX_BYTES,
    PIECE,
    AbsentBytes,
    FilePiece,
    PiecedFile,
)
from pooling.core.files.run_previews import RunPreview, RunReading, TopRow, preview_run
from tests.pooling.core.files.run_samples import MATRIX, SAMPLES, npz

LABELS = {
    "trec": "TREC run",
    "jsonl": "JSON lines",
    "table": "CSV or TSV",
    "dictionary": "JSON",
    "parquet": "Parquet",
    "npz": "NumPy matrix",
    "hdf5": "HDF5 matrix",
}


def preview(content: bytes, name: str = "a.run", **options) -> RunPreview:
    """The preview that a browser gets, which sends the pieces that it is asked for."""
    run_preview, pieces = RunPreview(name), [FilePiece(0, content[:PIECE])]
    while True:
        n_bytes = sum(len(piece.content) for piece in pieces)
        assert n_bytes <= MAX_BYTES
        stream = cast(BinaryIO, PiecedFile(pieces, len(content)))
        try:
            preview_run(run_preview, stream, RunReading(**options), n_bytes=n_bytes)
        except AbsentBytes as error:
            pieces.append(FilePiece(error.at, content[error.at : error.at + PIECE]))
        else:
            return run_preview


@pytest.mark.parametrize("key", LABELS)
def test_each_format_is_told_without_a_fault(key):
    run_preview = preview(SAMPLES[key], f"a.{key}")
    assert run_preview.heading == f"a.{key}: {LABELS[key]}"
    assert run_preview.faults == []


@pytest.mark.parametrize("key", ["trec", "jsonl", "table", "dictionary"])
def test_rows_sources_depth_and_best_row_of_a_whole_text_are_told(key):
    for content in (SAMPLES[key], gzip.compress(SAMPLES[key])):
        run_preview = preview(content)
        assert run_preview.counts == (
            "The whole file was read: 4 rows, 2 queries, at most 2 documents each."
        )
        assert run_preview.top_row == TopRow("q1", "d1", 2.5)
    assert (run_preview.sources, run_preview.targets) == (["q1", "q2"], ["d1", "d2", "d3"])


def test_only_the_head_of_a_long_file_is_read_and_its_cut_end_is_no_fault():
    lines = [f"q{n // 50} Q0 d{n} {n % 50 + 1} {1 / (n + 1):.6f} tag\n" for n in range(60_000)]
    run_preview = preview("".join(lines).encode())
    assert run_preview.counts.startswith("Only the first ")
    assert 1_000 < run_preview.n_rows < 20_000 and run_preview.deepest == 50
    text = ", ".join(f'"q{n}": {{"d1": 2.0, "d2": 1.0}}' for n in range(20_000))
    run_preview = preview(f"{{{text}}}".encode())
    assert run_preview.is_cut and run_preview.faults == [] and run_preview.n_rows > 1_000


def test_ids_are_counted_in_the_direction_of_the_run_and_in_the_other_one():
    run_preview = preview(SAMPLES["trec"])
    run_preview.match({"q1"}, {"d1", "d2"})
    assert run_preview.known_items == "In this collection: 1 of 2 queries and 2 of 3 documents."
    assert run_preview.turned == ""
    run_preview.match({"d1", "d2"}, {"q1", "q2"})
    assert run_preview.known_items == "In this collection: 0 of 2 queries and 0 of 3 documents."
    assert run_preview.turned == (
        "In the other direction, from documents to queries, the collection has 4 of its 5 ids: "
        "is that the direction?"
    )


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"q1 Q0 d1 1 x tag\nq1 Q0 d2 2 y tag\n", "Line 1: "),
        (b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d1 2 1.5 tag\n", "Line 2: document"),
        (b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2\n", "Line 2: "),
        (b"%PDF-1.4", "A PDF is no run"),
        (b"\x93NUMPY\x01", "Array of the file is no NumPy array"),
    ],
)
def test_the_first_fault_is_told_with_its_line(content, fault):
    faults = preview(content).faults
    assert faults[0].startswith(fault)
    assert len(faults) <= 2


def test_a_run_ordered_by_ranks_must_have_them():
    content = b"query,document,score\nq1,d1,2\n"
    assert preview(content).faults == []
    assert "gives no ranks" in preview(content, score_type="rank").faults[0]


def test_columns_of_a_table_without_a_header_are_followed():
    run_preview = preview(b"d1,q1,2\n", columns={"query": 2, "document": 1, "score": 3})
    assert (run_preview.sources, run_preview.targets) == (["q1"], ["d1"])


def test_a_matrix_tells_its_shape_its_first_row_and_what_comes_with_it():
    run_preview = preview(npz(**MATRIX), "a.npz")
    assert run_preview.counts == (
        "Its ids and shape were read: 2 queries by 3 documents, as float32."
    )
    assert "row_ids and column_ids" in run_preview.needs
    assert run_preview.top_row == TopRow("q1", "d1", 2.5)


@pytest.mark.parametrize("key", ["parquet", "hdf5"])
def test_a_file_that_is_not_looked_into_says_so_and_when_it_is_read(key):
    run_preview = preview(SAMPLES[key], f"a.{key}")
    assert run_preview.format == LABELS[key] and not run_preview.counts
    assert "Before it is sent no more is known than its format." in run_preview.needs
    assert "the run's page says how many rows it has" in run_preview.needs


def test_a_first_row_of_a_matrix_that_is_undefined_is_a_fault_and_an_empty_one_has_no_best():
    values = np.full((2, 3), np.nan, dtype="float32")
    assert "Row 1 of sim_mat holds NaN" in preview(npz(**MATRIX | {"sim_mat": values})).faults[0]
    values[:] = -np.inf
    run_preview = preview(npz(**MATRIX | {"sim_mat": values}))
    assert (run_preview.top_row, run_preview.faults) == (None, [])


def test_of_a_large_matrix_only_directory_ids_and_first_row_are_sent():
    values = np.random.default_rng(5).random((900, 1_000), dtype="float32")
    ids = {"row_ids": np.arange(900), "column_ids": np.arange(1_000)}
    run_preview = preview(npz(sim_mat=values, **ids), "a.npz")
    assert run_preview.counts.endswith("900 queries by 1,000 documents, as float32.")
    assert run_preview.top_row.target == str(values[0].argmax())


def test_a_matrix_with_more_ids_than_a_preview_reads_says_so():
    ids = [f"{number:x}" * 12 for number in np.random.default_rng(6).integers(2**60, size=60_000)]
    content = npz(row_ids=np.array(ids), column_ids=np.arange(1), sim_mat=np.ones((60_000, 1)))
    run_preview = preview(content, "a.npz")
    assert "longer than a preview looks into" in run_preview.needs
    assert (run_preview.counts, run_preview.known_items) == ("", "")


def test_a_lone_array_tells_its_shape_and_that_ids_must_come_with_it():
    file = io.BytesIO()
    np.save(file, np.zeros((3, 4), dtype="float32"))
    run_preview = preview(file.getvalue(), "a.npy")
    assert run_preview.needs == "Its shape is 3 by 4, as float32."
    assert "zip it with rows.txt and columns.txt" in run_preview.faults[0]
