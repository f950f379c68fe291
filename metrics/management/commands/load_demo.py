"""Load the demo study "Shapes": items, reference labels, runs, an open pool, accounts in roles."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.services.imports.faults import IMPORT_FAULTS
from metrics.services.rehearsal.demo_campaign import DemoFailed, load_demo


class Command(BaseCommand):
    """Load the demo study "Shapes": items, reference labels, runs, an open pool, accounts in roles.

    Safe to run at every start: existing objects stay as they are.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the missing parts and say so."""
        try:
            demo = load_demo()
        except (*IMPORT_FAULTS, DemoFailed) as error:
            raise CommandError(f"The demo was not loaded.\n{error}") from error
        state = "is loaded" if demo.is_new else "was loaded before"
        joined_text = f"; joined: {', '.join(demo.new_members)}" if demo.new_members else ""
        self.stdout.write(f'The demo collection "{demo.collection.name}" {state}{joined_text}.')
