"""Agreement of one annotator with herself: her first label of a pair against a later one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.core.agreement.agreement import Alpha, MeasurementLevel, alpha_of_counts
from metrics.core.agreement.counts import UnitCounts
from metrics.core.agreement.kappas import Share, share_of
from metrics.core.agreement.unit_samples import GroupedUnits


class Stability(NamedTuple):
    """Agreement of one annotator with herself.

    equal : share of the repeated pairs whose two labels are equal, with Wilson's interval; None
        without repeated pairs
    alpha : Krippendorff's alpha of the first labels against the second, the pairs being the units
        and the two occasions the raters
    """

    equal: Share
    alpha: Alpha


class RepeatedPairs(NamedTuple):
    """n pairs of one group of queries, with the indices of their first and second label."""

    first: int
    second: int
    group: int
    n: int


def stability(
    table: ArrayLike,
    values: ArrayLike,
    *,
    level: MeasurementLevel | str,
    n_replicates: int = 0,
    grouped_pairs: Sequence[RepeatedPairs] | None = None,
) -> Stability:
    """Stability from a table of first labels by second labels.

    table : (V, V) whole numbers; table[i, k] pairs had values[i] first and values[k] when repeated
    values : (V,) the ordered value domain
    n_replicates : bootstrap samples of pairs for alpha's interval, or of groups of queries
    grouped_pairs : the same pairs by the groups of their queries; None draws single pairs

    Alpha is None, with the reason, where no pair was repeated and where one value was used
    throughout. It ignores which of two labels came first: drift towards one level counts as plain
    disagreement. Stability is the weakest form of reliability (Krippendorff, Content Analysis, 4th
    ed. 2018, chapter 12). Assessors disagree with themselves, and more so after a longer time:
    Scholer, Turpin & Sanderson 2011, doi:10.1145/2009916.2010057. Equals krippendorff.alpha on a
    table of two rows.
    """
    table, values = np.asarray(table, dtype=np.int64), np.asarray(values)
    if table.shape != (len(values), len(values)):
        raise ValueError("Stability needs a count for every two values of the domain.")
    unit_counts = _units(table, values)
    groups = _grouped_units(grouped_pairs, unit_counts) if grouped_pairs else None
    alpha = alpha_of_counts(
        unit_counts, level=level, n_replicates=n_replicates, grouped_units=groups
    )
    return Stability(share_of(int(np.trace(table)), int(table.sum())), alpha)


def _units(table: NDArray[np.int64], values: NDArray[np.int64]) -> UnitCounts:
    """Count each kind of pair once: alpha ignores which of the two labels was the first."""
    unordered_table = np.triu(table + np.tril(table, -1).T)
    first, second = np.nonzero(unordered_table)
    unit_vectors = np.eye(len(values), dtype=np.int64)
    return UnitCounts(
        unit_vectors[first] + unit_vectors[second], unordered_table[first, second], values
    )


def _grouped_units(repeats: Sequence[RepeatedPairs], unit_counts: UnitCounts) -> GroupedUnits:
    unit_vectors = np.eye(len(unit_counts.values), dtype=np.int64)
    counts = np.array(
        [unit_vectors[row.first] + unit_vectors[row.second] for row in repeats]
    ).reshape(-1, len(unit_counts.values))
    n = np.array([row.n for row in repeats], dtype=np.int64)
    group = np.array([row.group for row in repeats], dtype=np.int64)
    return GroupedUnits.of(counts, group, unit_counts)._replace(n=n)
