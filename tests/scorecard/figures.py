"""Pytest plugin: the fixture by which a test learns the sizes of its row of the scorecard, and tells what it measured.

Where the environment names a file in FIGURES, each is a line of JSON there: {"size", "run"} or {"figure", "value",
"unit", "goal", "is_met"}, and at each test's end {"processor"}: the seconds of processor time of its own process.
"""

import json
import os
import time
from collections.abc import Iterator

import pytest

from tests.scorecard.rows import FIGURES, Row, row_of


class Figures:
    """What a test is to try, and what it measured."""

    def __init__(self, row: Row, share: float) -> None:
        self.row, self.share = row, share
        self.missed: list[str] = []

    def size(self, what: str, *, run: int | None = None) -> int:
        """How much of something to try: what the row wants, or this run's share of it.

        run : how much it is at any share
        """
        n = max(1, round(self.row.sizes[what] * self.share)) if run is None else run
        self._write(size=what, run=n)
        return n

    def tell(
        self, name: str, value: float, unit: str = "", *, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        """Say what was measured, and what was wanted of it; the test fails at its end where that is not so."""
        is_met = (at_most is None or value <= at_most) and (at_least is None or value >= at_least)
        bounds = [f"at most {at_most:,}" if at_most is not None else "", f"at least {at_least:,}" if at_least else ""]
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
    """What the scorecard asks of this test, and is told by it."""
    figures = Figures(row_of(request.node.nodeid), request.config.getoption("--share"))
    begun = time.process_time()
    yield figures
    figures._write(processor=time.process_time() - begun)
    if figures.missed:
        pytest.fail("; ".join(figures.missed), pytrace=False)
