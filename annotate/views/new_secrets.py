"""New links, tokens and secrets: a page shows one to its maker, again after a reload, for a while.

The answer to the form leads to that page, so that no reload makes another one. Her browser has it
in the meantime, for that page alone: the database may keep only a hash.
"""

from typing import NamedTuple

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect

from annotate.http import SignedIn


class NewSecret(NamedTuple):
    """One kind of what is shown for a while, by the name of its cookie."""

    cookie: str
    seconds: int = 10 * 60

    def leading_to(
        self, request: SignedIn, secret: str, page: str, *arguments: object
    ) -> HttpResponse:
        """Redirect to the page that shows it."""
        response = redirect(page, *arguments)
        response.set_signed_cookie(
            self.cookie,
            f"{request.user.pk} {secret}",
            salt=self.cookie,
            max_age=self.seconds,
            path=response.url,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Strict",
        )
        return response

    def of(self, request: SignedIn) -> str:
        """The one that she made a moment ago; "" without one."""
        cookie = request.get_signed_cookie(self.cookie, "", salt=self.cookie, max_age=self.seconds)
        person, _, secret = (cookie or "").partition(" ")
        return secret if person == str(request.user.pk) else ""
