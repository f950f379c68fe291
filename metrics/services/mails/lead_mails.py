"""Mails to the leads of a collection: one about all that is due.

None is about rehearsals, nor about a collection while it is archived.

What they tell of is a row with the fields `mailed_at`, `mail_attempts` and `mail_attempt_at`.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from smtplib import SMTPException
from typing import Any, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.template.loader import render_to_string

from annotate.models import Annotator, ClockTimestamp, Collection, Membership, Role

log = logging.getLogger(__name__)

TRIED_FOR = timedelta(days=1)  # a mail that no server took by then would tell of old work
# After each attempt but the last. The first is longer than a mail server is waited for.
WAITS = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
_ADDRESSED_LEADS = Membership.objects.filter(role=Role.LEAD, user__is_active=True).exclude(
    user__email=""
)


class LeadMail(NamedTuple):
    """A kind of mail: the rows that it tells of, and its words.

    rows : those that are to be told of now, tried before or not
    collection, annotator, at : where a row has its collection, the person whom it is about, if it
        is about one, and its moment; as in a filter
    compose : subject and context of the template for rows of a collection
    """

    about: str
    rows: Callable[[], QuerySet[Any]]
    collection: str
    annotator: str
    at: str
    template: str
    compose: Callable[[Collection, list[Any]], tuple[str, dict[str, Any]]]


def collections_due(mail: LeadMail) -> QuerySet[Any, int]:
    """Keys of the collections whose leads are still to be sent a mail of this kind."""
    return _due_rows(mail).order_by().values_list(mail.collection, flat=True).distinct()


def is_due(mail: LeadMail, *, collection: Collection) -> bool:
    """True if the leads of a collection are still to be sent a mail of this kind."""
    return _due_rows(mail).filter(**{mail.collection: collection}).exists()


def send(mail: LeadMail, *, collection: Collection) -> int:
    """Send the leads one mail about all rows of which they were sent none; returns how many.

    A server that cannot be reached, or says no, is asked again by the sweep, five times in all.
    """
    rows = _claim(mail, collection)
    if not rows:
        return 0
    try:
        is_sent = _message(mail, collection, rows).send()
    except (SMTPException, OSError) as error:
        log.warning(
            "Leads of %s were sent no mail about %s: %s", collection.slug, mail.about, error
        )
        return 0
    if not is_sent:  # no lead has an address any more
        return 0
    return _same_rows(mail, rows).update(mailed_at=ClockTimestamp())


@transaction.atomic
def _claim(mail: LeadMail, collection: Collection) -> list[Any]:
    """Count an attempt at all that is due; its locks end before a mail server is waited for."""
    due_rows = _due_rows(mail).filter(**{mail.collection: collection})
    rows = list(due_rows.select_for_update(of=("self",), skip_locked=True).order_by("pk"))
    _same_rows(mail, rows).update(
        mail_attempts=F("mail_attempts") + 1, mail_attempt_at=ClockTimestamp()
    )
    return rows


def _same_rows(mail: LeadMail, rows: list[Any]) -> QuerySet[Any]:
    """Rows that were read, whatever has become of them since."""
    return mail.rows().model._default_manager.filter(pk__in=[row.pk for row in rows])


def _message(mail: LeadMail, collection: Collection, rows: list[Any]) -> EmailMessage:
    subject, context = mail.compose(collection, rows)
    text = render_to_string(mail.template, {"collection": collection, **context})
    leads = _ADDRESSED_LEADS.filter(collection=collection)
    addresses = sorted(leads.values_list("user__email", flat=True).distinct())
    # a subject is one line; leads do not read one another's addresses
    one_line = " ".join(subject.split())
    return EmailMessage(one_line, text, settings.DEFAULT_FROM_EMAIL, bcc=addresses)


def _due_rows(mail: LeadMail) -> QuerySet[Any]:
    rows = mail.rows()
    if not settings.SENDS_MAIL:
        return rows.none()
    is_its_turn = Q(mail_attempts=0)
    for n_attempts, wait in enumerate(WAITS, start=1):
        last_attempt = ClockTimestamp() - wait
        is_its_turn |= Q(mail_attempts=n_attempts, mail_attempt_at__lt=last_attempt)
    is_about_a_person = Q(**{f"{mail.annotator}__origin": Annotator.Origin.PERSON})
    return rows.filter(
        is_its_turn,
        is_about_a_person | Q(**{mail.annotator: None}),
        Exists(_ADDRESSED_LEADS.filter(collection=OuterRef(mail.collection))),
        mailed_at=None,
        **{
            f"{mail.at}__gt": ClockTimestamp() - TRIED_FOR,
            f"{mail.collection}__is_rehearsal": False,
            f"{mail.collection}__archived_at": None,
        },
    )
