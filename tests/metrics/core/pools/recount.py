"""Pool bias of a few runs in memory, label by label: what that of whole pools is held to.

Leaving out (LOU; Zobel 1998, doi:10.1145/290941.291014) scores a run as if it had not been pooled;
self-bias (ECCV Caption, E) is the effect of pooling only some runs on those inside and outside.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.measures.alignment import LabelledPairs, Rankings, align
from metrics.core.measures.measures import Measure
from metrics.core.pools.bias import SubsetBias, bias_of_size
from pooling.core.likeness.rankings import top


class LeaveOneOutScore(NamedTuple):
    """One run scored with all labels and without those that it alone contributed to the pool.

    n_unique : labels that no other run contributed; n_unique_positive : the positive ones of them
    score, score_without : means over the queries
    rank, rank_without : rank among all runs (1 = best), where the others keep all labels
    """

    run: int
    n_unique: int
    n_unique_positive: int
    score: float
    score_without: float
    rank: int
    rank_without: int


def pool_contributions(
    runs: Sequence[Rankings], labels: LabelledPairs, *, depth: int
) -> NDArray[np.bool_]:
    """(S, L) whether run s holds label l's target among its first `depth`, as in a depth-k pool."""
    is_contributed = np.zeros((len(runs), len(labels.doc)), dtype=bool)
    for row, run in zip(is_contributed, runs, strict=True):
        row[align(top(run, depth), labels).label] = True
    return is_contributed


def leave_one_out(
    runs: Sequence[Rankings],
    labels: LabelledPairs,
    measure: Measure,
    *,
    depth: int,
    threshold: float = 1,
    teams: Sequence[int] | None = None,
) -> list[LeaveOneOutScore]:
    """Score every run without the labels that it (or its team) alone contributed to a pool.

    Labels that no run contributed (a reference set's, an older pool's) are never taken out. Queries
    count in both scores alike.
    """
    team = np.arange(len(runs)) if teams is None else np.asarray(teams)
    contributions = pool_contributions(runs, labels, depth=depth)
    scores = np.array([_score(run, labels, measure, threshold) for run in runs])
    losses = []
    for s, run in enumerate(runs):
        unique = contributions[team == team[s]].any(axis=0) & ~contributions[team != team[s]].any(
            axis=0
        )
        score_without = _score(run, _subset(labels, ~unique), measure, threshold)
        other_scores = np.delete(scores, s)
        positive = unique & (np.asarray(labels.grade) >= max(threshold, 0))
        losses.append(
            LeaveOneOutScore(
                run=s,
                n_unique=int(np.count_nonzero(unique)),
                n_unique_positive=int(np.count_nonzero(positive)),
                score=float(scores[s]),
                score_without=score_without,
                rank=_rank(scores[s], other_scores, measure),
                rank_without=_rank(score_without, other_scores, measure),
            )
        )
    return losses


def subset_bias(
    runs: Sequence[Rankings],
    labels: LabelledPairs,
    measure: Measure,
    *,
    depth: int,
    threshold: float = 1,
    sizes: Sequence[int] | None = None,
) -> list[SubsetBias]:
    """Pool every subset of the runs and compare its scores with those under all labels.

    Labels that no run contributed count in every subset. 2**S scorings of S runs: meant for the
    handful of runs a pool has.
    """
    contributions = pool_contributions(runs, labels, depth=depth)
    is_uncontributed = ~contributions.any(axis=0)
    full = np.array([_score(run, labels, measure, threshold) for run in runs])
    biases = []
    for size in sizes or range(1, len(runs) + 1):
        changes, members = [], []
        for subset in combinations(range(len(runs)), size):
            is_member = np.isin(np.arange(len(runs)), subset)
            subset_labels = _subset(
                labels, is_uncontributed | np.any(contributions[is_member], axis=0)
            )
            changes.append(
                np.abs([_score(run, subset_labels, measure, threshold) for run in runs] - full)
            )
            members.append(is_member)
        biases.append(bias_of_size(size, np.array(changes), np.array(members)))
    return biases


def table_bias(scores: NDArray[np.float64]) -> list[SubsetBias]:
    """The biases of pooling each single run, from a table as in ECCV Caption (Table E.1).

    scores : (S, S + 1): row = run scored, column j < S = labels pooled from run j alone, last
        column = from all
    """
    changes = np.abs(scores[:, :-1] - scores[:, -1:]).T
    return [
        bias_of_size(1, row[None, :], np.eye(len(changes), dtype=bool)[None, j])
        for j, row in enumerate(changes)
    ]


def _score(run: Rankings, labels: LabelledPairs, measure: Measure, threshold: float) -> float:
    return measure.average(measure.compute(align(run, labels), threshold))


def _subset(labels: LabelledPairs, is_kept: NDArray[np.bool_]) -> LabelledPairs:
    return LabelledPairs(labels.query[is_kept], labels.doc[is_kept], labels.grade[is_kept])


def _rank(score: float, other_scores: NDArray[np.float64], measure: Measure) -> int:
    better = other_scores < score if measure.entry.smaller_is_better else other_scores > score
    return 1 + int(np.count_nonzero(better))
