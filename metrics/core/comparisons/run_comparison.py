"""Comparison of all systems by randomized Tukey, Tukey, REGWQ, randomization or Newman-Keuls."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.comparisons.letters import letters
from metrics.core.comparisons.permutation_tests import (
    Report,
    affordable_samples,
    differing_rows,
    randomized_tukey_p,
    report_nothing,
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
METHOD_NAMES = {
    RANDOMIZED_TUKEY: "Randomized Tukey",
    TUKEY: "Tukey's HSD",
    REGWQ: "REGWQ",
    RANDOMIZATION: "Randomization, Holm",
    NEWMAN_KEULS: "Newman-Keuls, as the TRECVID paper did",
}
HAVE_OWN_ERRORS = (RANDOMIZED_TUKEY, TUKEY, REGWQ)  # a pair differs only where its own error agrees
PLAN_METHODS = (RANDOMIZED_TUKEY, TUKEY, RANDOMIZATION)
_TOSSES = 10_000  # of randomization, where Holm's correction does not need more
_MOST_DIFFERENCES = 2_000_000_000  # compared by randomization if no pair is decided early
_MOST_CELLS = 10_000_000_000  # scores tossed by it: some three seconds too
_CELLS_A_BLOCK = 1_000_000
_DIFFERENCES_A_BLOCK = 32_000  # they stay in the processor's cache


class Verdicts(NamedTuple):
    """Verdicts on S systems.

    order : (S,) systems, best first
    significant : (S, S) bool in that order, symmetric
    groups : places in pseudo-groups, best first (see metrics.core.comparisons.range_tests)
    letters : of each place; two places share one exactly where they do not differ
    method : the method used; Tukey's HSD instead of its randomized form, or of randomization, where
        that took too long
    n_samples : permutations, or tosses of all queries; 0 for methods without random draws
    can_differ : False where no scores whatever could differ by the method, as there are too few
        queries, or groups of them, on which systems are not equal
    """

    order: NDArray[np.int64]
    significant: NDArray[np.bool_]
    groups: list[list[int]]
    letters: list[list[str]]
    method: str
    n_samples: int = 0
    can_differ: bool = True


def decide(
    scores: NDArray[np.float64],
    *,
    method: str,
    groups: Groups | None = None,
    alpha: float = 0.05,
    seed: int | None = None,
    n_samples: int | None = None,
    n_tables: int = 1,
    report: Report = report_nothing,
) -> Verdicts:
    """Decide which of S systems differ, by their (Q, S) scores on the same queries, larger better.

    Randomization tests each pair by itself. The other methods hold all pairs to one measure of
    error, so with those of HAVE_OWN_ERRORS two systems differ only where they do by the error of
    their own differences too. Two queries and systems at least, finite (ValueError), in any order.
    groups : of the Q queries; None takes each by itself. A toss or a permutation moves a group's
        sums as a whole; the analysis of variance takes its share in the mean over all queries
    seed : of the draws, default: a hash of the values; report : told how many draws are done
    n_samples : number of random draws; default: as many as an acceptable time allows
    n_tables : of randomized Tukey in that time, as the measures of a leaderboard are
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
    has_chance = can_differ(*shape, method=method, alpha=alpha)
    if not has_chance:  # draws by chance may fall below every p that there is
        significant = np.zeros((rows.shape[1],) * 2, dtype=bool)
        report(n_samples, n_samples)
    elif method == RANDOMIZATION:
        significant = _by_holm(rows, alpha, seed, n_samples, report)
    else:
        p = randomized_tukey_p(rows, n_samples=n_samples, seed=seed, report=report)
        significant = (p < alpha) & exceed_own_errors(shares, method=TUKEY, alpha=alpha)
    order = np.argsort(-rows.mean(axis=0), kind="stable")
    verdicts = _make_verdicts(order, significant[np.ix_(order, order)], method, n_samples)
    return verdicts._replace(can_differ=has_chance)


