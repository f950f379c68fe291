"""Damaged Parquet and HDF5 files, read in a process apart, give rows or a refusal."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.pooling.core.files.run_samples import MATRIX, hdf5, parquet
from tests.sizes import share_of

ROOT = Path(__file__).resolve().parents[5]


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
        command = [sys.executable, "-m", "tests.pooling.core.files.binary.read_mutated", *arguments]
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        # 0, or ended by a signal; not by an exception of ours
        assert process.returncode <= 0, process.stderr
        output = process.stdout.split()
        outcomes.update(output[1::2])
        outcomes["died"] += len(output) % 2
        assert output or process.returncode == 0
    assert outcomes["refused"] > n / 4
    assert outcomes["rows"] > 0
