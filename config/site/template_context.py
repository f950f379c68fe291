"""Context that every template has."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, bool]:
    """Context processor: `sends_mail`, whether there is a mail server to promise mails of."""
    return {"sends_mail": settings.SENDS_MAIL}
