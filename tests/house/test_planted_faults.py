"""The mistakes that tools/planted_faults.py plants still fit the code, and their tests exist."""

import tomllib

from tests.house.test_layers import ROOT, text

FAULTS = tomllib.loads(text(ROOT / "tools" / "planted_faults.toml"))["fault"]


def test_every_fault_stands_in_its_file_exactly_once_and_in_whole_lines() -> None:
    counts = {
        fault["name"]: f"\n{text(ROOT / fault['file'])}".count(f"\n{fault['old']}")
        for fault in FAULTS
    }
    assert {name: n for name, n in counts.items() if n != 1} == {}


def test_every_test_that_should_find_a_fault_exists() -> None:
    modules = {test.partition("::")[0] for fault in FAULTS for test in fault["tests"]}
    assert [module for module in sorted(modules) if not (ROOT / module).exists()] == []
