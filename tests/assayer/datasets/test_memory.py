"""A data set of any size is read and sent in little memory."""

import json
import subprocess
import sys

import pytest

from tests.assayer.datasets import big_folder
from tests.house.test_layers import ROOT

N_DOCUMENTS = 200_000
MOST = 40  # MiB beyond the process itself; the corpus has 180


def output(*arguments: str) -> str:
    """The text that the program prints."""
    command = [sys.executable, big_folder.__file__, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.full
def test_two_hundred_thousand_documents_are_read_and_packed_in_forty_mebibytes(tmp_path):
    folder = tmp_path / "big"
    output("make", str(folder), str(N_DOCUMENTS))
    assert (folder / "corpus.jsonl").stat().st_size > 4 * MOST * 1024 * 1024
    figures = json.loads(output("read", str(folder)))
    assert (figures["n_documents"], figures["n_labels"]) == (N_DOCUMENTS, N_DOCUMENTS)
    assert figures["after"] - figures["before"] < MOST
