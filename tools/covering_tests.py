"""The tests that ran a line of code, and their seconds, from one measured run of the suite.

What a test finds ready, as the first that needed it has made it, counts as run by that one alone.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

PACKAGES = ("annotate", "pooling", "metrics", "config", "assayer")
COVERAGE, DURATIONS = "coverage", "durations.xml"  # files of a measured run
UNKNOWN_SECONDS = 1.0
LONGEST = 10.0  # seconds; a longer test leaves no time for others
Lines = dict[int, set[str]]  # tests by line


class MeasuredRun:
    """A run of the suite in which each test was measured by itself.

    folder : where the run's files are
    tree : the tree that was measured; of files changed since, lines are asked of the wrong tests
    """

    def __init__(self, folder: Path, tree: Path) -> None:
        self.tree, self.measured_at = tree, (folder / COVERAGE).stat().st_mtime
        self.data = CoverageData(str(folder / COVERAGE))
        self.data.read()
        self.seconds = _seconds(folder / DURATIONS)
        self._lines: dict[str, Lines] = {}
        self.n_lines_of_test: Counter[str] = Counter()

    def is_older_than(self, file: str) -> bool:
        """True if a file of the tree was changed after the run."""
        return (self.tree / file).stat().st_mtime > self.measured_at

    def lines(self, file: str) -> Lines:
        """Return the tests by line of a file of the tree."""
        if file not in self._lines:
            contexts = self.data.contexts_by_lineno(file)
            self._lines[file] = {
                line: {context.rpartition("|")[0] for context in names if context}
                for line, names in contexts.items()
            }
        return self._lines[file]

    def count_lines(self, files: Iterable[str]) -> None:
        """Count the lines of these files that each test ran: the fewer, the more it is about."""
        for file in files:
            for tests in self.lines(file).values():
                self.n_lines_of_test.update(tests)

    def tests_of(self, file: str, line: int, statement: tuple[int, int]) -> set[str]:
        """Return the tests that ran a line.

        What runs once, while a module is loaded, counts as run where its name is used.
        """
        lines = self.lines(file)
        first, last = statement
        name = self._loaded_names[file].get(line)
        if name:
            return self.tests_using(name)
        near = (lines.get(number, set()) for number in range(first, last + 1))
        return lines.get(line) or set().union(*near)

    def tests_using(self, name: str) -> set[str]:
        """Return the tests that ran a line with this name, or with a constant made of it."""
        tests: set[str] = set()
        names, known_names = [name], {name}
        while names:
            for file, line in self._places[names.pop()]:
                outer = self._loaded_names[file].get(line)
                if outer is None:
                    tests |= self.lines(file).get(line, set())
                elif outer.lstrip("_").isupper() and outer not in known_names:
                    known_names.add(outer)
                    names.append(outer)
        return tests

    def chosen(self, tests: Iterable[str], file: str, seconds: float) -> list[str]:
        """Choose tests of a file for so many seconds.

        First come those that stand nearest to where the file does, and of these the ones that run
        the fewest lines. Tests of a module stand together: they share what it sets up.
        """
        folders = ["tests", *file.split("/")[:-1]]

        def rank(test: str) -> tuple[int, int, str]:
            parts = zip(folders, test.split("/"), strict=False)
            n_shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], parts))
            return -n_shared, self.n_lines_of_test[test], test

        modules: defaultdict[str, list[str]] = defaultdict(list)
        for test in sorted(tests, key=rank):
            duration = self.seconds.get(_key(test), UNKNOWN_SECONDS)
            if duration <= min(seconds, LONGEST):
                seconds -= duration
                modules[test.partition("::")[0]].append(test)
        return [test for tests_of_module in modules.values() for test in tests_of_module]

    @cached_property
    def _sources(self) -> dict[str, str]:
        files = (path for package in PACKAGES for path in (self.tree / package).rglob("*.py"))
        return {str(path.relative_to(self.tree)): path.read_text() for path in sorted(files)}

    @cached_property
    def _loaded_names(self) -> defaultdict[str, dict[int, str]]:
        """By file, the name that each line defines which runs while the module is loaded."""
        names = defaultdict(dict)
        for file, text in self._sources.items():
            for statement in ast.parse(text).body:
                names[file].update(_loaded_lines(statement))
        return names

    @cached_property
    def _places(self) -> defaultdict[str, list[tuple[str, int]]]:
        """Every file and line with a name, but for imports."""
        places = defaultdict(list)
        for file, text in self._sources.items():
            for number, line in enumerate(text.splitlines(), 1):
                if not line.startswith(("from ", "import ", "    from ")):
                    for name in set(re.findall(r"[A-Za-z_]\w*", line)):
                        places[name].append((file, number))
        return places


def _loaded_lines(statement: ast.stmt) -> dict[int, str]:
    """Return the lines of a statement of a module that run while it is loaded, with its name."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {}
    name = _name_of(statement)
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    lines = dict.fromkeys(range(first, (statement.end_lineno or first) + 1), name)
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef):
            for number in range(node.body[0].lineno, (node.end_lineno or 0) + 1):
                lines.pop(number, None)
    return {number: name for number, name in lines.items() if name}


def _name_of(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign):
        return getattr(statement.targets[0], "id", "")
    if isinstance(statement, ast.AnnAssign):
        return getattr(statement.target, "id", "")
    return getattr(statement, "name", "")


def _seconds(durations: Path) -> dict[tuple[str, str], float]:
    """Read the seconds of each test by its dotted module and name."""
    cases = ElementTree.parse(durations).iter("testcase")  # noqa: S314 - the suite wrote it
    return {
        (case.get("classname", ""), case.get("name", "")): float(case.get("time", "0"))
        for case in cases
    }


def _key(test: str) -> tuple[str, str]:
    """Return a test's dotted module and its name."""
    parts: Sequence[str] = test.split("::", 1)
    module, name = parts if len(parts) == 2 else (parts[0], "")
    return module.removesuffix(".py").replace("/", "."), name
