"""pg_dump and pg_restore of the server's own major version."""

from pathlib import Path

import pytest

from config.backups.programs import BackupError, client_program, version_of
from config.up.programs import POSTGRES_FOLDERS


def say_version(folder: Path, version: str) -> Path:
    """Write a program that prints a version."""
    program = folder / "pg_dump"
    program.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}'\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("major", POSTGRES_FOLDERS)
def test_our_package_has_its_own(major: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert [
        version_of(client_program(name, major=major)) for name in ("pg_dump", "pg_restore")
    ] == [major, major]


def test_another_is_found_on_the_path_by_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = say_version(tmp_path, "97.3 (Debian 97.3-1)")
    monkeypatch.setenv("PATH", f"/nowhere:{tmp_path}")
    assert client_program("pg_dump", major="97") == program
    for other in ("9", "98"):
        with pytest.raises(
            BackupError, match=f"PostgreSQL {other}, and there is no pg_dump .*client-{other}"
        ):
            client_program("pg_dump", major=other)


def test_one_that_does_not_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say_version(tmp_path, "97.3").write_text("no program")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match="no pg_dump"):
        client_program("pg_dump", major="97")
