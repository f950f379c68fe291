"""Mutants: the changes that are drawn, and the survivors that are explained."""

import tomllib

from tests.house.test_layers import ROOT, text
from tests.house.test_map import tool

EQUIVALENT = tomllib.loads(text(ROOT / "tools" / "equivalent_mutants.toml")).get("mutant", [])
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


def test_a_change_that_was_called_equivalent_stands_in_its_file_and_has_a_reason() -> None:
    for change in EQUIVALENT:
        lines = [line.strip() for line in text(ROOT / change["file"]).splitlines()]
        before = change["before"].split("\n")
        starts = (i for i, line in enumerate(lines) if line == before[0])
        assert any(lines[i : i + len(before)] == before for i in starts), change
        assert change["reason"] and change["after"] != change["before"]
