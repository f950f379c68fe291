"""How far one annotator agrees with herself: her first label of a pair against the one she gave it days later."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.agreement import Alpha, InGroups, Level, alpha_of_counts
from metrics.core.counts import UnitCounts
from metrics.core.raters import Share, share_of


class Stability(NamedTuple):
    """Agreement of one annotator with herself.

    equal : share of the repeated pairs whose two labels are equal, with Wilson's interval; None where none was repeated
    alpha : Krippendorff's alpha of the first labels against the second, the pairs being the units and the two
        occasions the raters
    """

    equal: Share
    alpha: Alpha


class Repeats(NamedTuple):
    """n pairs of one group of queries: the place of the first label among the values, and that of the second."""

    first: int
    second: int
    group: int
    n: int


def stability(
    table: ArrayLike,
    values: ArrayLike,
    *,
    level: Level | str,
    n_replicates: int = 0,
    in_groups: Sequence[Repeats] | None = None,
) -> Stability:
    """Stability from how often each value was followed by each.

    table : (V, V) whole numbers; table[i, k] pairs were given values[i] first and values[k] when they came back
    values : (V,) the ordered value domain
    n_replicates : bootstrap samples of pairs for alpha's interval, or of groups of queries
    in_groups : the same pairs by the groups of their queries; None draws single pairs

    Alpha is None, with the reason, where no pair came back and where one value was used throughout. It does not tell
    which of two labels came first: a person who drifts towards one level disagrees with herself, no more. Stability is
    the weakest form of reliability (Krippendorff, Content Analysis, 4th ed. 2018, chapter 12). That assessors are
    unlike themselves, the more so the longer ago: Scholer, Turpin & Sanderson 2011, doi:10.1145/2009916.2010057.
    Equals krippendorff.alpha on a table of two rows.
    """
    table, values = np.asarray(table, dtype=np.int64), np.asarray(values)
    if table.shape != (len(values), len(values)):
        raise ValueError("Stability needs a count for every two values of the domain.")
    counted = _units(table, values)
    groups = _in_groups(in_groups, counted) if in_groups else None
    alpha = alpha_of_counts(counted, level=level, n_replicates=n_replicates, in_groups=groups)
    return Stability(share_of(int(np.trace(table)), int(table.sum())), alpha)


def _units(table: NDArray[np.int64], values: NDArray[np.int64]) -> UnitCounts:
    """Each kind of pair once: alpha does not see which of the two labels was the first."""
    either = np.triu(table + np.tril(table, -1).T)
    first, second = np.nonzero(either)
    one = np.eye(len(values), dtype=np.int64)
    return UnitCounts(one[first] + one[second], either[first, second], values)


def _in_groups(repeats: Sequence[Repeats], counted: UnitCounts) -> InGroups:
    one = np.eye(len(counted.values), dtype=np.int64)
    counts = np.array([one[row.first] + one[row.second] for row in repeats]).reshape(-1, len(counted.values))
    n = np.array([row.n for row in repeats], dtype=np.int64)
    group = np.array([row.group for row in repeats], dtype=np.int64)
    return InGroups.of(counts, group, counted)._replace(n=n)
