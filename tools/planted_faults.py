"""Planted faults, and the test that finds each.

    .venv/bin/python tools/planted_faults.py              all of them, some minutes
    .venv/bin/python tools/planted_faults.py NAME ...     some of them
    .venv/bin/python tools/planted_faults.py --list       what they are

planted_faults.toml holds them. Each is planted in one copy of the tree, where the tests that answer
for it run until the first one fails. Last, the tests that found something run without any fault,
and must pass. The exit code is 0 only where every fault was found.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from suite import ROOT, require_packages, stop_as_by_ctrl_c, suite

TABLE = Path(__file__).with_suffix(".toml")
SUMMARY = "short test summary info"
# An ERROR has found nothing: a module could not be collected, or servers did not start.
FAILED = re.compile(r"^FAILED (\S+\.py::.+?)(?: - .*)?$", re.MULTILINE)
TESTS_FAILED = 1  # pytest's exit code; it has others where it was interrupted, or ran no test


class Fault(NamedTuple):
    """One plausible mistake in the code.

    harm : its effect on people
    old : whole lines that stand in the file exactly once; new : the lines that replace them
    tests : the modules, or single tests, that should find it
    """

    name: str
    field: str
    harm: str
    file: str
    old: str
    new: str
    tests: list[str]


class StaleFault(Exception):
    """A fault's old lines do not stand in its file exactly once."""


class Outcome(NamedTuple):
    """Outcome of a run: the id of the first failed test, "" without one, and a description."""

    test: str
    description: str


PASSED = Outcome("", "all tests passed")


def main(arguments: Sequence[str]) -> int:
    """Plant the named faults, or all; the exit code is 0 if every one was found."""
    faults = {fault.name: fault for fault in read_faults()}
    parser = argparse.ArgumentParser(description="Plant faults, and show which test finds each.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults to plant; all by default")
    parser.add_argument(
        "--list", action="store_true", help="say what the faults are, and plant none"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(faults))
    if unknown:
        parser.error(f'there is no fault "{unknown[0]}"; there are: {", ".join(faults)}')
    chosen_faults = [faults[name] for name in options.names or faults]
    if options.list:
        for fault in chosen_faults:
            print(f"{fault.name} ({fault.field}, {fault.file})\n    {fault.harm}")
        return 0
    try:
        for fault in chosen_faults:
            with_fault(fault, (ROOT / fault.file).read_text())
    except StaleFault as error:
        sys.exit(str(error))
    require_packages()
    stop_as_by_ctrl_c()
    return plant_all(chosen_faults)


def read_faults() -> list[Fault]:
    """Read all faults of the table. Exits where one of them misspells or lacks a field."""
    rows = tomllib.loads(TABLE.read_text())["fault"]
    for row in rows:
        if wrong := set(row) ^ set(Fault._fields):
            sys.exit(
                f'{TABLE.name}: fault "{row.get("name", "")}" misspells or lacks '
                f"{', '.join(sorted(wrong))}."
            )
    return [Fault(**row) for row in rows]


def with_fault(fault: Fault, text: str) -> str:
    """Return the text of a fault's file with the fault in it. Raises StaleFault."""
    # From the end of the line before: the lines must be whole.
    n = f"\n{text}".count(f"\n{fault.old}")
    if n != 1:
        raise StaleFault(
            f'Fault "{fault.name}": its old lines stand {n} times in {fault.file}, not once; '
            f"bring tools/{TABLE.name} up to date."
        )
    return f"\n{text}".replace(f"\n{fault.old}", f"\n{fault.new}")[1:]


def plant_all(faults: Sequence[Fault]) -> int:
    """Plant the faults one by one in a copy of the tree, and print their finders.

    Return the exit code.
    """
    with tempfile.TemporaryDirectory(prefix="assayer-faults-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        finders = []
        for fault in faults:
            start = time.monotonic()
            outcome = plant(fault, tree)
            result = outcome.test or f"NOT FOUND: {outcome.description}"
            print(f"{fault.name:28}{time.monotonic() - start:6.1f} s  {result}", flush=True)
            finders += [outcome.test] if outcome.test else []
        print(f"{len(finders)} of {len(faults)} found")
        are_sound = bool(finders) and pass_without_faults(finders, tree)
        return int(len(finders) < len(faults) or not are_sound)


def copy_tree(to: Path) -> None:
    """Copy the files that git tracks from the working tree."""
    tracked_files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(
        lambda name: name and os.path.lexists(ROOT / name), tracked_files.stdout.split("\0")
    ):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name, follow_symlinks=False)


def plant(fault: Fault, tree: Path) -> Outcome:
    """Run the tests of a fault with the fault in the tree, which is restored."""
    file = tree / fault.file
    sound = file.read_text()
    file.write_text(with_fault(fault, sound))
    try:
        return run(fault.tests, tree)
    finally:
        file.write_text(sound)


def pass_without_faults(tests: Iterable[str], tree: Path) -> bool:
    """True if tests pass in the restored tree; a test that fails there too has found nothing."""
    outcome = run(dict.fromkeys(tests), tree)
    print(f"Without any fault: {outcome.description} {outcome.test}".rstrip())
    return outcome == PASSED


def run(tests: Iterable[str], tree: Path) -> Outcome:
    """Run modules or single tests in a tree, with this interpreter, until the first one fails."""
    arguments = [*tests, "-x", "-q", "-p", "no:cacheprovider", "--color=no"]
    with suite(arguments, cwd=tree, output=subprocess.PIPE) as process:
        output, _ = process.communicate()
    return outcome_of(process.returncode, output.decode(errors="replace"))


def outcome_of(code: int, output: str) -> Outcome:
    """Read the outcome from pytest's exit code and output.

    A module that fails to load is no failed test.
    """
    if code == 0:
        return PASSED
    failure = FAILED.search(output.rpartition(SUMMARY)[2]) if code == TESTS_FAILED else None
    if failure:
        return Outcome(failure[1], "a test failed:")
    last = (output.strip().splitlines() or ["it said nothing"])[-1]
    return Outcome("", f"no test failed, but the run ended with {code}: {last}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped.")
