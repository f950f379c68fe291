"""Print a link by which a person chooses a password, for sites without a mail server."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import User
from annotate.services.people import site_accounts


class Command(BaseCommand):
    """Print a link by which a person chooses a password, for sites without a mail server.

    The link goes to the terminal alone; whoever has it can sign in as that person.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the argument: the user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        """Print the link."""
        user = User.objects.filter(username=username).first()
        if user is None or not user.is_active:
            raise CommandError(
                f'There is no account "{username}" that can be signed in to; no link was made.'
            )
        self.stdout.write(f"This link lets {username} choose a password, once, within three days:")
        self.stdout.write(site_accounts.password_link(user=user))
