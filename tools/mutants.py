"""Two hundred small changes to the code, and whether a test turns red: do the tests bite?

    .venv/bin/python tools/mutants.py measure          run the suite, noting which lines a test runs
    .venv/bin/python tools/mutants.py run              try the mutants that were not tried yet
    .venv/bin/python tools/mutants.py run --share 1/2  try every second one, and 2/2 beside it
    .venv/bin/python tools/mutants.py report           the survivors, their share, its interval
    .venv/bin/python tools/mutants.py check            the tests that found one pass without it

Lines are drawn by a keyed hash of their text from those that can be changed, so the same seed draws
the same lines as long as they stand, and longer files get more; of a line one change is drawn. Each
is made in a copy of the tree, where the tests that ran the line are run for 60 s at most, those
of the nearest rooms first, until one fails. Stop it at any time; `run` goes on. What was tried
stands in var/mutants; equivalent_mutants.toml says which survivors no test can tell from the code,
and why.
"""

import argparse
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from covering_tests import COVERAGE, DURATIONS, PACKAGES, MeasuredRun
from mutant_sites import Mutant, mutants_of
from planted_faults import TESTS_FAILED, copy_tree, pass_without_faults
from suite import ROOT, require_packages, stop_as_by_ctrl_c, suite

from metrics.core.statistics.intervals import wilson

PLACES = (
    "annotate/access.py",
    "annotate/core/labels",
    "annotate/services/judging",
    "annotate/services/seating",
    "metrics/core",
)
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
FOLDER = ROOT / "var" / "mutants"
TRIALS = "trials.jsonl"
SEED, N = 1, 200
SECONDS = 60  # for each mutant, with starting the servers
OF_TESTS = 45  # of these, for the tests as they were measured
NOT_LOADED = 2  # pytest's exit code where a module cannot be loaded
HANGS_AFTER = 30  # seconds after which a test counts as failed


Key = tuple[str, int, str, str]  # file, copy, before, after


class Trial(NamedTuple):
    """The outcome of one mutant.

    before, after : the changed lines, without white space around them
    copy : how many lines of the file before it read the same
    outcome : "found" by `test`; "survived"; "out of time" while no test had failed; "no tests" ran
        the line; "broken" where pytest itself could not run, which `test` tells
    n_tests, n_covering : tests that were chosen, of those that ran the line
    """

    file: str
    line: int
    before: str
    after: str
    outcome: str
    test: str
    seconds: float
    copy: int = 0
    n_tests: int = 0
    n_covering: int = 0

    @property
    def key(self) -> Key:
        """The key that tells a mutant from others as long as its line stands."""
        return self.file, self.copy, self.before, self.after


