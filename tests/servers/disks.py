"""Disks that are soon full, and a dead one."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[Callable[[str], Path]]:
    """Make a disk of the given size, in tmpfs's notation."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = open_folder / "small disk"
    disk.mkdir()

    def make(size: str) -> Path:
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False
        ).returncode:
            pytest.skip("this container may not mount")
        return disk

    yield make
    subprocess.run(["umount", "--lazy", disk], check=False)


@pytest.fixture
def dead_disk(open_folder: Path) -> Iterator[Path]:
    """A folder whose file system no longer answers: its FUSE program has ended."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a program's file system")
    disk = open_folder / "dead disk"
    disk.mkdir()
    try:
        program = os.open("/dev/fuse", os.O_RDWR)
    except OSError:
        pytest.skip("this container has no file systems of programs")
    options = f"fd={program},rootmode=40000,user_id=0,group_id=0"
    mount = ["mount", "-i", "-t", "fuse", "-o", options, "ended", str(disk)]
    is_mounted = subprocess.run(mount, pass_fds=[program], check=False).returncode == 0
    os.close(program)
    if not is_mounted:
        pytest.skip("this container may not mount")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=False)
