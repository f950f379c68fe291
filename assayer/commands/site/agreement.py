"""Show the agreement of a collection."""

import sys
from argparse import ArgumentParser, Namespace

from assayer.client.records.numbers import AgreementFigures
from assayer.commands.site.options import add_collection_arguments, collection_of
from assayer.commands.site.tables import Cell, show

DESCRIPTION = (
    "Show Krippendorff's alpha of a collection, with its 95 % interval: of the labels that its "
    "pools plan, which is the headline, and of all."
)
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "--level", choices=LEVELS, help="level of measurement; that of the collection without it"
    )
    add_collection_arguments(parser)


def run(options: Namespace) -> None:
    """Print a line for each kind of labels. Raises AssayerError."""
    with collection_of(options) as collection:
        agreement = collection.agreement(options.level)
    kinds = {"planned": agreement.planned, "all": agreement.all}
    rows = [row_of(name, figures) for name, figures in kinds.items()]
    show(options, agreement.json, rows)
    for name, figures in kinds.items():
        if figures.reason and not options.json:
            print(f"{name}: {figures.reason}.", file=sys.stderr)


def row_of(name: str, figures: AgreementFigures) -> dict[str, Cell]:
    """The row of some labels."""
    columns = ("alpha", "low", "high", "n_pairs", "n_labels", "percent_unanimous", "percent_equal")
    return {"labels": name, **{column: getattr(figures, column) for column in columns}}
