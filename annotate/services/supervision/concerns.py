"""Concerns that wait for a lead: listing, settling and reopening them; each step is an event."""

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery, TextChoices

from annotate.models import Batch, Collection, Concern, ConcernEvent, User
from annotate.services.background.workers import lock_task

N_SETTLED = 10  # events that the page shows


class ConcernAct(TextChoices):
    """Decisions about a concern."""

    SETTLE = "settle", "It is fine"
    REOPEN = "reopen", "Open again"


class UnknownAct(Exception):
    """There is no such decision; nothing was changed."""


class AnotherOpen(Exception):
    """The guard has named the person again since; nothing was changed."""


CONCERN_REFUSALS = (UnknownAct, AnotherOpen)


def waiting_concerns(*, collection: Collection) -> QuerySet[Concern]:
    """The open concerns, the newest first; last_batch : the key of the person's last one, or None.

    Of batches of judging that are finished, and can be decided about.
    """
    batches = Batch.objects.filter(
        annotator=OuterRef("annotator"), training_try=None, finished_at__isnull=False
    )
    newest_batch = batches.order_by("-finished_at").values("pk")[:1]
    rows = Concern.objects.filter(collection=collection).open().select_related("annotator__user")
    return rows.annotate(last_batch=Subquery(newest_batch)).order_by("-pk")


def settled_lately(*, collection: Collection) -> QuerySet[ConcernEvent]:
    """The newest events that settled concerns which are settled still."""
    events = ConcernEvent.objects.filter(
        concern__collection=collection,
        concern__state=Concern.State.SETTLED,
        kind=ConcernEvent.Kind.SETTLED,
    )
    newest = events.order_by("concern", "-pk").distinct("concern").values("pk")
    rows = ConcernEvent.objects.filter(pk__in=newest)
    return rows.select_related("concern__annotator__user", "by").order_by("-pk")[:N_SETTLED]


@transaction.atomic
def decide(*, concern: Concern, act: str, by: User) -> str:
    """Settle a concern or open it again; returns a message. Done before, it is not done again.

    Settled, it comes back by answers given from now on alone. Raises UnknownAct, AnotherOpen.
    """
    if act not in ConcernAct.values:
        raise UnknownAct("There is no such decision: it is fine, or open again.")
    lock_task("guards", collection=concern.collection)  # a look may name the person again
    open_concerns = Concern.objects.filter(
        annotator=concern.annotator_id, guard=concern.guard
    ).open()
    is_settling = act == ConcernAct.SETTLE
    if not is_settling and open_concerns.exclude(pk=concern.pk).exists():
        raise AnotherOpen("The person has this flag again since; look at that instead.")
    kind = ConcernEvent.Kind.SETTLED if is_settling else ConcernEvent.Kind.REOPENED
    state = Concern.State.SETTLED if is_settling else Concern.State.OPEN
    if Concern.objects.filter(pk=concern.pk).exclude(state=state).update(state=state):
        ConcernEvent.objects.create(concern=concern, kind=kind, by=by)
    if is_settling:
        return f"{concern.annotator} is fine; only answers from now on are looked at again."
    return f"{concern.annotator} stands in the inbox again."
