"""A backup's folder: what is in it, its checksums, and how nobody takes half of one for a whole.

    backup.json      when, of which PostgreSQL, how many judgments
    database.dump    of pg_dump, readable by pg_restore alone
    media/           the files of MEDIA_ROOT
    site/            secret_key and sign-in.json, where they lie in `var`
    SHA256SUMS       of all these, as `sha256sum --check` reads them

A folder and not one file: copying and keeping it needs no program of ours, each file can be looked at, and rsync sends
what is new alone. It is written beside its place, as NAME.unfinished, and gets its name at the end.
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
from config.up.progress import Progress

FORMAT = 1
UNFINISHED = ".unfinished"
RESTORING = ".restoring"  # ends the names of what a restore is just writing, and is that of its mark
FACTS, SUMS, DATABASE, MEDIA, SITE = "backup.json", "SHA256SUMS", "database.dump", "media", "site"


@dataclass(frozen=True)
class Facts:
    """What a backup says of itself.

    postgres : the server's major version
    key_mark : tells whether a SECRET_KEY is the one of the site, and not which
    migrations : the last one of each application
    absent : files that the database names and that were not there
    notes : what `up` had done once for the database
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

    def __init__(self, folder: Path, progress: Progress) -> None:
        self.folder, self.progress = folder, progress
        self.sums: dict[str, str] = {}
        self.n_bytes = 0

    def write(self, name: str, pieces: Iterable[bytes], *, stage: str) -> None:
        """Write one of its files, for our account alone."""
        if "\n" in name:
            raise BackupError(f"A file's name has a line break, which no file of the product has: {name!r}.")
        target = self.folder / name
        for folder in reversed([self.folder / part for part in Path(name).parents]):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.sums[name] = write_file(target, self._counted(pieces, stage))

    def end(self, facts: Facts) -> None:
        """Write what closes a backup."""
        self.write(FACTS, [json.dumps(asdict(facts), indent=1).encode()], stage="Checksums")
        lines = [os.fsencode(f"{sum_}  {name}\n") for name, sum_ in sorted(self.sums.items())]
        write_file(self.folder / SUMS, lines)

    def _counted(self, pieces: Iterable[bytes], stage: str) -> Iterator[bytes]:
        for piece in pieces:
            self.n_bytes += len(piece)
            self.progress.show(stage, f"{len(self.sums):,} files, {megabytes(self.n_bytes)}")
            yield piece


@contextmanager
def drafted(target: Path, progress: Progress) -> Iterator[Draft]:
    """A backup to fill, which gets its name when that is done, and is removed when it fails.

    What a killed one has left under the same name goes. Raises BackupError where there is something already.
    """
    draft = target.with_name(target.name + UNFINISHED)
    if os.path.lexists(target):
        raise BackupError(f"{target} is there already: choose another name.")
    draft.mkdir(mode=0o700, exist_ok=True)
    if not is_ours(draft):
        raise BackupError(f"{draft} is not a folder of this account: move it away.")
    draft.chmod(0o700)
    handle = os.open(draft, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"Another backup is being written to {target}.") from None
        empty(draft)
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, draft, ignore_errors=True)
            yield Draft(draft, progress)
            os.sync()  # what the renaming makes final must be on the disk
            draft.rename(target)
            undo.pop_all()
    finally:
        os.close(handle)


def is_ours(draft: Path) -> bool:
    """Whether a folder is what a backup of this account has left: nobody else can change what is written there."""
    found = draft.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def empty(folder: Path) -> None:
    """Remove what a killed backup has left; raises BackupError for what no backup has written."""
    for path in folder.iterdir():
        if path.name not in (FACTS, SUMS, DATABASE, MEDIA, SITE):
            raise BackupError(f"{path} is not of a backup: move it away.")
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def read_backup(folder: Path, progress: Progress) -> tuple[Facts, dict[str, str]]:
    """What a backup says of itself, and the checksum of each file, once every byte has been compared.

    Raises BackupError for one that is cut, changed, or none.
    """
    if folder.name.endswith(UNFINISHED):
        raise BackupError(f"{folder} was not finished, as its name says.")
    sums = read_sums(folder)
    there = {str(path) for path in files_below(folder)} - {SUMS}
    if missing := sorted(sums.keys() - there):
        raise BackupError(f"{folder} is not whole: {len(missing)} files are missing, such as {missing[0]}.")
    if strange := sorted(there - sums.keys()):
        raise BackupError(f"{folder} is not as it was written: {SUMS} does not name {strange[0]}.")
    done = 0
    for name, expected in sums.items():
        checksum = hashlib.sha256()
        with open(folder / name, "rb") as file:
            for block in blocks(file):
                checksum.update(block)
                done += len(block)
                progress.show("Checking the backup", megabytes(done))
        if checksum.hexdigest() != expected:
            raise BackupError(f"{folder} is not as it was written: the checksum of {name} is another.")
    return read_facts(folder), sums


def read_sums(folder: Path) -> dict[str, str]:
    """The checksums, by file."""
    try:
        lines = os.fsdecode((folder / SUMS).read_bytes()).split("\n")
    except (FileNotFoundError, NotADirectoryError):
        raise BackupError(f"{folder} is no backup, or one that was not finished: it has no {SUMS}.") from None
    pairs = [line.partition("  ") for line in lines[:-1]]
    return {name: sum_ for sum_, _, name in pairs}


def read_facts(folder: Path) -> Facts:
    """What a backup says of itself; its bytes are those that were written."""
    try:
        said = json.loads((folder / FACTS).read_bytes())
    except FileNotFoundError:
        raise BackupError(f"{folder} is no backup: it has no {FACTS}.") from None
    except ValueError:
        raise BackupError(f"{folder} is no backup: its {FACTS} is no JSON.") from None
    fields = asdict(Facts("", "", "", 0, {})).keys()
    if not isinstance(said, dict) or said.keys() != fields or said["format"] != FORMAT:
        raise BackupError(f"{folder} was made by another version of the product: restore it with that one.")
    return Facts(**said)


def files_below(folder: Path, *, but: str = "") -> Iterator[Path]:
    """Every file below a folder, by its path from there, links followed once; `but` one folder directly in it.

    Raises BackupError for a folder that cannot be looked into.
    """
    seen: set[tuple[int, int]] = set()
    for place, subfolders, names in os.walk(folder, followlinks=True, onerror=_tell_unreadable):
        found = os.stat(place)
        if (found.st_dev, found.st_ino) in seen:  # a link that leads to where we were
            subfolders.clear()
            continue
        seen.add((found.st_dev, found.st_ino))
        subfolders[:] = sorted(name for name in subfolders if Path(place, name) != folder / but)
        for path in (Path(place, name) for name in sorted(names)):
            if path.is_file():
                yield path.relative_to(folder)


def _tell_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # deleted just now
        raise BackupError(f"{error.filename} cannot be read ({error.strerror}): run this as the product's account.")


def write_file(target: Path, pieces: Iterable[bytes], *, mode: int = 0o600) -> str:
    """Write a new file piece by piece; its SHA-256."""
    checksum = hashlib.sha256()
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        for piece in pieces:
            checksum.update(piece)
            file.write(piece)
    return checksum.hexdigest()


def megabytes(n_bytes: int) -> str:
    """A number of bytes for a person."""
    return f"{n_bytes / 1_000_000:,.1f} MB"
