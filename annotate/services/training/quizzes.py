"""The quiz about the guidelines: written in versions, answered as often as somebody likes."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from annotate.core.training import quizzes as core
from annotate.core.training.quizzes import BadQuestion, Question, QuizResult
from annotate.models import Annotator, Collection, Quiz, QuizAttempt, TrainingDecision, User
from annotate.services.collection.lifecycle.archive import lock_unarchived
from annotate.services.seating import lock_annotator
from annotate.services.training.status import newest_quiz, rules_of, training_of, training_status


class QuizChanged(Exception):
    """The quiz has been changed since it was shown; nothing was marked."""


class MarkedAttempt(NamedTuple):
    """A stored attempt, and which of its answers were right."""

    attempt: QuizAttempt
    result: QuizResult

    @property
    def result_text(self) -> str:
        """The number of right answers, and the mark that they reach or miss."""
        verdict = "passed" if self.result.passed else "not enough yet"
        return f"{self.result.n_right} of {len(self.result.right)} right: {verdict}."

    @property
    def advice(self) -> str:
        """The next step after the result."""
        if self.result.passed:
            return "The explanations stand below."
        return "Read what is said below, change your answers and send them again."


@transaction.atomic
def change_quiz(
    *, collection: Collection, questions: Sequence[Question], by: User | None
) -> Quiz | None:
    """Store the questions as a new version, unless nothing changed; None for a quiz never written.

    Raises BadQuestion, CollectionArchived.
    """
    core.check(questions)
    # Versions count up: two people who save at once take turns.
    lock_unarchived(collection_id=collection.pk)
    last = Quiz.objects.filter(collection=collection).order_by("-version").first()
    training = training_of(collection=collection)
    if not questions and training.is_on and not rules_of(training=training).has_pairs:
        raise BadQuestion(
            "The training is on and has no pairs: keep a question, add pairs, or switch it off."
        )
    rows = core.as_rows(questions)
    if rows == (last.questions if last else []):
        return last
    return Quiz.objects.create(
        collection=collection,
        version=last.version + 1 if last else 1,
        guidelines=collection.guidelines.latest("version"),
        questions=rows,
        by=by,
    )


def questions_of(*, collection: Collection) -> list[Question]:
    """Return the questions of the newest version."""
    quiz = newest_quiz(collection=collection)
    return core.from_rows(quiz.questions) if quiz else []


@transaction.atomic
def take_quiz(*, annotator: Annotator, version: int, choices: Sequence[int]) -> MarkedAttempt:
    """Mark a person's answers; without training pairs, passing the quiz is passing the training.

    version : the version of the quiz she saw. Raises QuizChanged, CollectionArchived.
    """
    lock_annotator(annotator.pk)  # before the collection, as a change of the training
    lock_unarchived(collection_id=annotator.collection_id)
    quiz = newest_quiz(collection=annotator.collection)
    if quiz is None or quiz.version != version or len(choices) != len(quiz.questions):
        raise QuizChanged("The quiz was changed meanwhile; please answer its present questions.")
    training = training_of(collection=annotator.collection)
    result = core.mark(core.from_rows(quiz.questions), choices, at_least=float(training.quiz_mark))
    attempt = QuizAttempt.objects.create(
        annotator=annotator,
        quiz=quiz,
        choices=list(choices),
        n_right=result.n_right,
        passed=result.passed,
    )
    rules = rules_of(training=training)
    is_training_passed = (
        result.passed and training.is_on and not (rules.has_pairs or rules.needs_review)
    )
    if is_training_passed and training_status(annotator=annotator).state.name == "review":
        TrainingDecision.objects.create(annotator=annotator, kind=TrainingDecision.Kind.PASSED)
    return MarkedAttempt(attempt, result)


__all__ = [
    "BadQuestion",
    "MarkedAttempt",
    "Question",
    "QuizChanged",
    "change_quiz",
    "questions_of",
    "take_quiz",
]
