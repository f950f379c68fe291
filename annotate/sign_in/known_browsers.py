"""Browsers in which somebody has signed in before, recognised by a signed cookie.

See services/people/sign_in_limits.py.
"""

import secrets
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from annotate.models import User

SALT = "annotate.known_browsers"
KEPT_SECONDS = 180 * 24 * 3600
MOST_PEOPLE = 8  # the last people who signed in, of a browser that many share


class KnownBrowser(NamedTuple):
    """A browser: its random number, and the keys of accounts that signed in there, latest last."""

    number: str
    people: list[int]


def number_for(request: HttpRequest, person: str) -> str:
    """The number of a browser in which this account has signed in before; blank in any other."""
    browser = _read(request)
    return browser.number if browser and person in map(str, browser.people) else ""


def remember(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Set the cookie that shows that this person has signed in there."""
    browser = _read(request) or KnownBrowser(secrets.token_hex(16), [])
    people = [pk for pk in browser.people if pk != user.pk][-MOST_PEOPLE + 1 :]
    response.set_cookie(
        cookie_name(),
        signing.dumps([browser.number, [*people, user.pk]], salt=SALT),
        max_age=KEPT_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def cookie_name() -> str:
    """Return the cookie's name; behind https no other host can set it."""
    return "__Host-browser" if settings.SESSION_COOKIE_SECURE else "browser"


def _read(request: HttpRequest) -> KnownBrowser | None:
    try:
        number, people = signing.loads(
            request.COOKIES.get(cookie_name(), ""), salt=SALT, max_age=KEPT_SECONDS
        )
    except signing.BadSignature:
        return None
    return KnownBrowser(number, people)
