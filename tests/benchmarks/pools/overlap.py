"""Overlap and RBO of all pairs of 100 runs, beside PyPI's rbo: prints a table. Not a test.

    python -m tests.benchmarks.pools.overlap [--runs 100] [--topics 10] [--depth 100]

rbo is no dependency of ours, as its metadata excludes numpy 2: `pip install --no-deps rbo tqdm`. It
gets lists, ready in memory, and gives the extrapolated RBO of two; the loop computes the overlap at
10 with sets. Ours gives both for all pairs, means over the topics.
"""

import argparse
import time
from itertools import combinations
from statistics import median

import numpy as np
import rbo

from pooling.core.likeness.run_agreement import agreement
from pooling.core.strategies.selections import RankedPairs

K, P, N_TARGETS = 10, 0.9, 5_000


def make_lists(n_runs: int, n_topics: int, depth: int) -> list[list[list[int]]]:
    """Targets by run and topic, best first: one hidden order with noise, as systems agree."""
    rng = np.random.default_rng(11)
    runs: list[list[list[int]]] = [[] for _ in range(n_runs)]
    for _ in range(n_topics):
        hidden = np.sort(rng.normal(size=4 * depth))
        names = rng.choice(N_TARGETS, len(hidden), replace=False)
        for topics in runs:
            topics.append(
                names[np.argsort(-(hidden + rng.normal(0, 0.5, len(hidden))))[:depth]].tolist()
            )
    return runs


def ranked_pairs(topics: list[list[int]]) -> RankedPairs:
    """A run in the form of our code."""
    source = np.repeat(np.arange(len(topics)), [len(targets) for targets in topics])
    rank = np.concatenate([np.arange(1, len(targets) + 1) for targets in topics])
    return RankedPairs(source, np.concatenate([np.array(targets) for targets in topics]), rank)


def agreement_by_loop(lists: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    """(S, S) overlap and RBO, two runs and one topic at a time."""
    overlap, rbo_values = np.eye(len(lists)), np.eye(len(lists))
    for a, b in combinations(range(len(lists)), 2):
        both = list(zip(lists[a], lists[b], strict=True))
        overlap[a, b] = np.mean(
            [len(set(first[:K]) & set(second[:K])) / K for first, second in both]
        )
        rbo_values[a, b] = np.mean(
            [rbo.RankingSimilarity(first, second).rbo_ext(p=P) for first, second in both]
        )
    return overlap, rbo_values


def main() -> None:
    """Time both on the same runs, and print their largest differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("runs", 100), ("topics", 10), ("depth", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    lists = make_lists(arguments.runs, arguments.topics, arguments.depth)
    rows = [ranked_pairs(topics) for topics in lists]
    start = time.perf_counter()
    overlap, rbo_values = agreement_by_loop(lists)
    loop_seconds = time.perf_counter() - start
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        result = agreement(rows, k=K, p=P)
        seconds.append(time.perf_counter() - start)
    upper = np.triu_indices(arguments.runs, k=1)
    print(
        f"{arguments.runs} runs x {arguments.topics} topics x {arguments.depth}: "
        f"{len(upper[0]):,} pairs of runs"
    )
    print(
        f"rbo in a loop {loop_seconds:9.2f} s    ours {median(seconds):8.4f} s    "
        f"{loop_seconds / median(seconds):6.0f} x"
    )
    for name, ours, loop in (
        ("overlap@10", result.overlap, overlap),
        ("RBO", result.rbo, rbo_values),
    ):
        print(f"largest difference of {name}: {np.abs(ours - loop)[upper].max():.1e}")


if __name__ == "__main__":
    main()
