"""Options that an analysis of a file of scores and one of a collection have in common."""

from argparse import ArgumentParser

from metrics.core.comparisons.missing_queries import MISSING_NAMES
from metrics.core.comparisons.run_comparison import METHODS

RUN_HELP = "repeatable, of a file of scores too; default: all"
SCORES_HELP = "in place of a collection: rows runs, columns measures; or rows topics, columns runs"


def add_shared_options(parser: ArgumentParser) -> None:
    """Add the options of the runs, of the test, and of the planner."""
    parser.add_argument("--run", action="append", default=[], metavar="NAME", help=RUN_HELP)
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        default="",
        metavar="METHOD",
        help=f"the test of differences: {', '.join(METHODS)}",
    )
    parser.add_argument(
        "--missing",
        choices=list(MISSING_NAMES),
        default="",
        help="queries that a run misses: zero counts 0, runs and queries leave such out",
    )
    parser.add_argument("--n", default="", help="queries of a sample, in the planner")
    parser.add_argument("--error", default="", help="a wanted error of a score, such as 0.03")
    parser.add_argument("--difference", default="", help="of two runs, to be seen by a test")
    parser.add_argument("--power", default="", help="of that test, from 0.5 to 0.99")


def add_forms(parser: ArgumentParser) -> None:
    """Add the options of the form of the output."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="the table with all digits")
    form.add_argument("--json", action="store_true", help="one JSON object, with the chart")
    form.add_argument("--svg", action="store_true", help="the chart")


def flag_of(name: str) -> str:
    """An option as it is typed."""
    return "--" + name.replace("_", "-")
