"""Change of an e-mail address; the new one counts once she has opened a link sent to it."""

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


class MailNotSent(Exception):
    """The mail server could not be reached or refused the mail; nothing was changed."""


class LinkUnusable(Exception):
    """The link was mistyped, used, has run out, or is somebody else's; nothing was changed."""


def send_confirmation_link(*, user: User, email: str) -> None:
    """Send a link to an address that a person wants to have; nothing changes before she opens it.

    A mail to the address of another account says so. The person who asked for it sees the same page
    either way: nobody learns who has an account here. Raises MailNotSent.
    """
    is_taken = User.objects.filter(email__iexact=email).exclude(pk=user.pk).exists()
    token = signing.dumps([user.pk, user.email, email], salt=SALT)
    link = settings.SITE_URL + reverse("annotate:account-email-confirm", args=[token])
    template = (
        "annotate/people/address_taken_mail.txt" if is_taken else "annotate/people/address_mail.txt"
    )
    context = {"link": link, "username": user.username, "site": settings.SITE_URL}
    text = render_to_string(template, context)
    try:
        send_mail("Your e-mail address", text, settings.DEFAULT_FROM_EMAIL, [email])
    except (SMTPException, OSError) as error:
        log.warning("A link for a new address was not sent: %s", error)
        raise MailNotSent(
            "The mail server does not answer; the address was not changed. Try again later."
        ) from error


def address_in_link(*, user: User, token: str) -> str:
    """Return the address that a link confirms. Raises LinkUnusable."""
    try:
        pk, old_email, email = signing.loads(token, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature as error:
        raise LinkUnusable from error
    if pk != user.pk or old_email != user.email:
        raise LinkUnusable
    return str(email)


def confirm_address(*, user: User, token: str) -> str:
    """Give the person the link's address; the old one no longer signs in. Raises LinkUnusable."""
    email = address_in_link(user=user, token=token)
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(email=email)
            EmailAddress.objects.filter(user=user).delete()  # sign-in keeps a copy
    except IntegrityError as error:  # another account took it meanwhile
        raise LinkUnusable from error
    return email
