"""Have previews that failed made again, once the files can be read."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from annotate.core.phrases import counted
from annotate.management import files
from annotate.services.pictures.redrawing import forget_failures


class Command(BaseCommand):
    """Have previews that failed made again, once the files can be read.

    Workers try a file that is away for a moment again by themselves, but no damaged, too large or
    too costly one.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the argument: the collection."""
        parser.add_argument("slug", help="short name of the collection")

    def handle(self, *args: Any, **options: Any) -> None:
        """Forget the failures; the next sweep sends a worker."""
        n_previews, n_rasters = forget_failures(collection=files.find_collection(options["slug"]))
        self.stdout.write(
            f"Failed: {counted(n_previews, 'preview')} and {counted(n_rasters, 'raster')}. "
            "Workers try them again within some minutes."
        )
