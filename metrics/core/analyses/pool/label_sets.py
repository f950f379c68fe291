"""Scores of a run under many label sets, each beside a base from which few labels differ."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import distinct
from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.bounds import bounds
from metrics.core.measures.measures import Measure, with_scale
from metrics.core.pools.partial_labels import relabel

Grades = NDArray[np.float32]
Decide = Callable[[int, list[int]], int | None]  # a grade by a policy and grades, ascending
CELLS_A_PART = 2_000_000  # ranked targets whose bounds are computed at once
MOST_KEYS = 2**40  # beyond it keys of counts are made smaller, so that they never overflow


class LabelSet(NamedTuple):
    """A label set over L pairs, and the grade from which on a target is positive.

    grades : (L,), NaN where it has no label
    """

    grades: Grades
    threshold: float


class GradeMoves(NamedTuple):
    """Pairs with another grade, without any now, and with one here alone; and those people lost.

    n_moved : by another threshold those that became positive or ceased to be
    n_ungraded, n_gained : None by another threshold
    n_lost : pairs without a grade by people now, whatever another source puts in its place; None
        where nobody's labels are left out. They are not among n_moved
    n_replaced : of these, those whose grade by another source is another one
    """

    n_moved: int
    n_ungraded: int | None
    n_gained: int | None
    n_lost: int | None = None
    n_replaced: int = 0

    @property
    def are_none(self) -> bool:
        """True if every pair has the grade, or none, that it has under the base."""
        return not (self.n_moved or self.n_ungraded or self.n_gained or self.n_replaced)


class MovedScores(NamedTuple):
    """(M,) scores of the queries that a label set may move; the others have those of the base."""

    queries: NDArray[np.int64]
    values: NDArray[np.float64]


def moved_scores(
    rankings: RankedGrades,
    query_of_label: NDArray[np.int64],
    base: LabelSet,
    label_sets: Sequence[LabelSet],
    measure: Measure,
) -> list[MovedScores]:
    """Score a run under the base, for all of Q queries, and then under each label set.

    rankings : of the run with all L pairs; query_of_label : (L,) their queries
    Of a label set only the queries are scored of which a label differs from the base's, or all
    where the threshold or the largest grade of the measure's scale does.
    """
    n_queries = len(rankings.depth)
    everything = np.arange(n_queries)
    (base_measure,) = with_scale([measure], base.grades[~np.isnan(base.grades)])
    rows = [MovedScores(everything, _values(rankings, base, base_measure))]
    for label_set in label_sets:
        (scaled,) = with_scale([measure], label_set.grades[~np.isnan(label_set.grades)])
        if label_set.threshold != base.threshold or scaled != base_measure:
            rows.append(MovedScores(everything, _values(rankings, label_set, scaled)))
            continue
        queries = distinct(query_of_label[differing_labels(base, label_set)])
        values = _values(_of_queries(rankings, queries), label_set, scaled)
        rows.append(MovedScores(queries, values))
    return rows


def extreme_scores(
    rankings: RankedGrades,
    query_of_label: NDArray[np.int64],
    base: LabelSet,
    is_open: NDArray[np.bool_],
    measure: Measure,
    *,
    best_grade: float,
) -> NDArray[np.float64]:
    """(2, Q) the smallest and the largest score that labels of what has none could give a run.

    is_open : (L,) pairs of pools without a label; what the run returned and nobody labelled is open
        beside them
    measure : one that has bounds, which metrics.core.measures.bounds defines; best_grade : of these
    """
    (scaled,) = with_scale([measure], base.grades[~np.isnan(base.grades)])
    n_queries = len(rankings.depth)
    elsewhere = np.bincount(query_of_label[is_open], minlength=n_queries)
    elsewhere -= np.bincount(rankings.query[is_open[rankings.label]], minlength=n_queries)
    graded = relabel(rankings, base.grades.astype(np.float64))
    part = np.cumsum(rankings.depth) // CELLS_A_PART
    ends = [np.zeros((2, 0))]
    for number in np.unique(part):
        queries = np.flatnonzero(part == number)
        of_part = bounds(
            scaled,
            _of_queries(graded, queries),
            best_grade=best_grade,
            threshold=base.threshold,
            elsewhere=elsewhere[queries],
        )
        ends.append(np.stack(of_part))
    return np.concatenate(ends, axis=1)


def differing_labels(base: LabelSet, label_set: LabelSet) -> NDArray[np.bool_]:
    """(L,) whether a pair has another grade than under the base, or a grade under one alone.

    By another threshold: whether it is positive under one alone.
    """
    if label_set.threshold != base.threshold:
        are_positive = [table.grades >= table.threshold for table in (base, label_set)]
        return np.asarray(are_positive[0] != are_positive[1])
    both_missing = np.isnan(base.grades) & np.isnan(label_set.grades)
    return np.asarray((base.grades != label_set.grades) & ~both_missing)


def grade_moves(
    base: LabelSet, label_set: LabelSet, is_lost: NDArray[np.bool_] | None = None
) -> GradeMoves:
    """Count how the pairs of a label set have other grades than under the base.

    is_lost : (L,) pairs of which people gave a grade and give none any more, so that what they have
        is another source's in its place; None where nobody's labels are left out
    """
    differs = differing_labels(base, label_set)
    if label_set.threshold != base.threshold:
        return GradeMoves(int(np.count_nonzero(differs)), None, None)
    is_gained = np.isnan(base.grades) & differs
    is_ungraded = np.isnan(label_set.grades) & differs
    is_moved = differs & ~is_gained & ~is_ungraded
    n_gained, n_ungraded = int(np.count_nonzero(is_gained)), int(np.count_nonzero(is_ungraded))
    if is_lost is None:
        return GradeMoves(int(np.count_nonzero(is_moved)), n_ungraded, n_gained)
    return GradeMoves(
        n_moved=int(np.count_nonzero(is_moved & ~is_lost)),
        n_ungraded=n_ungraded,
        n_gained=n_gained,
        n_lost=int(np.count_nonzero(is_lost)),
        n_replaced=int(np.count_nonzero(is_moved & is_lost)),
    )


def grades_without(
    pair: NDArray[np.int64],
    grade: NDArray[np.int64],
    policy: NDArray[np.int64],
    decide: Decide,
) -> NDArray[np.float64]:
    """(N,) for each of N labels the grade of its pair by the pair's other labels.

    pair, grade : (N,) of the labels, pairs as 0..P-1; policy : (P,) of the pairs
    decide : the grade by a policy and grades, ascending; None where these decide none
    NaN where no grade is decided. Each combination of a policy and grades is decided once.
    """
    levels, n_by_level = _counts(pair, grade, n_pairs=len(policy))
    n_of_rest = n_by_level[pair]
    n_of_rest[np.arange(len(pair)), np.searchsorted(levels, grade)] -= 1
    return _decided(policy[pair], levels, n_of_rest, decide)


def grades_of_pairs(
    pair: NDArray[np.int64],
    grade: NDArray[np.int64],
    policy: NDArray[np.int64],
    decide: Decide,
) -> NDArray[np.float64]:
    """(P,) the grade of each pair by these N labels, of which it may have none; NaN for none.

    pair, grade : (N,) of the labels, pairs as 0..P-1; policy : (P,); decide : as of grades_without
    """
    levels, n_by_level = _counts(pair, grade, n_pairs=len(policy))
    return _decided(policy, levels, n_by_level, decide)


def _counts(
    pair: NDArray[np.int64], grade: NDArray[np.int64], *, n_pairs: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(K,) the grades, ascending, and (P, K) the labels of each pair by grade."""
    levels, code = np.unique(grade, return_inverse=True)
    n = np.bincount(pair * len(levels) + code, minlength=n_pairs * len(levels))
    return levels, n.reshape(n_pairs, len(levels))


