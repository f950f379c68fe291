"""Measures for incomplete judgments, and rankings with their unjudged targets dropped or graded.

bpref and the condensed list leave unjudged targets out; infAP and xinfAP infer from a sample of the
pool. A grade below 0 means pooled but not judged.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.ranking import PerQuery, positives, rank_in_query, share, total_by_query

EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


class _TargetsAbove(NamedTuple):
    """(H,) of each labelled target retrieved: its kind, and how many of each kind rank above it."""

    positive: NDArray[np.bool_]
    negative: NDArray[np.bool_]
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    n_above: NDArray[np.int64]


def bpref(rankings: RankedGrades, *, threshold: float = 1) -> PerQuery:
    """Bpref: share of judged negatives (at most R) that stand below each positive. Range [0, 1].

    (1/R) * sum over retrieved positives of 1 - min(n, R) / min(R, N): n judged negatives above, N
    in all; the term is 1 where n = 0. Buckley & Voorhees 2004, doi:10.1145/1008992.1009000. Equals
    trec_eval 8 and later (ranx gives NaN where N = 0).
    """
    above = _targets_above(rankings, threshold)
    n_queries = len(rankings.depth)
    total = positives(rankings, threshold).total
    negatives = np.bincount(
        rankings.label_query[(rankings.label_grade >= 0) & (rankings.label_grade < threshold)],
        minlength=n_queries,
    )
    query = rankings.query[above.positive]
    bound = total[query]
    loss = share(
        np.minimum(above.negatives[above.positive], bound), np.minimum(negatives[query], bound)
    )
    return share(total_by_query(query, n_queries, 1 - loss), total)


def inferred_ap(rankings: RankedGrades, *, threshold: float = 1) -> PerQuery:
    """infAP: AP inferred from a uniform sample of the pool. Range [0, 1].

    Pooled targets that were not sampled carry a negative grade.
    Yilmaz & Aslam 2006, doi:10.1145/1183614.1183633. Equals trec_eval infAP.
    """
    above = _targets_above(rankings, threshold)
    is_positive = above.positive
    n_relevant = above.positives[is_positive]
    n_judged = n_relevant + above.negatives[is_positive]
    chance = (n_relevant + EPSILON) / (n_judged + 2 * EPSILON)
    expected = (1 + above.n_above[is_positive] * chance) / rankings.rank[is_positive]
    total = positives(rankings, threshold).total
    return share(total_by_query(rankings.query[is_positive], len(rankings.depth), expected), total)


def condense(rankings: RankedGrades) -> RankedGrades:
    """Drop the unjudged targets: a measure of the result is that measure's condensed-list form.

    Sakai 2007, doi:10.1145/1277741.1277756. Equals trec_eval -J.
    """
    is_judged = rankings.grade >= 0
    n_queries = len(rankings.depth)
    query = rankings.query[is_judged]
    return rankings._replace(
        query=query,
        rank=rank_in_query(query, n_queries),
        grade=rankings.grade[is_judged],
        label=rankings.label[is_judged],
        depth=np.bincount(query, minlength=n_queries),
    )


def with_unjudged_as(rankings: RankedGrades, grade: float) -> RankedGrades:
    """Treat every unjudged target of the rankings as judged with `grade`.

    They join the labels too, so R grows with them. Their row in `label` is -1. Memory is that of
    the whole rankings.
    """
    n_queries = len(rankings.depth)
    start = np.cumsum(rankings.depth) - rankings.depth
    grades = np.full(
        int(rankings.depth.sum()), grade, dtype=np.result_type(rankings.grade, type(grade))
    )
    label = np.full(len(grades), -1, dtype=np.int64)
    is_judged = rankings.grade >= 0
    position = start[rankings.query[is_judged]] + rankings.rank[is_judged] - 1
    grades[position], label[position] = rankings.grade[is_judged], rankings.label[is_judged]
    is_new = np.ones(len(grades), dtype=bool)
    is_new[position] = False
    query = np.repeat(np.arange(n_queries), rankings.depth)
    has_new_row = np.isin(
        rankings.label_row, rankings.label[~is_judged]
    )  # judged now: their old row goes
    label_query = np.concatenate([rankings.label_query[~has_new_row], query[is_new]])
    label_grade = np.concatenate([rankings.label_grade[~has_new_row], grades[is_new]])
    label_row = np.concatenate([rankings.label_row[~has_new_row], label[is_new]])
    by_grade = np.lexsort((-label_grade, label_query))
    rank = np.arange(len(grades)) - start[query] + 1
    return RankedGrades(
        query,
        rank,
        grades,
        rankings.depth,
        label_query[by_grade],
        label_grade[by_grade],
        label,
        label_row[by_grade],
    )


def _targets_above(rankings: RankedGrades, threshold: float) -> _TargetsAbove:
    is_positive = rankings.grade >= max(threshold, 0)
    is_negative = (rankings.grade >= 0) & ~is_positive
    is_pooled = np.ones(len(is_positive), dtype=bool)
    counts = [
        count_above(rankings.query, kind, len(rankings.depth))
        for kind in (is_positive, is_negative, is_pooled)
    ]
    return _TargetsAbove(is_positive, is_negative, *counts)


def count_above(
    query: NDArray[np.int64], kind: NDArray[np.bool_], n_queries: int
) -> NDArray[np.int64]:
    """(H,) how many rows of `kind` rank above each row in its query.

    `query` ascends, rows by rank.
    """
    running: NDArray[np.int64] = np.cumsum(kind) - kind
    starts = np.searchsorted(query, np.arange(n_queries))
    before: NDArray[np.int64] = np.append(running, 0)[starts][query]
    return running - before
