"""Input and output of strategies: rankings as rows, chosen pairs as columns, and the union."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from annotate.core.number_sets import is_among, is_first
from pooling.core.strategies.union_tables import Stretches, UnionPairs, best_of, union_of

Integers = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)
# of a pair that no run holds; the largest an integer column takes, so that any rank is better
NO_RANK = 2**31 - 1
_NONE = np.empty(0, dtype=np.int64)


class RankedPairs(NamedTuple):
    """One run's rankings as rows, in any order, no (source, target) twice.

    source, target : (N,) int64 keys, that of an unknown target below 0
    rank : (N,) 1-based; score : (N,) where a strategy needs it, else None
    starts : (S + 1,) where each of its S rankings begins, and N, where the rows are by source and
        in each by rank 1, 2, 3...; None where they are in any order. With it tops are cut and
        joined without reading the rows below.
    """

    source: Integers
    target: Integers
    rank: Integers
    score: NDArray[np.float64] | None = None
    starts: Integers | None = None


class Pairs(NamedTuple):
    """Pairs by two columns of keys, in any order, none twice."""

    source: Integers = _NONE
    target: Integers = _NONE


class DrawnSources(NamedTuple):
    """Source items that were drawn, ascending: of each its stratum and its chance to be drawn."""

    source: Integers
    stratum: Integers
    probability: NDArray[np.float64]


class UndrawnStratumPairs(NamedTuple):
    """Pairs, not drawn, of a stratum of which some were, by source and target ascending."""

    source: Integers
    target: Integers
    stratum: Integers


class ChosenPairs(NamedTuple):
    """The pairs a strategy takes, by source and target ascending.

    source, target : (M,) int64, no pair twice
    best_rank : (M,) the smallest rank any run gives the pair; NO_RANK where none holds it
    stratum : (M,) 0 for strategies without strata
    probability : (M,) chance of having been taken, given its source was: 1 where nothing was drawn
    drawn_sources : the source items, for strategies that draw some
    undrawn : the other pairs in the strata, where pairs were drawn
    """

    source: Integers
    target: Integers
    best_rank: Integers
    stratum: Integers
    probability: NDArray[np.float64]
    drawn_sources: DrawnSources | None = None
    undrawn: UndrawnStratumPairs | None = None


class Material(NamedTuple):
    """Input of a strategy; all but `runs` is there only for strategies that say they need it.

    runs : down to the strategy's reach
    pool_pairs : pairs that are in a pool already
    sources, targets : all items there are to choose from, ascending
    lengths : (len(sources),) words of each source item
    """

    runs: Sequence[RankedPairs]
    pool_pairs: Pairs = Pairs()
    sources: Integers = _NONE
    targets: Integers = _NONE
    lengths: Integers = _NONE


class StrategyError(ValueError):
    """No such strategy, or a parameter out of its range.

    `field` names the parameter, "" the strategy.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def truncate(run: RankedPairs, depth: int) -> RankedPairs:
    """Cut a run's rankings at a depth."""
    if run.starts is not None:
        return _cut(run, run.starts, depth)
    near_rows = np.flatnonzero(run.rank <= depth)
    return run if len(near_rows) == len(run.rank) else rows_of(run, near_rows)


def rows_of(run: RankedPairs, rows: NDArray[np.bool_] | Integers) -> RankedPairs:
    """Select some rows of a run."""
    return RankedPairs(
        run.source[rows],
        run.target[rows],
        run.rank[rows],
        None if run.score is None else run.score[rows],
    )


def known_rows(run: RankedPairs) -> RankedPairs:
    """A run's rows without those of unknown targets; the others keep their ranks."""
    is_known = run.target >= 0
    return run if is_known.all() else rows_of(run, is_known)


