"""Bring database, static files and the demo accounts up to date; safe to run at every start."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotate.services.people import accounts, site_accounts
from config.checks import service_checks
from config.deployment.clean_exit import exit_without_traceback
from config.up import first_start


class Command(BaseCommand):
    """Bring database, static files and the demo accounts up to date; safe to run at every start.

    `up` runs it before it opens the door.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps that are not done yet."""
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            self.stdout.write(first_start.MIGRATIONS.format(len(plan)))
            call_command("migrate", interactive=False)
        if not first_start.static_files_unchanged(settings.HOME):
            call_command("collectstatic", interactive=False, verbosity=0)
            first_start.note_static_files(settings.HOME)
        accounts_note = first_start.note(settings.HOME, "accounts-made")
        if not settings.IS_LOCAL:
            self.close_demo_accounts()
            accounts_note.unlink(missing_ok=True)
        elif not accounts_note.exists():
            accounts.ensure_demo_accounts(passwords=first_start.passwords(settings.HOME))
            accounts_note.touch()
        with exit_without_traceback():
            service_checks.check_services()

    def close_demo_accounts(self) -> None:
        """Close the demo accounts where others reach the site: their passwords lie in a file."""
        closed_accounts = site_accounts.close_demo_accounts(
            passwords=first_start.passwords(settings.HOME)
        )
        if closed_accounts:
            self.stdout.write(
                f"The demo accounts {', '.join(closed_accounts)} are closed. "
                f"{first_start.NO_DEMO_ACCOUNTS}"
            )
