"""Logs of `up` that do not fill the disk: what is written goes on, what is old goes."""

import os
import shutil
from pathlib import Path

LARGEST = 20 * 1024 * 1024  # bytes of one file
KEPT = 5  # files of one log, the one that is written among them


def turn(log: Path, *, largest: int = LARGEST, kept: int = KEPT) -> bool:
    """Put a log that is too large behind the others, name.log.1 the newest, and begin anew; whether it was too large.

    Who writes keeps the file open, so it is copied and cut; a line written in that moment may be lost.
    """
    if not log.is_file() or log.stat().st_size <= largest:
        return False
    for number in range(kept - 1, 0, -1):
        older = log.with_name(f"{log.name}.{number}")
        if older.exists():
            if number == kept - 1:
                older.unlink()
            else:
                older.replace(log.with_name(f"{log.name}.{number + 1}"))
    shutil.copyfile(log, log.with_name(f"{log.name}.1"))
    os.truncate(log, 0)
    return True


def turn_all(folder: Path) -> list[str]:
    """Do so with every log of a folder; the names of those that were too large."""
    return [log.name for log in sorted(folder.glob("*.log")) if turn(log)]
