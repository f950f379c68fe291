"""Delete a run that no pool was made of, with its file, rankings and scores."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.services.storage.collection_rows import NotOwner
from pooling.models import Run
from pooling.services.runs import deletion as run_deletion


class Command(BaseCommand):
    """Delete a run that no pool was made of, with its file, rankings and scores.

    For sites whose pages run as a database role that may not delete what was logged of a run.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments: collection and name of the run."""
        parser.add_argument("slug", help="short name of the collection, as in its address")
        parser.add_argument("name", help="the run's name")

    def handle(self, *args: Any, slug: str, name: str, **options: Any) -> None:
        """Delete the run."""
        run = Run.objects.filter(collection__slug=slug, name=name).first()
        if run is None:
            raise CommandError(f'There is no run "{name}" in "{slug}"; nothing was deleted.')
        try:
            run_deletion.delete_run(run=run, by=None)
        except (run_deletion.RunUndeletable, NotOwner) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f'Deleted the run "{name}" of "{slug}".')
