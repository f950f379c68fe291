"""Which differences among systems are decided: one switch over Newman-Keuls, Tukey, and randomization with Holm."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.groups import Groups
from metrics.core.multiple import METHODS as RANGE_METHODS
from metrics.core.multiple import compare_systems, pseudo_groups
from metrics.core.significance import holm

RANDOMIZATION = "randomization"
METHODS = (*RANGE_METHODS, RANDOMIZATION)
_CELLS_A_BLOCK = 2_000_000


class Decided(NamedTuple):
    """Verdicts on S systems.

    order : (S,) systems, best first
    significant : (S, S) bool in that order, symmetric
    groups : places as pseudo-groups, best first (see metrics.core.multiple)
    """

    order: NDArray[np.int64]
    significant: NDArray[np.bool_]
    groups: list[list[int]]


def a_row_a_group(scores: NDArray[np.float64], groups: Groups, *, method: str) -> NDArray[np.float64]:
    """(G, S) what `decide` is to be given where (Q, S) scores come in groups: of each group what stands for it.

    A toss turns a group's sum round as a whole; the analysis of variance takes its share of the mean over all queries.
    """
    return groups.totals(scores) if method == RANDOMIZATION else groups.shares(scores)


def decide(
    scores: NDArray[np.float64], *, method: str, rng: np.random.Generator, alpha: float = 0.05, n_samples: int = 10_000
) -> Decided:
    """Which of S systems differ, by their (Q, S) scores on the same queries, larger better.

    Two queries and two systems at least, all scores finite (ValueError). Only randomization draws.
    """
    if method not in METHODS:
        raise ValueError(f'There is no method "{method}"; there are: {", ".join(METHODS)}.')
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError("Two queries or more and two systems or more are compared, without gaps.")
    if method in RANGE_METHODS:
        found = compare_systems(scores, method=method, alpha=alpha)
        return Decided(found.order, found.significant, found.groups)
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    pairs = np.array(list(combinations(range(len(order)), 2)))
    ranked = scores[:, order]
    adjusted = holm(randomization_p(ranked[:, pairs[:, 0]] - ranked[:, pairs[:, 1]], rng=rng, n_samples=n_samples))
    significant = np.zeros((len(order), len(order)), dtype=bool)
    significant[tuple(pairs.T)] = adjusted < alpha
    significant |= significant.T
    return Decided(order, significant, pseudo_groups(significant))


def randomization_p(
    differences: NDArray[np.float64], *, rng: np.random.Generator, n_samples: int
) -> NDArray[np.float64]:
    """(P,) two-sided p of Fisher's randomization test for each column of (Q, P) differences.

    As metrics.core.significance.randomization, with the same tosses for all columns: (1 + as far) / (1 + n_samples),
    1 where nothing differs. Queries on which no two systems differ are left out: a toss moves nothing there.
    """
    moved = differences[differences.any(axis=1)]
    if not len(moved):
        return np.ones(differences.shape[1])
    total = moved.sum(axis=0)
    further, block = np.zeros(len(total)), max(1, _CELLS_A_BLOCK // len(moved))
    for start in range(0, n_samples, block):
        heads = rng.integers(0, 2, size=(min(block, n_samples - start), len(moved)), dtype=np.int8).astype(np.float64)
        further += np.count_nonzero(np.abs(total - 2 * (heads @ moved)) >= np.abs(total) * (1 - 1e-12), axis=0)
    return np.where(differences.any(axis=0), (1 + further) / (1 + n_samples), 1.0)
