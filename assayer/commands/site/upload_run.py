"""Upload a run file."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from assayer.client.collection.part import FOREVER
from assayer.commands.command import CommandFailed
from assayer.commands.site.options import (
    add_collection_arguments,
    add_wait_argument,
    collection_of,
)
from assayer.commands.site.tables import show

DESCRIPTION = (
    "Upload a run file, and wait until the site has read it. The same file under the same name may "
    "be sent again: it is there once."
)
DETAILS = {
    "score_type": "how documents are ordered: float32, the default, float64 or rank",
    "columns": "of a table, where they stand, as query:1,document:2,score:3",
    "system": "the system that made it",
    "team": "who made it",
    "paper": "address of its paper, or a DOI",
    "description": "what else there is to say of it",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("file", help="run file, in any format that the site reads; - is stdin")
    parser.add_argument("--name", help="name of the run; by default that of the file")
    parser.add_argument("--direction", choices=("forward", "reverse"), default="forward")
    for name, about in DETAILS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", help=about)
    parser.add_argument("--tag", action="append", default=[], help="may be repeated")
    parser.add_argument("--hidden", action="store_true", help="show it to nobody else")
    parser.add_argument("--publishable", action="store_true", help="releases may hold it")
    add_wait_argument(parser)
    add_collection_arguments(parser)


def run(options: Namespace) -> None:
    """Send the file and print the run.

    Raises CommandFailed, AssayerError.
    """
    path = Path(options.file)
    is_piped = options.file == "-"
    if not is_piped and not path.is_file():
        raise CommandFailed(f"{path} is no file.")
    if is_piped and not options.name:
        raise CommandFailed("A run from standard input needs a --name.")
    details = {name: getattr(options, name) for name in DETAILS if getattr(options, name)}
    with collection_of(options) as collection:
        new_run = collection.upload_run(
            sys.stdin.buffer if is_piped else path,
            name=options.name or path.name.removesuffix(".gz").rsplit(".", 1)[0],
            direction=options.direction,
            file_name="stdin" if is_piped else path.name,
            wait=0 if options.no_wait else FOREVER,
            tags=", ".join(options.tag) or None,
            is_hidden=options.hidden,
            may_be_published=options.publishable,
            **details,
        )
    if new_run.doubts_text:
        print(f"{new_run.name}: {new_run.doubts_text}.", file=sys.stderr)
    columns = ("id", "name", "direction", "state", "unknown_share")
    show(options, new_run.json, [{name: getattr(new_run, name) for name in columns}])
