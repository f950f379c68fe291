"""Permutation tests of systems: their sums if they did not differ within queries."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.resampling import on_grid, seed_of, sorted_rows

MOST_SAMPLES = 10_000
FEWEST_SAMPLES = 1_000
CELLS = 200_000_000  # scores permuted at most: some three seconds of one core
_CELLS_A_BLOCK = 200_000  # they stay in the processor's cache
FAMILY = 10  # samples of one family, and rows of one bundle at most
# that bundles have for families: the samples are then as good as independent
_FEWEST_SUMS, _FEWEST_BUNDLES = 1_000, 5
Report = Callable[[int, int], None]  # samples done, of how many


def report_nothing(n_done: int, total: int) -> None:
    """Report no progress."""


def differing_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rows of (G, S) in which not all systems are equal.

    Permuting the others changes nothing.
    """
    return rows[rows.min(axis=1) < rows.max(axis=1)]


def affordable_samples(n_rows: int, n_systems: int, *, n_tables: int = 1) -> int:
    """Number of permutations of n_rows differing rows in an acceptable time: 0, or 1,000 to 10,000.

    0 where fewer than 1,000 are affordable.
    n_tables : how many such tables share that time, as the measures of a leaderboard do; each has
        1,000 where it would have as many alone
    """
    cells_a_sample = n_rows * n_systems
    if come_in_families(n_rows, n_systems):
        # its part of the family's permutation of all rows, and its own of the bundles
        cells_a_sample = 2 * cells_a_sample // FAMILY
    n_samples = CELLS // max(1, cells_a_sample)
    return (
        0
        if n_samples < FEWEST_SAMPLES
        else min(max(n_samples // n_tables, FEWEST_SAMPLES), MOST_SAMPLES)
    )


def come_in_families(n_rows: int, n_systems: int) -> bool:
    """True for tables so large that samples come in families of FAMILY; see permuted_sums."""
    n_bundles = n_rows // FAMILY
    return n_bundles >= _FEWEST_BUNDLES and n_bundles * (n_systems - 1) >= _FEWEST_SUMS


def permuted_sums(
    rows: NDArray[np.float64],
    *,
    n_samples: int,
    seed: int | None = None,
    report: Report = report_nothing,
) -> Iterator[NDArray[np.float64]]:
    """(b, S) sums of S systems over (G, S) rows with permuted values, in blocks; n_samples in all.

    rows : finite, a row a query, or a group of queries whose sums are permuted as a whole
    seed : default: a hash of the values. It and the samples depend neither on the order of the rows
        nor on that of the systems, and sums of rows on a grid are exact
        (metrics.core.statistics.resampling.on_grid).
    Each sample permutes every row, all orders as likely. In a large table the samples come in
    families of ten: all rows are permuted, summed in bundles of up to ten rows, and each sample of
    the family permutes the sums of every bundle. So each by itself is drawn as in a small table, at
    a fifth of the work; what a family shares, the spread within its bundles, is nearly the same in
    all families.
    """
    sorted_cells = sorted_rows(np.sort(rows, axis=1))
    rng = np.random.default_rng(seed_of(sorted_cells) if seed is None else seed)
    n_a_block = max(1, _CELLS_A_BLOCK // max(1, sorted_cells.size))
    are_families = come_in_families(*sorted_cells.shape)
    if are_families:
        n_bundles = -(-len(rows) // FAMILY)
        bundle = np.arange(len(rows)) % n_bundles
        # rows that spread alike are dealt to different bundles
        by_spread = np.argsort(sorted_cells.var(axis=1), kind="stable")
        sorted_cells = sorted_cells[by_spread[np.argsort(bundle, kind="stable")]]
        bundles = np.searchsorted(np.sort(bundle), np.arange(n_bundles))
        n_a_block = FAMILY
    for start in range(0, n_samples, n_a_block):
        report(start, n_samples)
        addends = sorted_cells
        if are_families:
            addends = np.add.reduceat(rng.permuted(sorted_cells, axis=1), bundles, axis=0)
        shape = (min(n_a_block, n_samples - start), *addends.shape)
        yield rng.permuted(np.broadcast_to(addends, shape), axis=2).sum(axis=1)
    report(n_samples, n_samples)


def randomized_tukey_p(
    rows: NDArray[np.float64],
    *,
    n_samples: int,
    seed: int | None = None,
    report: Report = report_nothing,
) -> NDArray[np.float64]:
    """(S, S) p of each pair by randomized Tukey's HSD, which holds the family-wise error.

    rows : (G, S) finite; see permuted_sums. If no two systems differed, each row's scores could
    have come from any of them: each sample permutes every row's scores among the systems and takes
    the range of the systems' sums. A pair's p is (1 + ranges at least as large as its difference)
    / (1 + n_samples), 1 where it does not differ in the mean. Carterette 2012,
    doi:10.1145/2094072.2094076, section 4.2.
    """
    rows = _on_grid(differing_rows(rows))
    sums = rows.sum(axis=0)
    difference = np.abs(sums[:, None] - sums[None, :])
    ranges = np.sort(
        np.concatenate(
            [np.ptp(sample, axis=1) for sample in _samples(rows, n_samples, seed, report)]
        )
    )
    n_further = len(ranges) - np.searchsorted(ranges, difference * (1 - 1e-12))
    return np.where(difference > 0, (1 + n_further) / (1 + n_samples), 1.0)


def randomized_q_p(rows: NDArray[np.float64], *, n_samples: int, seed: int | None = None) -> float:
    """p of no differences by the spread of the systems' sums: Cochran's Q over groups.

    rows : (G, S) finite; see permuted_sums. For 0/1 scores Q grows with the sum of squares of the
    systems' sums, all else in it being the same in every permutation: (1 + samples that spread as
    far) / (1 + n_samples).
    """
    rows = _on_grid(differing_rows(rows))
    if not len(rows):
        return 1.0
    observed = _spread(rows.sum(axis=0)[None, :])[0] * (1 - 1e-12)
    further = sum(
        np.count_nonzero(_spread(sums) >= observed) for sums in _samples(rows, n_samples, seed)
    )
    return float((1 + further) / (1 + n_samples))


def _on_grid(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round the rows, all by one step, so that their sums are exact: equal scores stay equal."""
    return on_grid(rows.ravel(), rows.size).reshape(rows.shape)


def _samples(
    rows: NDArray[np.float64],
    n_samples: int,
    seed: int | None,
    report: Report = report_nothing,
) -> Iterator[NDArray[np.float64]]:
    if not len(rows):
        return iter([np.zeros((n_samples, rows.shape[1]))])
    return permuted_sums(rows, n_samples=n_samples, seed=seed, report=report)


def _spread(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.square(sums - sums.mean(axis=1, keepdims=True)).sum(axis=1))
