"""Simulated annotators and retrieval systems, to rehearse a campaign with known truth.

Grades are opaque integers with an order; `levels` lists those of the scheme and `positive_from` is
the lowest one that counts as relevant. Randomness always comes from the caller.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

Generator = np.random.Generator


class SimulatedAnnotator(NamedTuple):
    """The quality of one simulated annotator.

    sensitivity : share of truly relevant pairs given a relevant level, in [0, 1]
    specificity : share of truly irrelevant pairs given an irrelevant level, in [0, 1]
    spread      : how far labels stray within their side of the threshold, in [0, 1]: a level d
                  steps away from the nearest possible one is spread**d times as likely; 0 never
                  strays, 1 picks any level of that side
    seconds     : median time for one judgment
    """

    sensitivity: float = 0.9
    specificity: float = 0.995
    spread: float = 0.2
    seconds: float = 6.0


class SimulatedRanking(NamedTuple):
    """The rankings of a simulated system for the Q rows of its similarity matrix.

    targets : (Q, k) column numbers of the ranked targets, best first
    scores  : (Q, k) their scores, falling along each row
    """

    targets: np.ndarray
    scores: np.ndarray


def label(
    true_grade: int,
    *,
    annotator: SimulatedAnnotator,
    levels: Sequence[int],
    positive_from: int,
    rng: Generator,
) -> int:
    """Draw the level that an annotator gives a pair of known grade, by the row of her `confusion`.

    Raises KeyError for a true grade that is no level.
    """
    return _cumulative(annotator, tuple(sorted(levels)), positive_from)[true_grade](
        float(rng.random())
    )


@lru_cache(maxsize=256)
def _cumulative(
    annotator: SimulatedAnnotator, levels: tuple[int, ...], positive_from: int
) -> dict[int, Callable[[float], int]]:
    """For each true level, a function from a uniform draw in [0, 1) to the given level."""
    table = np.cumsum(confusion(annotator, levels=levels, positive_from=positive_from), axis=1)[
        :, :-1
    ].tolist()
    return {
        level: partial(_fall_on, bounds, levels)
        for level, bounds in zip(levels, table, strict=True)
    }


def _fall_on(bounds: list[float], levels: tuple[int, ...], draw: float) -> int:
    return levels[bisect_right(bounds, draw)]


def confusion(
    annotator: SimulatedAnnotator, *, levels: Sequence[int], positive_from: int
) -> np.ndarray:
    """Probability of each given level (columns) for each true level (rows), levels ascending.

    Rows sum to 1.
    The mass at or above `positive_from` is exactly the sensitivity in relevant rows and 1 -
    specificity in the others.
    Raises ValueError where one side of the threshold has no level.
    """
    ascending_levels = sorted(levels)
    relevant = np.array([level >= positive_from for level in ascending_levels])
    if relevant.all() or not relevant.any():
        raise ValueError(
            f"No level on one side of the threshold {positive_from}: levels are {ascending_levels}."
        )
    rank = np.arange(len(ascending_levels))
    table = np.zeros((len(ascending_levels), len(ascending_levels)))
    for true in rank:
        right = annotator.sensitivity if relevant[true] else annotator.specificity
        same_side = relevant == relevant[true]
        for side, mass in ((same_side, right), (~same_side, 1 - right)):
            steps = np.abs(rank - true)[side]
            weights = annotator.spread ** (steps - steps.min()).astype(float)
            table[true, side] = mass * weights / weights.sum()
    return table


def judging_seconds(annotator: SimulatedAnnotator, *, rng: Generator) -> float:
    """Draw the time for one judgment: log-normal around the median, so that a few take long."""
    return float(annotator.seconds * np.exp(rng.normal(0.0, 0.4)))


def similarity(
    signal: np.ndarray, *, noise: float, hardness: np.ndarray, shared_part: float, rng: Generator
) -> np.ndarray:
    """(Q, D) scores of a system that sees the truth through noise, for both directions.

    signal : (Q, D) its scores without noise, larger is better
    noise : standard deviation of all its noise, in units of the signal
    hardness : (Q, D) draws of N(0, 1) that the systems of a study have in common
    shared_part : share of the noise's variance that comes from hardness, in [0, 1]: the systems
        then err on the same pairs and their lists overlap, as real ones do
    """
    own_noise = rng.standard_normal(signal.shape)
    return signal + noise * (
        math.sqrt(shared_part) * hardness + math.sqrt(1 - shared_part) * own_noise
    )


def rank_targets(scores: np.ndarray, *, depth: int) -> SimulatedRanking:
    """Rank the best targets of each row of a similarity matrix.

    Transpose it for the other direction.
    scores : (Q, D), larger is better; equal scores keep the order of the columns
    depth  : targets returned a row; D where there are fewer
    """
    targets = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    return SimulatedRanking(targets, np.take_along_axis(scores, targets, axis=1))
