"""Download a file of a collection."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from assayer.commands.site.options import add_collection_arguments, collection_of, named_value

DESCRIPTION = (
    "Have a file made of the labels of now, and store it. Its size and checksum are compared with "
    "those of the site; a file that did not come whole is not stored."
)
KINDS = (
    "qrels",
    "beir",
    "fire",
    "judgments",
    "strata",
    "run",
    "pairs",
    "disputed",
    "conflicts",
    "cannot-judge",
    "scores",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "kind", choices=KINDS, metavar="KIND", help=f"which file: {', '.join(KINDS)}"
    )
    parser.add_argument(
        "--parameter",
        metavar="NAME=VALUE",
        type=named_value,
        action="append",
        default=[],
        help="parameter of the kind, as format=parquet or packed=true; may be repeated",
    )
    parser.add_argument(
        "--to", type=Path, default=Path(), help="file or folder; the present folder without it"
    )
    add_collection_arguments(parser)


def run(options: Namespace) -> None:
    """Store the file, and print its path. Raises AssayerError."""
    with collection_of(options) as collection:
        path = collection.download(options.kind, options.to, **dict(options.parameter))
    print(json.dumps({"path": str(path)}) if options.json else path)
