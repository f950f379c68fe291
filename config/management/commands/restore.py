"""Restore a backup into an empty database and the place of its files, then check all of it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.backups.command import faults_as_sentences, shortened
from config.backups.folder import read_backup
from config.backups.restoration import RestoreMark, restore_backup
from config.backups.server import database_server
from config.up.progress import ConsoleProgress


class Command(BaseCommand):
    """Restore a backup into an empty database and the place of its files, then check all of it.

    Nothing else of the product may run meanwhile; without `up` it brings the embedded server along.
    """

    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder, and the option for a new key."""
        parser.add_argument("folder", type=Path, help="what `backup` has written")
        parser.add_argument(
            "--new-key", action="store_true", help="go on without the backup's SECRET_KEY"
        )

    def handle(self, *args: Any, folder: Path, new_key: bool, **options: Any) -> None:
        """Check the backup, restore it, run fsck."""
        progress, folder = ConsoleProgress(), folder.absolute()
        with faults_as_sentences("Nothing was restored."):
            facts, sums = read_backup(folder, progress)
            with database_server(settings.HOME, alone=True):
                restored = restore_backup(
                    folder=folder, facts=facts, sums=sums, new_key=new_key, progress=progress
                )
                progress.end()
                self.stdout.write(
                    f"{restored.n_judgments:,} judgments and {restored.n_files:,} files, "
                    f"of {facts.made_at}."
                )
                if facts.absent:
                    n_absent = f"{len(facts.absent):,} files"
                    self.stderr.write(
                        f"{n_absent} were not there when it was made: {shortened(facts.absent)}"
                    )
                if restored.n_migrations:
                    self.stdout.write(f"{restored.n_migrations} later migrations were applied.")
                if restored.n_judgments != facts.n_judgments:
                    raise CommandError(
                        f"The backup had {facts.n_judgments:,} judgments: "
                        "do not go on with this one."
                    )
                call_command("fsck", stdout=self.stdout)
                RestoreMark(sums).take_away()
        self.stdout.write("Numbers that were due are refreshed by the workers once they run.")
