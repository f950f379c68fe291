"""People who answer, through the services that pages use."""

from uuid import uuid4

from annotate.models import Annotator, Collection, Seat
from annotate.services import claiming, judging
from tests import cast


def answer_batch(collection: Collection, *, annotator: Annotator | None = None, grade: int = 1) -> None:
    """One batch answered alike, by somebody new unless named."""
    annotator = annotator or cast.annotator(collection)
    batch = claiming.current_batch(annotator=annotator)
    for hand_out in claiming.unanswered(annotator=annotator).filter(batch=batch):
        given = judging.Answer(submission_id=uuid4(), grade=grade, active_ms=4000)
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=given)


def answer_pair(collection: Collection, query: str, document: str, *, grade: int) -> None:
    """The free seat of one pair answered by somebody new, as if the queue held nothing else."""
    seat = Seat.objects.get(
        round__collection=collection, pair__query__external_id=query, pair__document__external_id=document, state="free"
    )
    others = Seat.objects.filter(round__collection=collection, state="free").exclude(pk=seat.pk)
    kept = dict(others.values_list("pk", "queue_key"))
    others.update(state="withdrawn")
    answer_batch(collection, grade=grade)
    Seat.objects.filter(pk__in=kept).update(state="free")
