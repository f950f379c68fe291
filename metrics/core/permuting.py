"""Systems that are interchangeable within every query: what their sums would be if they did not differ."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from metrics.core.resampling import in_order, on_grid, seed_of

MOST_SAMPLES = 10_000
FEWEST_SAMPLES = 1_000
CELLS = 325_000_000  # permuted at most: some 2.5 seconds of one core
_CELLS_A_BLOCK = 200_000  # they stay in the processor's cache


def moving(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows of (G, S) on which not all systems are equal; a permutation of the others moves nothing."""
    return rows[rows.min(axis=1) < rows.max(axis=1)]


def affordable_samples(n_rows: int, n_systems: int, *, n_tables: int = 1) -> int:
    """How many permutations of so many moving rows can be waited for: 1,000 to 10,000, or 0 where it is fewer.

    n_tables : how many such tables share what can be waited for, as the measures of a leaderboard do; each has 1,000
        where it would have so many alone
    """
    n_samples = CELLS // max(1, n_rows * n_systems)
    return 0 if n_samples < FEWEST_SAMPLES else min(max(n_samples // n_tables, FEWEST_SAMPLES), MOST_SAMPLES)


def permuted_sums(
    rows: NDArray[np.float64], *, n_samples: int, seed: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """(b, S) sums of S systems over (G, S) rows, each row's values dealt to the systems anew; n_samples in all.

    rows : finite, a row a query, or a group of queries whose sums are dealt as a whole
    seed : default: a hash of the values. It and the samples depend neither on the order of the rows nor on that of the
        systems, and sums are exact of rows on a grid (metrics.core.resampling.on_grid).
    """
    dealt = in_order(np.sort(rows, axis=1))
    rng = np.random.default_rng(seed_of(dealt) if seed is None else seed)
    n_a_block = max(1, _CELLS_A_BLOCK // max(1, dealt.size))
    for start in range(0, n_samples, n_a_block):
        shape = (min(n_a_block, n_samples - start), *dealt.shape)
        yield rng.permuted(np.broadcast_to(dealt, shape), axis=2).sum(axis=1)


def randomized_tukey_p(rows: NDArray[np.float64], *, n_samples: int, seed: int | None = None) -> NDArray[np.float64]:
    """(S, S) p of each pair by the randomized form of Tukey's HSD, which holds the family-wise error of all pairs.

    rows : (G, S) finite; see permuted_sums. Were no two systems different, each row's scores could have come from any
    of them: each sample deals every row's scores to the systems anew and takes the range of the systems' sums. A pair's
    p is (1 + ranges at least as large as its difference) / (1 + n_samples), 1 where it does not differ in the mean.
    Carterette 2012, doi:10.1145/2094072.2094076, section 4.2.
    """
    rows = _on_grid(moving(rows))
    sums = rows.sum(axis=0)
    apart = np.abs(sums[:, None] - sums[None, :])
    ranges = np.sort(np.concatenate([np.ptp(sample, axis=1) for sample in _samples(rows, n_samples, seed)]))
    n_further = len(ranges) - np.searchsorted(ranges, apart * (1 - 1e-12))
    return np.where(apart > 0, (1 + n_further) / (1 + n_samples), 1.0)


def randomized_q_p(rows: NDArray[np.float64], *, n_samples: int, seed: int | None = None) -> float:
    """p that no two systems differ, by the spread of their sums: Cochran's Q over whole groups of queries.

    rows : (G, S) finite; see permuted_sums. Of 0/1 scores Q grows with the sum of squares of the systems' sums, all
    else in it being the same in every permutation: (1 + samples that spread as far) / (1 + n_samples).
    """
    rows = _on_grid(moving(rows))
    if not len(rows):
        return 1.0
    observed = _spread(rows.sum(axis=0)[None, :])[0] * (1 - 1e-12)
    further = sum(np.count_nonzero(_spread(each) >= observed) for each in _samples(rows, n_samples, seed))
    return float((1 + further) / (1 + n_samples))


def _on_grid(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows rounded so that sums of them are exact, all by one step: equal scores stay equal."""
    return on_grid(rows.ravel(), rows.size).reshape(rows.shape)


def _samples(rows: NDArray[np.float64], n_samples: int, seed: int | None) -> Iterator[NDArray[np.float64]]:
    if not len(rows):
        return iter([np.zeros((n_samples, rows.shape[1]))])
    return permuted_sums(rows, n_samples=n_samples, seed=seed)


def _spread(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.square(sums - sums.mean(axis=1, keepdims=True)).sum(axis=1))
