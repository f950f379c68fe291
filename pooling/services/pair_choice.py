"""Choice of a pool's (query, document) pairs by a strategy from runs of both directions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet, Side
from pooling.core import options, strategies
from pooling.core.matrices import DEPTH
from pooling.core.parameters import Value, complete_values
from pooling.core.selections import (
    ChosenPairs,
    DrawnSources,
    Integers,
    Material,
    Pairs,
    RankedPairs,
    StrategyError,
    UndrawnStratumPairs,
    known_rows,
    truncate,
)
from pooling.models import Run
from pooling.services import materials
from pooling.services.rankings import left_out_keys, load_top

MAX_ROWS = 20_000_000  # results read for one pool: about a gigabyte while its pairs are chosen


class PoolError(Exception):
    """The input cannot make a pool; nothing was created. `field` names the input at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class PairChoice(NamedTuple):
    """Pairs of a pool by query and document ascending, and the input they were chosen from.

    query, document : (M,) item keys; best_rank, stratum, probability : (M,) as in
        selections.ChosenPairs
    tops : the rows of each run that the strategy used, in the order of `runs`
    drawn_sources : source items of each direction that were drawn, for strategies that draw some
    undrawn : by query and document, the other pairs in the strata, where pairs were drawn; None too
        for a pool in both directions, whose samples have no strata in common
    """

    query: Integers
    document: Integers
    best_rank: Integers
    stratum: Integers
    probability: NDArray[np.float64]
    runs: Sequence[Run]
    tops: Sequence[RankedPairs]
    drawn_sources: Mapping[Direction, DrawnSources]
    undrawn: UndrawnStratumPairs | None = None


def check_parameters(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None, seed: int,
) -> dict[str, Value]:  # fmt: skip
    """Return the strategy's complete parameters, and the options that differ from their defaults.

    Raises PoolError if no pool can be made of them.
    """
    try:
        values, option_values = _split_values(strategy, parameters)
    except StrategyError as error:
        raise PoolError(error.field or "strategy", str(error)) from error
    plan = strategies.STRATEGIES[strategy]
    if plan.needs_runs and not runs:
        raise PoolError("runs", "Choose at least one run.")
    if plan.needs_query_set and query_set is None:
        raise PoolError("query_set", f'"{plan.label}" needs a query set: choose which source items.')
    being_read = set(Run.objects.being_read().filter(pk__in=[run.pk for run in runs]).values_list("pk", flat=True))
    for run in runs:
        if run.collection_id != collection.pk or run.state != Run.State.READY or run.retired_at:
            raise PoolError("runs", f'Run "{run}" is not ready in this collection; leave it out.')
        if run.pk in being_read:
            raise PoolError("runs", f'Run "{run}" is being read again, since items joined; try once more in a moment.')
        if run.on_hold_since:
            raise PoolError("runs", f'Run "{run}" names too many unknown items; say on its page that it may be used.')
        if query_set and run.direction != query_set.direction:
            message = (
                f'Query set "{query_set}" holds no sources of run "{run}", which goes the other way: leave it out.'
            )
            raise PoolError("query_set", message)
    if query_set and query_set.collection_id != collection.pk:
        raise PoolError("query_set", "This query set is of another collection.")
    if option_values["trusted"] and not collection.reference_sets.filter(name=option_values["trusted"]).exists():
        raise PoolError("trusted", f'There is no reference set "{option_values["trusted"]}" in this collection.')
    if not 0 <= seed <= strategies.MAX_SEED:
        raise PoolError("seed", f"The seed is a whole number from 0 to {strategies.MAX_SEED:,}.")
    return values | {option.name: option_values[option.name] for option in options.OPTIONS if option_values[option.name] != option.default}


def choose_pairs(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None = None, seed: int = 0,
) -> PairChoice:  # fmt: skip
    """Choose the pairs of a pool.

    Both directions give pairs of the same items: the better rank stays, chances are joined. Raises
    PoolError.
    """
    complete = check_parameters(collection=collection, strategy=strategy, parameters=parameters, runs=runs, query_set=query_set,
                    seed=seed)  # fmt: skip
    values, option_values = _split_values(strategy, complete)
    runs = sorted(runs, key=lambda run: run.pk)
    depth, reach = strategies.depth_of(strategy, values), _reach(strategy, values, option_values)
    _refuse_too_many(runs, reach)
    _refuse_below_best(runs, reach)
    needs, left_out = strategies.STRATEGIES[strategy].needs, left_out_keys(collection=collection)
    deep_tops = [
        load_top(run=run, depth=reach, query_set=query_set, leave_out=left_out, with_scores="scores" in needs)
        for run in runs
    ]
    tops = [truncate(top, depth) for top in deep_tops]
    choices, drawn_sources = [], {}
    for direction in _directions(runs, query_set):
        own = [top for run, top in zip(runs, tops, strict=True) if run.direction == direction]
        material = materials.gather_material(collection=collection, direction=direction, runs=own, query_set=query_set,
                                    needs=needs)  # fmt: skip
        part = _choose(strategy, material, values, seed)
        if part.drawn_sources is not None:
            drawn_sources[direction] = part.drawn_sources
        choices.append(part if direction == Direction.FORWARD else _with_sides_swapped(part))
    near_pairs = _near_pairs(runs, [truncate(top, int(option_values["outside"])) for top in deep_tops])
    pairs = _with_options(_merge(choices), collection=collection, option_values=option_values, near_pairs=near_pairs, seed=seed)
    return PairChoice(*pairs[:5], runs=runs, tops=tops, drawn_sources=drawn_sources, undrawn=pairs.undrawn)


