"""The build of the package `assayer`: with the cores of the product as `assayer.numbers`.

The cores are copied as they are, but for the names of their packages: `metrics.core.files` is
`assayer.numbers.metrics.core.files` there, and nothing beside `assayer` is installed.
"""

import ast
import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "assayer"
NUMBERS = f"{PACKAGE}.numbers"
# they know no framework
CORES = (
    "annotate.core",
    "pooling.core",
    "metrics.core",
    "metrics.charts",
    "metrics.score_files",
)
# pictures are drawn with the colours and the font of the pages
STYLES = ("static/css/tokens.css", "static/vendor/inter")


class BuildPackage(build_py):
    """Builds the modules of the package, and those of its numbers."""

    def run(self) -> None:
        """Copy everything into the folder that becomes the wheel; nothing of a former build."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, PACKAGE), ignore_errors=True)
        super().run()
        if not self.editable_mode:  # the tree has the cores beside the package
            build(Path(self.build_lib))


def build(folder: Path) -> None:
    """Add the numbers to the package in a folder, and rewrite the imports of both."""
    package, numbers = folder / PACKAGE, folder.joinpath(*NUMBERS.split("."))
    numbers.mkdir(parents=True, exist_ok=True)
    (numbers / "__init__.py").write_text('"""The numbers of the product, computed from files."""\n')
    for core in CORES:
        parts = core.split(".")
        target = numbers.joinpath(*parts)
        shutil.copytree(ROOT.joinpath(*parts), target, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / parts[0] / "__init__.py", target.parent)
    for name in STYLES:
        source, target = ROOT / name, numbers / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    shutil.copy(ROOT / "VERSION", package)
    for file in package.rglob("*.py"):
        file.write_text(rewritten(file.read_text()))


def rewritten(code: str) -> str:
    """The code of a module, whose imports from the cores are from the numbers."""
    lines = code.splitlines(keepends=True)
    for line, column in sorted(names_of_cores(ast.parse(code)), reverse=True):
        text = lines[line - 1].encode()
        lines[line - 1] = (text[:column] + f"{NUMBERS}.".encode() + text[column:]).decode()
    return "".join(lines)


def names_of_cores(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Positions of names of modules of the cores in imports: line, and column in bytes.

    Raises ValueError for a name in a form that cannot be rewritten.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and is_core(node.module or ""):
            yield node.lineno, node.col_offset + len("from ")
        elif isinstance(node, ast.Import) and any(is_core(name.name) for name in node.names):
            raise ValueError(f"Line {node.lineno}: write from … import …")
        elif isinstance(node, ast.Constant) and is_core(str(node.value)):
            raise ValueError(f"Line {node.lineno}: take the module's name from __package__")


def is_core(name: str) -> bool:
    """True for a module of the cores by its whole name."""
    return any(name == core or name.startswith(f"{core}.") for core in CORES)
