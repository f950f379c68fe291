"""Whether somebody has to be trained before she gets pairs to judge; one condition, asked with what is asked anyway."""

from django.db.models import Exists, OuterRef, Q, Subquery

from annotate.models import Annotator, Training, TrainingDecision
from annotate.statements import prepared

_TRAINS = "SELECT EXISTS (SELECT FROM annotate_training WHERE collection_id = %s AND is_on)"


def in_training() -> Q:
    """Annotators whose collection trains people and has not let them in; a condition on Annotator."""
    trains = Training.objects.filter(collection=OuterRef("collection_id"), is_on=True)
    newest = TrainingDecision.objects.filter(annotator=OuterRef("annotator_id")).order_by("-pk").values("pk")[:1]
    let_in = TrainingDecision.objects.filter(
        annotator=OuterRef("pk"), pk=Subquery(newest), kind__in=TrainingDecision.ADMITTING
    )
    return Q(Exists(trains)) & ~Q(Exists(let_in))


def is_in_training(*, annotator: Annotator) -> bool:
    """Whether this annotator gets no pairs yet; one query where the collection trains nobody, else two."""
    with prepared() as cursor:
        cursor.execute(_TRAINS, [annotator.collection_id])
        (trains,) = cursor.fetchone()
    return trains and Annotator.objects.filter(in_training(), pk=annotator.pk).exists()
