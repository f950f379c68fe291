"""Strategies that draw nothing: depth k, every pair, the pairs that a run adds."""

import numpy as np

from pooling.core.strategies.parameters import Values
from pooling.core.strategies.selections import (
    NO_RANK,
    ChosenPairs,
    Layout,
    Material,
    StrategyError,
    is_in,
    known_pairs,
    take,
    union,
)


def depth_k(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """Every pair that is among the first `depth` of any run.

    Sparck Jones & van Rijsbergen 1975; TREC's pools.
    """
    return known_pairs(union(material.runs, int(values["depth"])))


def adds(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """Depth-k without the pairs that are in a pool already: what judging the runs' tops adds."""
    pairs = depth_k(material, values, rng)
    return take(pairs, ~is_in(pairs.source, pairs.target, material.pool_pairs))


def exhaustive(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """Every target for every source item, at most `limit` pairs.

    The best rank where a run holds the pair. Raises StrategyError where there are more.
    """
    n_pairs = len(material.sources) * len(material.targets)
    if n_pairs > int(values["limit"]):
        message = (
            f"{len(material.sources):,} sources with {len(material.targets):,} targets each are "
            f"{n_pairs:,} pairs; choose a smaller query set, or a larger limit."
        )
        raise StrategyError("limit", message)
    source = np.repeat(material.sources, len(material.targets))
    target = np.tile(material.targets, len(material.sources))
    run_pairs = union(material.runs)
    layout = Layout([source, run_pairs.source], [target, run_pairs.target])
    codes, run_codes = (
        layout.codes(source, target),
        layout.codes(run_pairs.source, run_pairs.target),
    )
    position = np.searchsorted(run_codes, codes)
    is_ranked = np.append(run_codes, -1)[position] == codes
    rank = np.where(is_ranked, np.append(run_pairs.best_rank, NO_RANK)[position], NO_RANK)
    return ChosenPairs(source, target, rank, np.zeros(n_pairs, np.int64), np.ones(n_pairs))
