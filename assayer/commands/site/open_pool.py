"""Open a pool."""

import sys
from argparse import ArgumentParser, Namespace

from assayer.client.collection.part import FOREVER
from assayer.client.records.pools import PoolPreview
from assayer.commands.site.options import (
    add_collection_arguments,
    add_wait_argument,
    collection_of,
    named_value,
)
from assayer.commands.site.tables import Cell, show

DESCRIPTION = "Make a pool and open it: its pairs are then handed out to annotators."


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("name", help="name of the pool")
    parser.add_argument("--strategy", default="depth-k", help="depth-k without it")
    parser.add_argument(
        "--parameter",
        metavar="NAME=VALUE",
        type=named_value,
        action="append",
        default=[],
        help="parameter of the strategy, as depth=10; may be repeated",
    )
    parser.add_argument("--run", action="append", help="name of a run; all in use without it")
    parser.add_argument("--query-set", help="name of a query set")
    parser.add_argument("--direction", choices=("forward", "reverse"), help="of the query set")
    parser.add_argument("--seed", type=int, help="of what is drawn; 1 without it")
    parser.add_argument("--preview", action="store_true", help="tell the cost, and make nothing")
    add_wait_argument(parser)
    add_collection_arguments(parser)


def run(options: Namespace) -> None:
    """Open the pool, or preview it, and print it. Raises AssayerError."""
    names = ("query_set", "direction", "seed")
    choices = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    parameters = dict(options.parameter)
    with collection_of(options) as collection:
        if options.preview:
            preview = collection.preview_pool(
                strategy=options.strategy, parameters=parameters, runs=options.run, **choices
            )
            show_preview(options, preview)
            return
        pool = collection.open_pool(
            options.name,
            strategy=options.strategy,
            parameters=parameters,
            runs=options.run,
            wait=0 if options.no_wait else FOREVER,
            **choices,
        )
    row: dict[str, Cell] = {"id": pool.id, "name": pool.name, "state": pool.state}
    show(options, pool.json, [{**row, "pairs": pool.pairs.get("n")}])


def show_preview(options: Namespace, preview: PoolPreview) -> None:
    """Print the pairs and the cost of a pool."""
    columns = ("n_pairs", "n_new", "n_waiting", "n_judged", "n_labels", "hours", "cost", "currency")
    if not preview.is_measured:
        print("The hours are a guess: nobody's pace is known yet.", file=sys.stderr)
    show(options, preview.json, [{name: getattr(preview, name) for name in columns}])
