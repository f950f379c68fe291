"""What a lead decides about people in training, and the list of where everybody stands."""

from django.db import transaction

from annotate.models import Annotator, Collection, Role, TrainingDecision, User
from annotate.services.seating import lock_annotator
from annotate.services.training import break_off, put_down
from annotate.services.training_standing import Standing, standings

BY_LEADS = (TrainingDecision.Kind.ADMITTED, TrainingDecision.Kind.EXEMPTED, TrainingDecision.Kind.SENT_BACK)


class AlreadySo(Exception):
    """The newest decision about this person says the same; nothing was changed."""


@transaction.atomic
def decide(*, annotator: Annotator, kind: TrainingDecision.Kind, by: User | None, reason: str = "") -> TrainingDecision:
    """Let somebody in, or send her back to the beginning of the training; a try under way is broken off.

    Sent back, she also gives back the pairs she holds; what she judged stays. Raises AlreadySo.
    """
    lock_annotator(annotator.pk)
    last = TrainingDecision.objects.filter(annotator=annotator).order_by("-pk").first()
    if last is not None and last.kind == kind and kind in TrainingDecision.ADMITTING:
        raise AlreadySo(f"{annotator} is {last.get_kind_display().lower()} already.")
    break_off(annotator=annotator)
    if kind == TrainingDecision.Kind.SENT_BACK:
        put_down(annotator=annotator)
    return TrainingDecision.objects.create(annotator=annotator, kind=kind, by=by, reason=reason)


def people(*, collection: Collection) -> list[Standing]:
    """Where every annotator of the collection stands, those first who wait for a lead."""
    members = collection.memberships.filter(role=Role.ANNOTATOR).values("user")
    annotators = Annotator.objects.filter(collection=collection, user__in=members).select_related("user")
    order = {"review": 0, "used_up": 1}
    found = standings(collection=collection, annotators=annotators.order_by("user__username"))
    return sorted(found, key=lambda standing: order.get(standing.state.name, 2))
