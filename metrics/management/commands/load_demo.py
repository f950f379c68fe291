"""Load the demo study "Shapes, yours", and with --campaign make "Shapes, in progress" too."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from annotate.services.imports.faults import IMPORT_FAULTS
from annotate.services.storage.collection_rows import NotOwner
from annotate.services.storage.sessions import keep_to_one_processor
from metrics.services.rehearsal.campaign import NAME, CampaignUnderWay, ensure_campaign
from metrics.services.rehearsal.demo_campaign import DemoFailed, load_demo


class Command(BaseCommand):
    """Load the demo study "Shapes, yours": items, reference labels, runs, an open pool, accounts.

    Safe to run at every start: existing objects stay as they are, and a campaign that was left
    half-made is made anew.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The campaign, and whether it gives way to people."""
        parser.add_argument(
            "--campaign",
            action="store_true",
            help="make only the campaign by simulated people, half-way through",
        )
        parser.add_argument(
            "--background", action="store_true", help="give way to all other processes"
        )

    def handle(self, *args: Any, campaign: bool, background: bool, **options: Any) -> None:
        """Load the missing parts and say so."""
        if background:
            give_way()
        try:
            self.stdout.write(self.campaign_line() if campaign else study_line())
        except (*IMPORT_FAULTS, DemoFailed, NotOwner) as error:
            raise CommandError(f"The demo was not loaded.\n{error}") from error
        except CampaignUnderWay as error:
            raise CommandError(
                f'Another process is making the demo collection "{NAME}"; nothing was changed. '
                "Wait for it, or end it and try again."
            ) from error

    def campaign_line(self) -> str:
        """Make the campaign, showing its progress; return a sentence on whether it is new."""
        collection = ensure_campaign(report_progress=self.show_progress)
        state = "was made before" if collection is None else "is made"
        return f'The demo collection "{NAME}" {state}.'

    def show_progress(self, n_labels: int) -> None:
        """Show the progress of the campaign on one line."""
        self.stderr.write(f"\r{n_labels:,} labels", ending="")
        self.stderr.flush()


def give_way() -> None:
    """Let this process and its statements give way to all others."""
    os.nice(19)
    connection.close()  # the checks before a command may have opened it
    keep_to_one_processor()


def study_line() -> str:
    """Load the study; return a sentence on what is new."""
    demo = load_demo()
    state = "is loaded" if demo.is_new else "was loaded before"
    joined_text = f"; joined: {', '.join(demo.new_members)}" if demo.new_members else ""
    return f'The demo collection "{demo.collection.name}" {state}{joined_text}.'