def main(arguments: Sequence[str]) -> int:
    """Do what the first argument says; the exit code is 0 where nothing is left to do."""
    parser = argparse.ArgumentParser(description="Change the code, and see which test finds it.")
    parser.add_argument("action", choices=["measure", "run", "report", "check"])
    parser.add_argument("--n", type=int, default=N, help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--share", default="1/1", help="try the first of two halves: 1/2")
    parser.add_argument("--again", action="store_true", help="try what no test found again")
    parser.add_argument("--within", default="", help="try those of a file or folder alone")
    parser.add_argument("--tests", nargs="+", default=[], help="run these tests before the others")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the results are")
    options = parser.parse_args(arguments)
    require_packages()
    stop_as_by_ctrl_c()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.action == "measure":
        return measure(options.folder)
    mutants = drawn(options.n, options.seed)
    if options.action == "run":
        part, parts = map(int, options.share.split("/"))
        return run(mutants[part - 1 :: parts], options)
    if options.action == "report":
        return report(options.folder, mutants)
    return check(trials_of(mutants, options.folder))


def measure(folder: Path) -> int:
    """Run the suite once, writing which test ran which line and how long it took."""
    settings = folder / "coverage.ini"
    settings.write_text(
        f"[run]\nsource = {','.join(PACKAGES)}\nomit = */migrations/*\n"
        f"relative_files = true\ndata_file = {folder / COVERAGE}\n"
    )
    arguments = ["-n", "2", "--dist", "worksteal", "-q", f"--junitxml={folder / DURATIONS}"]
    arguments += ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    with suite(arguments, cwd=ROOT, output=sys.stdout.fileno()) as process:
        return process.wait()


def drawn(n: int, seed: int) -> list[Mutant]:
    """Draw lines by the hashes of their texts, and of each line one mutant."""
    mutants_of_line: dict[tuple[str, ...], list[tuple[bytes, Mutant]]] = {}
    for file in python_files():
        text = (ROOT / file).read_bytes()
        lines = text.decode().splitlines()
        for mutant in mutants_of(file, text):
            key = file, f"{mutant.copy} {lines[mutant.line - 1].strip()}"
            order = _hash(seed, *key, *map(str, mutant.place_in_line(text)), mutant.new)
            mutants_of_line.setdefault(key, []).append((order, mutant))
    keys = sorted(mutants_of_line, key=lambda key: _hash(seed, *key))[:n]
    return [min(mutants_of_line[key])[1] for key in keys]


def _key(mutant: Mutant, text: bytes) -> Key:
    return mutant.file, mutant.copy, *mutant.lines(text)


def _hash(seed: int, *parts: str) -> bytes:
    return hashlib.sha256("\0".join([str(seed), *parts]).encode()).digest()


def python_files() -> Iterator[str]:
    """Yield the files that are changed, in order."""
    for folder in PLACES:
        path = ROOT / folder
        paths = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        yield from (str(file.relative_to(ROOT)) for file in paths)


def run(mutants: Sequence[Mutant], options: argparse.Namespace) -> int:
    """Try the mutants that were not tried yet, and write down each outcome at once."""
    measured_run, reasons = MeasuredRun(options.folder, ROOT), read_reasons()
    measured_run.count_lines(python_files())
    if older := [file for file in python_files() if measured_run.is_older_than(file)]:
        print(f"Changed since `measure`, whose tests may be others: {', '.join(older)}")
    tried_keys = {
        trial.key
        for trial in read_trials(options.folder)
        if trial.outcome == "found" or not options.again or trial.key in reasons
    }
    with tempfile.TemporaryDirectory(prefix="assayer-mutants-") as name:
        tree = Path(name)
        copy_tree(tree)
        for i, mutant in enumerate(mutants, 1):
            text = (ROOT / mutant.file).read_bytes()
            if _key(mutant, text) in tried_keys or not mutant.file.startswith(options.within):
                continue
            covering_tests = measured_run.tests_of(mutant.file, mutant.line, mutant.statement)
            chosen_tests = measured_run.chosen(covering_tests, mutant.file, OF_TESTS)
            runs = [tests for tests in (options.tests, chosen_tests) if tests]
            trial = tried(mutant, text, runs, tree)._replace(
                n_tests=len(chosen_tests), n_covering=len(covering_tests)
            )
            with (options.folder / TRIALS).open("a") as file:
                file.write(json.dumps(trial._asdict()) + "\n")
            print(f"{i:4} {trial.seconds:5.1f} s  {_sentence(trial)}", flush=True)
    return 0


def tried(mutant: Mutant, text: bytes, runs: Sequence[Sequence[str]], tree: Path) -> Trial:
    """Make the change in the copy, run tests until one fails, and undo it."""
    start = time.monotonic()
    outcome, test = "no tests", ""
    (tree / mutant.file).write_bytes(mutant.applied_to(text))
    try:
        for tests in runs:
            outcome, test = outcome_of(tests, tree)
            if outcome == "found":
                break
    finally:
        (tree / mutant.file).write_bytes(text)
    seconds = round(time.monotonic() - start, 1)
    before, after = mutant.lines(text)
    return Trial(
        file=mutant.file,
        line=mutant.line,
        before=before,
        after=after,
        outcome=outcome,
        test=test,
        seconds=seconds,
        copy=mutant.copy,
    )


def outcome_of(tests: Sequence[str], tree: Path) -> tuple[str, str]:
    """Run tests until one fails; return the outcome and the test."""
    names = tree / "tests-to-run"
    names.write_text("\n".join(tests) + "\n")
    arguments = [f"@{names}", "--first-failure", "-x", "-q", "-p", "no:cacheprovider", "--color=no"]
    arguments += [f"--timeout={HANGS_AFTER}", "-otimeout_func_only=true", "--tb=no"]
    with suite(arguments, cwd=tree, output=subprocess.PIPE) as process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            process.communicate()
            return "out of time", ""
    if process.returncode == 0:
        return "survived", ""
    lines = output.decode(errors="replace").splitlines()
    failure_lines = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    if process.returncode in (TESTS_FAILED, NOT_LOADED) and failure_lines:
        return "found", failure_lines[0].partition(" - ")[0]
    return "broken", f"pytest ended with {process.returncode}: {lines[-1] if lines else ''}"


def read_trials(folder: Path, *, first: bool = False) -> list[Trial]:
    """Read what was tried; of a mutant that was tried again, the newest trial, or the first."""
    path = folder / TRIALS
    # the last line may have been cut short by a kill
    rows = path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []
    trials = [Trial(**json.loads(row)) for row in rows]
    return list({trial.key: trial for trial in (trials[::-1] if first else trials)}.values())


def trials_of(mutants: Iterable[Mutant], folder: Path, *, first: bool = False) -> list[Trial]:
    """Return the newest or first trials of these mutants, in their order."""
    trials = {trial.key: trial for trial in read_trials(folder, first=first)}
    texts = {file: (ROOT / file).read_bytes() for file in python_files()}
    keys = [_key(mutant, texts[mutant.file]) for mutant in mutants]
    return [trials[key] for key in keys if key in trials]


def read_reasons() -> dict[Key, str]:
    """Read why no test can tell a mutant from the code."""
    rows = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    return {
        (row["file"], row.get("copy", 0), row["before"], row["after"]): row["reason"]
        for row in rows
    }


def report(folder: Path, mutants: Sequence[Mutant]) -> int:
    """Print the survivors and their shares; the exit code is 0 where each has a reason.

    The interval is of the first trials: tests written for a survivor tell nothing of other mutants.
    """
    reasons = read_reasons()
    trials = trials_of(mutants, folder)
    survivors = survivors_of(trials, reasons)
    for trial in survivors:
        print(f"{_sentence(trial)}\n  - {trial.before}\n  + {trial.after}")
    for folder_name in PLACES:
        trials_within = [trial for trial in trials if trial.file.startswith(folder_name)]
        n_found = sum(trial.outcome == "found" for trial in trials_within)
        print(f"{folder_name:28}{len(trials_within):4} tried, {n_found:3} found")
    print(f"{len(trials)} of {len(mutants)} tried, {len(survivors)} survive and have no reason")
    first_trials = trials_of(mutants, folder, first=True)
    for name, equivalents in (("At first", reasons), ("At first, with the equivalent ones,", {})):
        n = sum(trial.key not in equivalents for trial in first_trials)
        n_survivors = len(survivors_of(first_trials, equivalents))
        if n:
            low, high = wilson(n_survivors, n)
            print(f"{name} {n_survivors} of {n} survived: {n_survivors / n:.1%}", end="")
            print(f", with 95 % from {low:.1%} to {high:.1%} (Wilson)")
    return int(bool(survivors) or len(trials) < len(mutants))


def survivors_of(trials: Iterable[Trial], reasons: Mapping[Key, str]) -> list[Trial]:
    """Return the trials in which no test found the mutant, but for those with a reason."""
    return [trial for trial in trials if trial.outcome != "found" and trial.key not in reasons]


def check(trials: Iterable[Trial]) -> int:
    """Run the tests that found something in a sound tree, where they must pass.

    Those that were renamed or moved since are left out.
    """
    finders = {trial.test.partition(" ")[2] for trial in trials if "::" in trial.test}
    tests = {test for test in finders if _stands(test)}
    if finders != tests:
        print(f"Left out, as they are not there any more: {', '.join(sorted(finders - tests))}")
    with tempfile.TemporaryDirectory(prefix="assayer-mutants-") as name:
        copy_tree(Path(name))
        return int(not pass_without_faults(sorted(tests), Path(name)))


def _stands(test: str) -> bool:
    """True if a test is still where it was."""
    path, _, name = test.partition("::")
    function = name.rpartition("::")[2].partition("[")[0]
    file = ROOT / path
    return file.exists() and f"def {function}(" in file.read_text()


def _sentence(trial: Trial) -> str:
    ran = f"{trial.n_tests} of {trial.n_covering} tests"
    return f"{trial.outcome}, {trial.test or ran}  {trial.file}:{trial.line}"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped; `run` goes on from here.")
