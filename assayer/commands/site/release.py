"""Make, list, fetch, publish and withdraw releases."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from assayer.client.collection.collection import Collection
from assayer.client.collection.part import FOREVER
from assayer.client.records.releases import Release
from assayer.commands.command import CommandFailed
from assayer.commands.site.options import (
    add_collection_arguments,
    add_wait_argument,
    collection_of,
)
from assayer.commands.site.tables import Cell, show

DESCRIPTION = "Make, list, fetch, publish, withdraw or compare releases of a collection."
COLUMNS = ("version", "state", "title", "released_on", "n_bytes", "sha256")


def add_arguments(parser: ArgumentParser) -> None:
    """Add what can be done, each with its options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (about, _) in ACTIONS.items():
        action = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        if name != "list":
            action.add_argument("version", help="such as 1.0")
        if name == "make":
            for field in ("title", "notes", "released-on"):
                action.add_argument(f"--{field}", help="else as on the page of releases")
            add_wait_argument(action)
        if name == "download":
            action.add_argument("--to", type=Path, default=Path(), help="file or folder")
            action.add_argument("--path", help="one file of the release, in place of the zip")
        if name == "withdraw":
            action.add_argument("--reason", required=True, help="which the release then shows")
        if name == "diff":
            action.add_argument("--to-version", help="else the labels of now")
            action.add_argument("--table", help="one table of what changed, in place of a summary")
        add_collection_arguments(action)


def run(options: Namespace) -> None:
    """Do it. Raises AssayerError."""
    _, act = ACTIONS[options.action]
    with collection_of(options) as collection:
        act(options, collection)


def list_releases(options: Namespace, collection: Collection) -> None:
    """Print a line for each release."""
    releases = collection.releases()
    show(options, [release.json for release in releases], [row_of(row) for row in releases])


def make(options: Namespace, collection: Collection) -> None:
    """Make a release and print it."""
    names = ("title", "notes", "released_on")
    fields = {name: getattr(options, name) for name in names if getattr(options, name)}
    wait = 0 if options.no_wait else FOREVER
    show_release(options, collection.make_release(options.version, wait=wait, **fields))


def list_files(options: Namespace, collection: Collection) -> None:
    """Print a line for each file of a release."""
    files = collection.release(options.version).files()
    columns = ("path", "n_bytes", "n_rows", "sha256")
    rows = [{name: getattr(file, name) for name in columns} for file in files]
    show(options, [file.json for file in files], rows)


def download(options: Namespace, collection: Collection) -> None:
    """Store the zip of a release or one of its files, and print its path."""
    path = collection.release(options.version).download(options.to, options.path)
    print(json.dumps({"path": str(path)}) if options.json else path)


def publish(options: Namespace, collection: Collection) -> None:
    """Make a release public."""
    show_release(options, collection.release(options.version).publish())


def unpublish(options: Namespace, collection: Collection) -> None:
    """Take a publication back."""
    show_release(options, collection.release(options.version).unpublish())


def withdraw(options: Namespace, collection: Collection) -> None:
    """Withdraw a release."""
    show_release(options, collection.release(options.version).withdraw(options.reason))


def diff(options: Namespace, collection: Collection) -> None:
    """Print a line for each table of what changed, or one of these tables."""
    changes = collection.release(options.version).diff(options.to_version)
    if options.table is None:
        rows = [{"table": name, "changes": row.headline} for name, row in changes.tables.items()]
        show(options, changes.json, rows)
    elif options.table in changes.tables:
        show(options, changes.tables[options.table].json, changes.tables[options.table].rows)
    else:
        raise CommandFailed(f"There are tables of {', '.join(changes.tables)}.")


def show_release(options: Namespace, release: Release) -> None:
    """Print a release."""
    show(options, release.json, [row_of(release)])


def row_of(release: Release) -> dict[str, Cell]:
    """The row of a release."""
    return {
        name: str(value) if name == "released_on" else value
        for name in COLUMNS
        for value in [getattr(release, name)]
    }


ACTIONS: dict[str, tuple[str, Callable[[Namespace, Collection], None]]] = {
    "list": ("list the releases", list_releases),
    "make": ("make a release of the labels of now", make),
    "files": ("list the files of a release", list_files),
    "download": ("fetch the zip of a release, or one of its files", download),
    "publish": ("make a release public", publish),
    "unpublish": ("take its publication back", unpublish),
    "withdraw": ("withdraw a release: its files go, its checksums stay", withdraw),
    "diff": ("tell what changed since a release", diff),
}
