"""Time to keep the 100 best of each row of a similarity matrix, beside numpy's argpartition.

    python -m tests.benchmarks.files.matrices [--rows 25000] [--columns 5000] [--repeats 5]

Both start from float32 scores in memory. Ours also refuses NaN, breaks ties by id, and gives
rows of ids and scores.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np

from pooling.core.files.binary.matrices import DEPTH, MatrixBlock, keep_best, rows_at_once


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Median seconds of `repeats` runs, after a warm-up run."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def main() -> None:
    """Print the seconds of both, and our peak memory."""
    parser = argparse.ArgumentParser()
    for name, usual in (("rows", 25_000), ("columns", 5_000), ("repeats", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    arguments = parser.parse_args()
    matrix = np.random.default_rng(1).standard_normal(
        (arguments.rows, arguments.columns), dtype=np.float32
    )
    rows, columns = (np.arange(n).astype(np.bytes_) for n in matrix.shape)
    step = rows_at_once(arguments.columns)

    def ours() -> int:
        starts = range(0, arguments.rows, step)
        blocks = (
            MatrixBlock(rows, columns, start, matrix[start : start + step]) for start in starts
        )
        return sum(len(part.run.scores) for part in keep_best(blocks, "matrix"))

    assert ours() == arguments.rows * min(DEPTH, arguments.columns)
    own = median_seconds(ours, arguments.repeats)
    theirs = median_seconds(
        lambda: np.argpartition(matrix, -DEPTH, axis=1)[:, -DEPTH:], arguments.repeats
    )
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    print(
        f"{arguments.rows:,} x {arguments.columns:,}: ours {own:.2f} s, {peak:.0f} MB; "
        f"argpartition {theirs:.2f} s; {own / theirs:.2f} x it"
    )


if __name__ == "__main__":
    main()
