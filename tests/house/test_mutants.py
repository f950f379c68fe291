"""Mutants: the changes that are drawn, and the survivors that are explained."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.house.test_layers import ROOT
from tests.house.test_map import tool

SOURCE = b'''
"""A docstring, of 1 module, is left alone."""
LIMIT: int | None = 3  # comments are left alone


def total(values: list[int], most: int = LIMIT) -> int | None:
    """Left alone < too."""
    if not values or most <= 0:
        raise ValueError("at least 1")
    run("SELECT 7 FROM seat WHERE state = 'free' AND n < %(n)s")
    return min(sum(value for value in values if value), most)
'''
CHANGES = {
    "LIMIT: int | None = 4  # comments are left alone",
    "if True:",
    "if False:",
    "if  values or most <= 0:",
    "if not values and most <= 0:",
    "if not values or most < 0:",
    "if not values or most <= 1:",
    "pass",
    """run("SELECT 7 FROM seat WHERE state <> 'free' AND n < %(n)s")""",
    """run("SELECT 7 FROM seat WHERE state = 'free' OR n < %(n)s")""",
    """run("SELECT 7 FROM seat WHERE state = 'free' AND n <= %(n)s")""",
    "return max(sum(value for value in values if value), most)",
    "return min(sum(value for value in values if True), most)",
}


def test_a_mutant_is_one_small_change_of_what_runs() -> None:
    mutants = tool("mutant_sites").mutants_of("a.py", SOURCE)
    assert {mutant.lines(SOURCE)[1] for mutant in mutants} == CHANGES
    assert len(mutants) == len(CHANGES) + 1  # the error and the query are both left out
    for mutant in mutants:
        compile(mutant.applied_to(SOURCE), "a.py", "exec")


@pytest.fixture
def mutants(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The tool."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    return tool("mutants")


def test_a_change_that_was_called_equivalent_can_be_drawn_and_has_a_reason(
    mutants: ModuleType,
) -> None:
    keys = {
        (mutant.file, mutant.copy, *mutant.lines(source))
        for file in mutants.python_files()
        for source in [(ROOT / file).read_bytes()]
        for mutant in mutants.mutants_of(file, source)
    }
    reasons = mutants.read_reasons()
    assert set(reasons) <= keys and all(reasons.values())


def test_a_seed_draws_the_same_lines_each_time_and_no_line_twice(mutants: ModuleType) -> None:
    drawn = mutants.drawn(200, 1)
    assert drawn == mutants.drawn(200, 1) != mutants.drawn(200, 2)
    assert len({(mutant.file, mutant.line) for mutant in drawn}) == 200
    assert drawn[:20] == mutants.drawn(20, 1)


def test_the_report_is_of_first_trials_and_names_what_survives_now(
    mutants: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = mutants.drawn(4, 1)
    outcomes = ["found", "survived", "survived", "found"]
    trials = [
        mutants.Trial(
            mutant.file,
            mutant.line,
            *mutant.lines((ROOT / mutant.file).read_bytes()),
            outcome,
            "",
            1.0,
            mutant.copy,
        )
        for mutant, outcome in zip(drawn, outcomes, strict=True)
    ]
    lines = [json.dumps(trial._asdict()) for trial in trials]
    again = json.dumps(trials[1]._replace(outcome="found")._asdict())
    (tmp_path / mutants.TRIALS).write_text("\n".join([*lines, again, lines[0][:9]]))
    assert mutants.report(tmp_path, drawn) == 1
    output = capsys.readouterr().out
    assert "4 of 4 tried, 1 survive and have no reason" in output
    assert "At first 2 of 4 survived: 50.0%, with 95 % from 15.0% to 85.0% (Wilson)" in output
    assert trials[2].before in output and trials[1].before not in output
