"""Verify the folder of a release, or its archive, from its files alone."""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from annotate.core.files.formats import FormatError
from annotate.core.phrases import counted
from assayer.commands.command import CommandFailed, remark
from metrics.core.releases.verification.verification import open_error, verify_release

SECONDS_BETWEEN = 2


DESCRIPTION = (
    "Verify the folder of a release, or its zip archive: checksums, sizes and rows; qrels and "
    "judgments in both of their forms; counts, agreement and scores, computed anew from the "
    "files."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="or the archive of one")


def run(options: Namespace) -> None:
    """Print what was compared, and raise CommandFailed for faults."""
    path = options.folder
    try:
        findings = verify_release(path, progress_reporter())
    except (FormatError, OSError) as error:
        raise CommandFailed(open_error(path, error)) from error
    sentences = [*findings.results, *map("Not checked: {}".format, findings.unchecked)]
    for sentence in sentences:  # a name in a damaged file may be no text
        print(sentence.encode(errors="backslashreplace").decode())
    if findings.n_faults:
        faults = "\n".join(findings.sentences)
        raise CommandFailed(f"{faults}\n{counted(findings.n_faults, 'fault')}.")
    print("All that can be checked is right.")


def progress_reporter() -> Callable[[str], None]:
    """Return a function that tells on stderr, every other second, what is looked at."""
    told_at = time.monotonic()

    def report(text: str) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= SECONDS_BETWEEN:
            told_at = time.monotonic()
            remark(text)

    return report
