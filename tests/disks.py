"""Disks that are full before long."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[Callable[[str], Path]]:
    """Makes a disk of a size, as the kernel's tmpfs has it."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = open_folder / "small disk"
    disk.mkdir()

    def make(size: str) -> Path:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=False).returncode:
            pytest.skip("this container may not mount")
        return disk

    yield make
    subprocess.run(["umount", "--lazy", disk], check=False)
