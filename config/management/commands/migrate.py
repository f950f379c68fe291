"""Django's `migrate`, which refuses the tables of a version too old to go on from."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


class Command(migrate.Command):
    """Says which version to start first, where Django would stop at an existing table."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Change the tables, unless a squashed migration's originals are only partly applied."""
        connection = connections[options["database"]]
        loader, recorded = (
            MigrationLoader(connection),
            MigrationRecorder(connection).applied_migrations(),
        )
        for (app, name), migration in loader.replacements.items():
            if (app, name) in recorded and (app, name) not in loader.applied_migrations:
                raise CommandError(
                    f"The tables of {app} are of an older version: start once the last version "
                    f"that has {app}/migrations/{migration.replaces[-1][1]}.py, "
                    "then this one; nothing was changed."
                )
        super().handle(*args, **options)
