"""Mails to the leads about people whom guards name: one for each, never about simulated people."""

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse

from annotate.models import Annotator, ClockTimestamp, Collection, Concern, Role, User

log = logging.getLogger(__name__)

TRIED_FOR = timedelta(days=1)  # a mail that no server took by then would tell of old work


def collections_due() -> QuerySet[Concern, int]:
    """Keys of the collections whose leads are still to be sent a mail."""
    return _unsent_concerns().order_by().values_list("collection", flat=True).distinct()


@transaction.atomic
def send(*, collection: Collection) -> int:
    """Send the leads one mail about all concerns of which they were sent none; returns how many.

    A server that cannot be reached, or says no, is asked again by the sweep, for a day.
    """
    unsent = _unsent_concerns().filter(collection=collection)
    locked = unsent.select_for_update(of=("self",), skip_locked=True)
    concerns = list(locked.select_related("annotator").order_by("pk"))
    leads = User.objects.filter(
        memberships__collection=collection, memberships__role=Role.LEAD, is_active=True
    )
    addresses = sorted(leads.exclude(email="").values_list("email", flat=True).distinct())
    if not concerns:
        return 0
    if addresses and not _is_taken(collection, concerns, addresses):
        return 0
    Concern.objects.filter(pk__in=[concern.pk for concern in concerns]).update(
        mailed_at=ClockTimestamp()
    )
    return len(concerns)


def _is_taken(collection: Collection, concerns: list[Concern], addresses: list[str]) -> bool:
    """Send the mail; False if the server failed."""
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
    subject = f"{collection}: look at {concerns[0].annotator}".replace("\n", " ")
    if len(concerns) > 1:
        subject += " and others"
    text = render_to_string("metrics/guards/concern_mail.txt", context)
    # leads do not read one another's addresses
    message = EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, bcc=addresses)
    try:
        message.send()
    except (SMTPException, OSError) as error:
        log.warning("Leads of %s were not sent a mail about people: %s", collection.slug, error)
        return False
    return True


def _unsent_concerns() -> QuerySet[Concern]:
    return Concern.objects.open().filter(
        mailed_at=None,
        at__gt=ClockTimestamp() - TRIED_FOR,
        collection__is_rehearsal=False,
        annotator__origin=Annotator.Origin.PERSON,
    )
