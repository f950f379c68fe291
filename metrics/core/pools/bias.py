"""Pool bias: how far scores move when only some of the runs are pooled, inside and outside.

Labels come from pools of runs; a run outside the pool has relevant targets nobody judged.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class SubsetBias(NamedTuple):
    """The move of scores when only `size` of the S runs are pooled: ECCV Caption, Eq. E.5.

    Means over the subsets of mean |score under the subset's labels - score under all|: over all
    runs, over the subset's members (self), and over the runs outside it (non-self; NaN where there
    are none).
    """

    size: int
    bias: float
    self_bias: float
    non_self_bias: float


def bias_of_size(size: int, changes: NDArray[np.float64], members: NDArray[np.bool_]) -> SubsetBias:
    """The biases of some subsets of one size.

    changes, members : (subsets, S) how far each run's score moved, and whether the run is a member
    """
    outside = float(changes[~members].mean()) if not members.all() else float("nan")
    return SubsetBias(size, float(changes.mean()), float(changes[members].mean()), outside)
