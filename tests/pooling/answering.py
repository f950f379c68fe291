"""People who answer, through the services that pages use."""

from uuid import uuid4

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Annotator, Collection, Seat
from annotate.services.judging import claiming, judging
from tests import cast


def answer_batch(
    collection: Collection, *, annotator: Annotator | None = None, grade: int = 1
) -> None:
    """Answer one batch with one grade, by a new annotator unless one is given."""
    annotator = annotator or cast.annotator(collection)
    batch = claiming.current_batch(annotator=annotator)
    for hand_out in claiming.open_hand_outs(annotator=annotator).filter(batch=batch):
        judgment_answer = JudgmentAnswer(
            submission_id=uuid4(), grade=grade, telemetry=Telemetry(active_ms=4000)
        )
        judging.record_judgment(annotator=annotator, token=hand_out.token, answer=judgment_answer)


def answer_pair(collection: Collection, query: str, document: str, *, grade: int) -> None:
    """Answer the free seat of one pair by a new annotator, as if the queue held nothing else."""
    seat = Seat.objects.get(
        round__collection=collection,
        pair__query__external_id=query,
        pair__document__external_id=document,
        state="free",
    )
    other_seats = Seat.objects.filter(round__collection=collection, state="free").exclude(
        pk=seat.pk
    )
    queue_keys = dict(other_seats.values_list("pk", "queue_key"))
    other_seats.update(state="withdrawn")
    answer_batch(collection, grade=grade)
    Seat.objects.filter(pk__in=queue_keys).update(state="free")
