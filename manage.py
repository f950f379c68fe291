#!/usr/bin/env python3
"""Django's commands, and the two that need nothing but Python: `up` and `test`.

    python3 manage.py up      everything on http://127.0.0.1:8000/, data in ./var, Ctrl-C stops it
    python3 manage.py test    the test suite on two cores; with arguments of pytest, as these say

These two make `.venv` from the hashed lock in requirements/ first, with the standard library alone.
All other commands run in the environment they are called from if it has the packages, else in `.venv` too.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FILES_ONLY = ("evaluate", "agreement", "compare", "plan")  # they read files and print numbers: no secret, no service
LOCKS = {"up": "run.txt", "test": "dev.txt"}
NEEDED = {"up": ("django", "celery", "psycopg", "gunicorn"), "test": ("django", "celery", "psycopg", "pytest")}


def main(argv: list[str]) -> None:
    """Run one command."""
    if sys.version_info < (3, 11):
        sys.exit(f"Assayer needs Python 3.11 or newer; this is {sys.version.split()[0]}: install python3.11 or newer.")
    command = argv[1] if len(argv) > 1 else ""
    if not prepared(command):
        try:
            make_environment(LOCKS.get(command, LOCKS["up"]))
        except OSError as error:
            sys.exit(f"Cannot make {VENV}: {error.strerror or error}.")
        os.execv(PYTHON, [str(PYTHON), str(ROOT / "manage.py"), *argv[1:]])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if command == "test":
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *(argv[2:] or ["-n", "2", "--dist", "worksteal"])])
    if command == "up":
        from config.up.supervisor import main as up  # after the environment exists

        sys.exit(up(argv[2:]))
    if command in FILES_ONLY:
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))


def prepared(command: str) -> bool:
    """Whether this interpreter can run the command: our environment with the present lock, or any with the parts."""
    if os.environ.get("ASSAYER_NO_BOOTSTRAP") == "1":
        return True
    lock = LOCKS.get(command, LOCKS["up"])
    if Path(sys.prefix).resolve() == VENV.resolve() and (command in LOCKS or stamped(lock)):
        return stamped(lock)
    return all(find_spec(package) for package in NEEDED.get(command, NEEDED["up"]))


def stamp(lock: str) -> Path:
    """The file that says which lock the environment was made from."""
    return VENV / f"made-from-{lock}"


def digest(lock: str) -> str:
    """The lock's fingerprint."""
    return hashlib.sha256((ROOT / "requirements" / lock).read_bytes()).hexdigest()


def stamped(lock: str) -> bool:
    """Whether the environment has all of a lock, and still has its Python."""
    return PYTHON.exists() and stamp(lock).exists() and stamp(lock).read_text() == digest(lock)


def make_environment(lock: str) -> None:
    """Make or complete `.venv` from a lock; whoever comes second waits and finds it done."""
    with open(ROOT / "requirements" / lock) as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if stamped(lock):
            return
        print(f"Installing the packages of requirements/{lock} into {VENV} (this once).", flush=True)
        if not (install_with_uv(lock) or install_with_pip(lock)):
            sys.exit(f"The packages of requirements/{lock} could not be installed; the reason is above.")
        for done in ("run.txt", lock):  # the development lock holds all of the other one
            stamp(done).write_text(digest(done))


def install_with_uv(lock: str) -> bool:
    """Install with uv if it is on the PATH; it is ten times as fast as pip."""
    uv = shutil.which("uv")
    if not uv:
        return False
    if not usable() and not run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(VENV)]):
        return False
    return run(
        [
            uv,
            "pip",
            "install",
            "--quiet",
            "--python",
            str(PYTHON),
            "--require-hashes",
            "--compile-bytecode",
            "-r",
            str(ROOT / "requirements" / lock),
        ]
    )


def install_with_pip(lock: str) -> bool:
    """Install with venv and pip; on a Debian without ensurepip, with the pip of this Python."""
    if find_spec("ensurepip"):
        if not (usable() and run([str(PYTHON), "-m", "pip", "--version"], quiet=True)):
            clear = [] if usable() else ["--clear"]
            if not run([sys.executable, "-m", "venv", *clear, str(VENV)]):
                return False
        pip = [str(PYTHON), "-m", "pip"]
    elif find_spec("pip"):
        if not usable() and not run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)]):
            return False
        pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    else:
        sys.exit(
            "This Python cannot make virtual environments: install the package python3-venv "
            "(apt install python3-venv) and start again."
        )
    return run(
        [
            *pip,
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
            str(ROOT / "requirements" / lock),
        ]
    )


def usable() -> bool:
    """Whether `.venv` has a Python that runs and has this version (the folder may have been moved or copied)."""
    version = "import sys; print(*sys.version_info[:2], sys.prefix)"
    try:
        answer = subprocess.run([str(PYTHON), "-c", version], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == f"{sys.version_info[0]} {sys.version_info[1]} {VENV}"


def run(command: list[str], *, quiet: bool = False) -> bool:
    """Run a program; says whether it succeeded."""
    return subprocess.run(command, capture_output=quiet, check=False).returncode == 0


if __name__ == "__main__":
    main(sys.argv)
