"""Open a pool of runs: its pairs, doubles and seats, at once, without a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management import files
from annotate.models import Collection, QuerySet, User
from annotate.services.collection.lifecycle.archive import CollectionArchived
from pooling.core.strategies.options import OPTIONS
from pooling.core.strategies.parameters import NumberParameter, Parameter
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import Pool, Run
from pooling.sentences import PreviewSentences
from pooling.services.pools import checks as pool_checks
from pooling.services.pools import pools, previews
from pooling.services.pools.checks import PoolError

_PREFIX = "parameter_"


class Command(BaseCommand):
    """Open a pool of runs with its pairs, doubles and seats, at once and without a worker.

    Parameters of strategies and options of all are options by name, such as --depth 10.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, name, strategy, runs, and all parameters."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--name", default="", help="default: the strategy and its parameters")
        parser.add_argument("--strategy", default="depth-k", choices=list(STRATEGIES))
        parser.add_argument(
            "--runs", default="", help='names, "a,b,c"; default: all that are ready'
        )
        parser.add_argument(
            "--query-set", default="", help="name of a query set; only its source items"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--by", default="", help="user who opens")
        parser.add_argument(
            "--preview", action="store_true", help="say what it would cost, and open nothing"
        )
        for name, parameter in sorted(_parameters().items()):
            kind = float if isinstance(parameter, NumberParameter) else str
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(
                option, type=kind, dest=_PREFIX + name, help=parameter.label.replace("%", "%%")
            )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make and open it, or say what it would cost."""
        collection = files.find_collection(options["slug"])
        parameters = {
            name: options[_PREFIX + name]
            for name in _parameters()
            if options[_PREFIX + name] is not None
        }
        query_set = _query_set(collection, options["query_set"])
        choice = {
            "collection": collection,
            "strategy": options["strategy"],
            "parameters": parameters,
            "runs": _runs(collection, options["runs"], query_set),
            "query_set": query_set,
            "seed": options["seed"],
        }
        try:
            if options["preview"]:
                price = previews.preview(**choice)
                cost = f", {price.cost:,.0f} {price.currency}" if price.cost is not None else ""
                self.stdout.write(
                    f"{price.n_pairs:,} pairs: {price.n_new:,} new, {price.n_waiting:,} asked by "
                    f"other pools, {price.n_judged:,} judged already; {price.n_labels:,} labels "
                    f"and {price.n_golds:,} golds, {price.hours:,.1f} hours{cost}."
                )
                if further := PreviewSentences(price).further:
                    self.stdout.write(further)
            else:
                parameters_text = ", ".join(
                    f"{name} {value}" if isinstance(value, str) else f"{name} {value:g}"
                    for name, value in parameters.items()
                )
                name = options["name"] or " ".join(
                    filter(None, [options["strategy"], parameters_text])
                )
                by = files.find_user(options["by"])
                self._open(pools.create_pool(**choice, name=name, by=by), by)
        except (PoolError, CollectionArchived) as error:
            raise CommandError(str(error)) from error

    def _open(self, pool: Pool, by: User | None) -> None:
        pools.open_pool(pool=pool, by=by)
        if pool.work is None or pool.state != Pool.State.OPEN:
            raise CommandError(pool.work.error if pool.work else "")
        self.stdout.write(
            f'Pool "{pool}" is open: {pool.pool_pairs.count():,} pairs, '
            f"{pool.own_round().seats.count():,} seats."
        )


def _parameters() -> dict[str, Parameter]:
    return {
        parameter.name: parameter for plan in STRATEGIES.values() for parameter in plan.parameters
    } | {parameter.name: parameter for parameter in OPTIONS}


def _runs(collection: Collection, names: str, query_set: QuerySet | None) -> list[Run]:
    """The named runs, or all that can be pooled, only in the query set's direction."""
    ready = collection.runs.published().in_use()
    if not names:
        return list(ready.filter(direction=query_set.direction) if query_set else ready)
    run_names = [name.strip() for name in names.split(",") if name.strip()]
    runs = list(ready.filter(name__in=run_names))
    missing_names = sorted(set(run_names) - {run.name for run in runs})
    if missing_names:
        raise CommandError(
            pool_checks.why_not_poolable(collection=collection, name=missing_names[0])
        )
    return runs


def _query_set(collection: Collection, name: str) -> QuerySet | None:
    if not name:
        return None
    query_sets = list(collection.query_sets.filter(name=name)[:2])
    if len(query_sets) != 1:
        raise CommandError(
            f"There {'are two' if query_sets else 'is no'} query set{'s' * bool(query_sets)} "
            f'"{name}".'
        )
    return query_sets[0]
