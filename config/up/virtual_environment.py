"""The folder `.venv` with the lock's packages, and a check of the calling environment."""

import fcntl
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TextIO

from config.up.installers import (
    LOCKS,
    MISLEADING_INSTALLERS,
    MISLEADING_PYTHON,
    PINNED,
    PYTHON,
    ROOT,
    VENV,
    can_install,
    install,
)
from config.up.processes import StartError
from config.up.progress import ConsoleProgress

try:
    from packaging.requirements import Requirement
except ImportError:  # it is in the lock, so an environment without it does not hold the lock
    Requirement = None  # type: ignore[assignment, misc]  # see above

# The locks, smallest first: each holds all of those before it.
NESTED = ("run.txt", "s3.txt", "dev.txt")
UNFINISHED = VENV / "unfinished"


def lock_for(command: str) -> str:
    """The lock that a command of manage.py needs."""
    if command == "test":
        return "dev.txt"
    return "s3.txt" if os.environ.get("MEDIA_STORAGE", "").startswith("s3://") else "run.txt"


def is_ready(lock: str) -> bool:
    """True if the product can run here: in `.venv` of the present lock, or with its versions."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return mark_in_use(lock) and not any(name in os.environ for name in MISLEADING_PYTHON)
    return has_packages(lock)


def mark_in_use(lock: str) -> bool:
    """Lock `.venv` against removal while this process runs.

    Return whether it is of the present lock.

    The lock stays when this process becomes another program.
    """
    try:
        note = os.open(in_use_file(lock), os.O_RDONLY | os.O_CREAT, 0o666)
    except OSError:  # not writable for us, so nor can we change it
        return is_stamped(lock)
    with suppress(OSError):  # a file system without locks
        fcntl.flock(note, fcntl.LOCK_SH)
    if is_stamped(lock):
        os.set_inheritable(note, True)
        return True
    os.close(note)
    return False


def has_packages(lock: str) -> bool:
    """True if the calling environment has every package of the lock in just that version."""
    if Requirement is None:
        return False
    for line in PINNED.finditer((LOCKS / lock).read_text()):
        requirement = Requirement(line.group())
        if requirement.marker and not requirement.marker.evaluate():
            continue
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if not requirement.specifier.contains(version, prereleases=True):
            return False
    return True


def is_stamped(lock: str) -> bool:
    """True if `.venv` was made from the present lock, and still has its Python."""
    return PYTHON.exists() and stamp(lock).exists() and stamp(lock).read_text() == fingerprint(lock)


def stamp(lock: str) -> Path:
    """The file that records the lock that `.venv` was made from."""
    return VENV / f"made-from-{lock}"


def in_use_file(lock: str) -> Path:
    """The file that processes hold locked while they run on the packages of a lock file."""
    return VENV / ("in-use" if lock == NESTED[0] else f"in-use-{lock}")


def fingerprint(lock: str) -> str:
    """Hash of a lock file and of `.venv`'s Python, which a new system release may change."""
    return hashlib.sha256((LOCKS / lock).read_bytes() + os.fsencode(PYTHON.resolve())).hexdigest()


def make(lock: str) -> None:
    """Make or complete `.venv` from a lock; a second start waits and finds it done.

    Messages go to stderr: the command that follows may print data.
    """
    if not os.access(VENV if VENV.exists() else ROOT, os.W_OK):
        raise StartError(
            f"{ROOT} cannot be written, and .venv is made there: start a copy in a folder of yours."
        )
    with open_to_lock(LOCKS / "run.txt") as turn:  # one file, whichever lock it is about
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another start is installing the packages; waiting for it.", file=sys.stderr)
            fcntl.flock(turn, fcntl.LOCK_EX)
        if is_stamped(lock):
            return
        if not can_install():
            raise StartError(
                "This Python comes without pip: "
                "install python3-venv (apt install python3-venv) first."
            )
        started_at, progress = time.monotonic(), ConsoleProgress(sys.stderr)
        progress.end(f"Installing the packages of requirements/{lock} into {VENV}, this once.")
        try:
            n_packages = install_packages(lock, progress)
        finally:
            progress.end()
        progress.end(
            f"{n_packages} packages are installed ({time.monotonic() - started_at:.0f} s)."
        )


def open_to_lock(file: Path) -> TextIO:
    """Open a file for flock alone; network file systems lock only files open for writing."""
    try:
        return open(file, "r+")
    except OSError:
        return open(file)


