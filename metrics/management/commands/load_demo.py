"""Load the demo study "Shapes": items, reference labels, runs, an open pool, and the demo accounts in their roles."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.services.faults import FAULTS
from metrics.services.demo_campaign import DemoFailed, load_demo


class Command(BaseCommand):
    """Safe to run at every start: what is there stays as it is."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Load what is missing and say so."""
        try:
            demo = load_demo()
        except (*FAULTS, DemoFailed) as error:
            raise CommandError(f"The demo was not loaded.\n{error}") from error
        done = "is loaded" if demo.is_new else "was loaded before"
        joined = f"; joined: {', '.join(demo.joined)}" if demo.joined else ""
        self.stdout.write(f'The demo collection "{demo.collection.name}" {done}{joined}.')
