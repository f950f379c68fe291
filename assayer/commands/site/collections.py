"""List the collections of a site."""

from argparse import ArgumentParser, Namespace

from assayer.commands.site.options import add_json_argument, add_site_arguments, client_of
from assayer.commands.site.tables import show

DESCRIPTION = "List the collections in which the owner of the token has a role."


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    add_site_arguments(parser)
    add_json_argument(parser)


def run(options: Namespace) -> None:
    """Print a line for each collection."""
    with client_of(options) as client:
        collections = client.collections()
    rows = [{"slug": row.slug, "name": row.name, "roles": row.roles} for row in collections]
    show(options, [row.json for row in collections], rows)
