"""Show the leaderboard of a collection."""

import sys
from argparse import ArgumentParser, Namespace

from assayer.client.records.numbers import Leaderboard
from assayer.commands.site.options import add_collection_arguments, collection_of
from assayer.commands.site.tables import Cell, show

DESCRIPTION = "Show the scores of the runs of a collection, best runs first."
LONG_COLUMNS = ("direction", "run", "measure", "score", "low", "high", "n_queries", "judged")
CHOICES = {
    "label_source": "such as over:original or only",
    "queries": "name of a query set",
    "people": "first, or the pseudonym of one annotator",
    "threshold": "grade from which on a pair is positive",
    "subset": "judged: only queries of which people labelled a pair",
    "protocol": "name of a protocol",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--measure", action="append", help="such as AP or nDCG@10; repeatable")
    parser.add_argument("--run", action="append", help="name of a run; repeatable")
    parser.add_argument("--direction", choices=("forward", "reverse"))
    for name, about in CHOICES.items():
        parser.add_argument(f"--{name.replace('_', '-')}", help=about)
    parser.add_argument(
        "--long", action="store_true", help="a line for each run and measure, with its interval"
    )
    add_collection_arguments(parser)


def run(options: Namespace) -> None:
    """Print a line for each run. Raises AssayerError."""
    names = ("measure", "run", "direction", *CHOICES)
    choices = {name: getattr(options, name) for name in names if getattr(options, name)}
    with collection_of(options) as collection:
        leaderboard = collection.leaderboard(**choices)
    rows = long_rows(leaderboard) if options.long else run_rows(leaderboard)
    show(options, leaderboard.json, rows)
    if not options.json:
        labels = f"{leaderboard.label_source}, positive from {leaderboard.positive_from}"
        queries = leaderboard.query_set or "all"
        print(f"Labels: {labels}. Queries: {queries}.", file=sys.stderr)


def long_rows(leaderboard: Leaderboard) -> list[dict[str, Cell]]:
    """A row for each run and measure."""
    return [{name: getattr(row, name) for name in LONG_COLUMNS} for row in leaderboard.rows]


def run_rows(leaderboard: Leaderboard) -> list[dict[str, Cell]]:
    """A row for each run, with a column for each measure."""
    measures = list(dict.fromkeys(row.measure for row in leaderboard.rows))
    rows: dict[int, dict[str, Cell]] = {}
    for row in leaderboard.rows:
        blank: dict[str, Cell] = {"direction": row.direction, "run": row.run}
        scores = rows.setdefault(row.run_id, {**blank, **dict.fromkeys(measures)})
        scores[row.measure] = row.score
    return list(rows.values())
