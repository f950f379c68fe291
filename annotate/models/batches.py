"""Batches, in which pairs are handed out to annotators."""

import uuid
from typing import Self, TypeAlias

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils.functional import cached_property

from .collections import Collection, Policy, PolicyGoldAction
from .pairs import Seat
from .people import Annotator


class BatchVerdict(models.TextChoices):
    """The verdict on a batch."""

    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"
    HELD = "held", "Held for a lead"
    REQUEUED = "requeued", "Asked again"


# held for a lead, or with missed golds and no verdict
_WAITING = Q(verdict=BatchVerdict.HELD) | (Q(verdict="") & ~Q(gold_action=""))


class BatchQuerySet(models.QuerySet["Batch"]):
    """Batches, with the filter for those that wait for a lead, and their numbers on screen."""

    def waiting(self) -> "BatchQuerySet":
        """Batches held for a lead, or with missed golds and no verdict, of which an answer counts.

        One whose answers were all withdrawn leaves nothing to decide, until some are restored.
        """
        counting_answers = HandOut.objects.filter(
            batch=OuterRef("pk"),
            seat__annotator=OuterRef("annotator"),
            seat__judgment__isnull=False,
        )
        return self.filter(_WAITING, Exists(counting_answers))

    def training_before(self, *, annotator: int | OuterRef, number: int | OuterRef) -> Self:
        """One person's batches of training that were handed out before a batch of hers."""
        return self.filter(training_try__annotator=annotator, number__lt=number)

    def with_judging_numbers(self) -> Self:
        """Annotate each batch with its `judging_number`, which saves a query a batch."""
        earlier_training = Batch.objects.training_before(
            annotator=OuterRef("annotator"), number=OuterRef("number")
        )
        n_earlier = earlier_training.values("annotator").annotate(n=Count("pk")).values("n")
        return self.annotate(judging_number=F("number") - Coalesce(Subquery(n_earlier), 0))


class Batch(models.Model):
    """The pairs one annotator got at once: candidates and, hidden among them, golds."""

    Verdict: TypeAlias = BatchVerdict

    TAKEN_OUT = (Verdict.REJECTED, Verdict.REQUEUED)  # with these verdicts its labels do not count
    # failed golds hold it for a lead where the policy asks for one of these
    HOLDING = (PolicyGoldAction.HOLD, PolicyGoldAction.REJECT, PolicyGoldAction.PAUSE)

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="batches")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="batches")
    # among all batches of its annotator, those of training too; people read `judging_number`
    number = models.PositiveIntegerField()
    opened_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on its answers can no longer be changed."
    )
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    grouped = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether one query's pairs were handed out together, or mixed.",
    )
    n_golds = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Golds it was checked by when it was finished; empty = not checked yet.",
    )
    n_golds_right = models.PositiveSmallIntegerField(null=True, blank=True)
    gold_action = models.CharField(
        max_length=6,
        choices=Policy.GoldAction,
        blank=True,
        default="",
        db_default="",
        help_text="What its golds called for when checked.",
    )

    objects = BatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "batches"
        indexes = [
            models.Index(
                fields=["collection", "id"],
                condition=_WAITING,
                name="annotate_batch_waiting",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "number"], name="annotate_batch_unique_number"
            ),
            # One unfinished batch a person: two tabs share it.
            models.UniqueConstraint(
                fields=["annotator"],
                condition=Q(finished_at__isnull=True),
                name="annotate_batch_one_open",
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=["", *BatchVerdict.values]),
                name="annotate_batch_known_verdict",
            ),
            models.CheckConstraint(
                condition=Q(n_golds=None, n_golds_right=None)
                | Q(
                    n_golds__isnull=False,
                    n_golds_right__isnull=False,
                    n_golds_right__lte=F("n_golds"),
                ),
                name="annotate_batch_golds_counted",
            ),
            models.CheckConstraint(
                condition=Q(gold_action__in=["", *PolicyGoldAction.values]),
                name="annotate_batch_known_gold_action",
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.annotator_id}"

    @cached_property
    def judging_number(self) -> int:
        """Its number on every screen: among its annotator's batches of judging, without training.

        Derived: `number` has no gaps, and is what was stored before training was left out.
        """
        earlier_training = Batch.objects.training_before(
            annotator=self.annotator_id, number=self.number
        )
        return self.number - earlier_training.count()


class HandOut(models.Model):
    """A seat's hand-out to an annotator, with its position in the batch; never deleted."""

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="hand_outs")
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="hand_outs")
    position = models.PositiveSmallIntegerField()
    # All that a browser ever learns of a seat: serial keys would reveal golds, made last.
    token = models.UUIDField(default=uuid.uuid4)
    shown_at = models.DateTimeField(null=True, blank=True)
    deferred_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Judged, reported, or no longer wanted; empty = still to do.",
    )

    class Meta:
        ordering = ["position"]
        indexes = [
            # A person's open hand-outs, among all that she ever had.
            models.Index(
                fields=["batch"], condition=Q(answered_at=None), name="annotate_handout_to_do"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "position"], name="annotate_handout_unique_position"
            ),
            models.UniqueConstraint(fields=["batch", "seat"], name="annotate_handout_unique_seat"),
            models.UniqueConstraint(fields=["token"], name="annotate_handout_unique_token"),
        ]

    def __str__(self) -> str:
        return f"position {self.position} of batch {self.batch_id}"