def _decided(
    policy: NDArray[np.int64],
    levels: NDArray[np.int64],
    n_by_level: NDArray[np.int64],
    decide: Decide,
) -> NDArray[np.float64]:
    """(N,) the grade by each policy (N,) and each row of counts (N, K), equal ones decided once."""
    key = np.unique(policy, return_inverse=True)[1]
    for n in n_by_level.T:
        key = key * (int(n.max(initial=0)) + 1) + n
        if key.max(initial=0) > MOST_KEYS:
            key = np.unique(key, return_inverse=True)[1]
    _, first, combination = np.unique(key, return_index=True, return_inverse=True)
    decided = [
        decide(int(policy[row]), np.repeat(levels, n_by_level[row]).tolist())
        for row in first.tolist()
    ]
    values = np.array([np.nan if value is None else value for value in decided], dtype=np.float64)
    return values[combination]


def _values(rankings: RankedGrades, label_set: LabelSet, measure: Measure) -> NDArray[np.float64]:
    relabelled = relabel(rankings, label_set.grades.astype(np.float64))
    return np.asarray(measure.compute(relabelled, label_set.threshold), dtype=np.float64)


def _of_queries(rankings: RankedGrades, queries: NDArray[np.int64]) -> RankedGrades:
    """The rankings of some ascending queries; the rows of the labels stay what they are."""
    hit, query = _rows_of(queries, rankings.query)
    label, label_query = _rows_of(queries, rankings.label_query)
    return rankings._replace(
        query=query,
        rank=rankings.rank[hit],
        grade=rankings.grade[hit],
        depth=rankings.depth[queries],
        label_query=label_query,
        label_grade=rankings.label_grade[label],
        label=rankings.label[hit],
        label_row=rankings.label_row[label],
    )


def _rows_of(
    queries: NDArray[np.int64], query: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of some ascending queries among rows by query, and which of those each is of."""
    first, end = (np.searchsorted(query, queries, side=side) for side in ("left", "right"))
    n = end - first
    rows = np.repeat(first - (np.cumsum(n) - n), n) + np.arange(int(n.sum()))
    return rows, np.repeat(np.arange(len(queries)), n)
