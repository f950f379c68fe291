"""The shape of a command: its options, and something to do with them."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Protocol


class CommandFailed(Exception):
    """A command cannot do what its options say; the message says why, and what to do."""


def remark(text: str) -> None:
    """Print a sentence beside the results, to stderr, after what was printed before."""
    sys.stdout.flush()
    print(text, file=sys.stderr)


class Command(Protocol):
    """A module of a command.

    DESCRIPTION : a sentence for its --help
    """

    DESCRIPTION: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add its options."""

    def run(self, options: Namespace) -> None:
        """Do it: results to stdout, remarks to stderr.

        Raises CommandFailed.
        """
