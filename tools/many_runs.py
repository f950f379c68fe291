"""Repeat the test suite, beside burning processes too, and write down each run.

    .venv/bin/python tools/many_runs.py 8 --burdened 3              # eight green, three burdened
    .venv/bin/python tools/many_runs.py 8 --burdened 3 -- --full    # the same of another size

A run is a line of var/many-runs.tsv. Those of the same code with the same arguments count: stopped
by Ctrl-C, the same command goes on. A red run ends it, keeps its output and begins the count anew.
"""

import argparse
import csv
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from suite import ROOT, die_with_parent, require_packages, stop_as_by_ctrl_c, suite

TABLE = ROOT / "var" / "many-runs.tsv"
BURN = "while True: pass"
CHANGED = "changed"  # result of a green run whose code changed before its end
NOT_RUN = (4, 5)  # exit codes of pytest for wrong arguments, and where they choose no test
N_BURNERS = 2  # as many as the cores that the suite is made for


class SuiteRun(NamedTuple):
    """One run of the suite, a line of the table.

    code : the commit, and behind it a hash of what differs from that
    seconds : on the wall; test_seconds : of all tests, added up; processor_seconds : of all
        processes of the run
    largest : MiB of its largest process
    """

    begun_at: str
    code: str
    arguments: str
    n_burners: int
    result: str
    n_passed: int
    n_failed: int
    seconds: int
    test_seconds: int
    processor_seconds: int
    largest: int
    failures: str

    @classmethod
    def of_row(cls, row: dict[str, str]) -> Self:
        """Make the run of a line of the table."""
        return cls(
            *(
                int(row[name]) if kind is int else row[name]
                for name, kind in cls.__annotations__.items()
            )
        )


def main() -> int:
    """Run the suite until the requested number of runs is green in a row.

    The exit code is 0 then.
    """
    parser = argparse.ArgumentParser(
        usage="%(prog)s [--burdened N] RUNS [-- ARGUMENTS]",
        description="Repeat the test suite and write down each run.",
    )
    parser.add_argument("runs", type=int, help="how many green runs in a row are wanted")
    parser.add_argument(
        "--burdened", type=int, default=0, help="how many of them beside two burning processes"
    )
    parser.epilog = "What stands after -- is handed to `manage.py test`."
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, arguments = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    if not 0 <= options.burdened <= options.runs > 0:
        parser.error("at least one run is wanted, and no more burdened ones than runs")
    require_packages()
    stop_as_by_ctrl_c()
    TABLE.parent.mkdir(exist_ok=True)
    print(*SuiteRun._fields, sep="\t")
    while missing_runs := burners_of_missing_runs(
        green_streak(code(), shlex.join(arguments)), options.runs, options.burdened
    ):
        run, log = run_once(arguments, n_burners=missing_runs[0])
        add_line(run)
        print(*run, sep="\t", flush=True)
        if run.result == CHANGED:
            print(
                "The code was changed meanwhile, so this run counts for none; begun anew.",
                flush=True,
            )
        elif run.result != "green":
            print(f"Red: its output is {log}.")
            return 1
        log.unlink()
    print(f"{options.runs} green runs in a row: {TABLE}")
    return 0


def code() -> str:
    """The tested code: the commit, and a hash of the tree, new files too, where that differs."""

    def git(*command: str, **environment: str) -> str:
        env = {**os.environ, **environment}
        return subprocess.check_output(["git", *command], cwd=ROOT, env=env, text=True).strip()

    commit = git("rev-parse", "--short", "HEAD")
    if not git("status", "--porcelain"):
        return commit
    with tempfile.TemporaryDirectory() as folder:  # a separate index: staged files stay staged
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        git("add", "--all", **index)
        return f"{commit}+{git('write-tree', **index)[:7]}"


def green_streak(code: str, arguments: str) -> list[SuiteRun]:
    """The runs of the same code with the same arguments since the last red one."""
    streak: list[SuiteRun] = []
    if TABLE.exists():
        with TABLE.open(newline="") as lines:
            for run in map(SuiteRun.of_row, csv.DictReader(lines, delimiter="\t")):
                if (run.code, run.arguments) == (code, arguments):
                    streak = [*streak, run] if run.result == "green" else []
    return streak


def burners_of_missing_runs(streak: Sequence[SuiteRun], n_runs: int, n_burdened: int) -> list[int]:
    """The number of burners of each missing run; a burdened run counts for a calm one too."""
    n_missing_burdened = max(0, n_burdened - sum(run.n_burners > 0 for run in streak))
    calm = max(0, n_runs - len(streak) - n_missing_burdened)
    return [0] * calm + [N_BURNERS] * n_missing_burdened


def run_once(arguments: Sequence[str], *, n_burners: int) -> tuple[SuiteRun, Path]:
    """Run the suite with this interpreter; return the run and the file of its output."""
    begun_at, start, code_before = datetime.now(UTC), time.monotonic(), code()
    log = TABLE.with_name(f"many-runs-{begun_at:%Y%m%dT%H%M%S%f}.log")
    try:
        with (
            log.open("wb") as output,
            burning_processes(n_burners),
            suite(arguments, cwd=ROOT, output=output) as process,
        ):
            usage = wait_for_end(process)
    except KeyboardInterrupt:
        log.unlink()
        raise
    text = log.read_text(errors="replace")
    result = "red" if process.returncode else "green" if code() == code_before else CHANGED
    if process.returncode in NOT_RUN:
        log.unlink()
        sys.exit(text)
    run = SuiteRun(
        begun_at=begun_at.strftime("%Y%m%dT%H%M%SZ"),
        code=code_before,
        arguments=shlex.join(arguments),
        n_burners=n_burners,
        result=result,
        n_passed=number(r"(\d+) passed", text),
        n_failed=number(r"(\d+) failed", text) + number(r"(\d+) error", text),
        seconds=round(time.monotonic() - start),
        test_seconds=number(r"own seconds, added up: (\d+)", text),
        processor_seconds=round(usage.ru_utime + usage.ru_stime),
        largest=usage.ru_maxrss // 1024,
        failures=" ".join(re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)),
    )
    return run, log


def wait_for_end(process: subprocess.Popen[bytes]) -> resource.struct_rusage:
    """Wait for the end of a process; return the resources that it and all its children used."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


@contextmanager
def burning_processes(n: int) -> Iterator[None]:
    """Run n processes that use all the time of the cores."""
    end = die_with_parent(signal.SIGKILL)
    burners = [
        subprocess.Popen([sys.executable, "-c", BURN], preexec_fn=end)  # noqa: PLW1509 - one thread
        for _ in range(n)
    ]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def number(pattern: str, text: str) -> int:
    """The last match of a pattern in a text, as a number; 0 without one."""
    return int((re.findall(pattern, text) or [0])[-1])


def add_line(run: SuiteRun) -> None:
    """Append a run to the table, with a header if it is new."""
    is_new = not TABLE.exists()
    with TABLE.open("a", newline="") as lines:
        writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
        writer.writerows([SuiteRun._fields, run] if is_new else [run])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped: the same command goes on from here.")
