"""The product's own files, told from those made beside them: with git or without, in a repository or out of one."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.stack import ROOT

MAKES_THE_ENVIRONMENT = ("manage.py", "config", "requirements")
IGNORED = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]


def made_here(folder: str | os.PathLike[str], names: Iterable[str]) -> set[str]:
    """Which names in a folder are not the product's own: what git ignores, git's files, and virtual environments."""
    environments = {name for name in names if (Path(folder) / name / "pyvenv.cfg").exists()}
    return environments | shutil.ignore_patterns(".git", *IGNORED)(folder, names)


def own_files() -> Iterator[Path]:
    """Every file of the product."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - made_here(folder, folders))
        yield from (Path(folder) / name for name in sorted(set(names) - made_here(folder, names)))


def copy(to: Path, *, names: Iterable[str] = ()) -> Path:
    """Copy the product's own files to a new folder, or those of a few names, with what Python compiled of them.

    Returns the folder.
    """

    def left_out(folder: str, found: list[str]) -> set[str]:
        others = set(found) - set(names) if names and Path(folder) == ROOT else set()
        return others | not_compiled(folder, found)

    return shutil.copytree(ROOT, to, ignore=left_out, symlinks=True)


def not_compiled(folder: str | os.PathLike[str], names: Iterable[str]) -> set[str]:
    """Which names in a folder are neither the product's own nor compiled of it; one being compiled has another end."""
    if Path(folder).name == "__pycache__":
        return {name for name in names if not name.endswith(".pyc")}
    return made_here(folder, names) - {"__pycache__"}