def can_differ(n_rows: int, n_systems: int, *, method: str, alpha: float) -> bool:
    """True if some scores on so many differing rows would differ by a method of random draws.

    Of all ways in which the rows of two systems fall, two have the largest difference, so that no p
    is below 2 / 2^G; of all ways to deal the rows to S systems, S (S - 1) of (S (S - 1))^G have the
    largest range.
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    n_ways, n_tests = (2, n_pairs) if method == RANDOMIZATION else (2 * n_pairs, 1)
    return bool((n_rows - 1) * np.log(n_ways) > np.log(n_tests / alpha))


def _by_range(shares: NDArray[np.float64], method: str, alpha: float) -> Verdicts:
    order, _, significant, _ = compare_systems(shares, method=method, alpha=alpha)
    if method in HAVE_OWN_ERRORS:
        significant &= exceed_own_errors(shares, method=method, alpha=alpha)[np.ix_(order, order)]
    return _make_verdicts(order, significant, method, 0)


def _by_holm(
    rows: NDArray[np.float64], alpha: float, seed: int | None, n_samples: int, report: Report
) -> NDArray[np.bool_]:
    p = randomization_p(
        rows,
        rng=np.random.default_rng(seed_of(rows) if seed is None else seed),
        n_samples=n_samples,
        alpha=alpha,
        report=report,
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
    scores: NDArray[np.float64],
    *,
    rng: np.random.Generator,
    n_samples: int,
    alpha: float | None = None,
    report: Report = report_nothing,
) -> NDArray[np.float64]:
    """(S, S) two-sided p of Fisher's randomization test of each pair of (Q, S) scores.

    As metrics.core.comparisons.significance.randomization, with the same tosses for all pairs: (1 +
    tosses at least as far) / (1 + n_samples), 1 where nothing differs. Queries on which no two
    systems differ are left out: a toss changes nothing there.
    alpha : where given, p are as exact as Holm's correction at alpha needs them, for the same
        verdicts as those of all p. A pair is not counted any further once its p is too large
        whatever falls: beside u such pairs, p of alpha / (u + 1) or more lets none differ. Nor is
        one counted whose p Hoeffding's inequality bounds below alpha over the number of pairs; it
        has that bound. Hoeffding 1963, doi:10.1080/01621459.1963.10500830, theorem 2
    """
    rows, n_systems = differing_rows(scores), scores.shape[1]
    p = np.ones((n_systems, n_systems))
    if not len(rows):
        return p
    # On a grid sums are exact, so that a pair's difference is that of two sums.
    rows = on_grid(rows.ravel(), rows.size).reshape(rows.shape)
    total = rows.sum(axis=0)
    first, second = np.triu_indices(n_systems, k=1)
    squares = np.concatenate(
        [np.square(rows[:, [i]] - rows[:, i + 1 :]).sum(axis=0) for i in range(n_systems - 1)]
    )
    observed = np.abs(total[first] - total[second]) * (1 - 1e-12)
    is_equal = squares == 0
    bound = 2 * np.exp(-np.square(observed) / (2 * np.where(is_equal, np.inf, squares)))
    is_bounded = bound < (0 if alpha is None else alpha / len(first))
    is_out, further = is_equal, np.zeros(len(first), dtype=np.int64)
    n_done = 0
    for random_totals in _tossed_totals(rows, n_samples, rng):
        report(n_done, n_samples)
        n_done += random_totals.shape[1]
        pairs = np.flatnonzero(~is_out & ~is_bounded)
        if not len(pairs):
            break
        further[pairs] += _n_further(random_totals, first[pairs], second[pairs], observed[pairs])
        if alpha is not None:
            is_out = _cannot_differ((1 + further) / (1 + n_samples), is_out, alpha)
    report(n_samples, n_samples)
    values = np.where(is_bounded, bound, (1 + further) / (1 + n_samples))
    p[first, second] = p[second, first] = np.where(is_equal, 1, values)
    return p


def _n_further(
    random_totals: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    observed: NDArray[np.float64],
) -> NDArray[np.int64]:
    """(P,) how many of b tosses take each pair of systems at least as far apart as observed.

    random_totals : (S, b); first, second, observed : (P,)
    """
    n_further = np.empty(len(first), dtype=np.int64)
    step = max(1, _DIFFERENCES_A_BLOCK // random_totals.shape[1])
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        differences = random_totals[first[part]]
        differences -= random_totals[second[part]]
        np.abs(differences, out=differences)
        n_further[part] = np.count_nonzero(differences >= observed[part, None], axis=1)
    return n_further


def _tossed_totals(
    rows: NDArray[np.float64], n_samples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """(S, b) sums of S systems over (G, S) rows with random signs, in blocks; n_samples in all."""
    total = rows.sum(axis=0)
    block = max(1, _CELLS_A_BLOCK // max(rows.shape))
    for start in range(0, n_samples, block):
        heads = rng.integers(
            0, 2, size=(min(block, n_samples - start), len(rows)), dtype=np.int8
        ).astype(np.float64)
        yield np.ascontiguousarray((total - 2 * (heads @ rows)).T)


def _cannot_differ(
    least_p: NDArray[np.float64], is_out: NDArray[np.bool_], alpha: float
) -> NDArray[np.bool_]:
    """(P,) mask of the pairs that Holm's correction lets not differ, those that are out included.

    least_p : (P,) what p is at least; the larger it is, the earlier a pair is out
    """
    while True:
        is_larger = is_out | (least_p >= alpha / (np.count_nonzero(is_out) + 1))
        if is_larger.sum() == is_out.sum():
            return is_out
        is_out = is_larger
