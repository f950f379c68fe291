"""Keeping the 100 best of each row of a similarity matrix, beside numpy's argpartition of the whole matrix.

    python -m tests.benchmarks.matrices [--rows 25000] [--columns 5000] [--repeats 5]

Both start from float32 scores in memory. Ours also refuses NaN, breaks ties by id, and gives rows of ids and scores.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np

from pooling.core.matrices import DEPTH, Block, keep_best, rows_at_once


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Median seconds of some runs, after one that does not count."""
    work()
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return median(taken)


def main() -> None:
    """Print one line for each."""
    parser = argparse.ArgumentParser()
    for name, usual in (("rows", 25_000), ("columns", 5_000), ("repeats", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    matrix = np.random.default_rng(1).standard_normal((given.rows, given.columns), dtype=np.float32)
    rows, columns = (np.arange(n).astype(np.bytes_) for n in matrix.shape)
    step = rows_at_once(given.columns)

    def ours() -> int:
        starts = range(0, given.rows, step)
        blocks = (Block(rows, columns, start, matrix[start : start + step]) for start in starts)
        return sum(len(part.run.scores) for part in keep_best(blocks, "matrix"))

    assert ours() == given.rows * min(DEPTH, given.columns)
    own = seconds(ours, given.repeats)
    theirs = seconds(lambda: np.argpartition(matrix, -DEPTH, axis=1)[:, -DEPTH:], given.repeats)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    print(f"{given.rows:,} x {given.columns:,}: ours {own:.2f} s, {peak:.0f} MB; argpartition {theirs:.2f} s; "
          f"{own / theirs:.2f} x it")  # fmt: skip


if __name__ == "__main__":
    main()
