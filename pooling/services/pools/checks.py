"""Checks of what a pool is to be made of: its parameters, its runs and how far down they go."""

from collections.abc import Mapping, Sequence

from annotate.models import Collection, QuerySet
from pooling.core.files.binary.matrices import DEPTH
from pooling.core.strategies import options, strategies
from pooling.core.strategies.parameters import Value, complete_values
from pooling.core.strategies.selections import StrategyError
from pooling.models import Run

MAX_ROWS = 20_000_000  # results read for one pool: about a gigabyte while its pairs are chosen


class PoolError(Exception):
    """The input cannot make a pool; nothing was created. `field` names the input at fault."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def check_parameters(
    *,
    collection: Collection,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None,
    seed: int,
) -> dict[str, Value]:
    """Return the strategy's complete parameters, and the options that differ from their defaults.

    Raises PoolError if no pool can be made of them.
    """
    try:
        values, option_values = split_values(strategy, parameters)
    except StrategyError as error:
        raise PoolError(error.field or "strategy", str(error)) from error
    plan = strategies.STRATEGIES[strategy]
    if plan.needs_runs and not runs:
        raise PoolError("runs", "Choose at least one run.")
    if plan.needs_query_set and query_set is None:
        raise PoolError("query_set", f'"{plan.label}" needs a query set: choose which queries.')
    _check_runs(collection, runs, query_set)
    if query_set and query_set.collection_id != collection.pk:
        raise PoolError("query_set", "This query set is of another collection.")
    trusted_sets = collection.reference_sets.usual().filter(name=option_values["trusted"])
    if option_values["trusted"] and not trusted_sets.exists():
        raise PoolError(
            "trusted", f'There is no reference set "{option_values["trusted"]}" in this collection.'
        )
    if not 0 <= seed <= strategies.MAX_SEED:
        raise PoolError("seed", f"The seed is a whole number from 0 to {strategies.MAX_SEED:,}.")
    return values | {
        option.name: option_values[option.name]
        for option in options.OPTIONS
        if option_values[option.name] != option.default
    }


def _check_runs(collection: Collection, runs: Sequence[Run], query_set: QuerySet | None) -> None:
    """Raise PoolError for a run that cannot be pooled, now or with this query set."""
    being_read = set(
        Run.objects.being_read()
        .filter(pk__in=[run.pk for run in runs])
        .values_list("pk", flat=True)
    )
    for run in runs:
        if run.collection_id != collection.pk or run.state != Run.State.READY or run.retired_at:
            raise PoolError("runs", f'Run "{run}" is not ready in this collection; leave it out.')
        if run.pk in being_read:
            raise PoolError(
                "runs",
                f'Run "{run}" is being read again, since items joined; try once more in a moment.',
            )
        if run.on_hold_since:
            raise PoolError(
                "runs",
                f'Run "{run}" names too many unknown items; say on its page that it may be used.',
            )
        if query_set and run.direction != query_set.direction:
            message = (
                f'Query set "{query_set}" holds no sources of run "{run}", which goes the other '
                "way: leave it out."
            )
            raise PoolError("query_set", message)


def split_values(
    strategy: str, parameters: Mapping[str, object]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """Split parameters into the strategy's own values and those of the options.

    Raises StrategyError.
    """
    names = {option.name for option in options.OPTIONS}
    own_values = {name: value for name, value in parameters.items() if name not in names}
    option_values = {name: value for name, value in parameters.items() if name in names}
    return strategies.check_values(strategy, own_values), complete_values(
        options.OPTIONS, option_values
    )


def n_rows_at_most(*, strategy: str, parameters: Mapping[str, object], runs: Sequence[Run]) -> int:
    """Upper bound, by runs' reports, of the rows a strategy would read; 0 for bad parameters."""
    try:
        values, option_values = split_values(strategy, parameters)
    except StrategyError:
        return 0
    return _n_rows(runs, reach_of(strategy, values, option_values))


def reach_of(strategy: str, values: Mapping[str, Value], option_values: Mapping[str, Value]) -> int:
    return max(
        strategies.depth_of(strategy, values),
        int(option_values["outside"]) if option_values["negatives"] else 0,
    )


def _n_rows(runs: Sequence[Run], depth: int) -> int:
    return sum(
        run.report.get("n_queries", 0) * min(depth, run.report.get("deepest", depth))
        for run in runs
    )


def refuse_too_many(runs: Sequence[Run], depth: int) -> None:
    n_rows = _n_rows(runs, depth)
    if n_rows > MAX_ROWS:
        message = (
            f"To this depth the runs hold {n_rows:,} results, more than {MAX_ROWS:,}; choose a "
            "smaller depth."
        )
        raise PoolError("depth", message)


def refuse_below_best(runs: Sequence[Run], depth: int) -> None:
    """Raise PoolError if the depth is greater than DEPTH, the stored targets of a matrix row.

    Only where one of the runs is a matrix with longer rows.
    """
    matrix = next((run for run in runs if run.report.get("matrix", [0, 0])[1:] > [DEPTH]), None)
    if depth > DEPTH and matrix is not None:
        message = (
            f'Of run "{matrix}", a matrix, pools see the {DEPTH} best of each row; choose a depth '
            "up to that."
        )
        raise PoolError("depth", message)


def why_not_poolable(*, collection: Collection, name: str) -> str:
    """Say why no pool can be made of the run of this name."""
    if collection.runs.published().on_hold().filter(name=name).exists():
        return (
            f'Run "{name}" is on hold: too many of its rows are unknown. Say on its page that it '
            "may be used."
        )
    return f'There is no ready run "{name}" in this collection.'
