"""Delete a collection for good: its items, judgments, runs, pools, numbers and files."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Collection
from annotate.services.collection.lifecycle import purging
from annotate.services.storage.collection_rows import NotOwner


class Command(BaseCommand):
    """Delete a collection for good: its items, judgments, runs, pools, numbers and files.

    It is the only command that deletes judgments; there is no way back but a backup.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the collection, and the confirmation."""
        parser.add_argument("slug", help="short name of the collection, as in its address")
        parser.add_argument(
            "--yes", action="store_true", help="really delete; without it rows are only counted"
        )

    def handle(self, *args: Any, slug: str, yes: bool, **options: Any) -> None:
        """Delete the collection, or say what would be deleted."""
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            raise CommandError(f'There is no collection "{slug}"; nothing was deleted.')
        if not yes:
            n_items, n_judgments = collection.items.count(), collection.judgments.count()
            raise CommandError(
                f'"{slug}" has {n_items} items and {n_judgments} judgments; '
                "add --yes to delete it for good."
            )
        try:
            counts = purging.purge_collection(collection=collection)
        except NotOwner as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f'Deleted "{slug}": {sum(counts.values())} rows of {len(counts)} tables.')
