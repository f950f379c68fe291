"""Which differences among systems are decided: by randomized Tukey, Tukey, REGWQ, randomization or Newman-Keuls."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.groups import Groups
from metrics.core.letters import letters
from metrics.core.multiple import METHODS as RANGE_METHODS
from metrics.core.multiple import compare_systems, pseudo_groups
from metrics.core.permuting import affordable_samples, moving, randomized_tukey_p
from metrics.core.resampling import in_order, on_grid, seed_of
from metrics.core.significance import holm

RANDOMIZED_TUKEY = "randomized-tukey"
TUKEY, REGWQ, NEWMAN_KEULS = RANGE_METHODS
RANDOMIZATION = "randomization"
METHODS = (RANDOMIZED_TUKEY, TUKEY, REGWQ, RANDOMIZATION, NEWMAN_KEULS)
PLAN_METHODS = (RANDOMIZED_TUKEY, TUKEY, RANDOMIZATION)  # those that held the family-wise error in every planted world
_TOSSES = 10_000  # of randomization, where Holm's correction does not need more
_MOST_DIFFERENCES = 2_000_000_000  # looked at by randomization: some ten seconds of one core
_CELLS_A_BLOCK = 1_000_000


class Decided(NamedTuple):
    """Verdicts on S systems.

    order : (S,) systems, best first
    significant : (S, S) bool in that order, symmetric
    groups : places as pseudo-groups, best first (see metrics.core.multiple)
    letters : of each place; two places share one exactly where they do not differ
    method : what decided; Tukey's HSD in place of its randomized form where that would take too long
    n_samples : permutations, or tosses of all queries; 0 of the methods that draw nothing
    """

    order: NDArray[np.int64]
    significant: NDArray[np.bool_]
    groups: list[list[int]]
    letters: list[list[str]]
    method: str
    n_samples: int = 0


def a_row_a_group(scores: NDArray[np.float64], groups: Groups, *, method: str) -> NDArray[np.float64]:
    """(G, S) what a method is given where (Q, S) scores come in groups: of each group what stands for it.

    A toss or a permutation moves a group's sums as a whole; the analysis of variance takes its share of the mean over
    all queries.
    """
    return groups.shares(scores) if method in RANGE_METHODS else groups.totals(scores)


def decide(
    scores: NDArray[np.float64],
    *,
    method: str,
    groups: Groups | None = None,
    alpha: float = 0.05,
    seed: int | None = None,
    n_samples: int | None = None,
) -> Decided:
    """Which of S systems differ, by their (Q, S) scores on the same queries, larger better.

    Two queries and two systems at least, all scores finite (ValueError). The same values have the same verdicts in
    whatever order the queries come.
    groups : of the Q queries; None takes each by itself
    seed : of what is drawn; default: a hash of the values
    n_samples : how often is drawn; default: as much as can be waited for
    """
    if method not in METHODS:
        raise ValueError(f'There is no method "{method}"; there are: {", ".join(METHODS)}.')
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError("Two queries or more and two systems or more are compared, without gaps.")
    groups = groups or Groups.single(len(scores))
    rows = in_order(a_row_a_group(scores, groups, method=method))
    if method == RANDOMIZED_TUKEY:
        n_samples = n_samples or affordable_samples(*moving(rows).shape)
        if n_samples:
            p = randomized_tukey_p(rows, n_samples=n_samples, seed=seed)
            return _decided(rows, p < alpha, method, n_samples)
        method = TUKEY
        rows = in_order(a_row_a_group(scores, groups, method=method))
    if method in RANGE_METHODS:
        found = compare_systems(rows, method=method, alpha=alpha)
        return Decided(found.order, found.significant, found.groups, letters(found.significant), method)
    n_samples = n_samples or tosses(rows.shape[1], alpha)
    p = randomization_p(rows, rng=np.random.default_rng(seed_of(rows) if seed is None else seed), n_samples=n_samples)
    pairs = np.triu_indices(len(p), k=1)
    significant = np.zeros(p.shape, dtype=bool)
    significant[pairs] = holm(p[pairs]) < alpha
    return _decided(rows, significant | significant.T, method, n_samples)


def _decided(rows: NDArray[np.float64], significant: NDArray[np.bool_], method: str, n_samples: int) -> Decided:
    """Verdicts on systems as they come, put in the order of their means."""
    order = np.argsort(-rows.mean(axis=0), kind="stable")
    ordered = significant[np.ix_(order, order)]
    return Decided(order, ordered, pseudo_groups(ordered), letters(ordered), method, n_samples)


def tosses(n_systems: int, alpha: float) -> int:
    """How often randomization tosses: so often that the smallest p, times the number of pairs, is below alpha.

    10,000 for up to 32 systems at .05; never more than can be waited for, which is 142 systems at .05: of more Holm's
    correction lets nothing differ.
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    return max(_TOSSES, min(int(n_pairs / alpha) + 1, _MOST_DIFFERENCES // n_pairs))


def randomization_p(scores: NDArray[np.float64], *, rng: np.random.Generator, n_samples: int) -> NDArray[np.float64]:
    """(S, S) two-sided p of Fisher's randomization test of each pair of (Q, S) scores.

    As metrics.core.significance.randomization, with the same tosses for all pairs: (1 + as far) / (1 + n_samples), 1
    where nothing differs. Queries on which no two systems differ are left out: a toss moves nothing there.
    """
    rows, n_systems = moving(scores), scores.shape[1]
    p = np.ones((n_systems, n_systems))
    if not len(rows):
        return p
    # On a grid sums are exact, so that a pair's difference is that of two sums.
    rows = on_grid(rows.ravel(), rows.size).reshape(rows.shape)
    total, further = rows.sum(axis=0), np.zeros(p.shape, dtype=np.int64)
    block = max(1, _CELLS_A_BLOCK // max(rows.shape))
    for start in range(0, n_samples, block):
        heads = rng.integers(0, 2, size=(min(block, n_samples - start), len(rows)), dtype=np.int8).astype(np.float64)
        tossed = np.ascontiguousarray((total - 2 * (heads @ rows)).T)
        for i in range(n_systems - 1):
            observed = np.abs(total[i] - total[i + 1 :]) * (1 - 1e-12)
            further[i, i + 1 :] += np.count_nonzero(np.abs(tossed[i] - tossed[i + 1 :]) >= observed[:, None], axis=1)
    for i, j in combinations(range(n_systems), 2):
        if (rows[:, i] != rows[:, j]).any():
            p[i, j] = p[j, i] = (1 + further[i, j]) / (1 + n_samples)
    return p
