"""The command verify: sentences and an exit code, from the files alone."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assayer.commands.files import verify
from tests.assayer.commands.files.running import assayer
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import archive, made_release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def path(tmp_path) -> Path:
    """The archive of a release."""
    path = tmp_path / "study.zip"
    path.write_bytes(archive(made_release(studies.unordered_study())))
    return path


def verified_by_a_fresh_process(path: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("SECRET_KEY", "REDIS_URL")
    }
    environment |= {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "ASSAYER_VAR": str(path.parent / "no var"),
    }
    return subprocess.run(
        [sys.executable, "manage.py", "verify", str(path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.full
def test_a_fresh_process_needs_no_database_and_no_secret(path):
    finished = verified_by_a_fresh_process(path)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.endswith("All that can be checked is right.\n")
    assert not (path.parent / "no var").exists()
    with zipfile.ZipFile(path, "a") as members:
        members.writestr("study-1.0/more.txt", "x")
    finished = verified_by_a_fresh_process(path)
    assert finished.returncode == 1
    assert finished.stderr == (
        "assayer verify: more.txt: It is there, and SHA256SUMS does not list it.\n1 fault.\n"
    )


def test_it_says_what_it_compared_and_what_nobody_can(path, monkeypatch):
    monkeypatch.setattr(verify, "SECONDS_BETWEEN", 0)
    process = assayer("verify", str(path))
    lines = process.stdout.splitlines()
    assert " files as SHA256SUMS has them." in lines[0]
    assert any(line.startswith("Not checked: Of manifest.json") for line in lines)
    assert "Reading qrels/qrels.parquet" in process.stderr


def test_what_is_not_there_is_told(tmp_path):
    assert assayer("verify", str(tmp_path / "x")).stderr == (
        f"assayer verify: {tmp_path / 'x'}: No such file or directory.\n"
    )
    (tmp_path / "x").write_text("x")
    assert "neither a folder nor a zip archive" in assayer("verify", str(tmp_path / "x")).stderr
