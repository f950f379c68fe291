"""How alike all pairs of 100 runs are, beside PyPI's rbo in a loop: prints a table. Not a test.

    python -m tests.benchmarks.overlap [--runs 100] [--topics 10] [--depth 100]

rbo is no dependency of ours, as it refuses numpy 2 by its word alone: `pip install --no-deps rbo tqdm` beside it. It
gets lists, ready in memory, and gives the extrapolated RBO of two; the loop takes the share of the first 10 both hold
with sets. Ours gives both for all pairs, means over the topics.
"""

import argparse
import time
from itertools import combinations
from statistics import median

import numpy as np
import rbo

from pooling.core.agreement import agreement
from pooling.core.selections import RankedPairs

K, P, N_TARGETS = 10, 0.9, 5_000


def made_lists(n_runs: int, n_topics: int, depth: int) -> list[list[list[int]]]:
    """By run and topic, targets best first: one hidden order with noise, as systems agree."""
    rng = np.random.default_rng(11)
    runs: list[list[list[int]]] = [[] for _ in range(n_runs)]
    for _ in range(n_topics):
        hidden = np.sort(rng.normal(size=4 * depth))
        names = rng.choice(N_TARGETS, len(hidden), replace=False)
        for topics in runs:
            topics.append(names[np.argsort(-(hidden + rng.normal(0, 0.5, len(hidden))))[:depth]].tolist())
    return runs


def as_rows(topics: list[list[int]]) -> RankedPairs:
    """A run as ours takes it."""
    source = np.repeat(np.arange(len(topics)), [len(targets) for targets in topics])
    rank = np.concatenate([np.arange(1, len(targets) + 1) for targets in topics])
    return RankedPairs(source, np.concatenate([np.array(targets) for targets in topics]), rank)


def in_a_loop(lists: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    """(S, S) overlap and RBO, two runs and one topic at a time."""
    overlap, alike = np.eye(len(lists)), np.eye(len(lists))
    for a, b in combinations(range(len(lists)), 2):
        both = list(zip(lists[a], lists[b], strict=True))
        overlap[a, b] = np.mean([len(set(one[:K]) & set(other[:K])) / K for one, other in both])
        alike[a, b] = np.mean([rbo.RankingSimilarity(one, other).rbo_ext(p=P) for one, other in both])
    return overlap, alike


def main() -> None:
    """Time both on the same runs, and say how far they differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("runs", 100), ("topics", 10), ("depth", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    lists = made_lists(given.runs, given.topics, given.depth)
    rows = [as_rows(topics) for topics in lists]
    begun = time.perf_counter()
    overlap, alike = in_a_loop(lists)
    theirs = time.perf_counter() - begun
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        found = agreement(rows, k=K, p=P)
        seconds.append(time.perf_counter() - begun)
    upper = np.triu_indices(given.runs, k=1)
    print(f"{given.runs} runs x {given.topics} topics x {given.depth}: {len(upper[0]):,} pairs of runs")
    print(f"rbo in a loop {theirs:9.2f} s    ours {median(seconds):8.4f} s    {theirs / median(seconds):6.0f} x")
    for name, ours, loop in (("overlap@10", found.overlap, overlap), ("RBO", found.rbo, alike)):
        print(f"largest difference of {name}: {np.abs(ours - loop)[upper].max():.1e}")


if __name__ == "__main__":
    main()
