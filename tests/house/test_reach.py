"""What nothing reaches is listed: public functions of cores and services that no page, command,
task or API leads to.

To see it fail: write a public function into a core, or use one of those that docs/waiting.md names.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.house.test_layers import PRODUCT, ROOT, sources, text

LISTED = ROOT / "docs" / "waiting.md"
ROOMS = {"core", "services"}  # what lies outside of them is reached by its address or command


PLAIN = {"atomic", "contextmanager", "cache"}  # decorators that hand a function to nobody


class Definition(NamedTuple):
    """A function, class or constant at the head of a module."""

    module: str
    name: str


Uses = dict[Definition, set[Definition]]


def module_of(path: Path) -> str:
    """The name of a file's module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_names(tree: ast.Module, package: str) -> dict[str, Definition]:
    """What the names that a module imports stand for; a module stands for itself, under ""."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            parts = [package, node.module] if node.level else [node.module]
            for alias in node.names:
                source = Definition(".".join(filter(None, parts)), alias.name)
                names[alias.asname or alias.name] = source
        elif isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name] = Definition(alias.name, "")
        elif isinstance(node, ast.Assign) and (module := loaded_module(node.value)):
            for name in defined_names(node):
                names[name] = Definition(module, "")
    return names


def loaded_module(node: ast.expr) -> str:
    """The name of the module that a call of import_module names; "" where it is none."""
    is_loading = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
    name = node.args[0] if is_loading else None
    return name.value if isinstance(name, ast.Constant) else ""


def quoted_types(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of types that are written as text."""
    for part in ast.walk(node):
        for name in ("returns", "annotation"):
            quoted = getattr(part, name, None)
            if isinstance(quoted, ast.Constant) and isinstance(quoted.value, str):
                yield from ast.walk(ast.parse(quoted.value, mode="eval"))


def used_definitions(
    node: ast.AST, module: str, imports: dict[str, Definition], modules: set[str]
) -> set[Definition]:
    """The definitions that code uses, by its own module's names and those that it imports."""
    uses = set()
    for part in (*ast.walk(node), *quoted_types(node)):
        if isinstance(part, ast.Name):
            uses.add(imports.get(part.id, Definition(module, part.id)))
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            source = imports.get(part.value.id)
            if source and (inner := ".".join(filter(None, source))) in modules:
                uses.add(Definition(inner, part.attr))
    return uses


def defined_names(node: ast.stmt) -> list[str]:
    """The name of a function or class, or those that a statement assigns."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ]


def is_registered(node: ast.stmt) -> bool:
    """Whether a decorator may hand a function to somebody who calls it."""
    if not isinstance(node, ast.FunctionDef):
        return False
    names = [ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list]
    return any(name.split(".")[-1] not in PLAIN for name in names)


def unreached() -> set[str]:
    """Public names of cores and services, by module, that no code outside of them leads to."""
    paths = sources(*PRODUCT)
    modules = {module_of(path) for path in paths}
    uses: Uses = {}
    reached: set[Definition] = set()
    for path in paths:
        tree, module = ast.parse(text(path)), module_of(path)
        is_package = path.name == "__init__.py"
        imports = imported_names(tree, module if is_package else module.rpartition(".")[0])
        if is_package:  # a package's own names stand for those of its modules
            for name, source in imports.items():
                uses.setdefault(Definition(module, name), set()).add(source)
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            of_node = used_definitions(node, module, imports, modules)
            if not ROOMS & set(path.relative_to(ROOT).parts) or is_registered(node):
                reached |= of_node
                continue
            for name in defined_names(node):
                uses.setdefault(Definition(module, name), set()).update(of_node)
            if not defined_names(node):
                reached |= of_node
    waiting = set(uses)
    while leading := waiting & reached:
        waiting -= leading
        reached |= set().union(*(uses[definition] for definition in leading))
    definitions = {
        definition
        for definition in waiting
        if not definition.name.startswith("_")
        and not (ROOT / Path(*definition.module.split("."), "__init__.py")).exists()
    }
    return {f"{definition.module}.{definition.name}" for definition in definitions}


def listed_names(path: Path) -> set[str]:
    """The functions of the table: its first column has the module, the second the names."""
    rows = re.findall(r"^\| `([\w.]+)` \|([^|]+)\|[^|]+\|$", path.read_text(), flags=re.M)
    return {f"{module}.{name}" for module, names in rows for name in re.findall(r"`(\w+)`", names)}


def test_what_nothing_reaches_is_listed_with_the_use_that_it_waits_for() -> None:
    assert sorted(unreached()) == sorted(listed_names(LISTED))
