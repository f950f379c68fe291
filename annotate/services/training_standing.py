"""Where each annotator stands in her training: read in a constant number of queries, for one person or for all."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from annotate.core.training_states import Past, Rules, State, state
from annotate.models import (
    Annotator,
    ClockTimestamp,
    Collection,
    Quiz,
    QuizAttempt,
    Training,
    TrainingDecision,
    TrainingPair,
    TrainingTry,
)


class Standing(NamedTuple):
    """One person's training: her state, the newest decision, and her tries since she was last sent there.

    last : the newest try, with n_pairs and n_done; None before the first
    """

    annotator: Annotator
    state: State
    decision: TrainingDecision | None
    tries: list[TrainingTry]
    last: TrainingTry | None


class _Rows(NamedTuple):
    decisions: dict[int, TrainingDecision]
    passed_quizzes: dict[int, datetime]
    tries: dict[int, list[TrainingTry]]


def training_of(*, collection: Collection) -> Training:
    """What the collection asks; where nobody has set anything, the defaults, off and not stored."""
    return Training.objects.filter(collection=collection).first() or Training(collection=collection)


def active_pairs(*, collection: Collection) -> QuerySet[TrainingPair]:
    """The training pairs that are in use, of items that are."""
    pairs = TrainingPair.objects.filter(pair__collection=collection, retired_at=None)
    return pairs.filter(pair__query__excluded_at=None, pair__document__excluded_at=None)


def newest_quiz(*, collection: Collection) -> Quiz | None:
    """The newest version of the questions; None where it asks nothing."""
    quiz = Quiz.objects.filter(collection=collection).order_by("-version").first()
    return quiz if quiz is not None and quiz.questions else None


def rules_of(*, training: Training) -> Rules:
    """What the training asks, as the states are reckoned with."""
    return Rules(
        has_quiz=newest_quiz(collection=training.collection) is not None,
        has_pairs=active_pairs(collection=training.collection).exists(),
        max_tries=training.max_tries,
        wait=timedelta(minutes=training.wait_minutes),
        needs_review=training.needs_review,
    )


def standing_of(*, annotator: Annotator) -> Standing:
    """Where one person stands."""
    (found,) = standings(collection=annotator.collection, annotators=[annotator])
    return found


def standings(*, collection: Collection, annotators: Iterable[Annotator]) -> list[Standing]:
    """Where these annotators of a collection stand, in the order given; eight queries for any number of them."""
    people = list(annotators)
    rules = rules_of(training=training_of(collection=collection))
    rows = _rows([annotator.pk for annotator in people])
    now = Collection.objects.filter(pk=collection.pk).values_list(ClockTimestamp(), flat=True).get()
    return [_standing(annotator, rows, rules, now) for annotator in people]


def _rows(ids: list[int]) -> _Rows:
    newest = TrainingDecision.objects.filter(annotator__in=ids).order_by("annotator_id", "-pk").distinct("annotator_id")
    quizzes = QuizAttempt.objects.filter(annotator__in=ids, passed=True).order_by("pk")
    done = Count("batch__hand_outs", filter=Q(batch__hand_outs__answered_at__isnull=False))
    tries = TrainingTry.objects.filter(annotator__in=ids).select_related("batch").order_by("number")
    by_person: dict[int, list[TrainingTry]] = {}
    for each in tries.annotate(n_pairs=Count("batch__hand_outs"), n_done=done):
        by_person.setdefault(each.annotator_id, []).append(each)
    return _Rows(
        {decision.annotator_id: decision for decision in newest.select_related("by")},
        dict(quizzes.values_list("annotator_id", "at")),  # of several the last, which is the newest
        by_person,
    )


def _standing(annotator: Annotator, rows: _Rows, rules: Rules, now: datetime) -> Standing:
    decision = rows.decisions.get(annotator.pk)
    is_in = decision is not None and decision.kind in TrainingDecision.ADMITTING
    since = decision.at if decision is not None and not is_in else None
    tries = [each for each in rows.tries.get(annotator.pk, []) if since is None or each.batch.opened_at > since]
    ended = [each for each in tries if each.passed is not None]
    quiz_at = rows.passed_quizzes.get(annotator.pk)
    last = ended[-1] if ended else None
    past = Past(
        admitted=decision.kind if decision is not None and is_in else "",
        quiz_passed=quiz_at is not None and (since is None or quiz_at > since),
        is_trying=any(each.finished_at is None for each in tries),
        n_tries=len(ended),
        last_passed=last is not None and last.passed is True,
        last_failed_at=last.finished_at if last is not None and not last.passed else None,
    )
    return Standing(annotator, state(past, rules, now=now), decision, tries, tries[-1] if tries else None)
