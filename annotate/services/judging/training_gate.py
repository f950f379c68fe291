"""The condition that an annotator must be trained before she gets pairs, part of larger queries."""

from django.db.models import Exists, OuterRef, Q, Subquery

from annotate.models import Annotator, Training, TrainingDecision
from annotate.statements import prepared_cursor

_TRAINS = "SELECT EXISTS (SELECT FROM annotate_training WHERE collection_id = %s AND is_on)"


def in_training() -> Q:
    """Return the condition that an Annotator's collection trains and has not let her in."""
    trains = Training.objects.filter(collection=OuterRef("collection_id"), is_on=True)
    newest = (
        TrainingDecision.objects.filter(annotator=OuterRef("annotator_id"))
        .order_by("-pk")
        .values("pk")[:1]
    )
    let_in = TrainingDecision.objects.filter(
        annotator=OuterRef("pk"), pk=Subquery(newest), kind__in=TrainingDecision.ADMITTING
    )
    return Q(Exists(trains)) & ~Q(Exists(let_in))


def is_in_training(*, annotator: Annotator) -> bool:
    """True if this annotator gets no pairs yet; one query where nobody is trained, else two."""
    with prepared_cursor() as cursor:
        cursor.execute(_TRAINS, [annotator.collection_id])
        (has_training,) = cursor.fetchone()
    return has_training and Annotator.objects.filter(in_training(), pk=annotator.pk).exists()
