"""A lead's decisions about people in training, and the list of everybody's status."""

from django.db import transaction

from annotate.models import Annotator, Collection, Role, TrainingDecision, User
from annotate.services.seating import lock_annotator
from annotate.services.training.status import TrainingStatus, training_statuses
from annotate.services.training.tries import break_off, give_back_pairs


class AlreadyDecided(Exception):
    """The newest decision about this person says the same; nothing was changed."""


@transaction.atomic
def decide(
    *, annotator: Annotator, kind: TrainingDecision.Kind, by: User | None, reason: str = ""
) -> TrainingDecision:
    """Let a person in, or send her back to the beginning of the training.

    A try under way is broken off. Sent back, she also gives back the pairs she holds; her judgments
    stay. Raises AlreadyDecided.
    """
    lock_annotator(annotator.pk)
    last = TrainingDecision.objects.filter(annotator=annotator).order_by("-pk").first()
    if last is not None and last.kind == kind and kind in TrainingDecision.ADMITTING:
        raise AlreadyDecided(f"{annotator} is {last.get_kind_display().lower()} already.")
    break_off(annotator=annotator)
    if kind == TrainingDecision.Kind.SENT_BACK:
        give_back_pairs(annotator=annotator)
    return TrainingDecision.objects.create(annotator=annotator, kind=kind, by=by, reason=reason)


def people(*, collection: Collection) -> list[TrainingStatus]:
    """Return the status of every annotator of the collection, those who wait for a lead first."""
    members = collection.memberships.filter(role=Role.ANNOTATOR).values("user")
    annotators = Annotator.objects.filter(collection=collection, user__in=members).select_related(
        "user"
    )
    order = {"review": 0, "used_up": 1}
    statuses = training_statuses(
        collection=collection, annotators=annotators.order_by("user__username")
    )
    return sorted(statuses, key=lambda status: order.get(status.state.name, 2))
