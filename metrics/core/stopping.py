"""When to stop judging: whether the last labels changed the order of systems, and how sure that order is at all."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.groups import Groups

_REPLICATES_A_BLOCK = 100


class Neighbours(NamedTuple):
    """Two runs that follow each other in the order, and the share of resampled query sets in which they do so.

    better, worse : their indexes; share : of replicates in which the mean of `better` is larger; ties count half
    """

    better: int
    worse: int
    share: float


def swapped(before: NDArray[np.float64], now: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs of systems that stand otherwise to each other now than before; a tie that comes or goes counts.

    before, now : (S,) scores. Buckley & Voorhees 2000 call it a swap when only the direction changes; here the
    comparison is exact, so that "nothing changed" is never said of an order that did.
    """
    one, other = np.triu_indices(len(now), k=1)
    turned = np.sign(before[one] - before[other]) != np.sign(now[one] - now[other])
    return list(zip(one[turned].tolist(), other[turned].tolist(), strict=True))


def neighbours(
    values: NDArray[np.float64], *, rng: np.random.Generator, groups: Groups | None = None, n_replicates: int = 1000
) -> list[Neighbours]:
    """How sure the order of each two neighbouring systems is, by bootstrap over queries.

    values : (S, Q), larger is better; groups : of the Q queries: whole ones are drawn, None draws single queries.
    Returns S - 1 rows, best first; none where there are no queries, or all of them are of one group.
    """
    if groups is not None and not groups.are_plain:
        values = groups.totals(values.T).T if groups.n > 1 else values[:, :0]
    n_queries = values.shape[1]
    if not n_queries:
        return []
    order = np.argsort(-values.mean(axis=1), kind="stable")
    differences = (values[order[:-1]] - values[order[1:]]).T
    held = np.zeros(len(order) - 1)
    for start in range(0, n_replicates, _REPLICATES_A_BLOCK):
        n_rows = min(_REPLICATES_A_BLOCK, n_replicates - start)
        drawn = rng.integers(n_queries, size=(n_rows, n_queries)) + np.arange(n_rows)[:, None] * n_queries
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_queries).reshape(n_rows, n_queries)
        means = counts.astype(np.float64) @ differences
        held += (means > 0).sum(axis=0) + (means == 0).sum(axis=0) / 2
    rows = zip(order[:-1].tolist(), order[1:].tolist(), (held / n_replicates).tolist(), strict=True)
    return [Neighbours(*row) for row in rows]
