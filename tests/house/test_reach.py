"""What nothing reaches is listed: public functions of the cores that no page, command or API uses.

To see it fail: write a public function into a core, or use one of those that docs/waiting.md names.
"""

import ast
import re
from pathlib import Path

from tests.house.test_layers import PRODUCT, ROOT, sources, text

LISTED = ROOT / "docs" / "waiting.md"


def used_names(node: ast.AST) -> set[str]:
    """Names that code uses, also as attributes and as words in tables."""
    names = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            names.add(part.attr)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            names.add(part.value)
    return names


def defined_names(node: ast.stmt) -> list[str]:
    """The name of a function or class, or those that a statement assigns."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ]


def template_words() -> set[str]:
    """The words of all templates, which read attributes."""
    return {
        word
        for path in (ROOT / "templates").rglob("*.*")
        for word in re.findall(r"\w+", path.read_text())
    }


def unreached() -> set[str]:
    """Public names of the cores that no code outside of them leads to, by the names it uses."""
    definitions: dict[str, set[str]] = {}
    reached = template_words()
    for path in sources(*PRODUCT):
        in_core = "core" in path.relative_to(ROOT).parts
        for node in ast.parse(text(path)).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if not in_core:
                reached |= used_names(node)
                continue
            for name in defined_names(node):
                definitions.setdefault(name, set()).update(used_names(node) - {name})
    waiting = set(definitions)
    while leading := {name for name in waiting if name in reached}:
        waiting -= leading
        reached |= set().union(*(definitions[name] for name in leading))
    return {name for name in waiting if not name.startswith("_")}


def listed_names(path: Path) -> set[str]:
    """The functions in the second column of the table."""
    rows = re.findall(r"^\|[^|]+\|([^|]+)\|[^|]+\|$", path.read_text(), flags=re.M)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_what_nothing_reaches_is_listed_with_the_use_that_it_waits_for() -> None:
    assert sorted(unreached()) == sorted(listed_names(LISTED))
