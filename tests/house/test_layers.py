"""The layers and the size limits of the code, checked by reading it."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import pytest
from django.apps import apps
from django.core.management import call_command

from tests.house import source_tree

ROOT = Path(__file__).resolve().parents[2]
APPS = ("annotate", "pooling", "metrics")
PRODUCT = (*APPS, "config", "demo", "assayer")
UPGRADES = ROOT / "config" / "upgrades"  # of tests alone: the code is the migrations
OWN_PACKAGE = ""  # module name of a relative import
CORE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "scipy", "h5py", "pyarrow", OWN_PACKAGE}


class Function(NamedTuple):
    """A function or method.

    length : its lines from its name to its end; body : those below its docstring
    """

    name: str
    line: int
    length: int
    body: int
    first_argument: str
    is_decorated: bool

    @classmethod
    def of(cls, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Self:
        """The function's figures that the rules use."""
        first = node.body[1:2] if ast.get_docstring(node) else node.body[:1]
        end = node.end_lineno or node.lineno
        body = end - first[0].lineno + 1 if first else 0
        arguments = [argument.arg for argument in node.args.args]
        first_argument = arguments[0] if arguments else ""
        return cls(
            node.name,
            node.lineno,
            end - node.lineno + 1,
            body,
            first_argument,
            bool(node.decorator_list),
        )


class Outline(NamedTuple):
    """The facts of a file that the rules use; a syntax tree would take a hundred times the memory.

    imports : line and module; caught : the lines of bare or general `except` clauses
    """

    functions: list[Function]
    imports: list[tuple[int, str]]
    caught: list[int]


@cache
def text(file: Path) -> str:
    """A file, read once for all rules."""
    return file.read_text()


@cache
def outline(file: Path) -> Outline:
    """A file's outline, made once for all rules."""
    file_outline = Outline([], [], [])
    for node in ast.walk(ast.parse(text(file))):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                file_outline.functions.append(Function.of(node))
            case ast.Import():
                file_outline.imports.extend((node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom():
                file_outline.imports.append(
                    (node.lineno, node.module if node.module and not node.level else OWN_PACKAGE)
                )
            case ast.ExceptHandler(type=None | ast.Name(id="Exception" | "BaseException")):
                file_outline.caught.append(node.lineno)
    return file_outline


@cache
def sources(*folders: str, pattern: str = "*.py") -> list[Path]:
    """The hand-written files below some folders."""
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob(pattern))]
    return [file for file in files if "migrations" not in file.parts and "vendor" not in file.parts]


def name(file: Path) -> str:
    """Path of a file from the repository's root."""
    return str(file.relative_to(ROOT))


def lines(file: Path) -> int:
    """How many lines a file has."""
    return len(text(file).splitlines())


def test_imports_run_down_only(capfd: pytest.CaptureFixture[str]) -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    # in a process of its own: it silences every logger, and tests read the log
    finished = subprocess.run(
        [*command, "--config", "pyproject.toml", "--no-cache", "--no-logo"], cwd=ROOT, check=False
    )
    assert finished.returncode == 0, capfd.readouterr().out


def test_a_core_imports_cores_arrays_their_files_and_the_standard_library_alone() -> None:
    strangers = [
        f"{name(file)}: {module}"
        for file in sources(*(f"{app}/core" for app in APPS))
        for _, module in outline(file).imports
        if module.split(".")[0] not in CORE_MAY_IMPORT
        and not re.match(rf"({'|'.join(APPS)})\.core\b", module)
    ]
    assert strangers == []


def test_no_folder_has_more_than_15_modules_templates_or_scripts() -> None:
    files = [
        *sources(*PRODUCT, "tests", "tools"),
        *sources("templates", pattern="*.html"),
        *sources("static", pattern="*.js"),
    ]
    counts = Counter(name(file.parent) for file in files if file.name != "__init__.py")
    assert {folder: n for folder, n in counts.items() if n > 15} == {}


def rooms_imported(file: Path) -> set[Path]:
    """The folders of the product whose modules a test imports, but for models, which all do."""
    rooms = set()
    for _, module in outline(file).imports:
        path = ROOT.joinpath(*module.split("."))
        if module.split(".")[0] in PRODUCT and "models" not in path.parts:
            rooms.add(path if path.is_dir() else path.parent)
    return rooms


def test_tests_stand_where_their_code_does() -> None:
    misfits = []
    for file in sources(*(f"tests/{app}" for app in PRODUCT), pattern="test_*.py"):
        room = ROOT / file.parent.relative_to(ROOT / "tests")
        rooms = rooms_imported(file)
        deepest = Path(os.path.commonpath(rooms)) if rooms else room
        if room != UPGRADES and (not room.is_dir() or room in deepest.parents):
            misfits.append(f"{name(file)}: {name(deepest)}")
    assert misfits == []


def test_no_file_has_more_than_400_lines() -> None:
    files = [*sources(*PRODUCT, "tests", "tools"), ROOT / "manage.py"]
    assert [f"{name(file)}: {lines(file)}" for file in files if lines(file) > 400] == []


