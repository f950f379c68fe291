"""The mail to the leads about alarms that rose, and what the page of alarms says of it."""

from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from annotate.models import ClockTimestamp, Collection
from metrics.models import AlarmEvent, AlarmMail
from metrics.services.mails.lead_mails import TRIED_FOR, LeadMail
from metrics.services.numbers import alarms


def mail_sentence(*, collection: Collection) -> str:
    """The mails that leads are sent about alarms of a collection, in words."""
    if collection.is_rehearsal:
        return "Nobody gets a mail about a rehearsal."
    if collection.archived_at is not None:
        return "Nobody gets a mail while the collection is archived."
    if not settings.SENDS_MAIL:
        return "This site sends no mail about it."
    return "Leads with an address get a mail when it rises, one a day about each alarm and person."


def _rises() -> QuerySet[AlarmMail]:
    """Rises that hold; who was told of an alarm within a day is not told again, though it fell.

    An alarm on people has all its events with a person, any other has none of them with one.
    """
    same_number = Q(annotator=OuterRef("event__annotator")) | Q(annotator=None)
    events = AlarmEvent.objects.filter(same_number, alarm=OuterRef("event__alarm"))
    mailed_at = ClockTimestamp() - TRIED_FOR
    return AlarmMail.objects.filter(
        ~Exists(events.filter(pk__gt=OuterRef("event"))),
        ~Exists(events.filter(mail__mailed_at__gt=mailed_at)),
        event__alarm__ended_at=None,
    ).select_related("event__alarm", "event__annotator")


def _compose(collection: Collection, mails: list[AlarmMail]) -> tuple[str, dict[str, Any]]:
    rows = alarms.rows_of([mail.event for mail in mails])
    dashboard, alarms_page = (
        settings.SITE_URL + reverse(name, args=[collection.slug])
        for name in ("metrics:dashboard", "metrics:alarms")
    )
    subject = f"{collection}: alarm, {rows[0].alarm.get_kind_display().lower()}"
    if len(rows) > 1:
        subject += " and others"
    return subject, {"rows": rows, "dashboard": dashboard, "alarms_page": alarms_page}


ALARM_MAIL = LeadMail(
    about="alarms",
    rows=_rises,
    collection="event__alarm__collection",
    annotator="event__annotator",
    at="event__at",
    template="metrics/dashboard/alarm_mail.txt",
    compose=_compose,
)
