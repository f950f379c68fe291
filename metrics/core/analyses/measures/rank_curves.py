"""Curves of a run over its ranks: precision against recall, and counts of right and wrong."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.ranking import PositiveRanks, hits
from metrics.core.measures.retrieval import RECALL_POINTS, precision_recall_curve
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import Interval, mean_intervals


class CurvePoint(NamedTuple):
    """A point of a curve: the mean of y over queries at x, with its 95 % interval."""

    x: float
    y: float
    interval: Interval


class ConfusionCounts(NamedTuple):
    """Targets of a query within its first k ranks and behind, positive or not: means over queries.

    A query's four numbers add up to its targets. true_negative and what is made of it counts
    targets that nobody judged as negative.
    true_rate, false_rate : mean shares of a query's positives, and of its negatives, within k; over
        n_with_positive and n_with_negative queries that have such; None without one
    """

    k: int
    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float
    precision: float
    true_rate: float | None
    false_rate: float | None
    n_with_positive: int
    n_with_negative: int

    @property
    def rates(self) -> tuple[float | None, float | None, int, int]:
        """The shares of the positives and of the negatives within k, and the queries of each."""
        return self.true_rate, self.false_rate, self.n_with_positive, self.n_with_negative


def precision_by_recall(positive_ranks: PositiveRanks, *, groups: Groups) -> list[CurvePoint]:
    """The eleven-point curve: interpolated precision at recall 0, .1, ..., 1; mean over Q queries.

    A query without a positive, or that the run misses, counts 0, as in IPrec11. Equals trec_eval's
    iprec_at_recall.
    """
    values = precision_recall_curve(positive_ranks).T
    intervals = mean_intervals(values, are_shares=True, groups=groups)
    means = [float(groups.mean(row)) for row in values]
    return [CurvePoint(*point) for point in zip(RECALL_POINTS, means, intervals, strict=True)]


def confusion_counts(
    positive_ranks: PositiveRanks, *, n_targets: int, depths: Sequence[int], groups: Groups
) -> list[ConfusionCounts]:
    """Count true and false positives and negatives at each depth k.

    n_targets : that a query could rank, as many for each of the Q queries
    A query with fewer than k ranks has them all within k; precision is the share of k, as P@k is.
    """
    n_positive = positive_ranks.total.astype(np.float64)
    n_negative = n_targets - n_positive
    has_positive, has_negative = n_positive > 0, n_negative > 0
    rows = []
    for k in depths:
        n_right = hits(positive_ranks, k)
        n_wrong = np.minimum(positive_ranks.depth, k) - n_right
        row = ConfusionCounts(
            k=k,
            true_positive=float(groups.mean(n_right)),
            false_positive=float(groups.mean(n_wrong)),
            false_negative=float(groups.mean(n_positive - n_right)),
            true_negative=float(groups.mean(n_negative - n_wrong)),
            precision=float(groups.mean(n_right / k)),
            true_rate=_mean_share(n_right, n_positive, has_positive, groups),
            false_rate=_mean_share(n_wrong, n_negative, has_negative, groups),
            n_with_positive=int(np.count_nonzero(has_positive)),
            n_with_negative=int(np.count_nonzero(has_negative)),
        )
        rows.append(row)
    return rows


def _mean_share(
    part: NDArray[np.float64],
    whole: NDArray[np.float64],
    is_defined: NDArray[np.bool_],
    groups: Groups,
) -> float | None:
    if not is_defined.any():
        return None
    shares = part[is_defined] / whole[is_defined]
    return float(groups.within(is_defined).mean(shares))


class AreaUnderRoc(NamedTuple):
    """The mean area over n queries with a positive and a negative, and its 95 % interval."""

    value: float
    interval: Interval
    n: int


def area_under_roc(
    positive_ranks: PositiveRanks, *, n_targets: int, groups: Groups
) -> AreaUnderRoc | None:
    """The mean area under the ROC curve: the chance that a positive stands above a negative.

    n_targets : of each query, all of which the run must rank, and no others
    Over queries with a positive and a negative. None without one, or where a run does not rank all
    targets of such a query: the rest of the curve is not known. Of ranks without ties; equals the
    statistic of Mann and Whitney over the product of the numbers.
    """
    n_negative = n_targets - positive_ranks.total
    is_defined = (positive_ranks.total > 0) & (n_negative > 0)
    if not is_defined.any() or (positive_ranks.depth[is_defined] != n_targets).any():
        return None
    n_queries = len(positive_ranks.depth)
    # negatives above a positive: those of its ranks that no positive has
    n_above = np.bincount(
        positive_ranks.query, weights=positive_ranks.rank - positive_ranks.nth, minlength=n_queries
    )
    n_pairs = (positive_ranks.total * n_negative)[is_defined]
    areas = 1 - n_above[is_defined] / n_pairs
    of_defined = groups.within(is_defined)
    (interval,) = mean_intervals(areas[None, :], are_shares=True, groups=of_defined)
    return AreaUnderRoc(float(of_defined.mean(areas)), interval, len(areas))
