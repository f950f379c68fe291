"""Pytest plugin: the fixture that gives a test its scorecard row's sizes and records its figures.

If the environment names a file in FIGURES, each is written there as a line of JSON: {"size", "run"}
or {"figure", "value", "unit", "goal", "is_met"}, and at each test's end {"processor"}: the seconds
of processor time of its own process.
"""

import json
import os
import time
from collections.abc import Iterator

import pytest

from tests.scorecard.rows import FIGURES, ScorecardRow, row_of


class Figures:
    """The sizes of a test, and its measured figures."""

    def __init__(self, row: ScorecardRow, share: float) -> None:
        self.row, self.share = row, share
        self.missed: list[str] = []

    def size(self, name: str, *, run: int | None = None) -> int:
        """The amount to run: the row's size, or this run's share of it.

        run : the amount, if it does not depend on the share
        """
        n = max(1, round(self.row.sizes[name] * self.share)) if run is None else run
        self._write(size=name, run=n)
        return n

    def record(
        self,
        name: str,
        value: float,
        unit: str = "",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Record a measured value and its goal; the test fails at its end if the goal is missed."""
        is_met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        bounds = [
            f"at most {at_most:,}" if at_most is not None else "",
            f"at least {at_least:,}" if at_least else "",
        ]
        goal = ", ".join(filter(None, bounds))
        self._write(figure=name, value=value, unit=unit, goal=goal, is_met=is_met)
        print(f"\n{self.row.id}: {name} {value:,.6g} {unit} ({goal or 'no goal'})", flush=True)
        if not is_met:
            self.missed.append(f"{name}: {f'{value:,.6g} {unit}'.strip()}, wanted {goal}")

    def _write(self, **line: object) -> None:
        if FIGURES in os.environ:
            with open(os.environ[FIGURES], "a") as file:
                file.write(f"{json.dumps(line)}\n")


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """The scorecard's sizes for this test, and the recorder of its figures."""
    figures = Figures(row_of(request.node.nodeid), request.config.getoption("--share"))
    start = time.process_time()
    yield figures
    figures._write(processor=time.process_time() - start)
    if figures.missed:
        pytest.fail("; ".join(figures.missed), pytrace=False)
