"""Mails to the leads about people whom guards name: one for each, never about simulated people."""

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from annotate.models import Annotator, ClockTimestamp, Collection, Concern, Membership, Role

log = logging.getLogger(__name__)

TRIED_FOR = timedelta(days=1)  # a mail that no server took by then would tell of old work
# After each attempt but the last. The first is longer than a mail server is waited for.
WAITS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
_ADDRESSED_LEADS = Membership.objects.filter(role=Role.LEAD, user__is_active=True).exclude(
    user__email=""
)


def collections_due() -> QuerySet[Concern, int]:
    """Keys of the collections whose leads are still to be sent a mail."""
    return _due_concerns().order_by().values_list("collection", flat=True).distinct()


def send(*, collection: Collection) -> int:
    """Send the leads one mail about all concerns of which they were sent none; returns how many.

    A server that cannot be reached, or says no, is asked again by the sweep, five times in all.
    """
    concerns = _claim(collection)
    if not concerns:
        return 0
    try:
        is_sent = _mail_about(collection, concerns).send()
    except (SMTPException, OSError) as error:
        log.warning("Leads of %s were not sent a mail about people: %s", collection.slug, error)
        return 0
    if not is_sent:  # no lead has an address any more
        return 0
    keys = [concern.pk for concern in concerns]
    return Concern.objects.filter(pk__in=keys).update(mailed_at=ClockTimestamp())


@transaction.atomic
def _claim(collection: Collection) -> list[Concern]:
    """Count an attempt at all that is due; its locks end before a mail server is waited for."""
    due_concerns = _due_concerns().filter(collection=collection).select_related("annotator")
    concerns = list(due_concerns.select_for_update(of=("self",), skip_locked=True).order_by("pk"))
    Concern.objects.filter(pk__in=[concern.pk for concern in concerns]).update(
        mail_attempts=F("mail_attempts") + 1, mail_attempt_at=ClockTimestamp()
    )
    return concerns


def _mail_about(collection: Collection, concerns: list[Concern]) -> EmailMessage:
    inbox, guards = (
        settings.SITE_URL + reverse(name, args=[collection.slug])
        for name in ("annotate:inbox", "metrics:guards")
    )
    context = {
        "collection": collection,
        "concerns": concerns,
        "inbox": f"{inbox}?tab=people",
        "guards": guards,
    }
    subject = f"{collection}: look at {concerns[0].annotator}"
    if len(concerns) > 1:
        subject += " and others"
    text = render_to_string("metrics/guards/concern_mail.txt", context)
    leads = _ADDRESSED_LEADS.filter(collection=collection)
    addresses = sorted(leads.values_list("user__email", flat=True).distinct())
    # a subject is one line; leads do not read one another's addresses
    one_line = " ".join(subject.split())
    return EmailMessage(one_line, text, settings.DEFAULT_FROM_EMAIL, bcc=addresses)


def _due_concerns() -> QuerySet[Concern]:
    if not settings.SENDS_MAIL:
        return Concern.objects.none()
    is_its_turn = Q(mail_attempts=0)
    for n_attempts, wait in enumerate(WAITS, start=1):
        last_attempt = ClockTimestamp() - wait
        is_its_turn |= Q(mail_attempts=n_attempts, mail_attempt_at__lt=last_attempt)
    return Concern.objects.open().filter(
        is_its_turn,
        Exists(_ADDRESSED_LEADS.filter(collection=OuterRef("collection"))),
        mailed_at=None,
        faded_at=None,
        at__gt=ClockTimestamp() - TRIED_FOR,
        collection__is_rehearsal=False,
        annotator__origin=Annotator.Origin.PERSON,
    )
