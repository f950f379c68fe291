"""Verify the folder of a release, or its archive, from its files alone; no database."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.core.files.formats import FormatError
from annotate.core.phrases import counted
from metrics.core.releases.verification.verification import open_error, verify_release

SECONDS_BETWEEN = 2


class Command(BaseCommand):
    help = (
        "Verify the folder of a release, or its zip archive: checksums, sizes and rows; qrels and "
        "judgments in both of their forms; counts, agreement and scores, computed anew from the "
        "files."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="or the archive of one")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["folder"]
        self.told_at = time.monotonic()
        try:
            findings = verify_release(path, self.show_progress)
        except (FormatError, OSError) as error:
            raise CommandError(open_error(path, error)) from error
        sentences = [*findings.results, *map("Not checked: {}".format, findings.unchecked)]
        for sentence in sentences:  # a name in a damaged file may be no text
            self.stdout.write(sentence.encode(errors="backslashreplace").decode())
        if findings.n_faults:
            faults = "\n".join(findings.sentences)
            raise CommandError(f"{faults}\n{counted(findings.n_faults, 'fault')}.")
        self.stdout.write("All that can be checked is right.")

    def show_progress(self, text: str) -> None:
        """Tell what is looked at, every other second."""
        if time.monotonic() - self.told_at >= SECONDS_BETWEEN:
            self.told_at = time.monotonic()
            self.stderr.write(text)
