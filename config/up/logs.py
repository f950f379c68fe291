"""Rotation of the logs of `up`, so that they do not fill the disk."""

import os
import shutil
from pathlib import Path

MAX_BYTES = 20 * 1024 * 1024  # bytes of one file
MAX_FILES = 5  # files of one log, with the current one


def rotate(log: Path, *, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> bool:
    """Move a too large log to name.log.1, older ones one number up.

    Return whether it was too large.

    Its writer keeps the file open, so it is copied and truncated; a line written meanwhile may be
    lost.
    """
    if not log.is_file() or log.stat().st_size <= max_bytes:
        return False
    for number in range(max_files - 1, 0, -1):
        older_log = log.with_name(f"{log.name}.{number}")
        if older_log.exists():
            if number == max_files - 1:
                older_log.unlink()
            else:
                older_log.replace(log.with_name(f"{log.name}.{number + 1}"))
    shutil.copyfile(log, log.with_name(f"{log.name}.1"))
    os.truncate(log, 0)
    return True


def rotate_all(folder: Path) -> list[str]:
    """Rotate every log of a folder; return the names of those that were too large."""
    return [log.name for log in sorted(folder.glob("*.log")) if rotate(log)]
