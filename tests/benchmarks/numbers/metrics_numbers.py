"""Speed of the metrics beside the tools people use: prints a table. Not a test.

    python -m tests.benchmarks.numbers.metrics_numbers [--small] [--cpu] [--repeat 5]
        [--only ranking,alpha]

Every peer runs in the same process from its own in-memory form, made before the clock starts; times
are medians after a warm-up run. Peers that are not installed (ranx, pyarrow and pandas are no
dependencies of ours) are left out by name.
"""

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.benchmarks.numbers import metrics_workloads as workloads

Clock = Callable[[], float]
SECTIONS = {
    "ranking": workloads.ranking,
    "matrix": workloads.matrix,
    "parse": workloads.parse,
    "alpha": workloads.alpha,
    "planner": workloads.planner,
    "newman-keuls": workloads.newman_keuls,
}


class Row(NamedTuple):
    """A row of the table; seconds are medians, `peak` our peak memory beyond the input, in MB."""

    work: str
    ours: float
    peer: str
    theirs: float | None
    goal: str
    peak: float | None


def median_of(work: Callable[[], Any], repeat: int, clock: Clock) -> float:
    """Median seconds of `repeat` runs, after a warm-up run."""
    work()
    seconds = []
    for _ in range(repeat):
        start = clock()
        work()
        seconds.append(clock() - start)
    return statistics.median(seconds)


def peak_of(work: Callable[[], Any]) -> float:
    """Peak megabytes of arrays made during the work; numpy reports its memory to tracemalloc."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def contest_rows(contest: workloads.Contest, repeat: int, clock: Clock) -> Iterator[Row]:
    """A row for each peer; a slow one, which gets a part of the work, runs once."""
    ours = median_of(contest.ours, repeat, clock)
    peak = peak_of(contest.ours) if contest.memory else None
    for peer, work in contest.peers.items():
        if work is None:
            yield Row(contest.work, ours, f"{peer} (not installed)", None, contest.goal, peak)
        elif peer in contest.scale:
            start = clock()
            work()
            yield Row(
                contest.work,
                ours,
                peer,
                contest.scale[peer] * (clock() - start),
                contest.goal,
                peak,
            )
        else:
            yield Row(contest.work, ours, peer, median_of(work, repeat, clock), contest.goal, peak)
    if not contest.peers:
        yield Row(contest.work, ours, "", None, contest.goal, peak)


def markdown_table(rows: list[Row]) -> str:
    """The table in Markdown."""
    lines = [
        "| work | ours | peer | peer's | ratio | goal | peak MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        theirs = "" if row.theirs is None else f"{row.theirs:.4g} s"
        ratio = "" if row.theirs is None else f"{row.theirs / row.ours:.1f}x"
        peak = "" if row.peak is None else f"{row.peak:.0f}"
        lines.append(
            f"| {row.work} | {row.ours:.4g} s | {row.peer} | {theirs} | {ratio} | {row.goal} | "
            f"{peak} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the chosen sections."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the sizes")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument(
        "--cpu",
        action="store_true",
        help="processor seconds of all threads: for a machine that is shared",
    )
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    rows: list[Row] = []
    for name in options.only.split(","):
        for contest in SECTIONS[name](options.small):
            section_rows = list(contest_rows(contest, options.repeat, clock))
            print(markdown_table(section_rows), flush=True)
            rows += section_rows
    print("\n" + markdown_table(rows))


if __name__ == "__main__":
    main()