def _split_values(strategy: str, parameters: Mapping[str, object]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Split parameters into the strategy's own values and those of the options.

    Raises StrategyError.
    """
    names = {option.name for option in options.OPTIONS}
    own_values = {name: value for name, value in parameters.items() if name not in names}
    option_values = {name: value for name, value in parameters.items() if name in names}
    return strategies.check_values(strategy, own_values), complete_values(options.OPTIONS, option_values)


def _directions(runs: Sequence[Run], query_set: QuerySet | None) -> list[Direction]:
    """The directions in which pairs are chosen: those of the runs.

    Without runs that of the query set.
    """
    run_directions = {run.direction for run in runs} or {query_set.direction if query_set else Direction.FORWARD}
    return [direction for direction in Direction if direction in run_directions]


def _choose(strategy: str, material: Material, values: Mapping[str, Value], seed: int) -> ChosenPairs:
    try:
        return strategies.choose(strategy, material, values, seed=seed)
    except StrategyError as error:
        raise PoolError(error.field, str(error)) from error


def _with_options(
    pairs: ChosenPairs, *, collection: Collection, option_values: Mapping[str, Value], near_pairs: Pairs, seed: int
) -> ChosenPairs:
    """Apply the options to the pairs, each with a random generator of its own."""
    rngs = [np.random.default_rng([seed, number]) for number in range(1, 4)]
    if option_values["trusted"]:
        trusted = materials.labelled_pairs(collection=collection, reference_set=str(option_values["trusted"]))
        pairs = options.without_trusted(pairs, trusted, share=float(option_values["check_share"]), rng=rngs[0])
    if option_values["budget"]:
        pairs = options.at_most(pairs, int(option_values["budget"]), rng=rngs[1])
    if option_values["negatives"]:
        documents = materials.items_of(collection=collection, side=Side.DOCUMENT)
        pairs = options.with_negatives(pairs, near_pairs, documents, n=int(option_values["negatives"]), rng=rngs[2])
    return pairs


def _near_pairs(runs: Sequence[Run], tops: Sequence[RankedPairs]) -> Pairs:
    """The pairs of all rows, some more than once."""
    run_pairs = [as_pairs(run, top) for run, top in zip(runs, tops, strict=True)]
    return Pairs(*(np.concatenate(columns) for columns in zip(*run_pairs, strict=True))) if run_pairs else Pairs()


def n_rows_at_most(*, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run]) -> int:
    """Upper bound of the rows of runs that a strategy would read, by the runs' reports; 0 for
    invalid parameters.
    """
    try:
        values, option_values = _split_values(strategy, parameters)
    except StrategyError:
        return 0
    return _n_rows(runs, _reach(strategy, values, option_values))


def _reach(strategy: str, values: Mapping[str, Value], option_values: Mapping[str, Value]) -> int:
    return max(strategies.depth_of(strategy, values), int(option_values["outside"]) if option_values["negatives"] else 0)


def _n_rows(runs: Sequence[Run], depth: int) -> int:
    return sum(run.report.get("n_queries", 0) * min(depth, run.report.get("deepest", depth)) for run in runs)


def _refuse_too_many(runs: Sequence[Run], depth: int) -> None:
    n_rows = _n_rows(runs, depth)
    if n_rows > MAX_ROWS:
        message = f"To this depth the runs hold {n_rows:,} results, more than {MAX_ROWS:,}; choose a smaller depth."
        raise PoolError("depth", message)


def why_not_poolable(*, collection: Collection, name: str) -> str:
    """Say why no pool can be made of the run of this name."""
    if collection.runs.published().on_hold().filter(name=name).exists():
        return f'Run "{name}" is on hold: too many of its rows are unknown. Say on its page that it may be used.'
    return f'There is no ready run "{name}" in this collection.'


def _refuse_below_best(runs: Sequence[Run], depth: int) -> None:
    """Raise PoolError for a depth below the DEPTH best of each row of a matrix, which alone are
    stored for pools.
    """
    matrix = next((run for run in runs if run.report.get("matrix", [0, 0])[1:] > [DEPTH]), None)
    if depth > DEPTH and matrix is not None:
        message = f'Of run "{matrix}", a matrix, pools see the {DEPTH} best of each row; choose a depth up to that.'
        raise PoolError("depth", message)


def pair_codes(query: Integers, document: Integers, *, width: int) -> Integers:
    """Return one number a pair; width : more than any document key."""
    return query * width + document


def as_pairs(run: Run, top: RankedPairs) -> Pairs:
    """The query and the document of each row of a run whose target is known."""
    top = known_rows(top)
    return Pairs(top.source, top.target) if run.direction == Direction.FORWARD else Pairs(top.target, top.source)


def _with_sides_swapped(pairs: ChosenPairs) -> ChosenPairs:
    undrawn = pairs.undrawn and UndrawnStratumPairs(pairs.undrawn.target, pairs.undrawn.source, pairs.undrawn.stratum)
    return pairs._replace(source=pairs.target, target=pairs.source, undrawn=undrawn)


def _merge(choices: list[ChosenPairs]) -> ChosenPairs:
    query, document, rank, stratum, probability = (
        np.concatenate(columns) for columns in zip(*(choice[:5] for choice in choices), strict=True)
    )
    order = np.lexsort((rank, document, query))
    query, document, rank = query[order], document[order], rank[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    starts = np.flatnonzero(first)
    # Both directions draw apart from each other: a pair is missed when each of them misses it.
    miss_probability = np.multiply.reduceat(1 - probability[order], starts) if len(starts) else np.empty(0)
    undrawn = choices[0].undrawn if len(choices) == 1 else None
    return ChosenPairs(query[first], document[first], rank[first], stratum[order][first], 1 - miss_probability, undrawn=undrawn)
