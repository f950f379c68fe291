"""Leads' actions: their log, which only grows, decisions under way, excluded pairs, duplicates."""

from typing import Self, TypeAlias

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from .batches import Batch
from .collections import Collection
from .items import Item, Side
from .judgments import ClockTimestamp
from .pairs import Pair
from .people import Annotator, User
from .work import Work


class ReviewActionKind(models.TextChoices):
    """Actions of a lead, or of the policy."""

    ADJUDICATED = "adjudicated", "Adjudicated"
    ADJUDICATION_UNDONE = "adjudication_undone", "Adjudication undone"
    BATCH_ACCEPTED = "batch_accepted", "Batch accepted"
    BATCH_REJECTED = "batch_rejected", "Batch rejected"
    BATCH_REQUEUED = "batch_requeued", "Batch asked again"
    BATCH_REOPENED = "batch_reopened", "Verdict taken back"
    LABELS_WITHDRAWN = "labels_withdrawn", "Labels withdrawn"
    LABELS_RESTORED = "labels_restored", "Labels restored"
    PAUSED = "paused", "Person paused"
    RESUMED = "resumed", "Person resumed"
    REPORTS_SETTLED = "reports_settled", "Returned to the queue"
    REPORTS_REOPENED = "reports_reopened", "Reports opened again"
    PAIR_EXCLUDED = "pair_excluded", "Pair excluded"
    PAIR_RESTORED = "pair_restored", "Pair taken back in"
    ITEM_EXCLUDED = "item_excluded", "Item excluded"
    ITEM_RESTORED = "item_restored", "Item taken back in"
    DUPLICATE_MARKED = "duplicate_marked", "Marked as a duplicate"
    DUPLICATE_UNMARKED = "duplicate_unmarked", "Duplicate mark taken back"
    GOLD_ADDED = "gold_added", "Gold added"
    GOLD_RETIRED = "gold_retired", "Gold retired"
    GOLD_RESTORED = "gold_restored", "Gold brought back"
    GOLDS_MADE = "golds_made", "Golds made"
    COLLECTION_ARCHIVED = "collection_archived", "Collection archived"
    COLLECTION_RESTORED = "collection_restored", "Collection unarchived"


# their reason says how many golds were made; an archived collection is the log's own
WITHOUT_SUBJECT = (
    ReviewActionKind.GOLDS_MADE.value,
    ReviewActionKind.COLLECTION_ARCHIVED.value,
    ReviewActionKind.COLLECTION_RESTORED.value,
)


class ReviewAction(models.Model):
    """An action of a lead, or of the policy in her place: subject, reason, time; append-only."""

    Kind: TypeAlias = ReviewActionKind

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="review_actions")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    annotator = models.ForeignKey(
        Annotator, models.PROTECT, null=True, blank=True, related_name="review_actions"
    )
    batch = models.ForeignKey(
        Batch, models.PROTECT, null=True, blank=True, related_name="review_actions"
    )
    pair = models.ForeignKey(
        Pair, models.PROTECT, null=True, blank=True, related_name="review_actions"
    )
    item = models.ForeignKey(
        Item, models.PROTECT, null=True, blank=True, related_name="review_actions"
    )
    n_labels = models.PositiveIntegerField(
        default=0, help_text="Labels that it was to take out of the count, or put back."
    )
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        indexes = [models.Index(fields=["collection", "id"], name="annotate_review_log")]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ReviewActionKind.values),
                name="annotate_reviewaction_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(annotator__isnull=False)
                | Q(pair__isnull=False)
                | Q(item__isnull=False)
                | Q(kind__in=WITHOUT_SUBJECT),
                name="annotate_reviewaction_about_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} at {self.at}"

    @property
    def n_moved(self) -> int:
        """Labels withdrawn or restored so far; the work may go on, or some labels be surplus."""
        work = getattr(self, "work", None)
        return self.n_labels if work is None or self.item_id else work.n_done


class ReviewWorkQuerySet(models.QuerySet["ReviewWork"]):
    """Decisions, with the filter for those not done."""

    def not_done(self) -> Self:
        """Decisions that are under way, or failed and stand half done."""
        return self.exclude(work__state=Work.State.DONE)


class ReviewWork(models.Model):
    """Progress of a decision about many labels or pairs; the next worker goes on at `cursor`.

    Its own table, since the log is never updated. Rows are answers, or the pairs of an item.
    """

    action = models.OneToOneField(
        ReviewAction, models.PROTECT, primary_key=True, related_name="work"
    )
    work = models.OneToOneField(
        Work, models.PROTECT, related_name="review_work", help_text="The carrying out."
    )
    since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Answers of a person from then on; when an item was left out.",
    )
    until = models.DateTimeField(null=True, blank=True)
    n_total = models.PositiveIntegerField(help_text="Rows it was about when it was decided.")
    n_done = models.PositiveIntegerField(default=0)
    n_surplus = models.PositiveIntegerField(
        default=0, help_text="Labels whose place others had taken."
    )
    cursor = models.BigIntegerField(
        default=0, help_text="The last row done, in the order of the keys."
    )

    objects = ReviewWorkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.n_examined:,} of {self.n_total:,}"

    @property
    def n_examined(self) -> int:
        """Rows examined."""
        return self.n_done + self.n_surplus

    @property
    def is_done(self) -> bool:
        """True if it is carried out to its end."""
        return self.work.state == Work.State.DONE

    @property
    def is_failed(self) -> bool:
        """True if workers gave it up half-way."""
        return self.work.state == Work.State.FAILED

    @property
    def how_far(self) -> str:
        """The progress in words, until it is done."""
        return f"stopped at {self}" if self.is_failed else f"under way: {self}"


class PairExclusion(models.Model):
    """The exclusion of a pair: no round wants it, and it has no resolution. Its labels stay."""

    pair = models.OneToOneField(Pair, models.PROTECT, primary_key=True, related_name="exclusion")
    collection = models.ForeignKey(Collection, models.PROTECT, related_name="pair_exclusions")
    reason = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(reason=""), name="annotate_pairexclusion_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"pair {self.pair_id}: {self.reason}"


class Duplicate(models.Model):
    """An item that repeats another one of its side, as a lead says: its pairs are judged there.

    A pair of it without all labels of its own takes the grade of the same pair of the original.
    """

    item = models.OneToOneField(
        Item, models.CASCADE, primary_key=True, related_name="as_duplicate", help_text="It repeats."
    )
    original = models.ForeignKey(Item, models.CASCADE, related_name="duplicates")
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="duplicates")
    side = models.CharField(max_length=8, choices=Side)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(item=F("original")), name="annotate_duplicate_of_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} repeats {self.original}"
