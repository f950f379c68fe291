"""Options of the commands that talk to a site, and the client that they make."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assayer.client.client import Client
from assayer.client.collection.collection import Collection
from assayer.client.errors import NotFound
from assayer.commands.command import CommandFailed


def add_site_arguments(parser: ArgumentParser) -> None:
    """Add the site and the token; what is not said comes from the environment or `login`."""
    parser.add_argument("--url", help="address of the site; else ASSAYER_URL, else that of `login`")
    parser.add_argument(
        "--token-file",
        type=Path,
        help="file that holds the token; else ASSAYER_TOKEN, else that of `login`",
    )
    add_plain_argument(parser)


def add_plain_argument(parser: ArgumentParser) -> None:
    """Add the leave to send the token where others can read it."""
    parser.add_argument(
        "--plain",
        action="store_true",
        help="allow http to another machine, where others can read the token",
    )


def add_collection_arguments(parser: ArgumentParser) -> None:
    """Add the collection and its site, and the choice of JSON."""
    parser.add_argument(
        "--collection", metavar="SLUG", required=True, help="short name of the collection"
    )
    add_site_arguments(parser)
    add_json_argument(parser)


def add_json_argument(parser: ArgumentParser) -> None:
    """Add the choice of JSON."""
    parser.add_argument("--json", action="store_true", help="print the answers of the API as JSON")


def add_wait_argument(parser: ArgumentParser) -> None:
    """Add the choice not to wait for background work."""
    parser.add_argument(
        "--no-wait", action="store_true", help="return at once, while the site is still at it"
    )


def client_of(options: Namespace) -> Client:
    """The client that the options ask for; bars tell its progress on a terminal.

    Raises CommandFailed, AssayerError.
    """
    token = token_of(options)
    return Client(options.url, token, may_be_plain=options.plain, show_progress=True)


def token_of(options: Namespace) -> str | None:
    """The token of --token-file, None without it. Raises CommandFailed."""
    if options.token_file is None:
        return None
    try:
        return str(options.token_file.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{options.token_file} cannot be read.") from error


@contextmanager
def collection_of(options: Namespace) -> Iterator[Collection]:
    """The collection that the options ask for. Raises CommandFailed, AssayerError."""
    with client_of(options) as client:
        try:
            yield client.collection(options.collection)
        except NotFound as error:
            if not error.status:  # the client's own words name what is missing
                raise
            raise CommandFailed(
                f"{error} `assayer collections` shows your collections and your roles in them."
            ) from error


def named_value(words: str) -> tuple[str, Any]:
    """A parameter as NAME=VALUE; numbers, true and false are those of JSON, other values texts."""
    name, sign, value = words.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"{words} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
