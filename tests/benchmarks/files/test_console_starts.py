"""Seconds until commands on files have answered, as the package is installed.

The median of ten runs each, a process a run; the first, which compiles the modules, is not counted.
Run: python3 manage.py test --heavy -s tests/benchmarks/files/test_console_starts.py
"""

import resource
import time
from pathlib import Path
from statistics import median

import pytest

from tests.assayer.installed_package import ROOT, Installation, built, source_copy

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(600)]
N_RUNS = 10
SHAPES = ROOT / "demo" / "shapes"
LABELS = "".join(f"u{u},{a},{u * a % 3}\n" for u in range(40) for a in range(3))
RUNS = [str(SHAPES / "runs" / f"{name}.forward.run.gz") for name in ("heron", "finch")]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The package in an environment of its own."""
    folder = tmp_path_factory.mktemp("package")
    wheel = built(source_copy(folder / "source"), folder / "built")
    return Installation(wheel, folder / "environment")


@pytest.mark.parametrize(
    ("words", "at_most"),
    [
        (["--help"], 0.3),
        (["agreement", "labels.csv", "--level", "nominal"], 0.5),
        (["evaluate", *RUNS, "--qrels", str(SHAPES / "reference.qrels")], None),
    ],
    ids=["help", "agreement", "evaluate"],
)
def test_a_command_answers_at_once(
    installation: Installation, tmp_path: Path, words: list[str], at_most: float | None
) -> None:
    (tmp_path / "labels.csv").write_text(f"unit,annotator,value\n{LABELS}")
    words = [str(tmp_path / word) if word == "labels.csv" else word for word in words]
    seconds, processor_seconds = [], []
    for _ in range(N_RUNS + 1):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        finished = installation.assayer(*words)
        seconds.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor_seconds.append(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        )
        assert finished.returncode == 0, finished.stderr
    wall, processor = median(seconds[1:]), median(processor_seconds[1:])
    print(f"\nassayer {words[0]}: {wall:.3f} s, {processor:.3f} s of a processor")
    assert at_most is None or wall < at_most
