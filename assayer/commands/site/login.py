"""Keep a token for a site."""

import sys
from argparse import ArgumentParser, Namespace
from getpass import getpass
from pathlib import Path

from assayer.client.client import Client
from assayer.client.sites import find_site, keep_site, kept_file
from assayer.commands.site.options import add_plain_argument, token_of

DESCRIPTION = (
    "Keep a token for a site, in a file that only you can read; the other commands and Client() "
    "use it. Make the token on the page API tokens of the site. It is asked for, or read from "
    "--token-file or from standard input."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--url", help="address of the site; else it is asked for, or ASSAYER_URL")
    parser.add_argument(
        "--token-file", type=Path, help="file that holds the token; else it is asked for, or stdin"
    )
    add_plain_argument(parser)


def run(options: Namespace) -> None:
    """Try the token, and keep it.

    Raises CommandFailed, AssayerError.
    """
    is_asked = options.token_file is None and sys.stdin.isatty()
    url = options.url or (input("Address of the site: ") if is_asked else None)
    token = token_of(options)
    if token is None:
        token = getpass("Token: ") if is_asked else sys.stdin.readline()
    site = find_site(url, token, may_be_plain=options.plain)
    with Client(site.url, site.token, may_be_plain=options.plain) as client:
        n_collections = len(client.collections())
    file = kept_file()
    keep_site(site, file)
    print(f"{site.url} knows the token, and shows it {n_collections} of its collections.")
    print(f"It is kept in {file}.", file=sys.stderr)
