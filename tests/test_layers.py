"""The walls and the figures of the house, kept by reading the code."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from tests import tree

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotate", "pooling", "metrics")
PRODUCT = (*APPS, "config", "demo")
CORE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "scipy", "h5py", "pyarrow"}


@cache
def text(file: Path) -> str:
    """A file, read once for all rules."""
    return file.read_text()


@cache
def parsed(file: Path) -> ast.Module:
    """A file's tree, parsed once for all rules."""
    return ast.parse(text(file))


@cache
def sources(*folders: str, pattern: str = "*.py") -> list[Path]:
    """The hand-written files below some folders."""
    found = [file for folder in folders for file in sorted((ROOT / folder).rglob(pattern))]
    return [file for file in found if "migrations" not in file.parts and "vendor" not in file.parts]


@pytest.fixture(scope="module", autouse=True)
def nothing_kept() -> Iterator[None]:
    """Forget the trees when the module ends: they are 100 MiB."""
    yield
    for kept in (functions, parsed, text):
        kept.cache_clear()


def name(file: Path) -> str:
    """A file as it is called from the repository's root."""
    return str(file.relative_to(ROOT))


def lines(file: Path) -> int:
    """How many lines a file has."""
    return len(text(file).splitlines())


@cache
def functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    return [node for node in ast.walk(parsed(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """A function's lines from its name to its end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """A function's lines below its docstring."""
    first = function.body[1:2] if ast.get_docstring(function) else function.body[:1]
    return (function.end_lineno or 0) - first[0].lineno + 1 if first else 0


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported below a node; relative ones are of the same package, so left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_imports_run_down_only(capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    # in a process of its own: it silences every logger it finds, and with them the tests that read the log
    done = subprocess.run([*command, "--config", "pyproject.toml", "--no-cache", "--no-logo"], cwd=ROOT, check=False)
    assert done.returncode == 0, capfd.readouterr().out


def test_a_core_imports_cores_arrays_their_files_and_the_standard_library_alone() -> None:
    strangers = [
        f"{name(file)}: {module}"
        for file in sources(*(f"{app}/core" for app in APPS))
        for module in imports(parsed(file))
        if module.split(".")[0] not in CORE_MAY_IMPORT and not re.match(rf"({'|'.join(APPS)})\.core\b", module)
    ]
    assert strangers == []


def test_no_file_has_more_than_400_lines() -> None:
    files = [*sources(*PRODUCT, "tests"), ROOT / "manage.py"]
    assert [f"{name(file)}: {lines(file)}" for file in files if lines(file) > 400] == []


def test_no_template_and_no_script_has_more_than_150_lines() -> None:
    files = [
        *sources("templates", pattern="*.html"),
        *sources("static", pattern="*.js"),
        *sources("static/css", pattern="*.css"),
    ]
    long = [f"{name(file)}: {lines(file)}" for file in files if lines(file) > (250 if file.suffix == ".css" else 150)]
    assert long == []


def test_no_function_has_more_than_50_lines() -> None:
    files = [*sources(*PRODUCT, "tests"), ROOT / "manage.py"]
    long = [
        f"{name(file)}:{each.lineno} {each.name}" for file in files for each in functions(file) if length(each) > 50
    ]
    assert long == []


def test_the_body_of_a_view_has_at_most_20_lines() -> None:
    files = [file for app in APPS for file in sources(app) if "views" in (file.stem, file.parent.name)]
    long = [
        f"{name(file)}:{each.lineno} {each.name}: {body(each)}"
        for file in files
        for each in functions(file)
        if each.args.args and each.args.args[0].arg == "request" and body(each) > 20
    ]
    assert long == []


def test_the_body_of_a_task_has_at_most_5_lines() -> None:
    files = [ROOT / app / "tasks.py" for app in APPS if (ROOT / app / "tasks.py").exists()]
    long = [
        f"{name(file)}:{each.lineno} {each.name}: {body(each)}"
        for file in files
        for each in functions(file)
        if each.decorator_list and body(each) > 5
    ]
    assert long == []


def test_nobody_catches_every_exception() -> None:
    caught = [
        f"{name(file)}:{node.lineno}"
        for file in sources(*PRODUCT)
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")))
    ]
    assert caught == []


def test_imports_stand_at_the_top_but_for_ready_of_an_application() -> None:
    late = [
        f"{name(file)}:{each.lineno} {each.name}"
        for file in sources(*PRODUCT)
        for each in functions(file)
        if not (file.name == "apps.py" and each.name == "ready")
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(each))
    ]
    assert late == []


def test_work_is_handed_to_celery_through_one_door() -> None:
    door = re.compile(r"\.(delay|apply_async|delay_on_commit|send_task)\(")
    files = [file for file in sources(*APPS) if file != ROOT / "annotate" / "queue.py"]
    assert [name(file) for file in files if door.search(text(file))] == []


def test_every_constraint_has_a_name_with_its_application_and_model() -> None:
    models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    wrong = [
        f"{model.__name__}: {constraint.name}"
        for model in models
        for constraint in model._meta.constraints
        if not constraint.name.startswith(f"{model._meta.app_label}_")
    ]
    assert wrong == []
    assert [model.__name__ for model in models if model._meta.unique_together] == []


def test_migrations_say_what_the_models_say() -> None:
    command = [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_no_file_of_the_repository_holds_a_secret_key() -> None:
    files = [file for file in tree.own_files() if file.suffix in (".py", ".yml", ".toml", ".example")]
    assert ROOT / "docker-compose.yml" in files
    found = [name(file) for file in files if re.search(r"SECRET_KEY\W*[=:]\s*[\"'][\w-]{20,}", text(file))]
    assert found == []
