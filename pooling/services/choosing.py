"""From a strategy and runs to (query, document) pairs, whichever direction found them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet, Side
from pooling.core import options, strategies
from pooling.core.matrices import DEPTH
from pooling.core.parameters import Value, complete
from pooling.core.selections import (
    Chosen,
    Drawn,
    Integers,
    Material,
    Pairs,
    RankedPairs,
    StrategyError,
    Undrawn,
    of_items,
    within,
)
from pooling.models import Run
from pooling.services import materials
from pooling.services.rankings import left_out, load_top

MAX_ROWS = 20_000_000  # results looked at for one pool: about a gigabyte while it is chosen


class PoolError(Exception):
    """What was asked for cannot be a pool; nothing was created. `field` names what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Choice(NamedTuple):
    """Pairs of a pool by query and document ascending, and what they were chosen from.

    query, document : (M,) item keys; best_rank, stratum, probability : (M,) as in selections.Chosen
    tops : what each run showed the strategy, in the order of `runs`
    drawn : source items of each direction that were drawn, for strategies that draw some
    undrawn : by query and document, what else is in the strata of the pairs, where pairs were drawn; None too of a pool
        in both directions, whose samples have no strata in common
    """

    query: Integers
    document: Integers
    best_rank: Integers
    stratum: Integers
    probability: NDArray[np.float64]
    runs: Sequence[Run]
    tops: Sequence[RankedPairs]
    drawn: Mapping[Direction, Drawn]
    undrawn: Undrawn | None = None


def check(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None, seed: int,
) -> dict[str, Value]:  # fmt: skip
    """The strategy's parameters, complete, and the options that are not as usual.

    Raises PoolError where a pool cannot be made of these.
    """
    try:
        values, chosen = _sorted_out(strategy, parameters)
    except StrategyError as error:
        raise PoolError(error.field or "strategy", str(error)) from error
    plan = strategies.STRATEGIES[strategy]
    if plan.needs_runs and not runs:
        raise PoolError("runs", "Choose at least one run.")
    if plan.needs_query_set and query_set is None:
        raise PoolError("query_set", f'"{plan.label}" needs a query set: choose which source items.')
    unread = set(Run.objects.being_read().filter(pk__in=[run.pk for run in runs]).values_list("pk", flat=True))
    for run in runs:
        if run.collection_id != collection.pk or run.state != Run.State.READY or run.retired_at:
            raise PoolError("runs", f'Run "{run}" is not ready in this collection; leave it out.')
        if run.pk in unread:
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
    if chosen["trusted"] and not collection.reference_sets.filter(name=chosen["trusted"]).exists():
        raise PoolError("trusted", f'There is no reference set "{chosen["trusted"]}" in this collection.')
    if not 0 <= seed <= strategies.MAX_SEED:
        raise PoolError("seed", f"The seed is a whole number from 0 to {strategies.MAX_SEED:,}.")
    return values | {each.name: chosen[each.name] for each in options.OPTIONS if chosen[each.name] != each.default}


def choose_pairs(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None = None, seed: int = 0,
) -> Choice:  # fmt: skip
    """The pairs of a pool. Both directions land on the same pairs: the better rank stays, chances are joined.

    Raises PoolError.
    """
    checked = check(collection=collection, strategy=strategy, parameters=parameters, runs=runs, query_set=query_set,
                    seed=seed)  # fmt: skip
    values, chosen = _sorted_out(strategy, checked)
    runs = sorted(runs, key=lambda run: run.pk)
    depth, reach = strategies.depth_of(strategy, values), _reach(strategy, values, chosen)
    _refuse_too_many(runs, reach)
    _refuse_below_best(runs, reach)
    needs, absent = strategies.STRATEGIES[strategy].needs, left_out(collection=collection)
    shown = [
        load_top(run=run, depth=reach, query_set=query_set, leave_out=absent, with_scores="scores" in needs)
        for run in runs
    ]
    tops = [within(top, depth) for top in shown]
    found, drawn = [], {}
    for direction in _directions(runs, query_set):
        own = [top for run, top in zip(runs, tops, strict=True) if run.direction == direction]
        material = materials.gather(collection=collection, direction=direction, runs=own, query_set=query_set,
                                    needs=needs)  # fmt: skip
        part = _choose(strategy, material, values, seed)
        if part.drawn is not None:
            drawn[direction] = part.drawn
        found.append(part if direction == Direction.FORWARD else _turned(part))
    near = _near(runs, [within(top, int(chosen["outside"])) for top in shown])
    pairs = _with_options(_merged(found), collection=collection, chosen=chosen, near=near, seed=seed)
    return Choice(*pairs[:5], runs=runs, tops=tops, drawn=drawn, undrawn=pairs.undrawn)


def _sorted_out(strategy: str, parameters: Mapping[str, object]) -> tuple[dict[str, Value], dict[str, Value]]:
    """The strategy's own values, and those of the options. Raises StrategyError."""
    names = {each.name for each in options.OPTIONS}
    own = {name: value for name, value in parameters.items() if name not in names}
    given = {name: value for name, value in parameters.items() if name in names}
    return strategies.check_values(strategy, own), complete(options.OPTIONS, given)