def install_packages(lock: str, progress: ConsoleProgress) -> int:
    """Install the packages and stamp the folder; returns their number.

    A killed installer leaves packages that look installed and are not whole. So the packages that a
    lock adds do not count until its stamp is there: they are removed first, unless a process runs
    on them; those of a smaller lock, which a running product needs, stay as they are. Where those
    do not match their lock, the folder is marked as unfinished until they do.
    """
    installed_smaller = [other for other in NESTED[: NESTED.index(lock)] if is_stamped(other)]
    if installed_smaller and is_usable():
        remove_stamps(NESTED[NESTED.index(installed_smaller[-1]) + 1 :])
        drop_packages_beyond(installed_smaller[-1])
    else:
        reset()
    install(lock, progress)
    n_packages = count_installed(lock)
    for installed_lock in NESTED[: NESTED.index(lock) + 1]:
        stamp(installed_lock).write_text(fingerprint(installed_lock))
    UNFINISHED.unlink(missing_ok=True)
    return n_packages


def reset() -> None:
    """Remove the stamps, and packages that may not be whole; not while a process runs on them."""
    remove_stamps(NESTED)
    if UNFINISHED.exists() or not is_usable():
        make_empty()
    UNFINISHED.touch()


def remove_stamps(locks: Iterable[str]) -> None:
    """Remove the stamps of locks, so that no process starts on their packages.

    Raises StartError if one runs.
    """
    with ExitStack() as notes:
        for lock in locks:
            if in_use_file(lock).exists():
                note = notes.enter_context(open_to_lock(in_use_file(lock)))
                try:
                    fcntl.flock(note, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise StartError(
                        f"The packages in {VENV} must be installed anew, and a running product or "
                        "test uses them: stop it, then start this again."
                    ) from None
        for lock in locks:
            with suppress(FileNotFoundError, NotADirectoryError):  # `.venv` may be anything
                stamp(lock).unlink()


def drop_packages_beyond(lock: str) -> None:
    """Remove the packages that a lock does not name, except uv, which installs the others."""
    locked_names = {
        "uv",
        *(normalized_name(line.group(1)) for line in PINNED.finditer((LOCKS / lock).read_text())),
    }
    for folder in VENV.glob("lib/python*/site-packages/*.dist-info"):
        if normalized_name(folder.name.split("-")[0]) not in locked_names:
            package = importlib.metadata.Distribution.at(folder)
            for file in package.files or ():
                Path(str(package.locate_file(file))).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)


def count_installed(lock: str) -> int:
    """Number of a lock's packages in `.venv`.

    Raises StartError if one is missing that every machine needs.
    """
    folders = [str(folder) for folder in VENV.glob("lib/python*/site-packages")]
    versions = {
        normalized_name(distribution.metadata["Name"]): distribution.version
        for distribution in importlib.metadata.distributions(path=folders)
    }
    count = 0
    for line in PINNED.finditer((LOCKS / lock).read_text()):
        pin, _, marker = line.group().partition(";")
        name, version = pin.strip().split("==")
        if versions.get(normalized_name(name)) == version:
            count += 1
        elif not marker:
            raise StartError(
                f"{name} {version} was not installed into {VENV}: "
                "a setting of pip or uv leads elsewhere."
            )
    return count


def normalized_name(name: str) -> str:
    """The name of a package as indexes compare it."""
    return re.sub("[-_.]+", "-", name).lower()


def is_usable() -> bool:
    """True if `.venv` has a running Python of this version (it may have been moved or copied)."""
    version = "import sys; print(*sys.version_info[:2], sys.prefix)"
    try:
        process = subprocess.run(
            [str(PYTHON), "-c", version], capture_output=True, text=True, check=False
        )
    except OSError:
        return False
    return process.stdout.strip() == f"{sys.version_info[0]} {sys.version_info[1]} {VENV}"


def make_empty() -> None:
    """Make `.venv` without packages."""
    command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode:
        raise StartError(
            f"Cannot make {VENV}: {(process.stderr or process.stdout).strip().splitlines()[-1]}"
        )


def run_in_venv(arguments: list[str]) -> None:
    """Go on in `.venv` with the same command; does not return.

    Bytecode is written there even where that is switched off: without it each process compiles
    Django anew.
    """
    for name in (*MISLEADING_PYTHON, *MISLEADING_INSTALLERS, "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    os.execv(PYTHON, [str(PYTHON), *arguments])  # noqa: S606 - ourselves, in the other environment
