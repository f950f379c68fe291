"""Intervals of many shares, each of units of its own, which come in groups."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import FEWEST
from metrics.core.statistics.intervals import Z_95, effective_trials, score_interval

Row = NDArray[np.float64]


class GroupedCounts(NamedTuple):
    """The units of K shares by group, C groups in all.

    share : (C,) 0..K-1, whose group it is; n, n_right : (C,) its units, 1 or more, and those of
        them that are right
    """

    share: NDArray[np.int64]
    n: NDArray[np.int64]
    n_right: NDArray[np.int64]


def share_intervals(groups: GroupedCounts, *, n_shares: int) -> tuple[Row, Row]:
    """(K,) lower and upper ends of 95 % intervals of the shares of right units; NaN where none is.

    Wilson's with an effective number of units, as `mean_intervals` has it for units of 0 or 1 in
    these groups, but with neither a table of shares by units nor a loop over shares. There is none
    for fewer than two groups, and where a few groups decide the share (`groups.are_lopsided`).
    """
    share = groups.share
    n, n_right, squares = (
        np.bincount(share, values, n_shares)
        for values in (groups.n, groups.n_right, np.square(groups.n.astype(np.float64)))
    )
    n_groups = np.bincount(share, minlength=n_shares)
    with np.errstate(invalid="ignore"):  # shares without a unit
        p, n_effective = n_right / n, np.square(n) / squares
    has_interval = (n_groups > 1) & (n_effective >= np.minimum(FEWEST, 0.75 * n_groups))
    residual = groups.n_right - p[share] * groups.n
    variance = np.bincount(share, np.square(residual), n_shares)[has_interval]
    n, p, n_groups = n[has_interval], p[has_interval], n_groups[has_interval]
    n_trials = effective_trials(
        p,
        variance * n_groups / (n_groups - 1) / np.square(n),
        n=n,
        n_groups=n_effective[has_interval],
        are_single=n_groups == n,
    )
    low, high = np.full((2, n_shares), np.nan)
    ends = score_interval(p, n_trials, Z_95)
    # exact at 0 and 1, where rounding would leave 1e-17
    low[has_interval], high[has_interval] = np.minimum(ends[0], p), np.maximum(ends[1], p)
    return low, high
