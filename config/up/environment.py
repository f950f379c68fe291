"""The folder `.venv` with the very packages of the lock, and whether the calling environment serves as well."""

import fcntl
import hashlib
import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path

from config.up.installers import LOCKS, MISLEADING, PINNED, PYTHON, VENV, can_install, install
from config.up.processes import StartError
from config.up.progress import Progress

try:
    from packaging.requirements import Requirement
except ImportError:  # it is in the lock, so an environment without it does not hold the lock
    Requirement = None  # type: ignore[assignment, misc]


def is_ready(lock: str) -> bool:
    """Whether the calling environment is one to run in: `.venv` of the present lock, or one with its very versions."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return is_stamped(lock)
    return holds(lock)


def holds(lock: str) -> bool:
    """Whether the calling environment has every package of the lock in just that version."""
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
    """Whether `.venv` was made from the present lock, and still has its Python."""
    return PYTHON.exists() and stamp(lock).exists() and stamp(lock).read_text() == fingerprint(lock)


def stamp(lock: str) -> Path:
    """The file that says which lock `.venv` was made from."""
    return VENV / f"made-from-{lock}"


def fingerprint(lock: str) -> str:
    """Of a lock, and of the Python that `.venv` leads to: a new release of the system may change that."""
    return hashlib.sha256((LOCKS / lock).read_bytes() + os.fsencode(PYTHON.resolve())).hexdigest()


def make(lock: str) -> None:
    """Make or complete `.venv` from a lock; whoever comes second waits and finds it done."""
    with open(LOCKS / lock) as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if is_stamped(lock):
            return
        begun, progress = time.monotonic(), Progress()
        progress.end(f"Installing the packages of requirements/{lock} into {VENV}, this once.")
        try:
            if not is_usable():
                make_empty()
            install(lock, progress)
        except OSError as error:
            raise StartError(f"Cannot make {VENV}: {error.strerror or error}.") from error
        finally:
            progress.end()
        for done in ("run.txt", lock):  # the development lock holds all of the other one
            stamp(done).write_text(fingerprint(done))
        print(f"The packages are installed ({time.monotonic() - begun:.0f} s).")


def is_usable() -> bool:
    """Whether `.venv` has a Python that runs and has this version (the folder may have been moved or copied)."""
    version = "import sys; print(*sys.version_info[:2], sys.prefix)"
    try:
        answer = subprocess.run([str(PYTHON), "-c", version], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == f"{sys.version_info[0]} {sys.version_info[1]} {VENV}"


def make_empty() -> None:
    """Make `.venv` without packages."""
    if not can_install():
        raise StartError(
            "This Python comes without pip: install the package python3-venv (apt install python3-venv), start again."
        )
    command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise StartError(f"Cannot make {VENV}: {(made.stderr or made.stdout).strip().splitlines()[-1]}")


def enter(arguments: list[str]) -> None:
    """Go on in `.venv` with the same command; does not return.

    Bytecode is written there even where that is switched off: without it each process compiles Django anew.
    """
    for name in (*MISLEADING, "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    os.execv(PYTHON, [str(PYTHON), *arguments])  # noqa: S606 - ourselves, in the other environment
