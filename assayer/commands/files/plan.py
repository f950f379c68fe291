"""Plan the number of queries to judge, from scores on some queries."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from annotate.core.files.formats import FormatError
from assayer.commands.command import CommandFailed
from assayer.commands.files.argument_types import count, positive, share, whole
from assayer.commands.files.groups import add_group_arguments
from assayer.commands.files.planning import SampleSizePlan, make_plan
from assayer.commands.files.scores import add_choice_arguments
from metrics.charts.results import rounded_up

DESCRIPTION = (
    "For numbers of queries, from a file of scores a query: the error of a score, that of a "
    "difference of two runs, and the smallest difference that a test shows."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "scores",
        metavar="SCORES",
        help=(
            "what evaluate --per-query prints, the file of scores of Downloads, a table of "
            "queries and runs, or a number a line"
        ),
    )
    add_choice_arguments(parser)
    parser.add_argument(
        "--run", help="which run; default, where the file holds several: those in the middle"
    )
    add_group_arguments(parser)
    parser.add_argument(
        "--sizes", default="500,1000,3000", help="numbers of queries (500,1000,3000)"
    )
    parser.add_argument(
        "--error", type=positive, help="find the number of queries whose error is at most this"
    )
    parser.add_argument(
        "--against", metavar="SCORES", help="a file of other runs' scores on the same queries"
    )
    parser.add_argument(
        "--against-run", metavar="RUN", help="which run of it, or of the first file"
    )
    parser.add_argument(
        "--difference", type=positive, help="of two runs: find the queries that show this one"
    )
    parser.add_argument("--power", type=share, default=0.8, help="chance to show a difference (.8)")
    parser.add_argument("--alpha", type=share, default=0.05, help="level of significance (.05)")
    parser.add_argument(
        "--samples",
        type=count,
        default=10_000,
        help="samples a size (10000), where scores take more than two values",
    )
    parser.add_argument("--seed", type=whole, help="of the samples; default: a hash of the scores")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: Namespace) -> None:
    """Print the plan of the options."""
    try:
        plan = make_plan(options)
    except FormatError as error:
        raise CommandFailed(f"{error.file}: {error}") from error
    except ValueError as error:
        raise CommandFailed(str(error)) from error
    sys.stdout.writelines([json.dumps(plan.as_dict()), "\n"] if options.json else lines(plan))


def lines(plan: SampleSizePlan) -> Iterator[str]:
    """Lines of facts, a sentence for each number, the table of sizes, and the required queries."""
    for name, value in plan.facts.items():
        yield f"{name}\t{value:.4f}\n" if isinstance(value, float) else f"{name}\t{value}\n"
    yield from (f"# {sentence}\n" for sentence in plan.sentences.values())
    yield "\t".join(plan.columns) + "\n"
    for row in plan.rows:
        yield "\t".join(_cell(row[column], column, plan) for column in plan.columns) + "\n"
    for name, n in plan.required_sizes.items():
        yield f"{name}\t{'more than 10,000,000' if n is None else n}\n"


def _cell(value: float | int | None, column: str, plan: SampleSizePlan) -> str:
    """Format a number, an error or a difference rounded up, or the reason for its absence."""
    if value is None:
        return (
            f"more than the {plan.facts['queries']:,} queries there are"
            if column.endswith("_of_these")
            else "n/a"
        )
    return f"{rounded_up(value, 4):.4f}" if isinstance(value, float) else str(value)
