"""The vendored browser libraries are exactly the recorded files of the registry."""

import hashlib
import json
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "static" / "vendor"
RECORD = json.loads((VENDOR / "VENDOR.json").read_text())
HASHES = {path: sha256 for entry in RECORD.values() for path, sha256 in entry["sha256"].items()}


@pytest.mark.parametrize("path", sorted(HASHES))
def test_a_vendored_file_is_what_was_recorded(path):
    assert hashlib.sha256((VENDOR / path).read_bytes()).hexdigest() == HASHES[path]


def test_no_vendored_file_is_without_a_record():
    files = {file.relative_to(VENDOR).as_posix() for file in VENDOR.rglob("*") if file.is_file()}
    assert files - {"VENDOR.json"} == set(HASHES)


def test_every_package_brings_its_licence_and_the_registrys_integrity_string():
    for name, entry in RECORD.items():
        folder = next(iter(entry["sha256"])).split("/")[0]
        assert (VENDOR / folder / "LICENSE").stat().st_size > 0, name
        assert entry["integrity"].startswith("sha512-"), name
        assert entry["licence"], name


def test_no_vendored_script_names_a_source_map():
    """collectstatic with hashed names stops at a missing source map."""
    assert [
        file.name for file in VENDOR.rglob("*.js") if b"sourceMappingURL" in file.read_bytes()
    ] == []