def test_nine_files_of_ten_have_at_most_230_lines_that_are_not_blank() -> None:
    files = [file for file in sources(*PRODUCT) if text(file)]
    lengths = sorted(sum(bool(line.strip()) for line in text(file).split("\n")) for file in files)
    assert lengths[len(lengths) * 9 // 10] <= 230  # docs/adr/0021


def test_few_functions_are_private_and_used_once() -> None:
    n_functions = n_used_once = 0
    for file in sources(*PRODUCT):
        n_functions += len(outline(file).functions)
        private = {function.name for function in outline(file).functions}
        words = Counter(re.findall(r"\w+", text(file)))
        n_used_once += sum(
            words[function] == 2 for function in private if re.match("_[^_]", function)
        )
    assert n_used_once <= n_functions * 0.175  # docs/adr/0021


def test_no_template_and_no_script_has_more_than_150_lines() -> None:
    files = [
        *sources("templates", pattern="*.html"),
        *sources("static", pattern="*.js"),
        *sources("static/css", pattern="*.css"),
    ]
    long = [
        f"{name(file)}: {lines(file)}"
        for file in files
        if lines(file) > (250 if file.suffix == ".css" else 150)
    ]
    assert long == []


def test_a_comment_and_a_tag_of_a_template_end_in_their_line() -> None:
    """Django prints one that does not."""
    brackets = (("{#", "#}"), ("{%", "%}"), ("{{", "}}"))
    broken = [
        f"{name(file)}:{number}"
        for file in sources("templates", pattern="*.html")
        for number, line in enumerate(text(file).splitlines(), start=1)
        if any(line.count(begin) != line.count(end) for begin, end in brackets)
    ]
    assert broken == []


def test_no_line_of_a_template_has_more_than_160_characters() -> None:
    wide = [
        f"{name(file)}:{number}"
        for file in sources("templates", pattern="*.html")
        for number, line in enumerate(text(file).splitlines(), start=1)
        if len(line) > 160
    ]
    assert wide == []


def test_no_template_composes_a_plural() -> None:
    # `counted` of annotate/templatetags/phrases.py does, or a sentence in Python
    plurals = [
        f"{name(file)}:{number}"
        for file in sources("templates", pattern="*.html")
        for number, line in enumerate(text(file).splitlines(), start=1)
        if "pluralize" in line
    ]
    assert plurals == []


def test_a_page_tells_dates_by_the_filter_moment_alone() -> None:
    # what a form sends back is no text of a page, and a mail has no script
    date_filter = re.compile(r"\|(?:date|time|timesince|timeuntil|naturaltime)\b(?!:'(?:c|Y-m-d))")
    dates = [
        f"{name(file)}:{number}"
        for file in sources("templates", pattern="*.html")
        for number, line in enumerate(text(file).splitlines(), start=1)
        if date_filter.search(line) or re.search(r"\{%\s*now\b", line)
    ]
    assert dates == []


def test_no_function_has_more_than_50_lines() -> None:
    files = [*sources(*PRODUCT, "tests"), ROOT / "manage.py"]
    long = [
        f"{name(file)}:{function.line} {function.name}"
        for file in files
        for function in outline(file).functions
        if function.length > 50
    ]
    assert long == []


def test_the_body_of_a_view_has_at_most_20_lines() -> None:
    files = [file for app in APPS for file in sources(app) if "views" in (file.stem, *file.parts)]
    long = [
        f"{name(file)}:{function.line} {function.name}: {function.body}"
        for file in files
        for function in outline(file).functions
        if function.first_argument == "request" and function.body > 20
    ]
    assert long == []


def test_the_body_of_a_task_has_at_most_5_lines() -> None:
    files = [ROOT / app / "tasks.py" for app in APPS if (ROOT / app / "tasks.py").exists()]
    long = [
        f"{name(file)}:{function.line} {function.name}: {function.body}"
        for file in files
        for function in outline(file).functions
        if function.is_decorated and function.body > 5
    ]
    assert long == []


def test_nobody_catches_every_exception() -> None:
    caught = [f"{name(file)}:{line}" for file in sources(*PRODUCT) for line in outline(file).caught]
    assert caught == []


def test_imports_stand_at_the_top_but_for_ready_of_an_application() -> None:
    late = [
        f"{name(file)}:{function.line} {function.name}"
        for file in sources(*PRODUCT)
        for function in outline(file).functions
        if not (file.name == "apps.py" and function.name == "ready")
        if any(
            function.line <= line < function.line + function.length
            for line, _ in outline(file).imports
        )
    ]
    assert late == []


def test_work_is_handed_to_celery_through_one_door() -> None:
    door = re.compile(r"\.(delay|apply_async|delay_on_commit|send_task)\(")
    files = [file for file in sources(*APPS) if file != ROOT / "annotate" / "task_queue.py"]
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


@pytest.mark.django_db
def test_migrations_say_what_the_models_say() -> None:
    # exits with 1 if they differ
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


def test_no_file_of_the_repository_holds_a_secret_key() -> None:
    kinds = (".py", ".yml", ".toml", ".example", ".md", ".sh", ".conf", "")
    files = [file for file in source_tree.own_files() if file.suffix in kinds]
    assert {ROOT / "docker-compose.yml", ROOT / "README.md", ROOT / "Dockerfile"} <= set(files)
    matches = [
        name(file)
        for file in files
        if re.search(r"SECRET_KEY\W*[=:]\s*[\"']?[\w-]{20,}", text(file))
    ]
    assert matches == []
