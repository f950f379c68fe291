"""Bring database, static files and the demo accounts up to date; safe to run at every start."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotate.services import accounts, site_accounts
from config.deployment import services
from config.deployment.plainly import plainly
from config.up import firststart


class Command(BaseCommand):
    """What `up` runs before it opens the door."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what is not yet done."""
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            self.stdout.write(firststart.MIGRATIONS.format(len(plan)))
            call_command("migrate", interactive=False)
        if not firststart.static_files_unchanged(settings.HOME):
            call_command("collectstatic", interactive=False, verbosity=0)
            firststart.note_static_files(settings.HOME)
        done = firststart.note(settings.HOME, "accounts-made")
        if not settings.IS_LOCAL:
            self.close_demo_accounts()
            done.unlink(missing_ok=True)
        elif not done.exists():
            accounts.ensure_demo_accounts(passwords=firststart.passwords(settings.HOME))
            done.touch()
        with plainly():
            services.refuse()

    def close_demo_accounts(self) -> None:
        """Let nobody sign in to them on an address that others reach: their passwords lie in a file."""
        closed = site_accounts.close_demo_accounts(passwords=firststart.passwords(settings.HOME))
        if closed:
            self.stdout.write(f"The demo accounts {', '.join(closed)} are closed. {firststart.NO_DEMO_ACCOUNTS}")
