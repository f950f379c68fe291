"""What ruff and mypy say of the code: nothing."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUFF = (sys.executable, "-m", "ruff")
PRODUCT = ("annotate", "pooling", "metrics", "config", "demo", "assayer", "manage.py")
SETTINGS = {  # what mypy's plugin reads the settings with; no server is asked
    "SECRET_KEY": secrets.token_urlsafe(64),
    "DATABASE_URL": "postgres://nobody:nothing@localhost/nowhere",
    "REDIS_URL": "redis://localhost:1/0",
}


def report_of(*command: str, **variables: str) -> str:
    """What a program says of the tree; nothing where it is content."""
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    return "" if run.returncode == 0 else run.stdout + run.stderr


def test_ruff_finds_nothing() -> None:
    assert report_of(*RUFF, "check", "--quiet", "--no-cache", ".") == ""


def test_every_file_is_formatted() -> None:
    assert report_of(*RUFF, "format", "--check", "--quiet", "--no-cache", ".") == ""


@pytest.mark.full
def test_mypy_finds_nothing(tmp_path: Path) -> None:
    mypy = (sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path))
    assert report_of(*mypy, *PRODUCT, **SETTINGS) == ""
