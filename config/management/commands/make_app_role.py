"""Make the database role of web servers and workers, which owns no table.

Run it after `migrate`, as the owner.
"""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import ProgrammingError

from config import app_role


class Command(BaseCommand):
    """Make the database role of web servers and workers, which owns no table.

    Safe at every start: a role that is there gets the password and rights it should have.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the role, with the environment's password."""
        password = os.environ.get("APP_PASSWORD", "")
        if not password:
            raise CommandError(
                "Set APP_PASSWORD to the password that DATABASE_URL of web and workers has."
            )
        try:
            is_new = app_role.make_app_role(password=password)
        except ProgrammingError as error:
            raise CommandError(
                f"This database role cannot make {app_role.NAME}: {error}"
            ) from error
        self.stdout.write(f"The role {app_role.NAME} is {'made' if is_new else 'up to date'}.")
