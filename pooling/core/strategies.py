"""Which pairs are worth judging: every strategy in one table, arrays in, chosen pairs out.

A new strategy is a function and one entry in STRATEGIES.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_SEED = 2**63 - 1  # what a seed's column holds
RRF_K = 60  # Cormack, Clarke & Buettcher 2009: sum of 1 / (60 + rank)
Values = Mapping[str, float]


class RankedPairs(NamedTuple):
    """One run's rankings as rows, in any order, no (source, target) twice.

    source, target : (N,) int64 keys; rank : (N,) 1-based
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    rank: NDArray[np.int64]


class Chosen(NamedTuple):
    """The pairs a strategy takes, by source and target ascending.

    source, target : (M,) int64, no pair twice
    best_rank : (M,) the smallest rank any run gives the pair
    stratum : (M,) 0 for strategies without strata
    probability : (M,) chance of having been taken, given its source was: 1 where nothing was drawn
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    best_rank: NDArray[np.int64]
    stratum: NDArray[np.int64]
    probability: NDArray[np.float64]


class Parameter(NamedTuple):
    """One number a strategy takes: a whole one unless `step` is a fraction; its range includes both ends."""

    name: str
    label: str
    low: float
    high: float
    default: float
    sentence: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers make sense."""
        return isinstance(self.default, int)


Choose = Callable[[Sequence[RankedPairs], Values, np.random.Generator], Chosen]


class Strategy(NamedTuple):
    """A way to choose pairs: its name for people, one sentence, its parameters and its function.

    reach : the parameter that says how far down rankings it looks
    draws_sources : whether it keeps only a sample of the source items, which are then the ones to score on
    """

    label: str
    sentence: str
    parameters: tuple[Parameter, ...]
    choose: Choose
    reach: str = "depth"
    draws_sources: bool = False


class StrategyError(ValueError):
    """No such strategy, or a parameter out of its range; `field` names the parameter, "" the strategy."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def depth_k(runs: Sequence[RankedPairs], values: Values, rng: np.random.Generator) -> Chosen:
    """Every pair that is among the first `depth` of any run. Sparck Jones & van Rijsbergen 1975; TREC's pools."""
    return _union([_within(run, int(values["depth"])) for run in runs])


def depth_k_of_sample(runs: Sequence[RankedPairs], values: Values, rng: np.random.Generator) -> Chosen:
    """Depth-k on `n_sources` source items, each set of that size equally likely; all of them where there are fewer.

    The draw depends on the seed and on which source items the runs answer, not on the order of runs.
    """
    sources = np.unique(np.concatenate([run.source for run in runs])) if runs else np.empty(0, np.int64)
    drawn = np.sort(rng.choice(sources, min(int(values["n_sources"]), len(sources)), replace=False))
    kept = [RankedPairs(*(column[np.isin(run.source, drawn)] for column in run)) for run in runs]
    return depth_k(kept, values, rng)


def take_n_by_fusion(runs: Sequence[RankedPairs], values: Values, rng: np.random.Generator) -> Chosen:
    """The `n` best pairs of each source item by reciprocal rank fusion of the first `depth` of every run.

    A pair's score is the sum of 1 / (60 + rank) over the runs that hold it (Cormack, Clarke & Buettcher 2009); ties go
    to the better best rank, then to the larger target key. A fixed cost per source item: Lipani et al., ECIR 2017.
    """
    rows, starts = _sorted_rows([_within(run, int(values["depth"])) for run in runs])
    union = _first_rows(rows, starts)
    score = np.add.reduceat(1 / (RRF_K + rows.rank), starts) if len(starts) else np.empty(0)
    order = np.lexsort((-union.target, union.best_rank, -score, union.source))
    place = _place_in_source(union.source[order])
    return _take(union, np.sort(order[place < int(values["n"])]))


def stratified(runs: Sequence[RankedPairs], values: Values, rng: np.random.Generator) -> Chosen:
    """All pairs to depth `top`, and of those down to `depth` a share drawn at random for each source item.

    Stratum 1 has probability 1; in stratum 2, n = ceil(share * N) of a source's N pairs are drawn, each with
    probability n / N. Made for xinfAP: Yilmaz, Kanoulas & Aslam 2008.
    """
    union = _union([_within(run, int(values["depth"])) for run in runs])
    stratum = np.where(union.best_rank <= values["top"], 1, 2)
    group = 2 * np.unique(union.source, return_inverse=True)[1] + stratum
    size = np.bincount(group, minlength=1)[group]
    n_drawn = np.where(stratum == 1, size, np.ceil(values["share"] * size)).astype(np.int64)
    order = np.lexsort((rng.random(len(group)), group))
    place = np.empty(len(group), dtype=np.int64)
    place[order] = _place_in_source(group[order])
    probability = n_drawn / np.maximum(size, 1)
    return _take(union._replace(stratum=stratum, probability=probability), np.flatnonzero(place < n_drawn))


