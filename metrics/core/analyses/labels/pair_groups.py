"""Groups of pairs or labels of queries, where a query may have many or none."""

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups


def pair_groups(groups: Groups, query: NDArray[np.int64]) -> Groups:
    """The groups of P pairs: those of their queries, of which all pairs of a query have the weight.

    groups : of the Q queries; query : (P,) index of each pair's query
    """
    of_pair = groups.of_query[query]
    if groups.weight is not None:
        return Groups.of(of_pair, weight=groups.weight[query])
    # as Groups.of, but for the order of the numbers: it sorts, which takes seconds for a million
    size = np.bincount(of_pair, minlength=groups.n)
    return Groups((np.cumsum(size > 0) - 1)[of_pair], size[size > 0])
