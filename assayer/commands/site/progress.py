"""Show the progress of a collection."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from time import sleep

from assayer.client.records.numbers import Forecast, PoolCounts, Progress, ValueRange
from assayer.commands.site.options import add_collection_arguments, collection_of
from assayer.commands.site.tables import Cell, show

DESCRIPTION = "Show how far the labels of a collection are: of each pool and import, and of all."
CLEAR = "\x1b[H\x1b[2J"  # on a terminal: to the upper left, and nothing else on the screen
SECONDS, LONGEST_PAUSE = 10, 86_400


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "--watch",
        metavar="SECONDS",
        type=seconds,
        nargs="?",
        const=SECONDS,
        help=f"show it anew every so many seconds ({SECONDS}) until no label is wanted any more",
    )
    add_collection_arguments(parser)


def seconds(words: str) -> float:
    """A pause between two looks."""
    try:
        pause = float(words)
    except ValueError:
        pause = 0
    if not 0 < pause <= LONGEST_PAUSE:
        raise ArgumentTypeError(f"{words} is not above 0 and at most {LONGEST_PAUSE}")
    return pause


def run(options: Namespace) -> None:
    """Print a line for each pool, and one for all. Raises AssayerError."""
    with collection_of(options) as collection:
        progress = collection.progress()
        show_progress(options, progress)
        while options.watch and progress.n_seats_left:
            sleep(options.watch)
            latest, progress = progress, collection.progress()
            if progress != latest:
                show_progress(options, progress)


def show_progress(options: Namespace, progress: Progress) -> None:
    """Print progress; on a terminal, while it is watched, in place of what is there."""
    if options.watch and sys.stdout.isatty():
        print(CLEAR, end="")
    show(options, progress.json, table_of(progress))
    if progress.forecast is not None and not options.json:
        print(forecast_sentence(progress.forecast), file=sys.stderr)
    sys.stdout.flush()


def table_of(progress: Progress) -> list[dict[str, Cell]]:
    """The rows of pools and imports, and the one of all."""
    rows = [row_of(pool.name, pool.state, pool) for pool in progress.pools]
    return [*rows, row_of("all", "", progress)]


def row_of(name: str, state: str, counts: PoolCounts | Progress) -> dict[str, Cell]:
    """The row of a pool, an import or all of them."""
    return {
        "name": name,
        "state": state,
        "pairs": counts.n_pairs,
        "complete": counts.states.get("complete", 0),
        "disputed": counts.states.get("disputed", 0),
        "untouched": counts.states.get("untouched", 0),
        "labels": counts.n_labels,
        "labels left": counts.n_seats_left,
    }


def forecast_sentence(forecast: Forecast) -> str:
    """The forecast in words."""
    if forecast.days_left is None or forecast.labels_a_day is None:
        return f"No forecast: {forecast.reason}." if forecast.reason else "No forecast."
    pace, days = range_text(forecast.labels_a_day), range_text(forecast.days_left)
    stuck = f" (labels that nobody there can give: {forecast.n_stuck:,}, not counted)"
    return f"{pace} labels a day: {days} days are left{stuck if forecast.n_stuck else ''}."


def range_text(number: ValueRange) -> str:
    """A value with its bounds."""
    if number.low is None or number.high is None:
        return f"{number.value:,.1f}"
    return f"{number.value:,.1f} ({number.low:,.1f} to {number.high:,.1f})"
