"""Whether there is room where the product writes, and which folder has none.

A file system may be out of bytes or out of files. A quota shows only when something is written: an account's own says
nothing of what is free, and it may be that of the servers' account alone. So errors and last words count as well.
"""

import errno
import os
import tempfile
from pathlib import Path

from config.up.data import kept_in
from config.up.home import Home
from config.up.processes import NO_ROOM

FULL = 30_000_000  # with fewer bytes free the disk is what is wrong, whatever the logs say
FULL_TEMPORARY = 1_000_000  # there are sockets and what a request brings along
FEW_FILES = 100  # a server makes some at its start
TRIED = 1_000_000  # bytes: more than a quota rounds away


def folders(home: Home) -> dict[Path, int]:
    """Where the product writes, and with how many bytes free each of them is full."""
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - gettempdir would name another where it is full
    return {home.var: FULL, kept_in(home): FULL, temporary: FULL_TEMPORARY, home.sockets.parent: FULL_TEMPORARY}


def full_folder(home: Home) -> str:
    """A sentence where one of these is full: programs say so in many ways, or cannot even write it down."""
    for folder, full in folders(home).items():
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        found = os.statvfs(nearest)
        free = found.f_bavail * found.f_frsize
        if found.f_blocks and free < full:
            return f"The disk is full: {free // 1_000_000} MB are free for {folder}."
        if found.f_files and found.f_favail < FEW_FILES:
            return f"The disk is full: there is room for {found.f_favail} more files in {folder}, however small."
    return ""


def lack_of_room(home: Home, error: Exception) -> str:
    """A sentence where an error comes from a full disk or a quota that is used up; empty if it has another cause."""
    if sentence := full_folder(home):
        return sentence
    is_told = _says_so(error) if isinstance(error, OSError) else NO_ROOM.search(str(error))
    return f"The disk is full, or a quota used up: {_words(error)}." if is_told else ""


def has_room(home: Home) -> bool:
    """Whether none of the folders is full, and each takes a file of ours."""
    return not full_folder(home) and all(_takes_a_file(folder) for folder in folders(home))


def _takes_a_file(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(TRIED))
            file.flush()
            os.fsync(file.fileno())  # some file systems count only then
    except OSError as error:
        return not _says_so(error)  # what is wrong else is told by who needs the folder
    return True


def _says_so(error: OSError) -> bool:
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error).rstrip(".")
