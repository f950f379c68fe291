"""What the start takes for a fault of a disk, of Redis and of accounts, and what for an outage or for nothing.

To see these tests fail: let `media_cannot_be_written` make the folder, or name every error a fault; refuse each policy
of Redis but `noeviction`.
"""

import errno
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings

from config.deployment import services


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.ENOSPC, errno.EDQUOT, errno.EMFILE])
def test_a_disk_that_does_not_serve_now_is_away(media_root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fail(**_: object) -> None:
        raise OSError(number, "not now")

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    with pytest.raises(services.Away, match="the disk of MEDIA_ROOT"):
        services.media_cannot_be_written()


def test_a_file_system_whose_program_has_ended_is_away(dead_disk: Path, settings: LazySettings) -> None:
    for settings.MEDIA_ROOT in (dead_disk, dead_disk / "media"):
        with pytest.raises(services.Away, match="the disk of MEDIA_ROOT"):
            services.media_cannot_be_written()


def test_a_full_disk_is_away(small_disk: Callable[[str], Path], settings: LazySettings) -> None:
    settings.MEDIA_ROOT = disk = small_disk("64k,nr_inodes=2")
    (disk / "file").touch()
    with pytest.raises(services.Away, match="the disk of MEDIA_ROOT"):
        services.media_cannot_be_written()


@pytest.mark.parametrize("name", ["file", "file/media", "nowhere", "nowhere/media", "round", "x" * 300])
def test_a_place_where_no_folder_can_be_is_refused(tmp_path: Path, settings: LazySettings, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("no such place")
    (tmp_path / "round").symlink_to("round")
    settings.MEDIA_ROOT = tmp_path / name
    assert f"Uploads cannot be written to MEDIA_ROOT, {tmp_path / name} (" in services.media_cannot_be_written()


def test_looking_makes_no_folder(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads" / "media"
    assert services.media_cannot_be_written() == ""
    assert list(tmp_path.iterdir()) == []
