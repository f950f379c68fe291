"""Whatever happens to a run file on its way, its reader gives sound rows or names the fault."""

import gzip
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from annotate.core.files.formats import Problems
from pooling.core.files.run_files import read_parts
from tests.annotate.core.files.samples import archive
from tests.mutations import assert_errors_described, damaged_files
from tests.pooling.core.files.run_samples import MATRIX, RANKINGS, SAMPLES, TSV, hdf5, npz, parquet
from tests.pooling.core.files.run_samples import TEXTS as SAMPLE_TEXTS
from tests.sizes import cases, share_of

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


@pytest.mark.parametrize(
    ("kind", "sample"),
    [
        (
            "parquet",
            parquet(
                query=["q1"] * 50,
                document=[f"d{n}" for n in range(50)],
                score=[n / 7 for n in range(50)],
            ),
        ),
        ("hdf5", hdf5(**MATRIX)),
    ],
    ids=["parquet", "hdf5"],
)
def test_files_read_in_a_process_apart(kind, sample, tmp_path):
    (tmp_path / "sample").write_bytes(sample)
    n = share_of(150)
    outcomes: Counter[str] = Counter()
    while outcomes.total() < n:
        arguments = [kind, str(tmp_path / "sample"), str(n), str(outcomes.total())]
        command = [sys.executable, "-m", "tests.pooling.core.files.read_mutated", *arguments]
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        # 0, or ended by a signal; not by an exception of ours
        assert process.returncode <= 0, process.stderr
        output = process.stdout.split()
        outcomes.update(output[1::2])
        outcomes["died"] += len(output) % 2
        assert output or process.returncode == 0
    assert outcomes["refused"] > n / 4
    assert outcomes["rows"] > 0
