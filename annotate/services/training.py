"""A go at the training pairs: begun, answered with feedback, marked.

Its answers are judgments on training seats, of a round for each number of try. They count for nothing but the try: not
for agreement, nor for a pair's grade, nor as checks. The first answer to a pair is the one that is marked; with it she
has seen the right one.
"""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Max

from annotate.core import ordering
from annotate.core.training import result
from annotate.models import (
    Annotator,
    Batch,
    ClockTimestamp,
    HandOut,
    Judgment,
    Pair,
    Policy,
    Report,
    Round,
    Seat,
    TrainingDecision,
    TrainingPair,
    TrainingTry,
)
from annotate.services import hand_outs, judging, reports
from annotate.services.claiming import hold_again
from annotate.services.seating import lock_annotator, note_changes, reconcile_locked
from annotate.services.training_standing import active_pairs, standing_of, training_of


class NotNow(Exception):
    """No try may begin: the message says why."""


class TryOver(Exception):
    """The try was broken off meanwhile; nothing was stored."""


class Feedback(NamedTuple):
    """What she is told after an answer: the right grade, hers, why, and which heading of the guidelines says so."""

    given: int
    right: int
    why: str
    anchor: str


WHY_NOT = {
    "passed": "You have passed; there is nothing left to train.",
    "quiz": "Pass the quiz first.",
    "review": "A lead looks at your work first.",
    "used_up": "You have no tries left; ask the lead of this collection.",
    "waiting": "The next try begins later; the training page says when.",
}


@transaction.atomic
def begin(*, annotator: Annotator) -> TrainingTry:
    """Begin a try, or go on with the one under way. Raises NotNow."""
    lock_annotator(annotator.pk)
    training = training_of(collection=annotator.collection)
    if not training.is_on:
        raise NotNow("This collection has no training.")
    standing = standing_of(annotator=annotator)
    if standing.state.name == "trying":
        return standing.tries[-1]
    if standing.state.name != "ready":
        raise NotNow(WHY_NOT[standing.state.name])
    put_down(annotator=annotator)
    number = (annotator.training_tries.aggregate(last=Max("number"))["last"] or 0) + 1
    last = annotator.batches.aggregate(last=Max("number"))["last"] or 0
    batch = Batch.objects.create(collection_id=annotator.collection_id, annotator=annotator, number=last + 1)
    made = TrainingTry.objects.create(
        annotator=annotator, number=number, batch=batch, measure=training.measure, pass_mark=training.pass_mark
    )
    _hand_out_pairs(annotator, made, training.pairs_a_try)
    return made


def left(*, annotator: Annotator) -> list[HandOut]:
    """The hand-outs of the try under way that wait for an answer, next one first."""
    waiting = HandOut.objects.filter(
        batch__annotator=annotator, batch__training_try__finished_at=None, batch__training_try__isnull=False
    )
    return list(waiting.filter(answered_at=None).order_by("position").values_list("pk", flat=True))


@transaction.atomic
def answer(*, annotator: Annotator, token: UUID, answer: judging.Answer) -> Feedback:
    """Store the answer to a training pair and tell what is right; answering again changes nothing.

    Raises hand_outs.NotHandedOut, judging.UnknownGrade, judging.UnknownReason, TryOver.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    first = Judgment.objects.filter(hand_out=hand_out, supersedes=None).select_related("level").order_by("pk").first()
    if first is None:
        _require_going(hand_out)
        first = judging.record_judgment(annotator=annotator, token=token, answer=answer, in_training=True)
        _finish_if_done(hand_out.batch)
    known = TrainingPair.objects.get(pair=first.pair_id)
    return Feedback(first.level.grade, known.grade, known.why, known.anchor)


@transaction.atomic
def report(*, annotator: Annotator, token: UUID, submission_id: UUID, reason: str, note: str) -> Report:
    """Say that a training pair cannot be judged; it is left out of the mark, and a lead looks at the try.

    Raises hand_outs.NotHandedOut, hand_outs.BatchSettled, TryOver.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    if hand_out.answered_at is None:
        _require_going(hand_out)
    made = reports.report_pair(
        annotator=annotator, token=token, submission_id=submission_id, kind=Report.Kind.CANNOT_JUDGE,
        reason=reason, note=note, in_training=True,
    )  # fmt: skip
    _finish_if_done(hand_out.batch)
    return made


def break_off(*, annotator: Annotator) -> None:
    """End a try under way without a result; call it behind the annotator's lock."""
    batches = Batch.objects.filter(annotator=annotator, training_try__finished_at=None, training_try__isnull=False)
    _close(annotator, batches.values_list("pk", flat=True))
    TrainingTry.objects.filter(annotator=annotator, finished_at=None).update(finished_at=ClockTimestamp())