_DEPTH = Parameter("depth", "Depth", 1, 1000, 10, "How many of each run's first results are taken.")
STRATEGIES: dict[str, Strategy] = {
    "depth-k": Strategy(
        "Depth k", "Every result among the first k of any run, for every source item.", (_DEPTH,), depth_k
    ),
    "depth-k-sample": Strategy(
        "Depth k on a sample",
        "Depth k, but only for source items drawn at random; scores are then for that sample.",
        (_DEPTH, Parameter("n_sources", "Source items", 1, 1_000_000, 100, "How many are drawn.")),
        depth_k_of_sample,
        draws_sources=True,
    ),
    "take-n": Strategy(
        "Take n by fusion",
        "The same number of pairs for every source item, those that the runs together rank best.",
        (
            Parameter("n", "Pairs a source item", 1, 1000, 10),
            Parameter("depth", "Depth", 1, 1000, 100, "How far down each run fusion looks."),
        ),
        take_n_by_fusion,
    ),
    "stratified": Strategy(
        "Stratified sample",
        "Everything at the top and a random share of what is below, for estimates such as xinfAP.",
        (
            Parameter("top", "All down to rank", 1, 1000, 10),
            Parameter("depth", "Depth", 1, 1000, 100, "Where the part that is sampled ends."),
            Parameter("share", "Share drawn below", 0.001, 1.0, 0.1),
        ),
        stratified,
    ),
}


def choose(strategy: str, runs: Sequence[RankedPairs], values: Values, *, seed: int) -> Chosen:
    """The pairs that a strategy takes from the runs; the same arguments always choose the same pairs.

    Raises StrategyError for an unknown strategy or for values that `check_values` refuses.
    """
    checked = check_values(strategy, values)
    return STRATEGIES[strategy].choose(runs, checked, np.random.default_rng(seed))


def check_values(strategy: str, values: Mapping[str, object]) -> dict[str, float]:
    """The strategy's parameters, each in its range; defaults where nothing is given. Raises StrategyError."""
    if strategy not in STRATEGIES:
        raise StrategyError("", f'There is no strategy "{strategy}"; there are: {", ".join(STRATEGIES)}.')
    parameters = STRATEGIES[strategy].parameters
    unknown = sorted(set(values) - {each.name for each in parameters})
    if unknown:
        raise StrategyError(unknown[0], f"{strategy} takes no parameter {unknown[0]}.")
    return {each.name: _checked(each, values.get(each.name, each.default)) for each in parameters}


def _checked(parameter: Parameter, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and parameter.low <= value <= parameter.high:
        if not parameter.is_whole:
            return float(value)
        if value == int(value):
            return int(value)
    kind = "a whole number" if parameter.is_whole else "a number"
    message = f"{parameter.label} is {kind} from {parameter.low:g} to {parameter.high:,g}."
    raise StrategyError(parameter.name, message)


def _within(run: RankedPairs, depth: int) -> RankedPairs:
    near = run.rank <= depth
    return RankedPairs(run.source[near], run.target[near], run.rank[near])


def _union(runs: Sequence[RankedPairs]) -> Chosen:
    """All pairs of the runs once, each with its best rank."""
    return _first_rows(*_sorted_rows(runs))


def _sorted_rows(runs: Sequence[RankedPairs]) -> tuple[RankedPairs, NDArray[np.int64]]:
    """The rows of all runs by source, target and rank, and where each pair's rows begin."""
    none = [np.empty(0, dtype=np.int64)]
    rows = RankedPairs(*(np.concatenate([run[at] for run in runs] or none) for at in range(3)))
    order = np.lexsort((rows.rank, rows.target, rows.source))
    rows = RankedPairs(*(column[order] for column in rows))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (rows.source[1:] != rows.source[:-1]) | (rows.target[1:] != rows.target[:-1])
    return rows, np.flatnonzero(is_first)


def _first_rows(rows: RankedPairs, starts: NDArray[np.int64]) -> Chosen:
    n_pairs = len(starts)
    source, target, rank = (column[starts] for column in rows)
    return Chosen(source, target, rank, np.zeros(n_pairs, np.int64), np.ones(n_pairs))


def _place_in_source(source: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, 2... along each stretch of equal values."""
    starts = np.flatnonzero(np.diff(source, prepend=source[:1] - 1))
    lengths = np.diff(np.append(starts, len(source)))
    return np.arange(len(source)) - np.repeat(starts, lengths)


def _take(chosen: Chosen, rows: NDArray[np.int64]) -> Chosen:
    return Chosen(*(column[rows] for column in chosen))
