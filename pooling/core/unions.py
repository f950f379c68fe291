"""Strategies that draw nothing: depth k, every pair, what a run adds."""

import numpy as np

from pooling.core.parameters import Values
from pooling.core.selections import (
    NO_RANK,
    Chosen,
    Layout,
    Material,
    StrategyError,
    askable,
    is_in,
    take,
    union,
)


def depth_k(material: Material, values: Values, rng: np.random.Generator) -> Chosen:
    """Every pair that is among the first `depth` of any run. Sparck Jones & van Rijsbergen 1975; TREC's pools."""
    return askable(union(material.runs, int(values["depth"])))


def adds(material: Material, values: Values, rng: np.random.Generator) -> Chosen:
    """Depth-k without the pairs that are in a pool already: what judging the runs' tops too would add."""
    chosen = depth_k(material, values, rng)
    return take(chosen, ~is_in(chosen.source, chosen.target, material.pooled))


def exhaustive(material: Material, values: Values, rng: np.random.Generator) -> Chosen:
    """Every target for every source item, at most `limit` pairs; the best rank where a run holds the pair.

    Raises StrategyError where there are more.
    """
    n_pairs = len(material.sources) * len(material.targets)
    if n_pairs > values["limit"]:
        message = (
            f"{len(material.sources):,} sources with {len(material.targets):,} targets each are {n_pairs:,} pairs; "
            "choose a smaller query set, or a larger limit."
        )
        raise StrategyError("limit", message)
    source = np.repeat(material.sources, len(material.targets))
    target = np.tile(material.targets, len(material.sources))
    held = union(material.runs)
    layout = Layout([source, held.source], [target, held.target])
    wanted, known = layout.codes(source, target), layout.codes(held.source, held.target)
    at = np.searchsorted(known, wanted)
    found = np.append(known, -1)[at] == wanted
    rank = np.where(found, np.append(held.best_rank, NO_RANK)[at], NO_RANK)
    return Chosen(source, target, rank, np.zeros(n_pairs, np.int64), np.ones(n_pairs))
