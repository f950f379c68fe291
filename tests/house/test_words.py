"""Names are the nouns of docs/words.md: class names stand once, and no variable is a participle.

A docstring begins with a noun or a verb.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.apps import apps

from tests.house.test_layers import APPS, PRODUCT, ROOT, sources, text

CLIENT = ROOT / "assayer" / "client"
BY_CONVENTION = {"Command", "Meta"}  # Django finds them by these names
PARTICIPLES = frozenset(
    [
        "adjusted",
        "allowed",
        "asked",
        "begun",
        "called",
        "carried",
        "changed",
        "checked",
        "chosen",
        "claimed",
        "closed",
        "counted",
        "counting",
        "covered",
        "created",
        "differing",
        "done",
        "drawn",
        "estimated",
        "excluded",
        "existing",
        "failed",
        "fetched",
        "found",
        "freed",
        "gained",
        "given",
        "held",
        "imported",
        "judged",
        "kept",
        "known",
        "labelled",
        "lacking",
        "left",
        "listed",
        "made",
        "marked",
        "merged",
        "met",
        "missed",
        "missing",
        "modelled",
        "moved",
        "named",
        "omitted",
        "ordered",
        "overlapping",
        "pooled",
        "published",
        "put",
        "ranked",
        "received",
        "remaining",
        "repeated",
        "required",
        "resolved",
        "rest",
        "retrieved",
        "said",
        "scored",
        "seen",
        "selected",
        "sent",
        "shared",
        "shifted",
        "shown",
        "standing",
        "stored",
        "taken",
        "tied",
        "timed",
        "told",
        "touched",
        "trusted",
        "unfinished",
        "unresolved",
        "untouched",
        "used",
        "waiting",
        "wanted",
        "weighted",
        "wished",
        "withdrawn",
        "written",
    ]
)
PRONOUNS = frozenset(
    [
        "each",
        "it",
        "one",
        "ones",
        "others",
        "place",
        "stuff",
        "them",
        "there",
        "they",
        "thing",
        "things",
        "way",
        "what",
        "who",
        "whom",
        "whose",
    ]
)

RIDDLES = frozenset(
    [
        "how",
        "if",
        "that",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "who",
        "whom",
        "whose",
        "why",
    ]
)

STORED = {  # keys of answers, reports and messages, and columns, which are older than this rule
    "annotate/core/files/file_tallies.py": {"what"},
    "annotate/services/training/tries.py": {"given"},
    "annotate/services/pages/annotator_progress.py": {"done"},
    "annotate/models/imports.py": {"unresolved"},
    "pooling/services/runs/reports.py": {"missing"},
    "assayer/commands/files/compare.py": {"place"},  # the name of the column it prints
    # fields of the API, which people read as the words that they are
    "annotate/api/items.py": {"excluded"},
    "annotate/api/jobs.py": {"done"},
    "metrics/api/number_fields.py": {"missing"},
    "assayer/client/records/jobs.py": {"done"},
    "assayer/client/records/numbers.py": {"missing", "judged"},
    # the parameter of a leaderboard's address, and the key of its facts
    "metrics/services/leaderboard/choices/choices.py": {"missing"},
    "metrics/services/leaderboard/choices/parameters.py": {"missing"},
    "metrics/services/leaderboard/decisions.py": {"missing"},
}

PROSE = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)  # in scripts
BINDING = re.compile(  # a declaration, the parameters of a function, an arrow's only one
    r"\b(?:const|let|var)\s+(?:[\w$]+|[\[{].*?[\]}](?=\s*(?:=|of\b)))"
    r"|\((?:[^()]|\([^()]*\))*\)\s*(?:=>|\{)|[\w$]+\s*=>",
    re.DOTALL,
)
BOUND_NAME = re.compile(r"(?<![\w$])(?<![^.]\.)[\w$]+\b(?!\s*:)")  # no property, and no key


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(text(file))


def variables(file: Path) -> Iterator[tuple[str, int]]:
    """Name and line of every variable, parameter and field that a file makes."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def script_variables(file: Path) -> Iterator[tuple[str, int]]:
    """Name and line of every variable and parameter that a script makes, and of some it uses."""
    code = PROSE.sub(lambda prose: "\n" * prose[0].count("\n"), text(file))
    for binding in BINDING.finditer(code):
        for variable in BOUND_NAME.finditer(binding[0]):
            yield variable[0], code.count("\n", 0, binding.start() + variable.start()) + 1


