"""Take-n: runs fused into one ranking, of which every source item gives its first n."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pooling.core.strategies.parameters import Values
from pooling.core.strategies.selections import (
    ChosenPairs,
    Integers,
    Material,
    RankedPairs,
    best_by_weights,
    group_by_pair,
    position_in_group,
    take,
    truncate,
    union,
)

RRF_K = 60
Weights = NDArray[np.float64]


class Votes(NamedTuple):
    """Votes of the runs for each pair.

    source : (M,) ascending; total : (M,) sum of the weights; n_holding : (M,) runs that hold it;
        n_runs : in all
    """

    source: Integers
    total: Weights
    n_holding: Integers
    n_runs: int


class Fusion(NamedTuple):
    """A way to fuse: the weight of each row of a run, and a pair's score from sums of weights.

    rank_weights : weights of ranks, for fusions that sum weights of ranks and do nothing else
    """

    label: str
    weigh: Callable[[RankedPairs], Weights]
    combine: Callable[[Votes], Weights] = lambda votes: votes.total
    needs_scores: bool = False
    rank_weights: Callable[[Integers], Weights] | None = None


def reciprocal(run: RankedPairs) -> Weights:
    """1 / (60 + rank): reciprocal rank fusion.

    Cormack, Clarke & Buettcher 2009, doi:10.1145/1571941.1572114.
    """
    return reciprocal_rank_weight(run.rank)


def reciprocal_rank_weight(rank: Integers) -> Weights:
    """Weight of a rank in reciprocal rank fusion."""
    return 1 / (RRF_K + rank)


def min_max(run: RankedPairs) -> Weights:
    """(score - smallest) / (largest - smallest) over a ranking down to the depth.

    1 where all are equal. For CombSUM and CombMNZ, Fox & Shaw 1994; normalised as in Lee 1997,
    doi:10.1145/258525.258587.
    """
    score = run.score if run.score is not None else -run.rank.astype(np.float64)
    _, group = np.unique(run.source, return_inverse=True)
    n_groups = int(group.max(initial=-1)) + 1
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, group, score)
    np.maximum.at(high, group, score)
    spread = (high - low)[group]
    return np.divide(score - low[group], spread, out=np.ones(len(score)), where=spread > 0)


def multiply_by_votes(votes: Votes) -> Weights:
    """CombMNZ: the sum times the number of runs that hold the pair. Fox & Shaw 1994."""
    return votes.total * votes.n_holding


def half_depth_less_rank(run: RankedPairs) -> Weights:
    """Half a ranking's number of targets, less the rank: the part of a Borda count a row has."""
    _, group, depth = np.unique(run.source, return_inverse=True, return_counts=True)
    return depth[group] / 2 - run.rank


def borda(votes: Votes) -> Weights:
    """Borda's count: of c candidates a run's first gets c points, its second c - 1, and so on.

    Those it does not hold share the remaining points alike. Aslam & Montague 2001,
    doi:10.1145/383952.384007. A run with d of the candidates gives rank r c + 1 - r points and
    every other candidate (c + 1 - d) / 2. Summed over n_runs runs, of which n_holding hold the
    pair, that is the sum below; `total` holds its d / 2 - r.
    """
    _, group, candidates = np.unique(votes.source, return_inverse=True, return_counts=True)
    n_rows = np.bincount(group, weights=votes.n_holding, minlength=len(candidates))
    shared_points = (votes.n_runs * (candidates + 1) - n_rows) / 2
    return votes.total + votes.n_holding * (candidates[group] + 1) / 2 + shared_points[group]


FUSIONS: dict[str, Fusion] = {
    "rrf": Fusion("Reciprocal ranks (RRF)", reciprocal, rank_weights=reciprocal_rank_weight),
    "combsum": Fusion("CombSUM", min_max, needs_scores=True),
    "combmnz": Fusion("CombMNZ", min_max, multiply_by_votes, needs_scores=True),
    "borda": Fusion("Borda count", half_depth_less_rank, borda),
}


def take_n_by_fusion(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """The `n` best pairs of each source item by fusion of the first `depth` of every run.

    Ties go to the better best rank, then to the larger target key. Unknown targets have their part
    in fusion and are not taken. A fixed cost per source item: Lipani et al., ECIR 2017.
    """
    runs = [truncate(run, int(values["depth"])) for run in material.runs]
    rank_weights = FUSIONS[str(values["fusion"])].rank_weights
    if rank_weights is not None:
        best = best_by_weights(
            runs, rank_weights(np.arange(int(values["depth"]) + 1)), int(values["n"])
        )
        if best is not None:
            return best
    union_pairs, score = fuse(runs, str(values["fusion"]))
    is_known = union_pairs.target >= 0
    union_pairs, score = take(union_pairs, is_known), score[is_known]
    score = np.round(score, 12)  # sums of the same numbers in another order are ties
    order = np.lexsort((-union_pairs.target, union_pairs.best_rank, -score, union_pairs.source))
    position = position_in_group(union_pairs.source[order])
    return take(union_pairs, np.sort(order[position < int(values["n"])]))


def fuse(runs: list[RankedPairs], name: str) -> tuple[ChosenPairs, Weights]:
    """The union of the runs, and the fused score of each of its pairs."""
    fusion, union_pairs = FUSIONS[name], union(runs)
    if not len(union_pairs.source):
        return union_pairs, np.empty(0)
    order, starts = group_by_pair(runs)
    weights = np.concatenate([fusion.weigh(run) for run in runs])[order]
    n_holding = np.diff(np.append(starts, len(order)))
    votes = Votes(union_pairs.source, np.add.reduceat(weights, starts), n_holding, len(runs))
    return union_pairs, fusion.combine(votes)
