"""From a strategy and runs to (query, document) pairs, whichever direction found them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction, QuerySet
from pooling.core import strategies
from pooling.core.strategies import RankedPairs
from pooling.models import Run
from pooling.services.rankings import left_out, load_top

MAX_ROWS = 20_000_000  # results looked at for one pool: about a gigabyte while it is chosen


class PoolError(Exception):
    """What was asked for cannot be a pool; nothing was created. `field` names what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Choice(NamedTuple):
    """Pairs of a pool by query and document ascending, and what they were chosen from.

    query, document : (M,) item keys; best_rank, stratum, probability : (M,) as in strategies.Chosen
    tops : what each run showed the strategy, in the order of `runs`
    drawn : source items of each direction that were drawn, for strategies that draw some
    """

    query: NDArray[np.int64]
    document: NDArray[np.int64]
    best_rank: NDArray[np.int64]
    stratum: NDArray[np.int64]
    probability: NDArray[np.float64]
    runs: Sequence[Run]
    tops: Sequence[RankedPairs]
    drawn: Mapping[Direction, NDArray[np.int64]]


def check(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None, seed: int,
) -> dict[str, float]:  # fmt: skip
    """The strategy's parameters, complete. Raises PoolError where a pool cannot be made of these."""
    try:
        values = strategies.check_values(strategy, parameters)
    except strategies.StrategyError as error:
        raise PoolError(error.field or "strategy", str(error)) from error
    if not runs:
        raise PoolError("runs", "Choose at least one run.")
    for run in runs:
        if run.collection_id != collection.pk or run.state != Run.State.READY or run.retired_at:
            raise PoolError("runs", f'Run "{run}" is not ready in this collection; leave it out.')
        if query_set and run.direction != query_set.direction:
            message = f'Query set "{query_set}" holds no sources of run "{run}", which goes the other way.'
            raise PoolError("query_set", message)
    if query_set and query_set.collection_id != collection.pk:
        raise PoolError("query_set", "This query set is of another collection.")
    if not 0 <= seed <= strategies.MAX_SEED:
        raise PoolError("seed", f"The seed is a whole number from 0 to {strategies.MAX_SEED:,}.")
    return values


def choose_pairs(
    *, collection: Collection, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run],
    query_set: QuerySet | None = None, seed: int = 0,
) -> Choice:  # fmt: skip
    """The pairs of a pool. Both directions land on the same pairs: the better rank stays, chances are joined.

    Raises PoolError.
    """
    values = check(collection=collection, strategy=strategy, parameters=parameters, runs=runs, query_set=query_set,
                   seed=seed)  # fmt: skip
    runs = sorted(runs, key=lambda run: run.pk)
    plan, absent = strategies.STRATEGIES[strategy], left_out(collection=collection)
    depth = int(values[plan.reach])
    _refuse_too_many(runs, depth)
    tops = [load_top(run=run, depth=depth, query_set=query_set, leave_out=absent) for run in runs]
    found: list[strategies.Chosen] = []
    drawn = {}
    for direction in Direction:
        own = [top for run, top in zip(runs, tops, strict=True) if run.direction == direction]
        if not own:
            continue
        chosen = strategies.choose(strategy, own, values, seed=seed)
        if plan.draws_sources:
            drawn[direction] = np.unique(chosen.source)
        found.append(chosen if direction == Direction.FORWARD else _turned(chosen))
    return Choice(*_merged(found), runs=runs, tops=tops, drawn=drawn)


def _refuse_too_many(runs: Sequence[Run], depth: int) -> None:
    n_rows = sum(run.report.get("n_queries", 0) * min(depth, run.report.get("deepest", depth)) for run in runs)
    if n_rows > MAX_ROWS:
        message = f"To this depth the runs hold {n_rows:,} results, more than {MAX_ROWS:,}; choose a smaller depth."
        raise PoolError("depth", message)


def pair_codes(query: NDArray[np.int64], document: NDArray[np.int64], *, width: int) -> NDArray[np.int64]:
    """One number a pair; width : more than any document key."""
    return query * width + document


def as_pairs(run: Run, top: RankedPairs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The query and the document of each row of a run."""
    return (top.source, top.target) if run.direction == Direction.FORWARD else (top.target, top.source)


def _turned(chosen: strategies.Chosen) -> strategies.Chosen:
    return chosen._replace(source=chosen.target, target=chosen.source)


def _merged(found: list[strategies.Chosen]) -> strategies.Chosen:
    query, document, rank, stratum, probability = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.lexsort((rank, document, query))
    query, document, rank = query[order], document[order], rank[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    starts = np.flatnonzero(first)
    # Both directions draw apart from each other: a pair is missed when each of them misses it.
    missed = np.multiply.reduceat(1 - probability[order], starts) if len(starts) else np.empty(0)
    return strategies.Chosen(query[first], document[first], rank[first], stratum[order][first], 1 - missed)