def _cut(run: RankedPairs, starts: Integers, depth: int) -> RankedPairs:
    """`truncate` for rows by source and rank."""
    lengths = np.diff(starts)
    deepest = int(lengths.max(initial=0))
    if deepest <= depth:
        return run
    if _is_block(run, deepest):

        def cut(column: NDArray[Number]) -> NDArray[Number]:
            return column.reshape(-1, deepest)[:, :depth].reshape(-1)

        return RankedPairs(
            cut(run.source),
            cut(run.target),
            cut(run.rank),
            None if run.score is None else cut(run.score),
            np.arange(len(starts)) * depth,
        )
    new_starts = np.append(0, np.cumsum(np.minimum(lengths, depth)))
    return rows_of(run, run.rank <= depth)._replace(starts=new_starts)


def take(pairs: ChosenPairs, rows: NDArray[np.bool_] | Integers) -> ChosenPairs:
    """Select some of the chosen pairs."""
    return ChosenPairs(
        pairs.source[rows],
        pairs.target[rows],
        pairs.best_rank[rows],
        pairs.stratum[rows],
        pairs.probability[rows],
        drawn_sources=pairs.drawn_sources,
        undrawn=pairs.undrawn,
    )


def known_pairs(pairs: ChosenPairs) -> ChosenPairs:
    """The chosen pairs without those of unknown targets, which no annotator can be shown."""
    is_known = pairs.target >= 0
    return pairs if is_known.all() else take(pairs, is_known)


def union(runs: Sequence[RankedPairs], depth: int | None = None) -> ChosenPairs:
    """All pairs of the runs once, or those down to a depth, each with its best rank.

    Where nothing was drawn, stratum and probability are the same for all: those columns are read
    only.
    """
    filled_runs = [run for run in runs if len(run.rank)]
    pairs = (
        union_of([_run_stretches(run, depth) for run in filled_runs])
        if all(run.starts is not None for run in filled_runs)
        else None
    )
    if pairs is None:
        pairs = _sorted(runs if depth is None else [truncate(run, depth) for run in runs])
    n_pairs = len(pairs.source)
    return ChosenPairs(*pairs, np.broadcast_to(np.int64(0), n_pairs), np.broadcast_to(1.0, n_pairs))


def best_by_weights(
    runs: Sequence[RankedPairs], weights: NDArray[np.float64], n: int
) -> ChosenPairs | None:
    """Of each source the n pairs with the largest sums of rank weights; see union_tables.best_of.

    None if the runs are not by source, or do not fit in a table: then the caller sorts instead.
    """
    filled_runs = [run for run in runs if len(run.rank)]
    if any(run.starts is None for run in filled_runs):
        return None
    pairs = (
        best_of([_run_stretches(run, None) for run in filled_runs], weights, n)
        if filled_runs
        else None
    )
    if pairs is None:
        return None
    n_pairs = len(pairs.source)
    return ChosenPairs(*pairs, np.broadcast_to(np.int64(0), n_pairs), np.broadcast_to(1.0, n_pairs))


def _run_stretches(run: RankedPairs, depth: int | None) -> Stretches:
    """A run by source, cut at a depth; a block is not copied."""
    starts: Integers = run.starts  # type: ignore[assignment]  # by source
    lengths, source = np.diff(starts), run.source[starts[:-1]]
    deepest = int(lengths.max())
    if depth is None or deepest <= depth:
        return Stretches(source, run.target, lengths)
    if _is_block(run, deepest):
        return Stretches(
            source, run.target.reshape(-1, deepest)[:, :depth], np.minimum(lengths, depth)
        )
    return Stretches(source, run.target[run.rank <= depth], np.minimum(lengths, depth))


def _is_block(run: RankedPairs, deepest: int) -> bool:
    """True if all rankings of a run by source are as deep."""
    return len(run.rank) == (len(run.starts) - 1) * deepest  # type: ignore[arg-type]  # by source


