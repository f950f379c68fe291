"""Counting judgments, and the outcome of each: two views of the database, which alone decide."""

from typing import TypeAlias

from django.db import models

from .collections import Collection
from .judgments import Judgment, JudgmentOutcomeKind
from .pairs import Pair, Round, Seat
from .people import Annotator


class CountingJudgmentQuerySet(models.QuerySet["CountingJudgment"]):
    """Judgments that count, with the filter for labels."""

    def labels(self) -> "CountingJudgmentQuerySet":
        """Labels that count: those that enter agreement and decide the grades of pairs."""
        return self.filter(is_label=True)


class CountingJudgment(models.Model):
    """A judgment that counts for its seat: neither superseded, taken back nor come too late.

    is_label : whether it enters agreement, as a label or an imported one; golds, training, repeats
        and adjudications do not
    is_planned : whether it is such a label, wanted whatever the other labels of its pair are
    """

    seat = models.OneToOneField(Seat, models.DO_NOTHING, primary_key=True, related_name="+")
    collection = models.ForeignKey(Collection, models.DO_NOTHING, related_name="+")
    round = models.ForeignKey(Round, models.DO_NOTHING, related_name="counting_judgments")
    pair = models.ForeignKey(Pair, models.DO_NOTHING, related_name="counting_judgments")
    annotator = models.ForeignKey(Annotator, models.DO_NOTHING, related_name="+")
    judgment = models.OneToOneField(Judgment, models.DO_NOTHING, related_name="+")
    purpose = models.CharField(max_length=12, choices=Seat.Purpose)
    number = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=12, choices=Seat.Why)
    is_label = models.BooleanField()
    is_planned = models.BooleanField()
    grade = models.PositiveSmallIntegerField()
    at = models.DateTimeField()
    active_ms = models.PositiveIntegerField(null=True)

    objects = CountingJudgmentQuerySet.as_manager()

    class Meta:
        managed = False
        db_table = "annotate_countingjudgment"

    def __str__(self) -> str:
        return f"judgment {self.judgment_id} counts for seat {self.seat_id}"


class JudgmentOutcome(models.Model):
    """The outcome of a judgment.

    is_in_force : whether it is neither undone nor withdrawn, or was restored afterwards; it may
        have been superseded since
    """

    Outcome: TypeAlias = JudgmentOutcomeKind

    judgment = models.OneToOneField(
        Judgment, models.DO_NOTHING, primary_key=True, related_name="standing"
    )
    outcome = models.CharField(max_length=10, choices=JudgmentOutcomeKind)
    is_in_force = models.BooleanField()

    class Meta:
        managed = False
        db_table = "annotate_judgmentoutcome"

    def __str__(self) -> str:
        return f"judgment {self.judgment_id}: {self.outcome}"