def _directions(runs: Sequence[Run], query_set: QuerySet | None) -> list[Direction]:
    """The directions pairs are looked for in: those of the runs; without runs the query set's."""
    named = {run.direction for run in runs} or {query_set.direction if query_set else Direction.FORWARD}
    return [direction for direction in Direction if direction in named]


def _choose(strategy: str, material: Material, values: Mapping[str, Value], seed: int) -> Chosen:
    try:
        return strategies.choose(strategy, material, values, seed=seed)
    except StrategyError as error:
        raise PoolError(error.field, str(error)) from error


def _with_options(
    pairs: Chosen, *, collection: Collection, chosen: Mapping[str, Value], near: Pairs, seed: int
) -> Chosen:
    """The pairs after what was asked for on top of the strategy, each with dice of its own."""
    dice = [np.random.default_rng([seed, place]) for place in range(1, 4)]
    if chosen["trusted"]:
        trusted = materials.labelled(collection=collection, reference_set=str(chosen["trusted"]))
        pairs = options.without_trusted(pairs, trusted, share=float(chosen["check_share"]), rng=dice[0])
    if chosen["budget"]:
        pairs = options.at_most(pairs, int(chosen["budget"]), rng=dice[1])
    if chosen["negatives"]:
        documents = materials.items_of(collection=collection, side=Side.DOCUMENT)
        pairs = options.with_negatives(pairs, near, documents, n=int(chosen["negatives"]), rng=dice[2])
    return pairs


def _near(runs: Sequence[Run], tops: Sequence[RankedPairs]) -> Pairs:
    """The pairs of all rows, some more than once."""
    held = [as_pairs(run, top) for run, top in zip(runs, tops, strict=True)]
    return Pairs(*(np.concatenate(columns) for columns in zip(*held, strict=True))) if held else Pairs()


def n_rows_at_most(*, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run]) -> int:
    """How many results of runs a strategy would look at, at most, by the runs' reports; 0 for what `check` refuses."""
    try:
        values, chosen = _sorted_out(strategy, parameters)
    except StrategyError:
        return 0
    return _n_rows(runs, _reach(strategy, values, chosen))


def _reach(strategy: str, values: Mapping[str, Value], chosen: Mapping[str, Value]) -> int:
    return max(strategies.depth_of(strategy, values), int(chosen["outside"]) if chosen["negatives"] else 0)


def _n_rows(runs: Sequence[Run], depth: int) -> int:
    return sum(run.report.get("n_queries", 0) * min(depth, run.report.get("deepest", depth)) for run in runs)


def _refuse_too_many(runs: Sequence[Run], depth: int) -> None:
    n_rows = _n_rows(runs, depth)
    if n_rows > MAX_ROWS:
        message = f"To this depth the runs hold {n_rows:,} results, more than {MAX_ROWS:,}; choose a smaller depth."
        raise PoolError("depth", message)


def why_not(*, collection: Collection, name: str) -> str:
    """Why a pool cannot be made of a run that somebody named."""
    if collection.runs.published().on_hold().filter(name=name).exists():
        return f'Run "{name}" is on hold: too many of its rows are unknown. Say on its page that it may be used.'
    return f'There is no ready run "{name}" in this collection.'


def _refuse_below_best(runs: Sequence[Run], depth: int) -> None:
    """Of a matrix the best of each row alone are at hand for pools."""
    matrix = next((run for run in runs if run.report.get("matrix", [0, 0])[1:] > [DEPTH]), None)
    if depth > DEPTH and matrix is not None:
        message = f'Of run "{matrix}", a matrix, pools see the {DEPTH} best of each row; choose a depth up to that.'
        raise PoolError("depth", message)


def pair_codes(query: Integers, document: Integers, *, width: int) -> Integers:
    """One number a pair; width : more than any document key."""
    return query * width + document


def as_pairs(run: Run, top: RankedPairs) -> Pairs:
    """The query and the document of each row of a run whose target is known."""
    top = of_items(top)
    return Pairs(top.source, top.target) if run.direction == Direction.FORWARD else Pairs(top.target, top.source)


def _turned(chosen: Chosen) -> Chosen:
    undrawn = chosen.undrawn and Undrawn(chosen.undrawn.target, chosen.undrawn.source, chosen.undrawn.stratum)
    return chosen._replace(source=chosen.target, target=chosen.source, undrawn=undrawn)


def _merged(found: list[Chosen]) -> Chosen:
    query, document, rank, stratum, probability = (
        np.concatenate(columns) for columns in zip(*(each[:5] for each in found), strict=True)
    )
    order = np.lexsort((rank, document, query))
    query, document, rank = query[order], document[order], rank[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    starts = np.flatnonzero(first)
    # Both directions draw apart from each other: a pair is missed when each of them misses it.
    missed = np.multiply.reduceat(1 - probability[order], starts) if len(starts) else np.empty(0)
    undrawn = found[0].undrawn if len(found) == 1 else None
    return Chosen(query[first], document[first], rank[first], stratum[order][first], 1 - missed, undrawn=undrawn)