def classes(file: Path) -> Iterator[tuple[str, int]]:
    """Name and line of every class of a file, nested ones too."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.ClassDef) and node.name not in BY_CONVENTION:
            yield node.name, node.lineno


def class_homes(*folders: str) -> dict[str, list[str]]:
    """Where classes stand, by their names; an underscore before a name gives no other meaning.

    The client is a house of its own: its classes have the names of the API's schema, which are
    those of models too, and stand in programs that know no models.
    """
    homes = defaultdict(list)
    for file in sources(*folders):
        if CLIENT in file.parents and CLIENT not in [ROOT / folder for folder in folders]:
            continue
        for class_name, line in classes(file):
            homes[class_name.lstrip("_")].append(f"{file.relative_to(ROOT)}:{line}")
    return homes


def test_a_class_name_stands_once() -> None:
    houses = class_homes(*PRODUCT, "tools"), class_homes("assayer/client")
    doubles = {
        name: places for homes in houses for name, places in homes.items() if len(places) > 1
    }
    assert doubles == {}


def test_no_class_of_the_tests_has_the_name_of_a_product_s_class() -> None:
    homes, doubles = class_homes(*PRODUCT, "tools"), class_homes("tests")
    assert {name: homes[name] + doubles[name] for name in homes.keys() & doubles} == {}


def vague_names(file: Path) -> dict[str, list[int]]:
    """Lines of the variables of a file that are participles or pronouns, by their names."""
    lines = defaultdict(list)
    for variable, line in variables(file):
        if variable.strip("_") in PARTICIPLES | PRONOUNS:
            lines[variable.strip("_")].append(line)
    return lines


def test_variables_are_nouns() -> None:
    vague = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in sources(*PRODUCT, "tools")
        for name, lines in vague_names(file).items()
        for line in lines
        if name not in STORED.get(str(file.relative_to(ROOT)), set())
    ]
    assert vague == []


def test_each_excuse_is_needed() -> None:
    needless = {
        place: names - vague_names(ROOT / place).keys()
        for place, names in STORED.items()
        if names - vague_names(ROOT / place).keys()
    }
    assert needless == {}


def docstrings(file: Path) -> Iterator[tuple[str, int]]:
    """First word and line of the docstring of a file, and of each class and function in it."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").split(maxsplit=1)
            if words:
                yield words[0].strip(",:;").lower(), node.body[0].lineno


def test_a_docstring_says_what_stands_there() -> None:
    riddles = [
        f"{file.relative_to(ROOT)}:{line}: {word}"
        for file in sources(*PRODUCT, "tools")
        for word, line in docstrings(file)
        if word in RIDDLES
    ]
    assert riddles == []


def test_variables_of_scripts_are_nouns() -> None:
    vague = [
        f"{file.relative_to(ROOT)}:{line}: {variable}"
        for file in sources("static", pattern="*.js")
        for variable, line in script_variables(file)
        if variable in PARTICIPLES | PRONOUNS
    ]
    assert vague == []


def test_the_glossary_has_every_table_and_no_other() -> None:
    lines = (ROOT / "docs" / "words.md").read_text().splitlines()
    in_the_code = [line.split("|")[3] for line in lines if line.startswith("|")]
    model_names = set(re.findall(r"`([A-Z][A-Za-z]+)", " ".join(in_the_code)))
    rooms = (*APPS, "config")
    tables = {model.__name__ for app in rooms for model in apps.get_app_config(app).get_models()}
    assert model_names ^ tables == {"Role", "Direction"}  # two choices that no table is made of
