"""Results of the scorecard's rows, and the page that shows them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.scorecard.rows import ScorecardRow

HEAD = """# What is promised, and what was measured

`python -m tests.scorecard` measures it and writes this page; \
[the same for programs](reliability.json). Each row is a
test of its own, which `python3 manage.py test --heavy` runs with the name below it. \
Sizes, goals and tests are in
`tests/scorecard/rows.py`.

"""
TABLE = "| | promise | outcome | measured |\n|---|---|---|---|\n"
NEVER = "not measured yet"


@dataclass(frozen=True)
class RecordedFigure:
    """A number recorded by a test; goal : "" without one."""

    figure: str
    value: float
    unit: str
    goal: str
    is_met: bool

    @property
    def measured(self) -> str:
        """Name and value, without the goal."""
        return f"{self.figure}: {number(self.value)}{self.unit and f' {self.unit}'}"

    @property
    def text(self) -> str:
        """The figure as written on the page."""
        goal = f" (goal: {self.goal}{'' if self.is_met else ', missed'})" if self.goal else ""
        return f"{self.measured}{goal}"


@dataclass
class Result:
    """The result of running a row.

    at, commit, machine : date, commit and machine of the run
    seconds : total time; processor : processor time of the tests' process, which makes the load
    sizes : the sizes that were run; failure : why the tests failed, "" if they passed
    """

    row: str
    at: str
    commit: str
    machine: str
    seconds: float = 0
    processor: float = 0
    sizes: dict[str, int] = field(default_factory=dict)
    figures: list[RecordedFigure] = field(default_factory=list)
    failure: str = ""

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """A result stored as JSON."""
        result = cls(**stored)
        figures: Sequence[Mapping[str, Any]] = stored["figures"]
        result.figures = [RecordedFigure(**figure) for figure in figures]
        return result

    def read_lines(self, lines: Iterable[str]) -> None:
        """Take over the lines that the tests wrote."""
        for line in map(json.loads, lines):
            if "size" in line:
                self.sizes[line["size"]] = line["run"]
            elif "figure" in line:
                self.figures.append(RecordedFigure(**line))
            else:
                self.processor += line["processor"]

    def is_met(self) -> bool:
        """Whether the tests passed, and measured something."""
        return (
            not self.failure
            and bool(self.figures)
            and all(figure.is_met for figure in self.figures)
        )

    def outcome(self, row: ScorecardRow) -> str:
        """The outcome as a word or sentence, with a mark if sizes were smaller than required."""
        if not self.is_met():
            missed = [figure.text for figure in self.figures if not figure.is_met]
            return f"**not met**: {'; '.join(missed) or self.failure or 'nothing was measured'}"
        return "met, at a smaller size than wanted" if self.is_short(row) else "met"

    def main_figures(self) -> str:
        """All figures that have a goal, in a line."""
        return "; ".join(figure.measured for figure in self.figures if figure.goal)

    def is_short(self, row: ScorecardRow) -> bool:
        """Whether any size was smaller than the row requires."""
        return any(self.sizes.get(name, 0) < n for name, n in row.sizes.items())


def load(file: Path) -> dict[str, Result]:
    """The stored results, by row."""
    stored = json.loads(file.read_text()) if file.exists() else []
    return {result["row"]: Result.read(result) for result in stored}


def save(results: Mapping[str, Result], file: Path) -> None:
    """Store the results as JSON."""
    file.write_text(json.dumps([asdict(result) for result in results.values()], indent=1) + "\n")


def page(rows: Sequence[ScorecardRow], results: Mapping[str, Result]) -> str:
    """The page in Markdown: all rows with their newest results."""
    sections = [_section(row, results.get(row.id)) for row in rows]
    return "".join([HEAD, TABLE, *(_line(row, results.get(row.id)) for row in rows), *sections])


def _line(row: ScorecardRow, result: Result | None) -> str:
    outcome, measured = (result.outcome(row), result.main_figures()) if result else (NEVER, "")
    return f"| {row.id} | {row.promise} | {outcome} | {measured} |\n"


def _section(row: ScorecardRow, result: Result | None) -> str:
    sizes = result.sizes if result else {}
    tried = [
        f"| {name} | {number(n)} | {number(sizes.get(name, 0))} |" for name, n in row.sizes.items()
    ]
    lines = [
        f"\n## {row.id}",
        "",
        row.promise,
        "",
        f"Goal: {row.goal}",
        "",
        f"`{row.node}`",
        "",
        "| size | wanted | run |",
        "|---|---|---|",
        *tried,
        "",
    ]
    if result is None:
        return "\n".join([*lines, f"{NEVER.capitalize()}.", ""])
    lines += [f"- {figure.text}" for figure in result.figures]
    lines += [
        f"- Processor time of the load's own process: {number(result.processor)} s; in all it took "
        f"{number(result.seconds)} s."
    ]
    lines += ["- **Smaller than wanted.**"] if result.is_short(row) else []
    lines += [f"- **Failed:** {result.failure}"] if result.failure else []
    return "\n".join([*lines, f"- {result.at}, {result.commit}, on {result.machine}.", ""])


def number(value: float) -> str:
    """A number for people: whole numbers in full, others with four figures."""
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1_000 else f"{value:.4g}"
