"""Programs in front of the product, or in place of other services, fetched once per machine."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.testing import quietly
from config.up.installers import pip, pip_variables

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "assayer-tests"
# Debian's nginx is not where people's programs are
PATHS = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
HASTE = (
    "-o",
    "Acquire::Retries=0",
    "-o",
    "Acquire::http::Timeout=20",
    "-o",
    "Acquire::https::Timeout=20",
)
S3_SERVER = ("moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.2")


def debian_program(name: str, package: str) -> str:
    """A program of a Debian package, installed or unpacked in the cache.

    Else its tests are left out.

    asked : what makes it print its version, and so tells that it runs here
    """
    if installed := shutil.which(name, path=PATHS):
        return installed
    with _in_cache(name) as folder:
        for program in _programs(folder, name) or _unpacked(folder, name):
            if quietly(str(program), package):
                return str(program)
    return pytest.skip(
        f"No {name}: run `apt-get install {name}` as root; `apt-get download` does not get it"
    )


def python_s3_server() -> list[str]:
    """The command of an S3 server on a free port; else its tests are left out."""
    with _in_cache("-".join(S3_SERVER)) as folder:
        if not folder.exists():
            with _draft(folder) as draft:
                command = [
                    *pip(),
                    "install",
                    "--quiet",
                    "--target",
                    draft,
                    "--only-binary",
                    ":all:",
                    *S3_SERVER,
                ]
                process = subprocess.run(
                    command, env=pip_variables(), capture_output=True, text=True, check=False
                )
                if process.returncode:
                    pytest.skip(f"No S3 server: pip cannot install {' '.join(S3_SERVER)}")
                draft.rename(folder)
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from moto.server import main; main()"
    command = [sys.executable, "-c", code]
    if not quietly(*command, "--help"):
        pytest.skip("No S3 server: moto does not run on this machine")
    return [*command, "--host", "127.0.0.1", "--port", "0"]


@contextmanager
def _in_cache(name: str) -> Iterator[Path]:
    """Let one process at a time prepare a cached folder; give the folder."""
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        turn = open(CACHE / f"{name}.turn", "w")  # noqa: SIM115 - closed below; only its opening may fail so
    except OSError as error:
        pytest.skip(f"No {name}: {CACHE} cannot be written ({error.strerror})")
    with turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield CACHE / name


@contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """A new folder beside another one, to be renamed to it once it is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as draft:
        yield Path(draft) / "whole"


def _programs(folder: Path, name: str) -> list[Path]:
    return [
        path for path in (folder / "usr/sbin" / name, folder / "usr/bin" / name) if path.exists()
    ]


def _unpacked(folder: Path, name: str) -> list[Path]:
    """Get the package and unpack it, which needs no rights: installed, it would start a server."""
    with _draft(folder) as draft:
        draft.mkdir()
        if not _download(name, draft) and os.getuid() == 0:
            quietly("apt-get", *HASTE, "update")
            _download(name, draft)
        for package in draft.glob("*.deb"):
            if quietly("dpkg-deb", "-x", str(package), str(draft)):
                package.unlink()
                shutil.rmtree(folder, ignore_errors=True)
                draft.rename(folder)
    return _programs(folder, name)


def _download(name: str, folder: Path) -> bool:
    if not shutil.which("apt-get"):
        return False
    command = ["apt-get", *HASTE, "download", name]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
