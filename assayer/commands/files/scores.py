"""Files of scores on the command line."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotate.core.files.formats import FormatError, quoted
from metrics.core.files.score_headings import names_measures
from metrics.core.files.scores import CHOICES, ScoreTable, option_name, read_scores


def add_choice_arguments(parser: ArgumentParser, columns: Sequence[str] = CHOICES) -> None:
    """Add the options that choose scores of a file with several."""
    for column in columns:
        name = column.replace("_", " ")
        parser.add_argument(
            option_name(column), help=f"which {name}, where a file of scores holds several"
        )


def chosen_values_of(options: Namespace) -> dict[str, str]:
    """The choices that the options make, by their columns."""
    return {column: getattr(options, column) for column in CHOICES if getattr(options, column)}


def read_table(path: str, options: Namespace) -> ScoreTable:
    """Read the scores of a file that the options choose.

    Raises OSError and FormatError, also where a heading says that rows are runs or measures.
    """
    with open(path, "rb") as stream:
        table = read_scores(stream, name=path, chosen_values=chosen_values_of(options))
    if table.has_runs or names_measures(table.row_head):
        message = (
            f"the file has rows of {quoted(table.row_head)}, and this takes a row for each query, "
            "which its first column names, and a column for each run. Averages of runs by measures "
            "are for analyse measure-correlations --scores."
        )
        raise FormatError(path, 1, table.row_head, message)
    return table
