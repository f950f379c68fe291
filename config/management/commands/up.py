"""Start everything on this machine: servers, web, worker, clock and the demo collection."""

from django.core.management.base import BaseCommand

from config.up.supervisor import main


class Command(BaseCommand):
    """Start everything on this machine: servers, web, worker, clock and the demo collection.

    Listed here for `manage.py help`; manage.py itself runs it without loading Django.
    """

    help = __doc__

    def run_from_argv(self, argv: list[str]) -> None:
        """Leave the arguments to the supervisor."""
        raise SystemExit(main(argv[2:]))
