"""Training tries: begun, answered with feedback, marked.

A try's answers are judgments on training seats, of a round for each number of try. They count for
nothing but the try: not for agreement, nor for a pair's grade, nor as checks. The first answer to a
pair is the one that is marked; with it she has seen the right grade.
"""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db import transaction
from django.db.models import Count, F, Max

from annotate.core.labels import keyed_choices
from annotate.core.labels.answers import JudgmentAnswer
from annotate.core.training.marking import mark_answers
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
from annotate.services.judging import hand_outs, judging, reports
from annotate.services.judging.claiming import renew_leases
from annotate.services.seating import lock_annotator, note_changes, reconcile_locked
from annotate.services.training.status import active_pairs, training_of, training_status


class TryRefused(Exception):
    """No try may begin; the message says why."""


class TryOver(Exception):
    """The try was broken off meanwhile; nothing was stored."""


class Feedback(NamedTuple):
    """The feedback to an answer: both grades, the reason, and its heading in the guidelines."""

    given: int
    right: int
    why: str
    anchor: str


REFUSALS = {
    "passed": "You have passed; there is nothing left to train.",
    "quiz": "Pass the quiz first.",
    "review": "A lead looks at your work first.",
    "used_up": "You have no tries left; ask the lead of this collection.",
    "waiting": "The next try begins later; the training page says when.",
}


@transaction.atomic
def begin(*, annotator: Annotator) -> TrainingTry:
    """Begin a try, or go on with the one under way. Raises TryRefused."""
    lock_annotator(annotator.pk)
    training = training_of(collection=annotator.collection)
    if not training.is_on:
        raise TryRefused("This collection has no training.")
    status = training_status(annotator=annotator)
    if status.state.name == "trying":
        return status.tries[-1]
    if annotator.collection.archived_at is not None:
        raise TryRefused("This collection is archived: there is nothing to do in it.")
    if status.state.name != "ready":
        raise TryRefused(REFUSALS[status.state.name])
    give_back_pairs(annotator=annotator)
    number = (annotator.training_tries.aggregate(last=Max("number"))["last"] or 0) + 1
    last_batch_number = annotator.batches.aggregate(last=Max("number"))["last"] or 0
    batch = Batch.objects.create(
        collection_id=annotator.collection_id, annotator=annotator, number=last_batch_number + 1
    )
    training_try = TrainingTry.objects.create(
        annotator=annotator,
        number=number,
        batch=batch,
        measure=training.measure,
        pass_mark=training.pass_mark,
    )
    _hand_out_pairs(annotator, training_try, training.pairs_a_try)
    return training_try


def waiting_hand_outs(*, annotator: Annotator) -> list[int]:
    """Return the keys of the hand-outs of the try under way that wait, next one first."""
    try_hand_outs = HandOut.objects.filter(
        batch__annotator=annotator,
        batch__training_try__finished_at=None,
        batch__training_try__isnull=False,
    )
    return list(
        try_hand_outs.filter(answered_at=None).order_by("position").values_list("pk", flat=True)
    )


@transaction.atomic
def answer(*, annotator: Annotator, token: UUID, answer: JudgmentAnswer) -> Feedback:
    """Store the answer to a training pair and return feedback; answering again changes nothing.

    Raises hand_outs.NotHandedOut, judging.UnknownGrade, judging.UnknownReason, TryOver.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    first_answer = (
        Judgment.objects.filter(hand_out=hand_out, supersedes=None)
        .select_related("level")
        .order_by("pk")
        .first()
    )
    if first_answer is None:
        _require_under_way(hand_out)
        first_answer = judging.record_judgment(
            annotator=annotator, token=token, answer=answer, in_training=True
        )
        _finish_if_done(hand_out.batch)
    training_pair = TrainingPair.objects.get(pair=first_answer.pair_id)
    return Feedback(
        first_answer.level.grade, training_pair.grade, training_pair.why, training_pair.anchor
    )


@transaction.atomic
def report(
    *, annotator: Annotator, token: UUID, submission_id: UUID, reason: str, note: str
) -> Report:
    """Report that a training pair cannot be judged: it does not count, and a lead looks at the try.

    Raises hand_outs.NotHandedOut, hand_outs.BatchSettled, TryOver.
    """
    lock_annotator(annotator.pk)
    hand_out = _hand_out(annotator, token)
    if hand_out.answered_at is None:
        _require_under_way(hand_out)
    stored_report = reports.report_pair(
        annotator=annotator,
        token=token,
        submission_id=submission_id,
        kind=Report.Kind.CANNOT_JUDGE,
        reason=reason,
        note=note,
        in_training=True,
    )
    _finish_if_done(hand_out.batch)
    return stored_report


def break_off(*, annotator: Annotator) -> None:
    """End a try under way without a result; call it behind the annotator's lock."""
    batches = Batch.objects.filter(
        annotator=annotator, training_try__finished_at=None, training_try__isnull=False
    )
    _close(annotator, batches.values_list("pk", flat=True))
    TrainingTry.objects.filter(annotator=annotator, finished_at=None).update(
        finished_at=ClockTimestamp()
    )


def pairs_in_hand(*, annotators: Iterable[Annotator]) -> dict[int, int]:
    """Count, by annotator, the pairs that give_back_pairs would give back; one query."""
    batches = Batch.objects.filter(annotator__in=annotators, finished_at=None, training_try=None)
    rows = (
        Seat.objects.filter(
            hand_outs__batch__in=batches,
            hand_outs__answered_at=None,
            annotator=F("hand_outs__batch__annotator"),
            state=Seat.State.HELD,
        )
        .values("annotator")
        .annotate(n=Count("pk", distinct=True))
    )
    return {row["annotator"]: row["n"] for row in rows}


