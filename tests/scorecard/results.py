"""What running a row of the scorecard came to, and the page that says it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from tests.scorecard.rows import Row

HEAD = """# What is promised, and what was measured

`python -m tests.scorecard` measures it and writes this page; [the same for programs](reliability.json). Each row is a
test of its own, which `python3 manage.py test --heavy` runs with the name below it. Sizes, goals and tests are in
`tests/scorecard/rows.py`.

"""
TABLE = "| | promise | outcome | measured |\n|---|---|---|---|\n"
NEVER = "not measured yet"


@dataclass(frozen=True)
class Figure:
    """A number that a test told; goal : "" where none was set."""

    figure: str
    value: float
    unit: str
    goal: str
    is_met: bool

    @property
    def measured(self) -> str:
        """Its name and value, without its goal."""
        return f"{self.figure}: {number(self.value)}{self.unit and f' {self.unit}'}"

    @property
    def text(self) -> str:
        """As it stands on the page."""
        wanted = f" (goal: {self.goal}{'' if self.is_met else ', missed'})" if self.goal else ""
        return f"{self.measured}{wanted}"


@dataclass
class Result:
    """What running a row came to.

    at, commit, machine : when, what and where
    seconds : all that it took; processor : the processor time of the process of the tests, which is the load's
    sizes : what was tried; failure : why the tests did not pass, "" where they did
    """

    row: str
    at: str
    commit: str
    machine: str
    seconds: float = 0
    processor: float = 0
    sizes: dict[str, int] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    failure: str = ""

    @classmethod
    def read(cls, kept: Mapping[str, object]) -> Self:
        """One that was kept as JSON."""
        result = cls(**kept)  # type: ignore[arg-type]
        result.figures = [Figure(**figure) for figure in kept["figures"]]  # type: ignore[attr-defined]
        return result

    def take(self, lines: Iterable[str]) -> None:
        """Take over what the tests told."""
        for told in map(json.loads, lines):
            if "size" in told:
                self.sizes[told["size"]] = told["run"]
            elif "figure" in told:
                self.figures.append(Figure(**told))
            else:
                self.processor += told["processor"]

    def is_met(self) -> bool:
        """Whether the tests passed, and measured something."""
        return not self.failure and bool(self.figures) and all(figure.is_met for figure in self.figures)

    def outcome(self, row: Row) -> str:
        """In a word, or a sentence; a smaller size than wanted is always said."""
        if not self.is_met():
            missed = [figure.text for figure in self.figures if not figure.is_met]
            return f"**not met**: {'; '.join(missed) or self.failure or 'nothing was measured'}"
        return "met, at a smaller size than wanted" if self.is_short(row) else "met"

    def main_figures(self) -> str:
        """Those that were to be met, in a line."""
        return "; ".join(figure.measured for figure in self.figures if figure.goal)

    def is_short(self, row: Row) -> bool:
        """Whether less was tried of something than the row wants."""
        return any(self.sizes.get(what, 0) < n for what, n in row.sizes.items())


def load(file: Path) -> dict[str, Result]:
    """The newest result of each row, as they were kept."""
    kept = json.loads(file.read_text()) if file.exists() else []
    return {each["row"]: Result.read(each) for each in kept}


def save(results: Mapping[str, Result], file: Path) -> None:
    """Keep them for the page, and for programs."""
    file.write_text(json.dumps([asdict(result) for result in results.values()], indent=1) + "\n")


def page(rows: Sequence[Row], results: Mapping[str, Result]) -> str:
    """All rows, each with its newest result, whatever that is."""
    sections = [_section(row, results.get(row.id)) for row in rows]
    return "".join([HEAD, TABLE, *(_line(row, results.get(row.id)) for row in rows), *sections])


def _line(row: Row, result: Result | None) -> str:
    outcome, measured = (result.outcome(row), result.main_figures()) if result else (NEVER, "")
    return f"| {row.id} | {row.promise} | {outcome} | {measured} |\n"


def _section(row: Row, result: Result | None) -> str:
    sizes = result.sizes if result else {}
    tried = [f"| {what} | {number(n)} | {number(sizes.get(what, 0))} |" for what, n in row.sizes.items()]
    lines = [f"\n## {row.id}", "", row.promise, "", f"Goal: {row.goal}", "", f"`{row.node}`", "",
             "| size | wanted | run |", "|---|---|---|", *tried, ""]  # fmt: skip
    if result is None:
        return "\n".join([*lines, f"{NEVER.capitalize()}.", ""])
    lines += [f"- {figure.text}" for figure in result.figures]
    lines += [f"- Processor time of the load's own process: {number(result.processor)} s; in all it took "
              f"{number(result.seconds)} s."]  # fmt: skip
    lines += ["- **Smaller than wanted.**"] if result.is_short(row) else []
    lines += [f"- **Failed:** {result.failure}"] if result.failure else []
    return "\n".join([*lines, f"- {result.at}, {result.commit}, on {result.machine}.", ""])


def number(value: float) -> str:
    """A number as people read it: four figures of what is no whole number."""
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1_000 else f"{value:.4g}"
