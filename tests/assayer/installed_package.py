"""The package as it is installed: built without a network, beside what it declares alone."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
BUILT_FROM = (
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "VERSION",
    "pyproject.toml",
    "annotate",
    "assayer",
    "metrics",
    "pooling",
    "tools/wheel.py",
    "static/css",
    "static/vendor/inter",
)
BUILD = "import sys; from setuptools import build_meta; build_meta.build_{}(sys.argv[1])"


def source_copy(folder: Path) -> Path:
    """A copy of what the package is built from: a build leaves files behind."""
    for name in BUILT_FROM:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return folder


def built(source: Path, folder: Path, kind: str = "wheel") -> Path:
    """Build a wheel, or an sdist, of the source into a folder; return it."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", BUILD.format(kind), str(folder)]
    finished = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    (file,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return file


class Installation:
    """An environment with the package and its dependencies, which are links to those of tests."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.python = folder / "bin" / "python"
        (self.packages,) = folder.glob("lib/python*/site-packages")
        with zipfile.ZipFile(wheel) as members:
            members.extractall(self.packages)
        (package,) = metadata.distributions(path=[str(self.packages)])
        self.package = package
        for name in dependencies(package):
            dependency = metadata.distribution(name)
            for top in {file.parts[0] for file in dependency.files or ()} - {"..", "__pycache__"}:
                link = self.packages / top
                if not link.exists():
                    link.symlink_to(dependency.locate_file(top))

    def run(self, *words: str, at: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run its Python, in an empty folder unless told."""
        return subprocess.run(
            [self.python, *words],
            cwd=at or self.packages.parent,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )

    def assayer(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the console script."""
        code = "import sys; from assayer.console import main; sys.exit(main())"
        return self.run("-c", code, *words)


def dependencies(package: metadata.Distribution) -> set[str]:
    """The names of what a package needs, and of what that needs, without extras."""
    names: set[str] = set()
    open_names = [package]
    while open_names:
        for text in open_names.pop().requires or ():
            requirement = Requirement(text)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in names:
                names.add(requirement.name)
                open_names.append(metadata.distribution(requirement.name))
    return names
