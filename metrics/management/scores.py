"""Files of scores on the command line."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from metrics.core.files.scores import CHOICES, ScoreTable, option_name, read_scores


def add_choice_arguments(parser: ArgumentParser, columns: Sequence[str] = CHOICES) -> None:
    """Add the options that choose scores of a file with several."""
    for column in columns:
        name = column.replace("_", " ")
        parser.add_argument(
            option_name(column), help=f"which {name}, where a file of scores holds several"
        )


def read_table(path: str, options: dict[str, Any]) -> ScoreTable:
    """Read the scores of a file that the options choose. Raises FormatError and OSError."""
    chosen_values = {column: options[column] for column in CHOICES if options[column]}
    with open(path, "rb") as stream:
        return read_scores(stream, name=path, chosen_values=chosen_values)
