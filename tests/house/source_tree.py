"""The product's own files, without generated ones; with a git repository or without."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.servers.stack import ROOT

MAKES_THE_ENVIRONMENT = ("manage.py", "config", "requirements")
IGNORED = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]


def generated_names(folder: str | os.PathLike[str], names: Iterable[str]) -> set[str]:
    """Names in a folder that are not source: ignored by git, .git, and virtual environments."""
    environments = {name for name in names if (Path(folder) / name / "pyvenv.cfg").exists()}
    return environments | shutil.ignore_patterns(".git", *IGNORED)(folder, names)


def own_files() -> Iterator[Path]:
    """Every file of the product."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - generated_names(folder, folders))
        yield from (
            Path(folder) / name for name in sorted(set(names) - generated_names(folder, names))
        )


def copy(to: Path, *, names: Iterable[str] = ()) -> Path:
    """Copy the product's own files, or those of a few names, with their compiled Python.

    Returns the new folder.
    """

    def left_out(folder: str, names_there: list[str]) -> set[str]:
        unwanted = set(names_there) - set(names) if names and Path(folder) == ROOT else set()
        return unwanted | not_compiled(folder, names_there)

    return shutil.copytree(ROOT, to, ignore=left_out, symlinks=True)


def not_compiled(folder: str | os.PathLike[str], names: Iterable[str]) -> set[str]:
    """Names in a folder that are neither source nor finished .pyc files."""
    if Path(folder).name == "__pycache__":
        return {name for name in names if not name.endswith(".pyc")}
    return generated_names(folder, names) - {"__pycache__"}