def _sorted(runs: Sequence[RankedPairs]) -> UnionPairs:
    """The union by one sort: source, target and rank side by side in one number, not in columns."""
    source, target, rank = (np.concatenate([run[at] for run in runs] or [_NONE]) for at in range(3))
    layout, rank_bits = Layout([source], [target]), int(rank.max(initial=0)).bit_length()
    if layout.bits + rank_bits > _WORD:
        layout.dense()
    codes = layout.codes(source, target)
    codes <<= rank_bits
    codes |= rank
    codes.sort()
    first = codes[np.flatnonzero(is_first(codes >> rank_bits))]
    return UnionPairs(*layout.pairs(first >> rank_bits), first & ((1 << rank_bits) - 1))


def group_by_pair(runs: Sequence[RankedPairs]) -> tuple[Integers, Integers]:
    """Group the rows of all runs, one run after the other, by pair.

    Returns the order of rows by source, target and run, and where in it each pair's rows begin:
    pair i of `union(runs)` has the rows order[starts[i]:starts[i + 1]].
    """
    layout, run_bits = (
        Layout([run.source for run in runs], [run.target for run in runs]),
        len(runs).bit_length(),
    )
    if layout.bits + run_bits > _WORD:
        layout.dense()
    codes = np.concatenate([layout.codes(run.source, run.target) for run in runs] or [_NONE])
    codes <<= run_bits
    # no number twice: any sort is stable
    codes |= np.repeat(np.arange(len(runs)), [len(run.source) for run in runs])
    order = np.argsort(codes)
    return order, np.flatnonzero(is_first(codes[order] >> run_bits))


def is_in(source: Integers, target: Integers, pairs: Pairs) -> NDArray[np.bool_]:
    """(M,) whether each pair is among `pairs`."""
    layout = Layout([source, pairs.source], [target, pairs.target])
    return is_among(layout.codes(source, target), layout.codes(*pairs))


def position_in_group(group: Integers) -> Integers:
    """0, 1, 2... along each stretch of equal values."""
    starts = np.flatnonzero(is_first(group))
    lengths = np.diff(np.append(starts, len(group)))
    return np.arange(len(group)) - np.repeat(starts, lengths)


_WORD = 63  # bits of a number that are not its sign


class Layout:
    """Packs a source and a target into one number that sorts by source, then target; unpacks it.

    Keys are counted from the smallest; where that is too wide for a number, from the list of those
    that occur.
    """

    def __init__(self, sources: Sequence[Integers], targets: Sequence[Integers]) -> None:
        self._columns = (sources, targets)
        self._keys: tuple[Integers, Integers] | None = None
        self._low = tuple(
            min((int(c.min()) for c in cs if len(c)), default=0) for cs in self._columns
        )
        high = tuple(max((int(c.max()) for c in cs if len(c)), default=0) for cs in self._columns)
        source_bits, self._target_bits = (
            (top - low).bit_length() for top, low in zip(high, self._low, strict=True)
        )
        self.bits = source_bits + self._target_bits
        if self.bits > _WORD:
            self.dense()

    def dense(self) -> None:
        """Count only the keys that occur."""
        sources, targets = (
            np.unique(np.concatenate([*columns, _NONE])) for columns in self._columns
        )
        self._keys = (sources, targets)
        source_bits, self._target_bits = (len(keys).bit_length() for keys in self._keys)
        self.bits = source_bits + self._target_bits

    def codes(self, source: Integers, target: Integers) -> Integers:
        """Pack pairs: (N,), a number a pair."""
        if self._keys is None:
            return (source - self._low[0]) << self._target_bits | (target - self._low[1])
        first, second = (
            np.searchsorted(*both) for both in zip(self._keys, (source, target), strict=True)
        )
        return first << self._target_bits | second

    def pairs(self, codes: Integers) -> Pairs:
        """Unpack numbers into pairs."""
        source, target = codes >> self._target_bits, codes & ((1 << self._target_bits) - 1)
        if self._keys is None:
            return Pairs(source + self._low[0], target + self._low[1])
        return Pairs(self._keys[0][source], self._keys[1][target])
