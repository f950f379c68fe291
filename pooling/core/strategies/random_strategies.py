"""Strategies that draw at random, with the probability of each source item and pair to be drawn."""

import numpy as np
from numpy.typing import NDArray

from pooling.core.strategies.parameters import Values, number
from pooling.core.strategies.selections import (
    ChosenPairs,
    DrawnSources,
    Integers,
    Material,
    RankedPairs,
    UndrawnStratumPairs,
    group_by_pair,
    known_pairs,
    position_in_group,
    rows_of,
    take,
    truncate,
    union,
)
from pooling.core.strategies.undrawn_strategies import depth_k

STRATA = {
    "": "No strata",
    "length": "Words of the source",
    "difficulty": "How far the runs disagree",
}
ALLOCATIONS = {"proportional": "In proportion to their size", "equal": "The same number of each"}


def depth_k_of_sample(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """Depth-k on `n_sources` source items drawn at random; all of them where there are fewer.

    With `strata`, source items are first parted into at most `n_strata` strata of almost equal
    size, by words or by how far the runs disagree; each set of a stratum's size is equally likely.
    The draw depends on the seed and on what the runs answer, not on the order of runs.
    """
    runs = [truncate(run, int(values["depth"])) for run in material.runs]
    sources = (
        np.unique(np.concatenate([run.source for run in runs])) if runs else np.empty(0, np.int64)
    )
    stratum = _strata(sources, runs, material, values)
    drawn_sources = draw(
        sources, stratum, int(values["n_sources"]), equally=values["allocation"] == "equal", rng=rng
    )
    sampled_runs = [rows_of(run, np.isin(run.source, drawn_sources.source)) for run in runs]
    return depth_k(material._replace(runs=sampled_runs), values, rng)._replace(
        drawn_sources=drawn_sources
    )


def stratified(material: Material, values: Values, rng: np.random.Generator) -> ChosenPairs:
    """All pairs to depth `top`, and of each source item's down to `depth` a share drawn at random.

    Stratum 1 has probability 1; in stratum 2, n = ceil(share * N) of a source's N pairs are drawn,
    each with probability n / N. Made for xinfAP: Yilmaz, Kanoulas & Aslam 2008.
    """
    union_pairs = known_pairs(union(material.runs, int(values["depth"])))
    stratum = np.where(union_pairs.best_rank <= int(values["top"]), 1, 2)
    group = 2 * np.unique(union_pairs.source, return_inverse=True)[1] + stratum
    size = np.bincount(group, minlength=1)[group]
    n_drawn = np.where(stratum == 1, size, np.ceil(number(values, "share") * size)).astype(np.int64)
    is_drawn = random_positions(group, rng) < n_drawn
    union_pairs = union_pairs._replace(stratum=stratum, probability=n_drawn / np.maximum(size, 1))
    undrawn = UndrawnStratumPairs(
        *(column[~is_drawn] for column in (union_pairs.source, union_pairs.target, stratum))
    )
    return take(union_pairs._replace(undrawn=undrawn), np.flatnonzero(is_drawn))


def draw(
    sources: Integers, stratum: Integers, n: int, *, equally: bool, rng: np.random.Generator
) -> DrawnSources:
    """Draw `n` of the source items, or all, allotted to strata, in each without replacement."""
    size = np.bincount(stratum, minlength=1)
    n_of_stratum = allot(size, min(n, len(sources)), equally=equally)
    rows = np.flatnonzero(random_positions(stratum, rng) < n_of_stratum[stratum])
    chance = n_of_stratum / np.maximum(size, 1)
    return DrawnSources(sources[rows], stratum[rows], chance[stratum[rows]])


def allot(size: Integers, n: int, *, equally: bool) -> Integers:
    """Allot `n` draws to strata: in proportion to their sizes, or equally.

    Never more than a stratum has.

    size : (H,), n <= their sum. A remainder goes where most is missing. If n allows, every stratum
    that has source items gives one: else nothing could be estimated of them.
    """
    weight = np.sign(size) if equally else size
    goal = n * weight / max(int(weight.sum()), 1)
    least = np.minimum(size, 1) if n >= np.count_nonzero(size) else np.zeros_like(size)
    sizes = np.clip(np.floor(goal).astype(np.int64), least, size)
    while sizes.sum() < n:
        sizes[np.argmax(np.where(sizes < size, goal - sizes, -np.inf))] += 1
    while sizes.sum() > n:
        sizes[np.argmax(np.where(sizes > least, sizes - goal, -np.inf))] -= 1
    return sizes


def random_positions(group: Integers, rng: np.random.Generator) -> Integers:
    """(N,) each row's position, from 0, in a random order of its group's rows."""
    order = np.lexsort((rng.random(len(group)), group))
    position = np.empty(len(group), dtype=np.int64)
    position[order] = position_in_group(group[order])
    return position


def _strata(
    sources: Integers, runs: list[RankedPairs], material: Material, parameters: Values
) -> Integers:
    """(Q,) a number from 0 for each source item; equal stratifiers are in one stratum."""
    if not parameters["strata"] or not len(sources):
        return np.zeros(len(sources), dtype=np.int64)
    if parameters["strata"] == "length":
        stratifier = material.lengths[np.searchsorted(material.sources, sources)].astype(np.float64)
    else:
        stratifier = disagreement(sources, runs)
    n = int(number(parameters, "n_strata"))
    edges = np.quantile(stratifier, np.arange(1, n) / n, method="inverted_cdf")
    return np.searchsorted(edges, stratifier, side="left")


def disagreement(sources: Integers, runs: list[RankedPairs]) -> NDArray[np.float64]:
    """(Q,) how far the runs disagree on each source item, in [0, 1]: a guess at its difficulty.

    1 less the mean overlap of two runs' tops, over the longer of all tops: runs agree where a query
    is easy (Aslam & Pavlu 2007, doi:10.1007/978-3-540-71496-5_20, who compare whole score
    distributions). 0 where one run answers.

    sources : ascending, all that the runs answer
    """
    order, starts = group_by_pair(runs)
    row_source = np.concatenate([run.source for run in runs])[order]
    n_holding = np.diff(np.append(starts, len(order)))
    of_pair = np.searchsorted(sources, row_source[starts])
    n_shared = np.bincount(of_pair, weights=n_holding * (n_holding - 1), minlength=len(sources))
    depth = np.zeros(len(sources))
    n_answering = np.zeros(len(sources))
    for run in runs:
        run_sources, count = np.unique(run.source, return_counts=True)
        at = np.searchsorted(sources, run_sources)
        depth[at] = np.maximum(depth[at], count)
        n_answering[at] += 1
    possible = n_answering * (n_answering - 1) * depth
    return 1 - np.divide(n_shared, possible, out=np.ones(len(sources)), where=possible > 0)
