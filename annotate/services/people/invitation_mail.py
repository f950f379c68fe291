"""Invitations by e-mail; the worker that sends a link makes it: no database or broker holds one."""

import logging
import secrets
from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import F, QuerySet, TextChoices
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from annotate.models import ClockTimestamp, Invitation
from annotate.services.people.accounts import hash_token

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
OVERDUE_AFTER = timedelta(minutes=1)  # longer than a mail server is waited for


def send(*, invitation: Invitation) -> None:
    """Send a link that works from now on, in place of any before it; a mail sent is not sent again.

    A server that cannot be reached, or says no, is asked again by the sweep, five times in all.
    """
    token = secrets.token_urlsafe(32)
    unsent = _unsent_invitations().filter(pk=invitation.pk)
    if not unsent.update(token_sha256=hash_token(token), mail_attempts=F("mail_attempts") + 1):
        return
    invitation.refresh_from_db()
    link = settings.SITE_URL + reverse("annotate:invitation", args=[token])
    context = {"invitation": invitation, "collection": invitation.collection, "link": link}
    subject = " ".join(f"Invitation to {invitation.collection}".split())  # it is one line
    text = render_to_string("annotate/people/invitation_mail.txt", context)
    try:
        is_sent = send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [invitation.email])
    except (SMTPException, OSError) as error:
        log.warning(
            "Invitation %s was not sent (attempt %s): %s",
            invitation.pk,
            invitation.mail_attempts,
            error,
        )
        return
    if is_sent:  # a site that lost its mail server sends none
        Invitation.objects.filter(pk=invitation.pk).update(mailed_at=ClockTimestamp())


class MailState(TextChoices):
    """The states of the mail of an invitation."""

    NO_MAIL = "no_mail"
    BEING_SENT = "being_sent"
    SENT = "sent"
    NOT_SENT = "not_sent"


def delivery_of(invitation: Invitation) -> MailState:
    """The state of its mail; one that failed at first may be tried again."""
    if invitation.mailed_at:
        return MailState.SENT
    if not invitation.by_mail:
        return MailState.NO_MAIL
    return MailState.NOT_SENT if invitation.mail_attempts else MailState.BEING_SENT


def delivery_note(invitation: Invitation) -> str:
    """Return how far the mail of an invitation is, to stand behind its last day; "" without one."""
    delivery = delivery_of(invitation)
    if delivery == MailState.NOT_SENT:
        return format_html(
            "; <strong>could not be sent</strong> ({} tries), revoke it and make a link instead",
            invitation.mail_attempts,
        )
    notes = {MailState.SENT: ", sent {:%-d %b %H:%M}", MailState.BEING_SENT: ", being sent"}
    return notes.get(delivery, "").format(invitation.mailed_at)


def overdue() -> Iterable[int]:
    """Keys of the invitations whose mail should have been sent by now."""
    return (
        _unsent_invitations()
        .filter(created_at__lt=ClockTimestamp() - OVERDUE_AFTER)
        .values_list("pk", flat=True)
    )


def _unsent_invitations() -> QuerySet[Invitation]:
    unsent = Invitation.objects.usable().filter(by_mail=True, mailed_at=None)
    return unsent.filter(mail_attempts__lt=MAX_ATTEMPTS)
