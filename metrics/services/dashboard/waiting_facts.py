"""Things that wait for a lead, for the first page: few queries, read before the numbers."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Min, Q

from annotate.models import Annotator, Collection, Report
from annotate.services.pages import stuck_labels
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.services.review import inbox
from annotate.services.supervision import bulk_decisions


class WaitingFacts(NamedTuple):
    """Things that wait for a lead, and the people who are paused.

    counts : of the inbox
    escalated_at, cannot_at : when the oldest open report of the kind came
    stuck : labels that nobody present can give
    n_stopped : decisions that stopped half-way
    paused_people : keys of annotators
    """

    counts: inbox.Waiting
    escalated_at: datetime | None
    cannot_at: datetime | None
    stuck: StuckLabels | None
    n_stopped: int
    paused_people: tuple[int, ...]


def waiting_facts(*, collection: Collection) -> WaitingFacts:
    """The facts of a collection, in a constant number of queries."""
    reports = Report.objects.open().filter(collection=collection)
    oldest = reports.aggregate(
        escalated=Min("at", filter=Q(kind=Report.Kind.ESCALATED)),
        cannot=Min("at", filter=Q(kind=Report.Kind.CANNOT_JUDGE)),
    )
    paused = Annotator.objects.filter(collection=collection, paused_at__isnull=False)
    return WaitingFacts(
        counts=inbox.count(collection=collection),
        escalated_at=oldest["escalated"],
        cannot_at=oldest["cannot"],
        stuck=stuck_labels.total_stuck(stuck_labels.stuck_labels(collection=collection)),
        n_stopped=len(bulk_decisions.failed(collection=collection)),
        paused_people=tuple(paused.order_by("pk").values_list("pk", flat=True)),
    )
