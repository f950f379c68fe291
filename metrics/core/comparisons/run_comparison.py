"""Comparison of all systems by randomized Tukey, Tukey, REGWQ, randomization or Newman-Keuls."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.letters import letters
from metrics.core.comparisons.permutation_tests import (
    affordable_samples,
    differing_rows,
    randomized_tukey_p,
)
from metrics.core.comparisons.range_tests import METHODS as RANGE_METHODS
from metrics.core.comparisons.range_tests import compare_systems, exceed_own_errors, pseudo_groups
from metrics.core.comparisons.significance import holm
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import on_grid, seed_of, sorted_rows

RANDOMIZED_TUKEY = "randomized-tukey"
TUKEY, REGWQ, NEWMAN_KEULS = RANGE_METHODS
RANDOMIZATION = "randomization"
METHODS = (RANDOMIZED_TUKEY, TUKEY, REGWQ, RANDOMIZATION, NEWMAN_KEULS)
HAVE_OWN_ERRORS = (RANDOMIZED_TUKEY, TUKEY, REGWQ)  # a pair differs only where its own error agrees
PLAN_METHODS = (RANDOMIZED_TUKEY, TUKEY, RANDOMIZATION)
_TOSSES = 10_000  # of randomization, where Holm's correction does not need more
_MOST_DIFFERENCES = 2_000_000_000  # compared by randomization: some three seconds of one core
_MOST_CELLS = 10_000_000_000  # scores tossed by it: some three seconds too
_CELLS_A_BLOCK = 1_000_000


class Verdicts(NamedTuple):
    """Verdicts on S systems.

    order : (S,) systems, best first
    significant : (S, S) bool in that order, symmetric
    groups : places in pseudo-groups, best first (see metrics.core.comparisons.range_tests)
    letters : of each place; two places share one exactly where they do not differ
    method : the method used; Tukey's HSD instead of its randomized form, or of randomization, where
        that took too long
    n_samples : permutations, or tosses of all queries; 0 for methods without random draws
    """

    order: NDArray[np.int64]
    significant: NDArray[np.bool_]
    groups: list[list[int]]
    letters: list[list[str]]
    method: str
    n_samples: int = 0


def decide(
    scores: NDArray[np.float64],
    *,
    method: str,
    groups: Groups | None = None,
    alpha: float = 0.05,
    seed: int | None = None,
    n_samples: int | None = None,
    n_tables: int = 1,
) -> Verdicts:
    """Decide which of S systems differ, by their (Q, S) scores on the same queries, larger better.

    Randomization tests each pair by itself. The other methods hold all pairs to one measure of
    error, so with those of HAVE_OWN_ERRORS two systems differ only where they do by the error of
    their own differences too. Two queries and two systems at least, all scores finite (ValueError).
    The same values have the same verdicts in any order of the queries.
    groups : of the Q queries; None takes each by itself. A toss or a permutation moves a group's
        sums as a whole; the analysis of variance takes its share in the mean over all queries
    seed : of the random draws; default: a hash of the values
    n_samples : number of random draws; default: as many as an acceptable time allows
    n_tables : how many tables randomized Tukey decides in that time: the measures of one
        leaderboard
    """
    if method not in METHODS:
        raise ValueError(f'There is no method "{method}"; there are: {", ".join(METHODS)}.')
    if scores.ndim != 2 or min(scores.shape) < 2 or not np.isfinite(scores).all():
        raise ValueError("Two queries or more and two systems or more are compared, without gaps.")
    groups = groups or Groups.single(len(scores))
    shares = sorted_rows(groups.shares(scores))
    if method in RANGE_METHODS:
        return _by_range(shares, method, alpha)
    rows = sorted_rows(groups.totals(scores))
    shape = differing_rows(rows).shape
    if method == RANDOMIZATION:
        n_samples = n_samples or tosses(*shape, alpha=alpha)
    else:
        n_samples = n_samples or affordable_samples(*shape, n_tables=n_tables)
    if not n_samples:
        return _by_range(shares, TUKEY, alpha)
    if method == RANDOMIZATION:
        significant = _by_holm(rows, alpha, seed, n_samples)
    else:
        significant = randomized_tukey_p(rows, n_samples=n_samples, seed=seed) < alpha
        significant &= exceed_own_errors(shares, method=TUKEY, alpha=alpha)
    order = np.argsort(-rows.mean(axis=0), kind="stable")
    return _make_verdicts(order, significant[np.ix_(order, order)], method, n_samples)


def _by_range(shares: NDArray[np.float64], method: str, alpha: float) -> Verdicts:
    order, _, significant, _ = compare_systems(shares, method=method, alpha=alpha)
    if method in HAVE_OWN_ERRORS:
        significant &= exceed_own_errors(shares, method=method, alpha=alpha)[np.ix_(order, order)]
    return _make_verdicts(order, significant, method, 0)


def _by_holm(
    rows: NDArray[np.float64], alpha: float, seed: int | None, n_samples: int
) -> NDArray[np.bool_]:
    p = randomization_p(
        rows,
        rng=np.random.default_rng(seed_of(rows) if seed is None else seed),
        n_samples=n_samples,
    )
    pairs = np.triu_indices(len(p), k=1)
    significant = np.zeros(p.shape, dtype=bool)
    significant[pairs] = holm(p[pairs]) < alpha
    return significant | significant.T


def _make_verdicts(
    order: NDArray[np.int64], significant: NDArray[np.bool_], method: str, n_samples: int
) -> Verdicts:
    return Verdicts(
        order, significant, pseudo_groups(significant), letters(significant), method, n_samples
    )


def tosses(n_rows: int, n_systems: int, *, alpha: float) -> int:
    """Number of tosses of randomization for so many differing rows, 0 if they take too long.

    So many that the smallest p, times the number of pairs, is below alpha, else Holm's correction
    lets nothing differ: 10,000 for up to 32 systems at .05. The time is bounded in pairs, 141
    systems at .05, and in scores.
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    n_needed = int(n_pairs / alpha) + 1
    n_affordable = min(_MOST_DIFFERENCES // n_pairs, _MOST_CELLS // max(1, n_rows * n_systems))
    return 0 if n_affordable < n_needed else min(max(_TOSSES, n_needed), n_affordable)


def randomization_p(
    scores: NDArray[np.float64], *, rng: np.random.Generator, n_samples: int
) -> NDArray[np.float64]:
    """(S, S) two-sided p of Fisher's randomization test of each pair of (Q, S) scores.

    As metrics.core.comparisons.significance.randomization, with the same tosses for all pairs: (1 +
    tosses at least as far) / (1 + n_samples), 1 where nothing differs. Queries on which no two
    systems differ are left out: a toss changes nothing there.
    """
    rows, n_systems = differing_rows(scores), scores.shape[1]
    p = np.ones((n_systems, n_systems))
    if not len(rows):
        return p
    # On a grid sums are exact, so that a pair's difference is that of two sums.
    rows = on_grid(rows.ravel(), rows.size).reshape(rows.shape)
    total, further = rows.sum(axis=0), np.zeros(p.shape, dtype=np.int64)
    block = max(1, _CELLS_A_BLOCK // max(rows.shape))
    for start in range(0, n_samples, block):
        heads = rng.integers(
            0, 2, size=(min(block, n_samples - start), len(rows)), dtype=np.int8
        ).astype(np.float64)
        random_totals = np.ascontiguousarray((total - 2 * (heads @ rows)).T)
        for i in range(n_systems - 1):
            observed = np.abs(total[i] - total[i + 1 :]) * (1 - 1e-12)
            further[i, i + 1 :] += np.count_nonzero(
                np.abs(random_totals[i] - random_totals[i + 1 :]) >= observed[:, None], axis=1
            )
    for i, j in combinations(range(n_systems), 2):
        if (rows[:, i] != rows[:, j]).any():
            p[i, j] = p[j, i] = (1 + further[i, j]) / (1 + n_samples)
    return p
