"""Free space in the folders that the product writes to, and the folder that is full.

A file system may be out of bytes or out of files. A quota shows only when something is written: it
is not part of the free space, and may be that of the servers' account alone. So errors and the last
lines of logs count as well.
"""

import errno
import os
import tempfile
from pathlib import Path

from config.up.home import Home
from config.up.processes import NO_ROOM
from config.up.server_data import recorded_folder

FULL = 30_000_000  # with fewer free bytes the disk is at fault, whatever the logs say
FULL_TEMPORARY = 1_000_000  # for sockets and the bodies of requests
FEW_FILES = 100  # a server makes some files at its start
TRIAL_BYTES = 1_000_000  # more than the rounding of a quota


def folders(home: Home) -> dict[Path, int]:
    """The folders that the product writes to, and the free bytes below which each is full."""
    # gettempdir would name another where this one is full
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - its space is asked for
    return {
        home.var: FULL,
        recorded_folder(home): FULL,
        temporary: FULL_TEMPORARY,
        home.sockets.parent: FULL_TEMPORARY,
    }


def full_folder(home: Home) -> str:
    """Return a sentence on the first full folder, else "": logs tell it in many ways or not."""
    for folder, full in folders(home).items():
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        file_system = os.statvfs(nearest)
        free = file_system.f_bavail * file_system.f_frsize
        if file_system.f_blocks and free < full:
            return f"The disk is full: {free // 1_000_000} MB are free for {folder}."
        if file_system.f_files and file_system.f_favail < FEW_FILES:
            return (
                f"The disk is full: there is room for {file_system.f_favail} more files in "
                f"{folder}, however small."
            )
    return ""


def disk_full_sentence(home: Home, error: Exception) -> str:
    """Return a sentence if an error comes from a full disk or quota; "" if it has another cause."""
    if sentence := full_folder(home):
        return sentence
    is_disk_full = (
        _is_disk_full(error) if isinstance(error, OSError) else NO_ROOM.search(str(error))
    )
    if not is_disk_full:
        return ""
    cause = str(error).rstrip(".")
    if isinstance(error, OSError) and error.strerror:
        cause = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return f"The disk is full, or a quota used up: {cause}."


def has_space(home: Home) -> bool:
    """True if no folder is full, and each takes a new file of ours."""
    return not full_folder(home) and all(_can_write(folder) for folder in folders(home))


def _can_write(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(TRIAL_BYTES))
            file.flush()
            os.fsync(file.fileno())  # some file systems count only then
    except OSError as error:
        return not _is_disk_full(error)  # other errors show where the folder is used
    return True


def _is_disk_full(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}
