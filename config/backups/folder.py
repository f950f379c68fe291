"""A backup's folder: its files, its checksums, and a name that marks an unfinished one.

    backup.json      when, of which PostgreSQL, how many judgments
    database.dump    of pg_dump, readable by pg_restore alone
    media/           the files of MEDIA_ROOT
    site/            secret_key and sign-in.json, where they lie in `var`
    SHA256SUMS       of all these, as `sha256sum --check` reads them

A folder and not one file: copying and keeping it needs no program of ours, each file can be opened,
and rsync sends only new files. It is written as NAME.unfinished, and gets its name at the end.
"""

import fcntl
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from config.backups.programs import BackupError, blocks
from config.up.progress import ConsoleProgress

FORMAT = 1
UNFINISHED = ".unfinished"
RESTORING = ".restoring"  # suffix of files that a restore is writing, and the name of its mark
FACTS, SUMS, DATABASE, MEDIA, SITE = "backup.json", "SHA256SUMS", "database.dump", "media", "site"


@dataclass(frozen=True)
class Facts:
    """A backup's description of itself, in backup.json.

    postgres : the server's major version
    key_mark : tells whether a SECRET_KEY is the site's, without telling the key
    migrations : name of the last migration of each application
    absent : files that the database names and that were missing
    notes : the one-time steps of `up` that were done for the database
    """

    made_at: str
    postgres: str
    key_mark: str
    n_judgments: int
    migrations: dict[str, str]
    absent: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    format: int = FORMAT


class Draft:
    """A backup that is being written."""

    def __init__(self, folder: Path, progress: ConsoleProgress) -> None:
        self.folder, self.progress = folder, progress
        self.sums: dict[str, str] = {}
        self.n_bytes = 0

    def write(self, name: str, pieces: Iterable[bytes], *, stage: str) -> None:
        """Write one of the backup's files, for our account alone."""
        if "\n" in name:
            raise BackupError(
                f"A file's name has a line break, which no file of the product has: {name!r}."
            )
        target = self.folder / name
        for folder in reversed([self.folder / part for part in Path(name).parents]):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.sums[name] = write_file(target, self._count_bytes(pieces, stage))

    def end(self, facts: Facts) -> None:
        """Write the last files of a backup: its facts and checksums."""
        self.write(FACTS, [json.dumps(asdict(facts), indent=1).encode()], stage="Checksums")
        lines = [os.fsencode(f"{sum_}  {name}\n") for name, sum_ in sorted(self.sums.items())]
        write_file(self.folder / SUMS, lines)

    def _count_bytes(self, pieces: Iterable[bytes], stage: str) -> Iterator[bytes]:
        for piece in pieces:
            self.n_bytes += len(piece)
            self.progress.show(stage, f"{len(self.sums):,} files, {megabytes(self.n_bytes)}")
            yield piece


@contextmanager
def draft_backup(target: Path, progress: ConsoleProgress) -> Iterator[Draft]:
    """Give a backup to write; it gets its name at the end, and is removed if writing fails.

    Leftovers of a killed backup of the same name are removed. Raises BackupError if the name is
    taken.
    """
    draft_folder = target.with_name(target.name + UNFINISHED)
    if os.path.lexists(target):
        raise BackupError(f"{target} is there already: choose another name.")
    draft_folder.mkdir(mode=0o700, exist_ok=True)
    if not is_ours(draft_folder):
        raise BackupError(f"{draft_folder} is not a folder of this account: move it away.")
    draft_folder.chmod(0o700)
    handle = os.open(draft_folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"Another backup is being written to {target}.") from None
        empty(draft_folder)
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, draft_folder, ignore_errors=True)
            yield Draft(draft_folder, progress)
            os.sync()  # files must be on the disk before the renaming makes them final
            draft_folder.rename(target)
            undo.pop_all()
    finally:
        os.close(handle)


