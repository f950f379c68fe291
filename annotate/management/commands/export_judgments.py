"""Write every judgment of a collection, under pseudonyms.

CSV is for spreadsheets, JSON lines and Parquet are for programs.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.core.files.judgments.judgment_exports import FORMATS
from annotate.management import files
from annotate.services.collection import judgment_export


class Command(BaseCommand):
    """Write every judgment of a collection to a file, or to the standard output."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, format and file to write."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("--format", default="csv", choices=sorted(FORMATS))
        parser.add_argument("--out", type=Path, help="file to write; default: the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write piece by piece."""
        pieces = judgment_export.write(
            collection=files.find_collection(options["slug"]), kind=options["format"]
        )
        with files.faults_as_sentences():
            if options["out"] is None:
                sys.stdout.buffer.writelines(pieces)
                return
            with open(options["out"], "wb") as file:
                file.writelines(pieces)
