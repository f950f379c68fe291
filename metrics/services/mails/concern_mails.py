"""The mail to the leads about people whom guards name."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse

from annotate.models import Collection, Concern
from metrics.services.mails.lead_mails import LeadMail


def _concerns() -> QuerySet[Concern]:
    return Concern.objects.open().filter(faded_at=None).select_related("annotator")


def _compose(collection: Collection, concerns: list[Concern]) -> tuple[str, dict[str, Any]]:
    inbox, guards = (
        settings.SITE_URL + reverse(name, args=[collection.slug])
        for name in ("annotate:inbox", "metrics:guards")
    )
    subject = f"{collection}: look at {concerns[0].annotator}"
    if len(concerns) > 1:
        subject += " and others"
    return subject, {"concerns": concerns, "inbox": f"{inbox}?tab=people", "guards": guards}


CONCERN_MAIL = LeadMail(
    about="people",
    rows=_concerns,
    collection="collection",
    annotator="annotator",
    at="at",
    template="metrics/guards/concern_mail.txt",
    compose=_compose,
)
