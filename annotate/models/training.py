"""Training before judging: a quiz, pairs with known grades, tries at them, and admissions."""

from decimal import Decimal
from typing import TypeAlias

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from .batches import Batch
from .collections import Collection, Guidelines
from .judgments import ClockTimestamp
from .pairs import Pair
from .people import Annotator, User


class TrainingMeasure(models.TextChoices):
    """The measure that marks the answers of a try."""

    ACCURACY = "accuracy", "Accuracy"
    SPEARMAN = "spearman", "Spearman's rank correlation"


class Training(models.Model):
    """The training a collection asks of its annotators before they judge, while it is on."""

    Measure: TypeAlias = TrainingMeasure

    collection = models.OneToOneField(
        Collection, models.CASCADE, primary_key=True, related_name="training"
    )
    is_on = models.BooleanField(default=False)
    measure = models.CharField(max_length=8, choices=Measure, default=Measure.ACCURACY)
    pass_mark = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.8"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    quiz_mark = models.DecimalField(
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.8"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )
    pairs_a_try = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(2000)],
        help_text="Empty: all of them.",
    )
    max_tries = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        default=3,
        validators=[MinValueValidator(1)],
        help_text="Empty: no limit.",
    )
    wait_minutes = models.PositiveIntegerField(default=0, help_text="Between two tries.")
    needs_review = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(measure__in=TrainingMeasure.values),
                name="annotate_training_known_measure",
            ),
            models.CheckConstraint(
                condition=Q(pass_mark__gte=0, pass_mark__lte=1, quiz_mark__gte=0, quiz_mark__lte=1),
                name="annotate_training_mark_range",
            ),
            models.CheckConstraint(
                condition=(Q(max_tries=None) | Q(max_tries__gte=1))
                & (Q(pairs_a_try=None) | Q(pairs_a_try__gte=1)),
                name="annotate_training_at_least_one",
            ),
        ]

    def __str__(self) -> str:
        return f"training of {self.collection}"


class Quiz(models.Model):
    """One version of the questions about the guidelines.

    Insert-only, so that every attempt can be understood later.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="quizzes")
    version = models.PositiveIntegerField()
    guidelines = models.ForeignKey(
        Guidelines,
        models.PROTECT,
        related_name="+",
        help_text="The version that was current when it was written.",
    )
    questions = models.JSONField(
        default=list, help_text="As annotate.core.training.quizzes.Question says."
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        verbose_name_plural = "quizzes"
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="annotate_quiz_unique_version"
            ),
        ]

    def __str__(self) -> str:
        return f"quiz v{self.version} of {self.collection}"


class QuizAttempt(models.Model):
    """One set of answers to a quiz; insert-only."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="quiz_attempts")
    quiz = models.ForeignKey(Quiz, models.PROTECT, related_name="attempts")
    choices = models.JSONField(
        default=list, help_text="The option chosen for each question, counted from 0."
    )
    n_right = models.PositiveSmallIntegerField()
    passed = models.BooleanField()
    at = models.DateTimeField(db_default=ClockTimestamp())

    def __str__(self) -> str:
        return f"{self.annotator_id}: {self.n_right} right"


class TrainingPair(models.Model):
    """A pair with its right grade, the reason for it and where the guidelines say so."""

    pair = models.OneToOneField(Pair, models.PROTECT, related_name="training_pair")
    grade = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=2000, blank=True)
    anchor = models.CharField(
        max_length=120, blank=True, help_text="Of a heading of the guidelines."
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(grade__lte=100), name="annotate_trainingpair_grade_range"
            ),
        ]

    def __str__(self) -> str:
        return f"grade {self.grade} of pair {self.pair_id}"


class TrainingTry(models.Model):
    """One try at the training pairs: a batch of them and its result, stored as computed then."""

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="training_tries")
    number = models.PositiveSmallIntegerField()
    batch = models.OneToOneField(Batch, models.PROTECT, related_name="training_try")
    measure = models.CharField(max_length=8, choices=Training.Measure)
    pass_mark = models.DecimalField(max_digits=4, decimal_places=3)
    finished_at = models.DateTimeField(null=True, blank=True)
    n_answered = models.PositiveSmallIntegerField(null=True, blank=True)
    n_right = models.PositiveSmallIntegerField(null=True, blank=True)
    score = models.FloatField(
        null=True, blank=True, help_text="Empty where the measure is not defined."
    )
    passed = models.BooleanField(
        null=True, blank=True, help_text="Empty: under way, or broken off by a lead."
    )

    class Meta:
        verbose_name_plural = "training tries"
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "number"], name="annotate_trainingtry_unique_number"
            ),
            models.CheckConstraint(
                condition=Q(finished_at=None, passed=None) | Q(finished_at__isnull=False),
                name="annotate_trainingtry_result_when_finished",
            ),
            models.CheckConstraint(
                condition=Q(passed=None)
                | Q(n_answered__isnull=False, n_right__lte=models.F("n_answered")),
                name="annotate_trainingtry_result_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"try {self.number} of {self.annotator_id}"


class TrainingDecisionKind(models.TextChoices):
    """Decisions about a person in training."""

    PASSED = "passed", "Passed"
    ADMITTED = "admitted", "Admitted by a lead"
    EXEMPTED = "exempted", "Exempt"
    SENT_BACK = "sent_back", "Sent back"


class TrainingDecision(models.Model):
    """An annotator's admission, or her return to training; the newest decision holds."""

    Kind: TypeAlias = TrainingDecisionKind

    ADMITTING = (Kind.PASSED, Kind.ADMITTED, Kind.EXEMPTED)

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="training_decisions")
    kind = models.CharField(max_length=9, choices=Kind)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=TrainingDecisionKind.values),
                name="annotate_trainingdecision_known_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} {self.kind}"
