"""One annotator's positives held to the other annotators' labels of the same pairs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.analyses.labels.pair_groups import pair_groups
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class BinaryLabels(NamedTuple):
    """N labels of P pairs, one at most of an annotator on a pair.

    pair : (N,) 0..P-1; annotator : (N,) 0..A-1; is_positive : (N,)
    query : (P,) 0..Q-1
    """

    pair: NDArray[np.int64]
    annotator: NDArray[np.int64]
    is_positive: NDArray[np.bool_]
    query: NDArray[np.int64]


class PersonQuality(NamedTuple):
    """An annotator's positives against the others; annotator : None for all together.

    n : labels on pairs that others labelled too; n_positive : the positive ones
    n_expected : sum of the shares of the others that call each of these pairs positive
    precision : mean of these shares over the annotator's positives
    recall : of n_expected the part on the annotator's positives; None where there is nothing
    f1 : harmonic mean of both
    """

    annotator: int | None
    n: int
    n_positive: int
    n_expected: float
    precision: float | None
    precision_interval: Interval
    recall: float | None
    recall_interval: Interval
    f1: float | None


def people_as_systems(
    labels: BinaryLabels, *, n_annotators: int, groups: Groups
) -> list[PersonQuality]:
    """Judge each annotator by the others; all together first, then those who share a pair.

    groups : of the Q queries
    With two labels a pair these are the precision and recall of one assessor's relevant documents
    by another's (Voorhees 2000, doi:10.1016/S0306-4573(00)00010-8); of several others each counts
    alike. All together have one number for both: with k of n labels positive, a pair adds
    k (k - 1) / (n - 1) to the numerator and k to either denominator. Intervals are those of a
    share by groups (`mean_intervals`), the recall's with the shares of the others as weights; all
    together have that of precision for both.
    """
    n_pairs = len(labels.query)
    n_labels = np.bincount(labels.pair, minlength=n_pairs)[labels.pair]
    n_positive = np.bincount(labels.pair[labels.is_positive], minlength=n_pairs)[labels.pair]
    is_shared = n_labels > 1
    positive = labels.is_positive[is_shared]
    share = (n_positive[is_shared] - positive) / (n_labels[is_shared] - 1)
    annotator = labels.annotator[is_shared]
    query = labels.query[labels.pair[is_shared]]

    def quality(number: int | None) -> PersonQuality:
        own = np.ones(len(share), dtype=bool) if number is None else annotator == number
        n_expected = float(share[own].sum())
        precision, precision_interval = _mean(share, own & positive, query, groups, None)
        recall, recall_interval = _mean(
            positive.astype(np.float64), own & (share > 0), query, groups, share
        )
        if number is None:  # one number, and so one interval
            recall, recall_interval = precision, precision_interval
        n_agreed = float(share[own & positive].sum())
        whole = int(np.count_nonzero(own & positive)) + n_expected
        return PersonQuality(
            annotator=number,
            n=int(np.count_nonzero(own)),
            n_positive=int(np.count_nonzero(own & positive)),
            n_expected=n_expected,
            precision=precision,
            precision_interval=precision_interval,
            recall=recall,
            recall_interval=recall_interval,
            f1=2 * n_agreed / whole if whole else None,
        )

    present = np.flatnonzero(np.bincount(annotator, minlength=n_annotators))
    return [quality(None), *map(quality, present.tolist())]


def _mean(
    values: NDArray[np.float64],
    mask: NDArray[np.bool_],
    query: NDArray[np.int64],
    groups: Groups,
    weight: NDArray[np.float64] | None,
) -> tuple[float | None, Interval]:
    """The mean of some values, none below 0 or above 1, with its interval by groups of queries."""
    if not mask.any():
        return None, NO_INTERVAL
    of_labels = pair_groups(groups, query[mask])._replace(weight=None)
    if weight is not None:
        of_labels = Groups.of(of_labels.of_query, weight=weight[mask])
    (interval,) = mean_intervals(values[mask][None, :], are_shares=True, groups=of_labels)
    return float(of_labels.mean(values[mask])), interval