def put_down(*, annotator: Annotator) -> None:
    """Give back the pairs that she holds of an unfinished batch; what she judged of it stays. Behind her lock."""
    batches = Batch.objects.filter(annotator=annotator, finished_at=None, training_try=None)
    _close(annotator, batches.values_list("pk", flat=True))


def _close(annotator: Annotator, batches: Iterable[int]) -> None:
    open_ = list(batches)
    held = Seat.objects.filter(
        hand_outs__batch__in=open_, hand_outs__answered_at=None, annotator=annotator, state=Seat.State.HELD
    )
    seats = dict(held.values_list("pk", "pair_id"))
    # lock before reading, in the order of every other service: pairs, then seats
    pairs = list(Pair.objects.filter(pk__in=seats.values()).order_by("pk").select_for_update(no_key=True))
    mine = Seat.objects.filter(pk__in=seats, annotator=annotator, state=Seat.State.HELD)
    mine.filter(purpose=Seat.Purpose.LABEL).update(state=Seat.State.FREE, annotator=None, leased_until=None)
    mine.update(state=Seat.State.WITHDRAWN, leased_until=None)
    HandOut.objects.filter(batch__in=open_, answered_at=None).update(answered_at=ClockTimestamp())
    Batch.objects.filter(pk__in=open_).update(finished_at=ClockTimestamp())
    if pairs:
        reconcile_locked(pairs=pairs)
        note_changes(collection_id=annotator.collection_id, pair_ids=[pair.pk for pair in pairs])


def _hand_out_pairs(annotator: Annotator, made: TrainingTry, most: int | None) -> None:
    """Seats and hand-outs of the try's pairs: which ones, and in what order, follows from the secret and the try."""
    collection, batch = annotator.collection, made.batch
    policy = Policy.objects.filter(collection=collection).latest("version")
    round_, _ = Round.objects.get_or_create(
        collection=collection, kind=Round.Kind.TRAINING, name=f"training {made.number}", defaults={"policy": policy}
    )
    key = bytes(collection.key)
    known = list(active_pairs(collection=collection).values_list("pair_id", "pair__query_id"))
    known.sort(key=lambda row: ordering.keyed_hash(key, annotator.pk, made.number, row[0]))
    chosen = known[:most]
    seats = Seat.objects.bulk_create(
        Seat(
            collection=collection, round=round_, pair_id=pair, number=1, purpose=Seat.Purpose.TRAINING,
            state=Seat.State.HELD, annotator=annotator, leased_until=ClockTimestamp(),
        )
        for pair, _ in chosen
    )  # fmt: skip
    seed = ordering.keyed_hash(key, annotator.pk, batch.number)
    order = ordering.arrange_batch([query for _, query in chosen], grouped=policy.grouped, seed=seed)
    HandOut.objects.bulk_create(
        HandOut(batch=batch, seat=seats[index], position=position) for position, index in enumerate(order, start=1)
    )
    hold_again(annotator=annotator)  # how long a lease is, is claiming's business


def _hand_out(annotator: Annotator, token: UUID) -> HandOut:
    found = HandOut.objects.filter(token=token, batch__annotator=annotator, batch__training_try__isnull=False)
    hand_out = found.select_related("batch__training_try").first()
    if hand_out is None:
        raise hand_outs.NotHandedOut("This pair was not handed to you.")
    return hand_out


def _require_going(hand_out: HandOut) -> None:
    if hand_out.batch.training_try.finished_at is not None:
        raise TryOver("This try is over; the training page says what next.")


def _finish_if_done(batch: Batch) -> None:
    """Mark the try once its last pair is answered; who passes is let in, unless a lead is to look first."""
    batch.refresh_from_db(fields=["finished_at"])
    made = TrainingTry.objects.select_related("annotator__collection").get(batch=batch)
    if batch.finished_at is None or made.finished_at is not None:
        return
    answers = Judgment.objects.filter(hand_out__batch=batch, supersedes=None)
    rows = np.array(list(answers.values_list("level__grade", "pair__training_pair__grade")), dtype=np.int64)
    given, right = rows.reshape(-1, 2).T
    marked = result(given, right, measure=made.measure, pass_mark=float(made.pass_mark))
    TrainingTry.objects.filter(pk=made.pk).update(
        finished_at=ClockTimestamp(), n_answered=marked.n, n_right=marked.n_right, score=marked.score,
        passed=marked.passed,
    )  # fmt: skip
    is_whole = marked.n == batch.hand_outs.count()  # who leaves pairs out is looked at by a lead
    if marked.passed and is_whole and not training_of(collection=made.annotator.collection).needs_review:
        TrainingDecision.objects.create(annotator=made.annotator, kind=TrainingDecision.Kind.PASSED)
