"""Whatever happens to a run file on its way, its reader gives sound rows or names the fault."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from annotate.core.files.formats import Problems
from pooling.core.files.run_files import read_parts
from tests.annotate.core.files.samples import archive
from tests.mutations import assert_errors_described, damaged_files
from tests.pooling.core.files.run_samples import MATRIX, RANKINGS, SAMPLES, TSV, npz
from tests.pooling.core.files.run_samples import TEXTS as SAMPLE_TEXTS
from tests.sizes import cases

ROOT = Path(__file__).resolve().parents[4]
COLUMNS = json.dumps(
    {"query": ["q1", "q1"], "docid": ["d1", "d2"], "score": [1.5, 1], "rank": [1, 2]}
).encode()
LISTS = (
    b'{"q1": [["d1", 2.5], ["d2", 1]],\n'
    b'"q2": [{"corpus_id": "d1", "score": 3}],\n'
    b'"q3": ["d1", "d2"]}'
)
TEXTS = [*SAMPLE_TEXTS, RANKINGS, TSV, COLUMNS, LISTS]


def zipped(matrix: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    lists = {"rows.txt": b"q1\nq2\n", "columns.txt": b"d1\nd2\nd3\n"}
    return archive({"matrix.npy": file.getvalue(), **lists}, compression=0).getvalue()


MATRICES = [
    npz(**MATRIX),
    npz(**MATRIX | {"sim_mat": MATRIX["sim_mat"].astype("f2")}),
    zipped(MATRIX["sim_mat"]),
]


def check(data: bytes) -> None:
    problems, n_rows = Problems(), 0
    for part in read_parts(io.BytesIO(data), "upload.bin", problems):
        n_rows += len(part.run.scores)
        assert len(part.run.query) == len(part.run.docs) == len(part.run.scores)
        assert problems or (
            np.isfinite(part.run.scores).all()
            and part.run.query.max(initial=0) < len(part.run.queries)
        )
    assert problems or n_rows
    assert_errors_described(problems, 10_000_000)


@cases(500)
@given(
    damaged_files([*TEXTS, gzip.compress(SAMPLES["trec"], mtime=0), gzip.compress(LISTS, mtime=0)])
)
def test_runs_as_text(data):
    check(data)


@cases(250)
@given(damaged_files(MATRICES))
def test_matrices(data):
    check(data)


@pytest.mark.parametrize("data", [*TEXTS, *MATRICES])
def test_every_sample_is_sound_before_anything_happens_to_it(data):
    problems = Problems()
    assert (
        sum(len(part.run.scores) for part in read_parts(io.BytesIO(data), "a.bin", problems)) >= 2
    )
    assert problems.lines() == []
