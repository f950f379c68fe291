"""Forget a person: account scrubbed, comments deleted; judgments stay, under their pseudonym."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import User
from annotate.services.people import accounts


class Command(BaseCommand):
    """Forget a person who asks for it; there is no way back.

    The account is scrubbed, comments are deleted; judgments stay, under their pseudonym.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments: the user name, and the confirmation."""
        parser.add_argument("username")
        parser.add_argument("--yes", action="store_true", help="really erase")

    def handle(self, *args: Any, username: str, yes: bool, **options: Any) -> None:
        """Erase the person."""
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f'There is no user "{username}"; nothing was changed.')
        if not yes:
            raise CommandError(f'Add --yes to erase "{username}" for good.')
        accounts.erase_person(user=user)
        self.stdout.write(f'Erased "{username}"; judgments stay under their pseudonyms.')
