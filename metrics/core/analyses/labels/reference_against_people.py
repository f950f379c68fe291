"""Precision and recall of reference sets, held to the grades that people gave."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, Interval, mean_intervals


class JudgedPairs(NamedTuple):
    """The J pairs of Q queries that people gave a grade.

    query : (J,) 0..Q-1; is_positive : (J,) whether their grade reaches the threshold
    """

    query: NDArray[np.int64]
    is_positive: NDArray[np.bool_]


class QueryShare(NamedTuple):
    """A share of a query's pairs, as its mean over n queries; None where n is 0.

    interval : what other queries like these would give at 95 %
    """

    share: float | None
    interval: Interval
    n: int


class ReferenceQuality(NamedTuple):
    """A reference set against people.

    n_agreed, n_refused : of its positives that people judged, those that are theirs too, or not
    n_missing : positives by people that it does not have
    precision : of its judged positives of a query those that are people's, where it has one
    recall : of the positives of a query by people those that it has, where people have one
    recall_in_both : recall where it has a judged positive and people have one
    """

    n_agreed: int
    n_refused: int
    n_missing: int
    precision: QueryShare
    recall: QueryShare
    recall_in_both: QueryShare


def reference_against_people(
    judged_pairs: JudgedPairs, is_in_set: NDArray[np.bool_], *, groups: Groups
) -> list[ReferenceQuality]:
    """Hold each of S reference sets to people's grades.

    is_in_set : (S, J) whether a pair is a positive of the set; groups : of the Q queries
    With t the positives of a query by people, h its pairs with a grade of theirs and r' the
    positives of a set within h, precision is |t & r'| / |r'| and recall |t & r'| / |t|, each the
    mean over the queries where it is defined. ECCV Caption (Chun et al. 2022), Table 2, leaves
    queries without r' out of both, which `recall_in_both` does: that is the larger of the two. A
    mean has the queries' weights, and the interval of a share by groups (`mean_intervals`).
    """

    def by_query(is_counted: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(judged_pairs.query[is_counted], minlength=groups.n_queries)

    n_theirs = by_query(judged_pairs.is_positive)
    qualities = []
    for row in is_in_set:
        n_agreed, n_judged = by_query(row & judged_pairs.is_positive), by_query(row)
        qualities.append(
            ReferenceQuality(
                n_agreed=int(n_agreed.sum()),
                n_refused=int((n_judged - n_agreed).sum()),
                n_missing=int((n_theirs - n_agreed).sum()),
                precision=_query_share(n_agreed, n_judged, n_judged > 0, groups),
                recall=_query_share(n_agreed, n_theirs, n_theirs > 0, groups),
                recall_in_both=_query_share(
                    n_agreed, n_theirs, (n_theirs > 0) & (n_judged > 0), groups
                ),
            )
        )
    return qualities


def _query_share(
    part: NDArray[np.int64],
    whole: NDArray[np.int64],
    is_defined: NDArray[np.bool_],
    groups: Groups,
) -> QueryShare:
    """The mean of part / whole over the queries of which it is defined, all (Q,)."""
    n = int(np.count_nonzero(is_defined))
    if not n:
        return QueryShare(None, NO_INTERVAL, 0)
    shares = part[is_defined] / whole[is_defined]
    groups = groups.within(is_defined)
    (interval,) = mean_intervals(shares[None, :], are_shares=True, groups=groups)
    return QueryShare(float(groups.mean(shares)), interval, n)
