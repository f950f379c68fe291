"""Rankings of many queries as two arrays, and the ranks that two runs give the same targets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Rankings(NamedTuple):
    """One run over Q queries, each ranking in canonical order (best first).

    indptr : (Q + 1,) ranking q is docs[indptr[q]:indptr[q + 1]]; an empty ranking means the run
        misses the query
    docs : (N,) int64 ids of the retrieved targets, none twice in one ranking
    """

    indptr: NDArray[np.int64]
    docs: NDArray[np.int64]

    @property
    def depth(self) -> NDArray[np.int64]:
        """(Q,) number of targets retrieved."""
        return np.diff(self.indptr)


class SharedTargets(NamedTuple):
    """Targets that two runs retrieved for the same query.

    query : (M,) ascending; first, second : (M,) 1-based ranks in the two runs, `first` ascending
        inside a query
    """

    query: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def top(rankings: Rankings, k: int) -> Rankings:
    """The first k targets of each ranking."""
    depth = rankings.depth
    rank = ranks(rankings)
    return Rankings(np.append(0, np.cumsum(np.minimum(depth, k))), rankings.docs[rank <= k])


def ranks(rankings: Rankings) -> NDArray[np.int64]:
    """(N,) 1-based rank of each retrieved target."""
    return np.arange(1, len(rankings.docs) + 1) - np.repeat(rankings.indptr[:-1], rankings.depth)


def shared_targets(first: Rankings, second: Rankings) -> SharedTargets:
    """Match two runs over the same Q queries target by target.

    Raises ValueError where a ranking holds a target twice.
    """
    if len(first.indptr) != len(second.indptr):
        raise ValueError("The two runs must rank the same queries.")
    n_queries = len(first.indptr) - 1
    query = np.concatenate([np.repeat(np.arange(n_queries), run.depth) for run in (first, second)])
    rank = np.concatenate([ranks(first), ranks(second)])
    docs, dense = np.unique(np.concatenate([first.docs, second.docs]), return_inverse=True)
    pair = query * max(len(docs), 1) + dense
    order = np.argsort(pair, kind="stable")  # the first run's row comes before the second's
    ascending_pairs = pair[order]
    repeats = np.flatnonzero(ascending_pairs[1:] == ascending_pairs[:-1])
    first_rows, second_rows = order[repeats], order[repeats + 1]
    if np.any(first_rows >= len(first.docs)) or np.any(second_rows < len(first.docs)):
        raise ValueError("A ranking holds the same target twice.")
    by_rank = np.lexsort((rank[first_rows], query[first_rows]))
    return SharedTargets(
        query[first_rows][by_rank], rank[first_rows][by_rank], rank[second_rows][by_rank]
    )