def is_ours(draft: Path) -> bool:
    """True if a folder belongs to this account, so that nobody else can change its files."""
    status = draft.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def empty(folder: Path) -> None:
    """Remove the files of a killed backup; raises BackupError for files that no backup writes."""
    for path in folder.iterdir():
        if path.name not in (FACTS, SUMS, DATABASE, MEDIA, SITE):
            raise BackupError(f"{path} is not of a backup: move it away.")
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def read_backup(folder: Path, progress: ConsoleProgress) -> tuple[Facts, dict[str, str]]:
    """Check every byte of a backup; return its facts, and the checksum of each file.

    Raises BackupError for a backup that is cut or changed, and for a folder that is none.
    """
    if folder.name.endswith(UNFINISHED):
        raise BackupError(f"{folder} was not finished, as its name says.")
    sums = read_sums(folder)
    present = {str(path) for path in files_below(folder)} - {SUMS}
    if missing_names := sorted(sums.keys() - present):
        raise BackupError(
            f"{folder} is not whole: {len(missing_names)} files are missing, such as "
            f"{missing_names[0]}."
        )
    if unlisted_names := sorted(present - sums.keys()):
        raise BackupError(
            f"{folder} is not as it was written: {SUMS} does not name {unlisted_names[0]}."
        )
    n_checked = 0
    for name, expected in sums.items():
        checksum = hashlib.sha256()
        with open(folder / name, "rb") as file:
            for block in blocks(file):
                checksum.update(block)
                n_checked += len(block)
                progress.show("Checking the backup", megabytes(n_checked))
        if checksum.hexdigest() != expected:
            raise BackupError(
                f"{folder} is not as it was written: the checksum of {name} is another."
            )
    return read_facts(folder), sums


def read_sums(folder: Path) -> dict[str, str]:
    """Read the checksums, by file."""
    try:
        lines = os.fsdecode((folder / SUMS).read_bytes()).split("\n")
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(
            f"{folder} is no backup, or one that was not finished: it has no {SUMS}."
        ) from None
    pairs = [line.partition("  ") for line in lines[:-1]]
    return {name: sum_ for sum_, _, name in pairs}


def read_facts(folder: Path) -> Facts:
    """Read a backup's facts, whose checksum is right."""
    try:
        content = json.loads((folder / FACTS).read_bytes())
    except FileNotFoundError:
        raise BackupError(f"{folder} is no backup: it has no {FACTS}.") from None
    except ValueError:
        raise BackupError(f"{folder} is no backup: its {FACTS} is no JSON.") from None
    fields = asdict(Facts("", "", "", 0, {})).keys()
    if not isinstance(content, dict) or content.keys() != fields or content["format"] != FORMAT:
        raise BackupError(
            f"{folder} was made by another version of the product: restore it with that one."
        )
    return Facts(**content)


def files_below(folder: Path, *, except_folder: str = "") -> Iterator[Path]:
    """Yield the relative path of every file below a folder, links followed once.

    except_folder : name of a subfolder to leave out
    Raises BackupError for a folder that cannot be read.
    """
    known_folders: set[tuple[int, int]] = set()
    for directory, subfolders, names in os.walk(
        folder, followlinks=True, onerror=_raise_unreadable
    ):
        status = os.stat(directory)
        if (status.st_dev, status.st_ino) in known_folders:  # a link to a visited folder
            subfolders.clear()
            continue
        known_folders.add((status.st_dev, status.st_ino))
        subfolders[:] = sorted(
            name for name in subfolders if Path(directory, name) != folder / except_folder
        )
        for path in (Path(directory, name) for name in sorted(names)):
            if path.is_file():
                yield path.relative_to(folder)


def _raise_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # deleted just now
        raise BackupError(
            f"{error.filename} cannot be read ({error.strerror}): "
            "run this as the product's account."
        )


def write_file(target: Path, pieces: Iterable[bytes], *, mode: int = 0o600) -> str:
    """Write a new file piece by piece; return its SHA-256."""
    checksum = hashlib.sha256()
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        for piece in pieces:
            checksum.update(piece)
            file.write(piece)
    return checksum.hexdigest()


def megabytes(n_bytes: int) -> str:
    """A number of bytes in words."""
    return f"{n_bytes / 1_000_000:,.1f} MB"
