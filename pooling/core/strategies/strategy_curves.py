"""Positives each strategy would have found by now, had it chosen the order of these labels."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pooling.core.strategies.fusion import FUSIONS, fuse
from pooling.core.strategies.live_orders import ORDERS, replay
from pooling.core.strategies.selections import (
    Integers,
    Pairs,
    RankedPairs,
    is_in,
    position_in_group,
    union,
)


class Curve(NamedTuple):
    """Positives found by pairs judged, along one order.

    A live one learns from the labels on its way.

    n_judged, n_positive : (P,) ascending, from the first round on: in round t every source item has
        its t-th pair judged
    """

    name: str
    n_judged: Integers
    n_positive: Integers
    is_live: bool


def curves(
    runs: Sequence[RankedPairs], positive: Pairs, *, rng: np.random.Generator
) -> Iterator[Curve]:
    """One curve a strategy over the pairs of the runs.

    They all begin at 0 and end where everything is judged.

    runs : of one direction, only pairs whose label is known, ranks as in the whole runs
    positive : the positive pairs; the others are negative

    Depth k goes down the ranks, take-n down the fused order, the live orders as with one judge who
    answers at once.
    """
    union_pairs = union(runs)
    pairs = Pairs(union_pairs.source, union_pairs.target)
    yield _curve("Depth k", pairs, union_pairs.best_rank, positive)
    for name, fusion in FUSIONS.items():
        _, score = fuse(list(runs), name)
        order = np.lexsort((-union_pairs.target, union_pairs.best_rank, -score, union_pairs.source))
        position = np.empty(len(order), dtype=np.int64)
        position[order] = position_in_group(union_pairs.source[order]) + 1
        yield _curve(f"Take n, {fusion.label}", pairs, position, positive)
    for name in ORDERS:
        replayed_pairs, position = replay(name, runs, positive, rng=rng)
        yield _curve(
            name.replace("-", " ").capitalize(), replayed_pairs, position, positive
        )._replace(is_live=True)


def _curve(name: str, pairs: Pairs, position: Integers, positive: Pairs) -> Curve:
    is_positive = is_in(*pairs, positive)
    rounds = np.unique(position)
    at = np.searchsorted(rounds, position)
    n_judged = np.cumsum(np.bincount(at, minlength=len(rounds)))
    n_positive = np.cumsum(np.bincount(at[is_positive], minlength=len(rounds)))
    return Curve(name, n_judged, n_positive, is_live=False)
