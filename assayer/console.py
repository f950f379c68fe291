"""The console script `assayer`."""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import cast

from assayer.client.errors import AssayerError
from assayer.commands.command import Command, CommandFailed
from assayer.version import version

# module and one line of help of each command; the module is loaded when it is called
FILE_COMMANDS = {
    "evaluate": ("evaluate", "score run files against qrels"),
    "compare": ("compare", "tell which runs differ, from run files or a file of scores"),
    "agreement": ("agreement", "Krippendorff's alpha of a table of labels, or of a collection"),
    "plan": ("plan", "queries to judge for an error or a difference, from a file of scores"),
    "analyse": ("analyse", "an analysis of a file of scores: sentence, table, chart"),
    "plausible": ("plausible", "qrels of items of nearly the same classes, for PMRP"),
    "verify": ("verify", "check a release from its files alone"),
}
SITE_COMMANDS = {
    "login": ("login", "keep a token for a site"),
    "collections": ("collections", "list the collections of a site"),
    "upload-items": ("upload_items", "upload items, also of ir_datasets, BEIR and the Hub"),
    "upload-run": ("upload_run", "upload a run file"),
    "open-pool": ("open_pool", "make a pool and open it"),
    "progress": ("progress", "show how far the labels are"),
    "leaderboard": ("leaderboard", "show the scores of the runs"),
    "download": ("download", "fetch qrels, judgments and other files"),
    "release": ("release", "make, fetch, publish and compare releases"),
}
# commands on files that a site answers where one of its collections is named: their modules
SITE_TWINS = {"agreement": "assayer.commands.site.agreement"}
SITE_OPTION = "--collection"
TWIN_HELP = "Of a collection of a site: assayer {name} --collection SLUG, with --help its options."
MODULES = {name: f"assayer.commands.files.{module}" for name, (module, _) in FILE_COMMANDS.items()}
MODULES |= {name: f"assayer.commands.site.{module}" for name, (module, _) in SITE_COMMANDS.items()}
REFUSED, WRONG_USAGE, INTERRUPTED, UNREAD = 1, 2, 130, 141  # exit status, the last two by signal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the arguments, else of the command line; return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words[0] if words else ""
    if name not in MODULES:
        names_parser().parse_args(words)
        return WRONG_USAGE
    try:
        return run(name, words[1:])
    except BrokenPipeError:
        discard_output()
        return UNREAD
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED


def run(name: str, words: Sequence[str]) -> int:
    """Run a command with its options; return its exit status."""
    of_site = any(word.split("=")[0] == SITE_OPTION for word in words)
    module = SITE_TWINS.get(name, MODULES[name]) if of_site else MODULES[name]
    command = cast(Command, import_module(module))
    epilog = TWIN_HELP.format(name=name) if name in SITE_TWINS and not of_site else None
    parser = ArgumentParser(prog=f"assayer {name}", description=command.DESCRIPTION, epilog=epilog)
    command.add_arguments(parser)
    try:
        command.run(parser.parse_args(words))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (CommandFailed, AssayerError, OSError, UnicodeEncodeError) as error:
        end_output()
        print(f"assayer {name}: {sentence_of(error)}", file=sys.stderr)
        return REFUSED
    return 0


def end_output() -> None:
    """Write what was printed so far; where that fails, let it go where it hurts nobody."""
    try:
        sys.stdout.flush()
    except OSError:
        discard_output()


def discard_output() -> None:
    """Let what is still to be written, also at the end, go where it hurts nobody."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def sentence_of(error: Exception) -> str:
    """The words for a failure, without a name of Python's."""
    if isinstance(error, OSError):
        file = f"{error.filename}: " if error.filename else ""
        return f"{file}{error.strerror or error}."
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object!a} cannot be written as {error.encoding}; set LANG=C.UTF-8."
    return str(error)


def names_parser() -> ArgumentParser:
    """A parser for what is no command: --help, --version, mistakes."""
    lines = []
    for title, commands in (("on files:", FILE_COMMANDS), ("with a site:", SITE_COMMANDS)):
        lines += [title, *(f"  {name:14}{line}" for name, (_, line) in commands.items())]
    parser = ArgumentParser(
        prog="assayer", epilog="\n".join(lines), formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"assayer {version()}")
    parser.add_argument("command", choices=list(MODULES), metavar="COMMAND", help="one of these")
    return parser
