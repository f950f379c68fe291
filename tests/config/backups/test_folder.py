"""A backup's folder: a changed byte is detected, and an unfinished one is refused."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config.backups.folder import Facts, draft_backup, files_below, read_backup, read_facts
from config.backups.programs import BackupError
from config.up.progress import ConsoleProgress

FACTS = Facts(
    made_at="2026-01-01T00:00:00+00:00", postgres="18", key_mark="", n_judgments=3, migrations={}
)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A small backup."""
    with draft_backup(tmp_path / "backup", ConsoleProgress()) as draft:
        draft.write("database.dump", [b"rows", b" and more"], stage="The database")
        draft.write("media/runs/a run.txt", [b"q d 1"], stage="Files")
        draft.write("media/empty", [], stage="Files")
        draft.end(FACTS)
    return tmp_path / "backup"


def test_a_backup_is_read_as_it_was_written_by_our_account_alone(backup: Path) -> None:
    facts, sums = read_backup(backup, ConsoleProgress())
    assert facts == FACTS and set(sums) == {
        "backup.json",
        "database.dump",
        "media/runs/a run.txt",
        "media/empty",
    }
    assert {path.stat().st_mode & 0o077 for path in (backup, *backup.rglob("*"))} == {0}


def flip(file: Path) -> None:
    """Change one bit in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def cut(file: Path) -> None:
    """Take the last byte."""
    os.truncate(file, file.stat().st_size - 1)


@pytest.mark.parametrize(
    "name", ["database.dump", "media/runs/a run.txt", "backup.json", "SHA256SUMS"]
)
@pytest.mark.parametrize("damage", [flip, cut, Path.unlink])
def test_whatever_is_damaged_is_found(
    backup: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(backup / name)
    with pytest.raises(BackupError):
        read_backup(backup, ConsoleProgress())


def test_neither_a_draft_nor_what_another_version_wrote_is_read(backup: Path) -> None:
    content = json.loads((backup / "backup.json").read_text())
    for facts in ({**content, "format": 2}, {**content, "more": 1}, [1]):
        (backup / "backup.json").write_text(json.dumps(facts))
        with pytest.raises(BackupError, match="another version of the product"):
            read_facts(backup)
    (backup / "backup.json").write_text("{")
    with pytest.raises(BackupError, match="is no JSON"):
        read_facts(backup)
    with pytest.raises(BackupError, match="was not finished, as its name says"):
        read_backup(backup.rename(backup.with_name("backup.unfinished")), ConsoleProgress())


def test_what_was_put_in_later_is_found(backup: Path) -> None:
    (backup / "media" / "another").touch()
    with pytest.raises(BackupError, match="SHA256SUMS does not name media/another"):
        read_backup(backup, ConsoleProgress())


@pytest.mark.parametrize("name", ["missing", "backup/backup.json"])
def test_what_is_no_backup_is_refused(backup: Path, name: str) -> None:
    with pytest.raises(BackupError, match="is no backup, or one that was not finished"):
        read_backup(backup.parent / name, ConsoleProgress())


def test_a_place_that_is_taken_is_left_alone(backup: Path) -> None:
    with (
        pytest.raises(BackupError, match="is there already: choose another name"),
        draft_backup(backup, ConsoleProgress()),
    ):
        pass
    read_backup(backup, ConsoleProgress())


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        draft_backup(tmp_path / "backup", ConsoleProgress()) as draft,
    ):
        draft.write("database.dump", [b"half"], stage="The database")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_one_left_is_no_backup_and_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / "backup.unfinished"
    (left / "media").mkdir(parents=True)
    (left / "database.dump").write_bytes(b"half")
    with pytest.raises(BackupError, match="not finished"):
        read_backup(left, ConsoleProgress())
    with draft_backup(tmp_path / "backup", ConsoleProgress()) as draft:
        draft.end(FACTS)
    assert not left.exists() and set(read_backup(tmp_path / "backup", ConsoleProgress())[1]) == {
        "backup.json"
    }


def test_strangers_files_are_not_taken_for_leftovers(tmp_path: Path) -> None:
    thesis = tmp_path / "backup.unfinished" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.touch()
    with (
        pytest.raises(BackupError, match="is not of a backup: move it away"),
        draft_backup(tmp_path / "backup", ConsoleProgress()),
    ):
        pass
    assert thesis.exists()


def test_two_backups_at_one_place_are_kept_apart(tmp_path: Path) -> None:
    target = tmp_path / "backup"
    with draft_backup(target, ConsoleProgress()) as draft:
        with (
            pytest.raises(BackupError, match="Another backup is being written"),
            draft_backup(target, ConsoleProgress()),
        ):
            pass
        draft.end(FACTS)
    read_backup(tmp_path / "backup", ConsoleProgress())


def test_a_folder_that_cannot_be_looked_into_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "a").touch()
    real = os.scandir

    # as for an account without rights; root has all
    def scandir(path: str | os.PathLike[str]) -> object:
        if Path(path).name == "runs":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(BackupError, match=r"runs cannot be read \(Permission denied\)"):
        list(files_below(tmp_path))


def test_a_link_back_is_followed_once(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a").touch()
    (tmp_path / "runs" / "here").symlink_to(tmp_path)
    assert [str(path) for path in files_below(tmp_path)] == ["runs/a"]


def test_no_draft_of_somebody_else_is_filled(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "backup.unfinished").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(BackupError, match="is not a folder of this account"),
        draft_backup(tmp_path / "backup", ConsoleProgress()),
    ):
        pass
    (tmp_path / "open.unfinished").mkdir()
    (tmp_path / "open.unfinished").chmod(0o777)
    with draft_backup(tmp_path / "open", ConsoleProgress()) as draft:
        draft.end(FACTS)
    assert (tmp_path / "open").stat().st_mode & 0o077 == 0
