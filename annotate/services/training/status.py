"""Each annotator's status in the training, in a constant number of queries."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from django.db.models import Count, Q, QuerySet

from annotate.core.training.states import (
    TrainingHistory,
    TrainingRules,
    TrainingState,
    training_state,
)
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
from annotate.services.training.sentences import TryResult, decision_note

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class TryCounts(TypedDict):
    """Columns that a query adds to a try: its pairs, and those that are done."""

    n_pairs: int
    n_done: int


class TrainingStatus(NamedTuple):
    """One person's training: her state, the newest decision, and her tries.

    tries : those since she was last sent back
    last : the newest try; None before the first
    """

    annotator: Annotator
    state: TrainingState
    decision: TrainingDecision | None
    tries: "list[WithAnnotations[TrainingTry, TryCounts]]"
    last: "WithAnnotations[TrainingTry, TryCounts] | None"

    @property
    def last_result(self) -> TryResult | None:
        """The newest try in words."""
        return TryResult(self.last) if self.last else None

    @property
    def state_text(self) -> str:
        """The state of somebody who neither passed nor waits for a lead, nor used up her tries."""
        if self.state.name == "trying" and self.last:
            return f"In training, {self.last.n_done} of {self.last.n_pairs}"
        if self.state.name == "waiting" and self.state.ready_at:
            return f"Next try from {self.state.ready_at:%-d %b %Y %H:%M} UTC"
        if self.last:
            return "Not passed yet"
        return "Not begun: quiz" if self.state.name == "quiz" else "Not begun"

    @property
    def counts_text(self) -> str:
        """The right answers of the newest try; all of them where it has more pairs than answers."""
        last = self.last
        if last is None or last.n_answered is None:
            return ""
        right = f"{last.n_right} of {last.n_answered} right"
        if last.n_answered < last.n_pairs:
            return f"{right}, {last.n_answered} of {last.n_pairs} answered"
        return right

    @property
    def decision_note(self) -> str:
        """The newest decision in words; empty before the first."""
        return decision_note(self.decision) if self.decision else ""


class _TrainingRows(NamedTuple):
    """The stored rows about annotators in training, by annotator."""

    decisions: dict[int, TrainingDecision]
    passed_quizzes: dict[int, datetime]
    tries: "dict[int, list[WithAnnotations[TrainingTry, TryCounts]]]"


def training_of(*, collection: Collection) -> Training:
    """Return the collection's training; if none was set up, the defaults, off and not stored."""
    return Training.objects.filter(collection=collection).first() or Training(collection=collection)


def active_pairs(*, collection: Collection) -> QuerySet[TrainingPair]:
    """Return the training pairs in use whose items are not excluded.

    This is no `Pair.objects.left_out`: an exclusion of the pair alone says that it is asked of
    nobody and counts as unjudged, and training asks for no label. A lead retires it here.
    """
    pairs = TrainingPair.objects.filter(pair__collection=collection, retired_at=None)
    return pairs.filter(pair__query__excluded_at=None, pair__document__excluded_at=None)


def newest_quiz(*, collection: Collection) -> Quiz | None:
    """Return the newest version of the quiz; None if it has no questions."""
    quiz = Quiz.objects.filter(collection=collection).order_by("-version").first()
    return quiz if quiz is not None and quiz.questions else None


def rules_of(*, training: Training) -> TrainingRules:
    """Return the rules of the training, for computing states."""
    return TrainingRules(
        has_quiz=newest_quiz(collection=training.collection) is not None,
        has_pairs=active_pairs(collection=training.collection).exists(),
        max_tries=training.max_tries,
        wait=timedelta(minutes=training.wait_minutes),
        needs_review=training.needs_review,
    )


def training_status(*, annotator: Annotator) -> TrainingStatus:
    """Return the status of one annotator."""
    (status,) = training_statuses(collection=annotator.collection, annotators=[annotator])
    return status


def training_statuses(
    *, collection: Collection, annotators: Iterable[Annotator]
) -> list[TrainingStatus]:
    """Return the status of these annotators of a collection, in order; eight queries in all."""
    people = list(annotators)
    rules = rules_of(training=training_of(collection=collection))
    rows = _read_rows([annotator.pk for annotator in people])
    now = Collection.objects.filter(pk=collection.pk).values_list(ClockTimestamp(), flat=True).get()
    return [_status(annotator, rows, rules, now) for annotator in people]


def _read_rows(ids: list[int]) -> _TrainingRows:
    newest = (
        TrainingDecision.objects.filter(annotator__in=ids)
        .order_by("annotator_id", "-pk")
        .distinct("annotator_id")
    )
    quizzes = QuizAttempt.objects.filter(annotator__in=ids, passed=True).order_by("pk")
    n_answered = Count("batch__hand_outs", filter=Q(batch__hand_outs__answered_at__isnull=False))
    tries = TrainingTry.objects.filter(annotator__in=ids).select_related("batch").order_by("number")
    by_person: dict[int, list[WithAnnotations[TrainingTry, TryCounts]]] = {}
    for training_try in tries.annotate(n_pairs=Count("batch__hand_outs"), n_done=n_answered):
        by_person.setdefault(training_try.annotator_id, []).append(training_try)
    return _TrainingRows(
        {decision.annotator_id: decision for decision in newest.select_related("by")},
        # of several attempts the last, which is the newest
        dict(quizzes.values_list("annotator_id", "at")),
        by_person,
    )


def _status(
    annotator: Annotator, rows: _TrainingRows, rules: TrainingRules, now: datetime
) -> TrainingStatus:
    decision = rows.decisions.get(annotator.pk)
    is_admitted = decision is not None and decision.kind in TrainingDecision.ADMITTING
    since = decision.at if decision is not None and not is_admitted else None
    tries = [
        training_try
        for training_try in rows.tries.get(annotator.pk, [])
        if since is None or training_try.batch.opened_at > since
    ]
    ended_tries = [training_try for training_try in tries if training_try.passed is not None]
    quiz_at = rows.passed_quizzes.get(annotator.pk)
    last = ended_tries[-1] if ended_tries else None
    past = TrainingHistory(
        admitted=decision.kind if decision is not None and is_admitted else "",
        quiz_passed=quiz_at is not None and (since is None or quiz_at > since),
        is_trying=any(training_try.finished_at is None for training_try in tries),
        n_tries=len(ended_tries),
        last_passed=last is not None and last.passed is True,
        last_failed_at=last.finished_at if last is not None and not last.passed else None,
    )
    return TrainingStatus(
        annotator,
        training_state(past, rules, now=now),
        decision,
        tries,
        tries[-1] if tries else None,
    )
