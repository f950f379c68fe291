"""Write every judgment of a collection, under pseudonyms: CSV for spreadsheets, JSON lines for programs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.management import files
from annotate.services.exporting import EXPORTS


class Command(BaseCommand):
    """To a file, or to the standard output."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which collection, which format, where to."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--format", default="csv", choices=sorted(EXPORTS))
        parser.add_argument("--out", type=Path, help="file to write; default: the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write line by line."""
        lines = EXPORTS[options["format"]].write(files.find_collection(options["slug"]))
        with files.faults_as_sentences():
            if options["out"] is None:
                sys.stdout.writelines(lines)
                return
            with open(options["out"], "w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
