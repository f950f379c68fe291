"""What each strategy would have found by now, had it chosen the order in which the labels at hand were given."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pooling.core.fusion import FUSIONS, fused
from pooling.core.live import ORDERS, replay
from pooling.core.selections import Integers, Pairs, RankedPairs, is_in, place_in_group, union


class Curve(NamedTuple):
    """Positives found by pairs judged, along one order; a live one learns from the labels on its way.

    spent, found : (P,) ascending, from the first round on: in round t every source item has its t-th pair judged
    """

    name: str
    spent: Integers
    found: Integers
    is_live: bool


def curves(runs: Sequence[RankedPairs], positive: Pairs, *, rng: np.random.Generator) -> Iterator[Curve]:
    """One curve a strategy over the pairs of the runs; they all begin at 0 and end where everything is judged.

    runs : of one direction, the pairs whose label is known alone, ranks as in the whole runs
    positive : those that are; the others are not
    Depth k goes down the ranks, take-n down the fused order, the live orders as one judge would who answers at once.
    """
    pooled = union(runs)
    pairs = Pairs(pooled.source, pooled.target)
    yield _curve("Depth k", pairs, pooled.best_rank, positive)
    for name, fusion in FUSIONS.items():
        _, score = fused(list(runs), name)
        order = np.lexsort((-pooled.target, pooled.best_rank, -score, pooled.source))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = place_in_group(pooled.source[order]) + 1
        yield _curve(f"Take n, {fusion.label}", pairs, place, positive)
    for name in ORDERS:
        told, place = replay(name, runs, positive, rng=rng)
        yield _curve(name.replace("-", " ").capitalize(), told, place, positive)._replace(is_live=True)


def _curve(name: str, pairs: Pairs, place: Integers, positive: Pairs) -> Curve:
    good = is_in(*pairs, positive)
    rounds = np.unique(place)
    at = np.searchsorted(rounds, place)
    spent = np.cumsum(np.bincount(at, minlength=len(rounds)))
    found = np.cumsum(np.bincount(at[good], minlength=len(rounds)))
    return Curve(name, spent, found, is_live=False)
