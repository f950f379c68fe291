"""Options of the commands that talk to a site, and the client that they make."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from assayer.client.client import Client
from assayer.commands.command import CommandFailed


def add_site_arguments(parser: ArgumentParser) -> None:
    """Add the site and the token; what is not said comes from the environment or `login`."""
    parser.add_argument("--url", help="address of the site; else ASSAYER_URL, else that of `login`")
    parser.add_argument(
        "--token-file",
        type=Path,
        help="file that holds the token; else ASSAYER_TOKEN, else that of `login`",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="allow http to another machine, where others can read the token",
    )


def client_of(options: Namespace) -> Client:
    """The client that the options ask for; bars tell its progress on a terminal.

    Raises CommandFailed, AssayerError.
    """
    token = None
    if options.token_file is not None:
        try:
            token = options.token_file.read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandFailed(f"{options.token_file} cannot be read.") from error
    return Client(options.url, token, may_be_plain=options.plain, show_progress=True)
