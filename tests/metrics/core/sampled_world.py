"""A simulated world of known grades, two overlapping pools that sample it, and unjudged pairs."""

from typing import NamedTuple

import numpy as np

from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from metrics.core.measures.inferred_measures import WeightedSample

N_QUERIES, N_DOCS, DEPTH = 30, 300, 60
Rates = tuple[float, float, float]
RATES = (1.0, 0.5, 0.2)  # of a pool's first stratum, its second, and the rest
NOWHERE = len(RATES)  # the stratum of what a pool does not hold
UNJUDGED = 0.2  # of what was drawn
NOISE = (1.0, 1.6, 2.5)  # of the runs, the best first


class World(NamedTuple):
    """grade : (Q, M) 0 to 3; runs : of each its (Q, D) documents, best first."""

    grade: np.ndarray
    runs: list[np.ndarray]

    def strata(self, runs: list[int]) -> np.ndarray:
        """(Q, M) the stratum in a pool of these runs, by the best rank that one of them gives."""
        best = np.full(self.grade.shape, N_DOCS)
        for run in runs:
            rank = np.full(self.grade.shape, N_DOCS)
            np.put_along_axis(rank, self.runs[run], np.arange(1, DEPTH + 1), axis=1)
            best = np.minimum(best, rank)
        return np.digitize(best, [6, 21, DEPTH + 1])

    def ranked(self, run: int, pairs: np.ndarray, grade: np.ndarray) -> RankedGrades:
        """A run with the grades of some pairs, which are flat places in (Q, M)."""
        rankings = Rankings(np.arange(N_QUERIES + 1) * DEPTH, self.runs[run].ravel())
        return align(rankings, LabelledPairs(*np.divmod(pairs, N_DOCS), grade))


class Sample(NamedTuple):
    """(Q, M) whether each pair was drawn and judged, and its chance of being drawn."""

    is_drawn: np.ndarray
    is_judged: np.ndarray
    chance: np.ndarray


def world(seed: int = 1) -> World:
    """Make a world: 1 in 15 of all documents are positive, unevenly over queries.

    Runs hold half of them.
    """
    rng = np.random.default_rng(seed)
    shape = N_QUERIES, N_DOCS
    grade = np.minimum(rng.gamma(0.35, 1.1, shape).astype(int), 3)
    grade *= rng.random(shape) < rng.uniform(0.3, 1, (N_QUERIES, 1))
    runs = [
        np.argsort(-(grade + rng.normal(0, noise, shape)), axis=1)[:, :DEPTH] for noise in NOISE
    ]
    return World(grade, runs)


def draw_pairs(
    stratum: np.ndarray, rates: Rates, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(Q, M) pairs that a pool draws, each stratum without replacement, and their chance n / N."""
    size = np.stack([(stratum == s).sum(axis=1) for s in range(NOWHERE)])
    n = np.append(np.ceil(np.array(rates)[:, None] * size - 1e-9), np.zeros((1, N_QUERIES)), axis=0)
    share = n / np.append(np.maximum(size, 1), np.ones((1, N_QUERIES)), axis=0)
    query = np.arange(N_QUERIES)[:, None]
    key = rng.random(stratum.shape) + stratum
    order = np.argsort(key, axis=1)
    position = np.empty_like(order)
    np.put_along_axis(position, order, np.broadcast_to(np.arange(N_DOCS), stratum.shape), axis=1)
    first = np.append(np.zeros((1, N_QUERIES)), np.cumsum(size, axis=0), axis=0)
    return position - first[stratum, query] < n[stratum, query], share[stratum, query]


def sample(
    strata: list[np.ndarray],
    rng: np.random.Generator,
    *,
    rates: Rates = RATES,
    unjudged: float = UNJUDGED,
) -> Sample:
    """The pairs that pools with these strata draw together; a share is left unjudged at random."""
    is_drawn, missed = np.zeros_like(strata[0], dtype=bool), np.ones(strata[0].shape)
    for stratum in strata:
        by_pool, chance = draw_pairs(stratum, rates, rng)
        is_drawn |= by_pool
        missed *= 1 - chance
    pairs = np.flatnonzero(is_drawn)
    is_judged = is_drawn.copy()
    is_judged.flat[rng.permutation(pairs)[: round(unjudged * len(pairs))]] = False
    return Sample(is_drawn, is_judged, 1 - missed)


def weighted(
    world_of_runs: World, run: int, strata: list[np.ndarray], sample_of_pairs: Sample
) -> WeightedSample:
    """A run over all drawn pairs; cells are the strata of all pools."""
    pairs = np.flatnonzero(sample_of_pairs.is_drawn)
    cell = np.zeros_like(strata[0])
    for stratum in strata:
        cell = cell * (NOWHERE + 1) + stratum
    grade = np.where(sample_of_pairs.is_judged, world_of_runs.grade, -1)
    return WeightedSample(
        world_of_runs.ranked(run, pairs, grade.flat[pairs]),
        sample_of_pairs.chance.flat[pairs],
        cell.flat[pairs],
    )
