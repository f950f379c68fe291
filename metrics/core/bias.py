"""Whom the pool favours: what a run loses when its own finds are taken out of the labels.

Labels come from pools of runs; a run outside the pool has relevant targets nobody judged. Leaving out (LOU; Zobel 1998,
doi:10.1145/290941.291014) scores a run as if it had not been pooled; self-bias (ECCV Caption, E) asks what pooling
only some runs does to those inside and those outside.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.alignment import Labels, Rankings, align
from metrics.core.measures import Measure
from pooling.core.rankings import top


class LeftOut(NamedTuple):
    """One run scored with all labels and without those only it brought to the pool.

    n_unique : labels that no other run brought; n_unique_positive : those of them that are positive
    score, without : means over the queries; rank, rank_without : place among all runs (1 = best), the others keep all
        labels
    """

    run: int
    n_unique: int
    n_unique_positive: int
    score: float
    without: float
    rank: int
    rank_without: int


class SubsetBias(NamedTuple):
    """How far scores move when only `size` of the S runs are pooled: ECCV Caption, Eq. E.5.

    Means over the subsets of mean |score under the subset's labels - score under all|: over all runs, over the subset's
    members (self), and over the runs outside it (non-self; NaN where there are none).
    """

    size: int
    bias: float
    self_bias: float
    non_self_bias: float


def brought(runs: Sequence[Rankings], labels: Labels, *, depth: int) -> NDArray[np.bool_]:
    """(S, L) whether run s holds label l's target among its first `depth`: what it brings to a depth-k pool."""
    found = np.zeros((len(runs), len(labels.doc)), dtype=bool)
    for row, run in zip(found, runs, strict=True):
        row[align(top(run, depth), labels).label] = True
    return found


def leave_one_out(
    runs: Sequence[Rankings],
    labels: Labels,
    measure: Measure,
    *,
    depth: int,
    threshold: float = 1,
    teams: Sequence[int] | None = None,
) -> list[LeftOut]:
    """Score every run without the labels only it (or its team) brought to a pool of `depth`.

    Labels nobody brought (a reference set's, an older pool's) are never taken out. Queries count in both scores alike.
    """
    team = np.arange(len(runs)) if teams is None else np.asarray(teams)
    bring = brought(runs, labels, depth=depth)
    scores = np.array([_score(run, labels, measure, threshold) for run in runs])
    found = []
    for s, run in enumerate(runs):
        unique = bring[team == team[s]].any(axis=0) & ~bring[team != team[s]].any(axis=0)
        without = _score(run, _subset(labels, ~unique), measure, threshold)
        others = np.delete(scores, s)
        positive = unique & (np.asarray(labels.grade) >= max(threshold, 0))
        found.append(
            LeftOut(
                run=s,
                n_unique=int(np.count_nonzero(unique)),
                n_unique_positive=int(np.count_nonzero(positive)),
                score=float(scores[s]),
                without=without,
                rank=_rank(scores[s], others, measure),
                rank_without=_rank(without, others, measure),
            )
        )
    return found


def subset_bias(
    runs: Sequence[Rankings],
    labels: Labels,
    measure: Measure,
    *,
    depth: int,
    threshold: float = 1,
    sizes: Sequence[int] | None = None,
) -> list[SubsetBias]:
    """Pool every subset of the runs and compare its scores with those under all labels, by the subset's size.

    Labels nobody brought count in every subset. 2**S scorings of S runs: meant for the handful of runs a pool has.
    """
    bring = brought(runs, labels, depth=depth)
    nobody = ~bring.any(axis=0)
    full = np.array([_score(run, labels, measure, threshold) for run in runs])
    found = []
    for size in sizes or range(1, len(runs) + 1):
        moved, members = [], []
        for subset in combinations(range(len(runs)), size):
            chosen = np.isin(np.arange(len(runs)), subset)
            pooled = _subset(labels, nobody | np.any(bring[chosen], axis=0))
            moved.append(np.abs([_score(run, pooled, measure, threshold) for run in runs] - full))
            members.append(chosen)
        found.append(bias_of_size(size, np.array(moved), np.array(members)))
    return found


def table_bias(scores: NDArray[np.float64]) -> list[SubsetBias]:
    """The biases of pooling each single run, from a table of scores as ECCV Caption prints it (Table E.1).

    scores : (S, S + 1): row = run scored, column j < S = labels pooled from run j alone, last column = from all
    """
    moved = np.abs(scores[:, :-1] - scores[:, -1:]).T
    return [bias_of_size(1, row[None, :], np.eye(len(moved), dtype=bool)[None, j]) for j, row in enumerate(moved)]


def bias_of_size(size: int, moved: NDArray[np.float64], members: NDArray[np.bool_]) -> SubsetBias:
    """The biases of some subsets of one size; moved, members : (subsets, S) how far each run moved, and who is in."""
    outside = float(moved[~members].mean()) if not members.all() else float("nan")
    return SubsetBias(size, float(moved.mean()), float(moved[members].mean()), outside)


def _score(run: Rankings, labels: Labels, measure: Measure, threshold: float) -> float:
    return measure.average(measure.compute(align(run, labels), threshold))


def _subset(labels: Labels, keep: NDArray[np.bool_]) -> Labels:
    return Labels(labels.query[keep], labels.doc[keep], labels.grade[keep])


def _rank(score: float, others: NDArray[np.float64], measure: Measure) -> int:
    better = others < score if measure.entry.smaller_is_better else others > score
    return 1 + int(np.count_nonzero(better))
