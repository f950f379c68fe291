"""Another e-mail address: it is a person's own once she has opened a link that was sent there."""

import logging
from datetime import timedelta
from smtplib import SMTPException

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse

from annotate.models import User

log = logging.getLogger(__name__)

SALT = "annotate.services.addresses"
VALID_FOR = timedelta(days=1)


class NotSent(Exception):
    """The mail server could not be reached or said no; nothing was changed."""


class LinkUnusable(Exception):
    """The link was mistyped, used, has run out, or is somebody else's; nothing was changed."""


def ask_for(*, user: User, email: str) -> None:
    """Send a link to an address that a person wants to have; nothing changes before she opens it.

    Whoever has the address with another account is told so by the mail. The one who asked is told the same either way:
    nobody learns who has an account here. Raises NotSent.
    """
    taken = User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists()
    token = signing.dumps([user.pk, user.email, email], salt=SALT)
    link = settings.SITE_URL + reverse("annotate:account-email-confirm", args=[token])
    context = {"link": "" if taken else link, "username": user.username, "site": settings.SITE_URL}
    text = render_to_string("annotate/address_mail.txt", context)
    try:
        send_mail("Your e-mail address", text, settings.DEFAULT_FROM_EMAIL, [email])
    except (SMTPException, OSError) as error:
        log.warning("A link for a new address was not sent: %s", error)
        raise NotSent("The mail server does not answer; the address was not changed. Try again later.") from error


def asked_for(*, user: User, token: str) -> str:
    """The address that a link is about. Raises LinkUnusable."""
    try:
        pk, before, email = signing.loads(token, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature as error:
        raise LinkUnusable from error
    if pk != user.pk or before != user.email:
        raise LinkUnusable
    return str(email)


def take(*, user: User, token: str) -> str:
    """Let the link's address be the person's; the old one neither signs in nor resets any more. Raises LinkUnusable."""
    email = asked_for(user=user, token=token)
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(email=email)
            EmailAddress.objects.filter(user=user).delete()  # sign-in keeps a copy
    except IntegrityError as error:  # somebody else has it since
        raise LinkUnusable from error
    return email
