"""Open a pool of runs: its pairs, doubles and seats, at once, without a worker."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management import files
from annotate.models import Collection
from pooling.core.strategies import STRATEGIES
from pooling.models import Pool, Run
from pooling.services import pools
from pooling.services.choosing import PoolError


class Command(BaseCommand):
    """Parameters of a strategy are options of their names, such as --depth 10."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where, how, and of what."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--name", default="", help="default: the strategy and its parameters")
        parser.add_argument("--strategy", default="depth-k", choices=list(STRATEGIES))
        parser.add_argument("--runs", default="", help='names, "a,b,c"; default: all that are ready')
        parser.add_argument("--query-set", default="", help="name of a query set; only its source items")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--by", default="", help="user who opens")
        for name in sorted({each.name for strategy in STRATEGIES.values() for each in strategy.parameters}):
            parser.add_argument(f"--{name.replace('_', '-')}", type=float, dest=f"parameter_{name}")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make and open it."""
        collection = files.find_collection(options["slug"])
        given = {
            key.removeprefix("parameter_"): value for key, value in options.items() if key.startswith("parameter_")
        }
        given = {key: value for key, value in given.items() if value is not None}
        shown = ", ".join(f"{key} {value:g}" for key, value in given.items())
        try:
            pool = pools.create_pool(
                collection=collection,
                name=options["name"] or " ".join(filter(None, [options["strategy"], shown])),
                strategy=options["strategy"],
                parameters=given,
                runs=_runs(collection, options["runs"]),
                query_set=_query_set(collection, options["query_set"]),
                seed=options["seed"],
                by=files.find_user(options["by"]),
            )
        except PoolError as error:
            raise CommandError(str(error)) from error
        pools.open_pool(pool=pool)
        if pool.state != Pool.State.OPEN:
            raise CommandError(pool.error)
        self.stdout.write(
            f'Pool "{pool}" is open: {pool.pool_pairs.count():,} pairs, {pool.round.seats.count():,} seats.'
        )


def _runs(collection: Collection, names: str) -> list[Run]:
    ready = collection.runs.filter(state=Run.State.READY, retired_at=None)
    if not names:
        return list(ready)
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    found = list(ready.filter(name__in=wanted))
    missing = sorted(set(wanted) - {run.name for run in found})
    if missing:
        raise CommandError(f'There is no ready run "{missing[0]}" in {collection.slug}.')
    return found


def _query_set(collection: Collection, name: str) -> Any:
    if not name:
        return None
    found = list(collection.query_sets.filter(name=name)[:2])
    if len(found) != 1:
        raise CommandError(f'There {"are two" if found else "is no"} query set{"s" * bool(found)} "{name}".')
    return found[0]
