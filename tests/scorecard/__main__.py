"""The scorecard: measures the product's promises, and writes docs/reliability.md.

    python -m tests.scorecard                       all rows
    python -m tests.scorecard A1 B2 --share 0.05    some of them, at a twentieth of the size

All rows take an hour or two on two cores, where it is quiet. Each row is a pytest run of its own. A
failed one stands on the page as failed, and the next one begins. Rows that are not run keep their
last result. The exit code is 0 only if every row that was run met its goals.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.scorecard.results import Result, load, page, save
from tests.scorecard.rows import FIGURES, ROWS, ScorecardRow

ROOT = Path(__file__).resolve().parents[2]
FAILED = re.compile(r"^(?:FAILED|ERROR) \S+?(?:\[.*?\])? - (.+)$", re.MULTILINE)
SECONDS = 4 * 3600  # limit for a test that hangs


def main(arguments: Sequence[str]) -> int:
    """Measure the rows that are named, or all; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.scorecard", description="Measure what is promised."
    )
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help=f"of {', '.join(row.id for row in ROWS)}; all by default",
    )
    parser.add_argument("--share", type=float, default=1, help="of the sizes that are wanted")
    parser.add_argument(
        "--to", type=Path, default=ROOT / "docs", metavar="FOLDER", help="where the page is written"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.ids) - {row.id for row in ROWS}:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    options.to.mkdir(parents=True, exist_ok=True)
    results = load(options.to / "reliability.json")
    all_met = True
    for row in [row for row in ROWS if not options.ids or row.id in options.ids]:
        result = results[row.id] = measure(row, options.share)
        save(
            {row.id: results[row.id] for row in ROWS if row.id in results},
            options.to / "reliability.json",
        )
        (options.to / "reliability.md").write_text(page(ROWS, results))
        print(f"{row.id}: {result.outcome(row)}", flush=True)
        all_met &= result.is_met()
    return 0 if all_met else 1


def measure(row: ScorecardRow, share: float) -> Result:
    """Run a row's tests in a process of their own; returns the result."""
    result = Result(row.id, f"{datetime.now(UTC):%Y-%m-%d}", commit(), machine())
    start = time.monotonic()
    with tempfile.NamedTemporaryFile("r", prefix="figures-") as figures_file:
        command = [
            sys.executable,
            "manage.py",
            "test",
            "--heavy",
            f"--share={share}",
            f"--timeout={SECONDS}",
            row.node,
        ]
        result.failure = run(command, figures_file.name)
        result.read_lines(figures_file)
    result.seconds = round(time.monotonic() - start, 1)
    return result


def run(command: Sequence[str], figures_file: str) -> str:
    """Run a row's tests, showing their output; returns the reason of failure, "" if they passed."""
    output = []
    env = {**os.environ, FIGURES: figures_file, "COLUMNS": "400", "PYTEST_ADDOPTS": "--color=no"}
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=env, **pipe) as tests:
        for line in tests.stdout or ():
            print(line, end="", flush=True)
            output.append(line)
    if tests.returncode == 0:
        return ""
    reasons = FAILED.findall("".join(output)) or [line.strip("= \n") for line in output[-1:]]
    return (
        "; ".join(dict.fromkeys(reasons))[:500].replace("|", "/")
        or f"it ended with {tests.returncode}"
    )


def commit() -> str:
    """The measured commit, with a mark if files differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        ).stdout.strip()

    name = git("rev-parse", "--short=12", "HEAD") or "no commit"
    return f"{name} with changes" if git("status", "--porcelain", "--", ".", ":!docs") else name


def machine() -> str:
    """Cores, memory and processor of this machine."""
    memory = Path("/proc/meminfo").read_text()
    kib = int(re.search(r"MemTotal:\s+(\d+)", memory)[1])  # type: ignore[index]  # Linux says it
    model = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return (
        f"{os.cpu_count()} cores, {kib / 2**20:.0f} GiB, "
        f"{model[1] if model else os.uname().machine}"
    )


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped; what was measured before is kept.")
