"""Stopping rules: whether the order of systems changed, and how certain it is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups

_REPLICATES_A_BLOCK = 100


class NeighbouringRuns(NamedTuple):
    """Two neighbouring runs, and the share of resampled query sets that order them alike.

    better, worse : their indexes; share : of replicates in which the mean of `better` is larger;
        ties count half
    """

    better: int
    worse: int
    share: float


def swapped_pairs(before: NDArray[np.float64], now: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs of systems whose order changed; a tie that comes or goes counts as a change.

    before, now : (S,) scores. Buckley & Voorhees 2000 call only a change of direction a swap; here
        the
    comparison is exact, so that "nothing changed" is never said of a changed order.
    """
    first, second = np.triu_indices(len(now), k=1)
    is_swapped = np.sign(before[first] - before[second]) != np.sign(now[first] - now[second])
    return list(zip(first[is_swapped].tolist(), second[is_swapped].tolist(), strict=True))


def neighbours(
    values: NDArray[np.float64],
    *,
    rng: np.random.Generator,
    groups: Groups | None = None,
    n_replicates: int = 1000,
) -> list[NeighbouringRuns]:
    """Certainty of the order of each two neighbouring systems, by bootstrap over queries.

    values : (S, Q), larger is better
    groups : of the Q queries: whole ones are drawn, None draws single queries
    Returns S - 1 rows, best first; none where there are no queries, or all of them are of one
    group.
    """
    if groups is not None and not groups.are_plain:
        values = groups.totals(values.T).T if groups.n > 1 else values[:, :0]
    n_queries = values.shape[1]
    if not n_queries:
        return []
    order = np.argsort(-values.mean(axis=1), kind="stable")
    differences = (values[order[:-1]] - values[order[1:]]).T
    n_in_order = np.zeros(len(order) - 1)
    for start in range(0, n_replicates, _REPLICATES_A_BLOCK):
        n_rows = min(_REPLICATES_A_BLOCK, n_replicates - start)
        sampled_queries = (
            rng.integers(n_queries, size=(n_rows, n_queries))
            + np.arange(n_rows)[:, None] * n_queries
        )
        counts = np.bincount(sampled_queries.ravel(), minlength=n_rows * n_queries).reshape(
            n_rows, n_queries
        )
        means = counts.astype(np.float64) @ differences
        n_in_order += (means > 0).sum(axis=0) + (means == 0).sum(axis=0) / 2
    rows = zip(
        order[:-1].tolist(), order[1:].tolist(), (n_in_order / n_replicates).tolist(), strict=True
    )
    return [NeighbouringRuns(*row) for row in rows]
