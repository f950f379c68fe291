"""Make the account that looks after the site, and print a link to choose its password."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.services.people import site_accounts


class Command(BaseCommand):
    """Make the account that looks after the site, and print a link to choose its password.

    It is the first step on a new site. No password is asked for, printed or written anywhere.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments: user name and address."""
        parser.add_argument(
            "username", nargs="?", help="the user name; asked for where it is left out"
        )
        parser.add_argument("--email", default="", help="where mails go that this person asks for")

    def handle(self, *args: Any, username: str | None, email: str, **options: Any) -> None:
        """Make the account, or make an existing one an admin's."""
        if not username:
            if not sys.stdin.isatty():
                raise CommandError(
                    "Say whose account it is: make_admin NAME [--email ADDRESS]; nothing was made."
                )
            username = input("User name: ").strip()
            email = email or input("E-mail address (may be left out): ").strip()
        try:
            admin = site_accounts.make_admin(username=username, email=email)
        except site_accounts.AccountNotMade as error:
            raise CommandError(str(error)) from error
        name = admin.user.get_username()
        self.stdout.write(f"{name} looks after the site{' now' if not admin.is_new else ''}.")
        if admin.user.has_usable_password():
            self.stdout.write(
                f"The password stays; `password_link {name}` makes a link to choose another one."
            )
        else:
            link = site_accounts.password_link(user=admin.user)
            self.stdout.write(
                f"Open this link within three days to choose a password; it works once:\n{link}"
            )
