"""A collection that trains its annotators, for the tests of training."""

from uuid import uuid4

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Annotator, Collection, HandOut, Seat
from annotate.services.training import setup as training_setup
from annotate.services.training import tries as training
from annotate.services.training.setup import PairSpec
from tests import campaigns, cast

RIGHT = (2, 0, 1, 2, 0)


def trained(
    slug: str = "birds", *, grades: tuple[int, ...] = RIGHT, **settings: object
) -> Collection:
    """A collection that trains: an open pool of six pairs, and as many training pairs as grades."""
    collection = cast.collection(slug, grades=3, batch_candidates=4)
    pairs = cast.pairs(collection, len(grades), per_query=max(1, len(grades)))
    campaigns.open_pool_round(collection, cast.pairs(collection, 6, per_query=3))
    specs = [
        PairSpec(
            pair.query.external_id, pair.document.external_id, grade, f"reason {number}", "colours"
        )
        for number, (pair, grade) in enumerate(zip(pairs, grades, strict=True))
    ]
    training_setup.add_pairs(collection=collection, specs=specs, by=None)
    training_setup.change_training(collection=collection, is_on=True, **settings)
    return collection


def right_grade(hand_out: HandOut) -> int:
    """Return the right grade of a hand-out's training pair."""
    return hand_out.seat.pair.training_pair.grade


def waiting(annotator: Annotator) -> list[HandOut]:
    """Return the hand-outs left of the try under way."""
    hand_outs = HandOut.objects.filter(
        pk__in=training.waiting_hand_outs(annotator=annotator)
    ).order_by("position")
    return list(hand_outs.select_related("seat__pair__training_pair"))


def reply(annotator: Annotator, hand_out: HandOut, grade: int) -> training.Feedback:
    """Answer one training pair."""
    answer = JudgmentAnswer(submission_id=uuid4(), grade=grade, telemetry=Telemetry(active_ms=1000))
    return training.answer(annotator=annotator, token=hand_out.token, answer=answer)


def go(annotator: Annotator, *, n_wrong: int = 0) -> None:
    """Begin a try and answer all of it, so many pairs wrongly."""
    training.begin(annotator=annotator)
    for number, hand_out in enumerate(waiting(annotator)):
        right = right_grade(hand_out)
        reply(annotator, hand_out, (right + 1) % 3 if number < n_wrong else right)


def training_seats(annotator: Annotator) -> list[Seat]:
    """Her seats in training."""
    return list(
        Seat.objects.filter(annotator=annotator, purpose=Seat.Purpose.TRAINING).order_by("pk")
    )
