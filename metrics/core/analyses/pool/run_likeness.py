"""Likeness of every two runs over the queries that both answer."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals
from pooling.core.likeness.likeness import likeness_of_parts
from pooling.core.likeness.overlap import overlap
from pooling.core.likeness.rankings import Rankings
from pooling.core.strategies.selections import RankedPairs, rows_of, truncate

DEPTHS = (50, 20, 10)  # the first that the budget allows; the last whatever it costs
BUDGET = 50_000_000  # pairs of runs x queries x ranks: some seconds
SOURCES_A_PART = 2_000
MOST_WITH_INTERVALS = 20  # runs


class RunPairLikeness(NamedTuple):
    """Likeness of two runs: means over the n queries that both answer, None without one.

    first, second : positions of the runs; n_groups : of the n queries
    overlap : share of the first k, of the longer ranking where both are shorter, that both hold,
        with its 95 % interval; rbo : extrapolated
    truncated : the sum of RBO over the first k ranks, as FIRE's Table 3 prints it for k = 10; below
        1 for a run with itself
    tau : Kendall's, over n_tau queries of which both hold two targets at least
    first_in_second : rank that the second run gives the first run's top target, one more than its
        depth where it lacks it; second_in_first : the other way round
    """

    first: int
    second: int
    n: int
    n_groups: int
    overlap: float | None
    interval: Interval
    rbo: float | None
    truncated: float | None
    tau: float | None
    n_tau: int
    first_in_second: float | None
    second_in_first: float | None


def depth_within_budget(*, n_runs: int, n_queries: int) -> int:
    """The ranks of each run that are compared."""
    cells = n_runs**2 * n_queries
    return next((depth for depth in DEPTHS if cells * depth <= BUDGET), DEPTHS[-1])


def run_likeness(
    runs: Sequence[RankedPairs], *, sources: NDArray[np.int64], groups: Groups, k: int, p: float
) -> list[RunPairLikeness]:
    """Compare each two of S runs.

    runs : rows by source and rank, with ranks 1, 2, ... without a gap
    sources : (Q,) ascending keys; groups : of these queries, each of which counts once
    k : of the overlap and of truncated sums
    p : persistence of rank-biased overlap (Webber, Moffat & Zobel 2010, Eq. 32)
    Intervals of up to 20 runs.
    """
    matrices, n_tau = likeness_of_parts(_parts(runs, sources), n_runs=len(runs), k=k, p=p)
    answers = np.array([np.isin(sources, run.source) for run in runs])
    tops = []
    for run in runs if len(runs) <= MOST_WITH_INTERVALS else ():
        near = truncate(run, k)
        ends = np.searchsorted(near.source, sources, side="right")
        tops.append(Rankings(np.append(0, ends), near.target))
    pairs = []
    for i, j in combinations(range(len(runs)), 2):
        interval, both = NO_INTERVAL, answers[i] & answers[j]
        if tops:
            values = overlap(tops[i], tops[j], k=k)[both]
            of_both = Groups.of(groups.of_query[both])
            (interval,) = mean_intervals(values[None, :], are_shares=True, groups=of_both)
        numbers = {
            name: float(value) if np.isfinite(value := matrix[i, j]) else None
            for name, matrix in matrices._asdict().items()
        }
        back = matrices.favourite[j, i]
        pair = RunPairLikeness(
            first=i,
            second=j,
            n=int(matrices.n_sources[i, j]),
            n_groups=int(np.count_nonzero(np.bincount(groups.of_query[both]))),
            overlap=numbers["overlap"],
            interval=interval,
            rbo=numbers["rbo"],
            truncated=numbers["truncated"],
            tau=numbers["tau"],
            n_tau=int(n_tau[i, j]),
            first_in_second=numbers["favourite"],
            second_in_first=float(back) if np.isfinite(back) else None,
        )
        pairs.append(pair)
    return pairs


def _parts(runs: Sequence[RankedPairs], sources: NDArray[np.int64]) -> Iterator[list[RankedPairs]]:
    """The rows of some sources at a time."""
    for start in range(0, len(sources), SOURCES_A_PART):
        part = sources[start : start + SOURCES_A_PART]
        ends = [
            slice(*np.searchsorted(run.source, [part[0], part[-1] + 1]).tolist()) for run in runs
        ]
        yield [
            rows_of(run, np.arange(rows.start, rows.stop))
            for run, rows in zip(runs, ends, strict=True)
        ]
