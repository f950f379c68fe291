"""Load a query set: the ids of source items, one a line, or the keys of a JSON object."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.management import files
from annotate.models import Direction
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import QuerySetImport


class Command(BaseCommand):
    """Load a query set: the ids of source items, one a line, or the keys of a JSON object.

    The same items under the same name again change nothing.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, file, name and direction."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="name of the query set")
        parser.add_argument(
            "--direction",
            choices=Direction.values,
            default=Direction.FORWARD,
            help="reverse: documents are the sources",
        )
        parser.add_argument("--by", default="", help="user who loads")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, all or nothing."""
        collection, by = files.find_collection(options["slug"]), files.find_user(options["by"])
        import_request = QuerySetImport(options["name"], options["direction"])
        with files.faults_as_sentences(), files.opened_source(options["file"]) as source:
            digest = files.checksum_of(options["file"])
            received_import = import_now(
                collection=collection,
                import_request=import_request,
                source=source,
                sha256=digest,
                by=by,
            )
        self.stdout.write("\n".join(files.import_messages(received_import)))