def give_back_pairs(*, annotator: Annotator) -> None:
    """Give back, behind her lock, the pairs she holds of an unfinished batch; judgments stay."""
    batches = Batch.objects.filter(annotator=annotator, finished_at=None, training_try=None)
    _close(annotator, batches.values_list("pk", flat=True))


def _close(annotator: Annotator, batches: Iterable[int]) -> None:
    batch_ids = list(batches)
    held_seats = Seat.objects.filter(
        hand_outs__batch__in=batch_ids,
        hand_outs__answered_at=None,
        annotator=annotator,
        state=Seat.State.HELD,
    )
    seats = dict(held_seats.values_list("pk", "pair_id"))
    # lock before reading, in the order of every other service: pairs, then seats
    pairs = list(
        Pair.objects.filter(pk__in=seats.values()).order_by("pk").select_for_update(no_key=True)
    )
    own_seats = Seat.objects.filter(pk__in=seats, annotator=annotator, state=Seat.State.HELD)
    own_seats.filter(purpose=Seat.Purpose.LABEL).update(
        state=Seat.State.FREE, annotator=None, leased_until=None
    )
    own_seats.update(state=Seat.State.WITHDRAWN, leased_until=None)
    HandOut.objects.filter(batch__in=batch_ids, answered_at=None).update(
        answered_at=ClockTimestamp()
    )
    Batch.objects.filter(pk__in=batch_ids).update(finished_at=ClockTimestamp())
    if pairs:
        reconcile_locked(pairs=pairs)
        note_changes(collection_id=annotator.collection_id, pair_ids=[pair.pk for pair in pairs])


def _hand_out_pairs(annotator: Annotator, training_try: TrainingTry, n_pairs: int | None) -> None:
    """Make seats and hand-outs of the try's pairs, chosen and ordered by the secret and the try."""
    collection, batch = annotator.collection, training_try.batch
    policy = Policy.objects.filter(collection=collection).latest("version")
    round_, _ = Round.objects.get_or_create(
        collection=collection,
        kind=Round.Kind.TRAINING,
        name=f"training {training_try.number}",
        defaults={"policy": policy},
    )
    key = bytes(collection.key)
    pair_queries = list(
        active_pairs(collection=collection).values_list("pair_id", "pair__query_id")
    )
    pair_queries.sort(
        key=lambda row: keyed_choices.keyed_hash(key, annotator.pk, training_try.number, row[0])
    )
    try_pairs = pair_queries[:n_pairs]
    seats = Seat.objects.bulk_create(
        Seat(
            collection=collection,
            round=round_,
            pair_id=pair,
            number=1,
            purpose=Seat.Purpose.TRAINING,
            state=Seat.State.HELD,
            annotator=annotator,
            leased_until=ClockTimestamp(),
        )
        for pair, _ in try_pairs
    )
    seed = keyed_choices.keyed_hash(key, annotator.pk, batch.number)
    order = keyed_choices.arrange_batch(
        [query for _, query in try_pairs], grouped=policy.grouped, seed=seed
    )
    HandOut.objects.bulk_create(
        HandOut(batch=batch, seat=seats[index], position=position)
        for position, index in enumerate(order, start=1)
    )
    renew_leases(annotator=annotator)  # claiming decides on the length of leases


def _hand_out(annotator: Annotator, token: UUID) -> HandOut:
    hand_outs_of_tries = HandOut.objects.filter(
        token=token, batch__annotator=annotator, batch__training_try__isnull=False
    )
    hand_out = hand_outs_of_tries.select_related("batch__training_try").first()
    if hand_out is None:
        raise hand_outs.NotHandedOut("This pair was not handed to you.")
    return hand_out


def _require_under_way(hand_out: HandOut) -> None:
    if hand_out.batch.training_try.finished_at is not None:
        raise TryOver("This try is over; the training page says what next.")


def _finish_if_done(batch: Batch) -> None:
    """Mark the try after its last pair; passing lets the person in, unless a lead reviews first."""
    batch.refresh_from_db(fields=["finished_at"])
    training_try = TrainingTry.objects.select_related("annotator__collection").get(batch=batch)
    if batch.finished_at is None or training_try.finished_at is not None:
        return
    answers = Judgment.objects.filter(hand_out__batch=batch, supersedes=None)
    rows = np.array(
        list(answers.values_list("level__grade", "pair__training_pair__grade")), dtype=np.int64
    )
    answer_grades, right_grades = rows.reshape(-1, 2).T
    outcome = mark_answers(
        answer_grades,
        right_grades,
        measure=training_try.measure,
        pass_mark=float(training_try.pass_mark),
    )
    TrainingTry.objects.filter(pk=training_try.pk).update(
        finished_at=ClockTimestamp(),
        n_answered=outcome.n,
        n_right=outcome.n_right,
        score=outcome.score,
        passed=outcome.passed,
    )
    is_whole = outcome.n == batch.hand_outs.count()  # a lead looks at tries with reported pairs
    if (
        outcome.passed
        and is_whole
        and not training_of(collection=training_try.annotator.collection).needs_review
    ):
        TrainingDecision.objects.create(
            annotator=training_try.annotator, kind=TrainingDecision.Kind.PASSED
        )
