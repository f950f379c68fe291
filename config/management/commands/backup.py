"""Write a backup of the database and of the files that it names to a new folder.

People may go on meanwhile.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.backups.command import faults_as_sentences, shortened
from config.backups.creation import make_backup
from config.backups.folder import megabytes
from config.backups.server import database_server
from config.up.progress import ConsoleProgress


class Command(BaseCommand):
    """Write a backup of the database and of the files that it names to a new folder.

    It is a backup of `up`, whether that runs or not, or of another database as DATABASE_URL says.
    People may go on meanwhile.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the folder."""
        parser.add_argument(
            "folder", type=Path, help="a folder that is not there yet, for our account alone"
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        """Make the backup, and say what is in it and what is not."""
        progress = ConsoleProgress()
        with (
            faults_as_sentences("There is no backup."),
            database_server(settings.HOME, alone=False),
        ):
            backup = make_backup(target=folder.absolute(), progress=progress)
        progress.end()
        facts = backup.facts
        self.stdout.write(
            f"{folder}: {facts.n_judgments:,} judgments, {backup.n_files:,} files, "
            f"{megabytes(backup.n_bytes)}; of {facts.made_at}, PostgreSQL {facts.postgres}."
        )
        if facts.absent:
            self.stdout.write(
                f"{len(facts.absent):,} files were not there, deleted meanwhile or before: "
                f"{shortened(facts.absent)}"
            )
        if not (folder / "site" / "secret_key").exists():
            self.stdout.write(
                "SECRET_KEY is not in it, as the environment gives it: keep that apart, and safe."
            )
        if settings.STORAGES.get("collections"):
            self.stdout.write(
                "The media in MEDIA_STORAGE are not in it: they are the operator's own."
            )
