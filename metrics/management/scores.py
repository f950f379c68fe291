"""The files of scores that commands read."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from metrics.core.score_files import CHOICES, ScoreTable, option_of, read_scores


def add_choice_arguments(parser: ArgumentParser, columns: Sequence[str] = CHOICES) -> None:
    """Which scores are meant, of a file that holds several."""
    for column in columns:
        said = column.replace("_", " ")
        parser.add_argument(option_of(column), help=f"which {said}, where a file of scores holds several")


def read_table(path: str, options: dict[str, Any]) -> ScoreTable:
    """The scores of a file that the options choose. Raises FormatError and OSError."""
    chosen = {column: options[column] for column in CHOICES if options[column]}
    with open(path, "rb") as stream:
        return read_scores(stream, name=path, chosen=chosen)
