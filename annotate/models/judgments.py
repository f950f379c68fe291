"""Judgments, append-only, and what is derived from them: resolutions and Change rows."""

from functools import reduce
from operator import and_
from typing import TypeAlias

from django.db import models
from django.db.models import Func, Q

from annotate.core.labels.answers import Telemetry, limit_of

from .batches import HandOut
from .collections import Collection, Guidelines, Level, Policy
from .pairs import DIRECT_PURPOSES, Pair, Seat
from .people import Annotator, User
from .resolving import GRADED_STATUSES, UNGRADED_STATUSES, ResolutionStatus


class ClockTimestamp(Func):
    """The database's wall clock at this very call; the only clock of leases and answers."""

    function = "clock_timestamp"
    output_field = models.DateTimeField()


def _within_limits(*names: str) -> Q:
    """Each of these fields of an answer's telemetry is unknown or not above its limit."""
    conditions = (
        Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__lte": limit_of(name)}) for name in names
    )
    return reduce(and_, conditions)


class JudgmentOutcomeKind(models.TextChoices):
    """The outcomes of a judgment."""

    COUNTS = "counts", "Counts"
    SUPERSEDED = "superseded", "Superseded by a later answer"
    UNDONE = "undone", "Undone"
    WITHDRAWN = "withdrawn", "Withdrawn"
    SURPLUS = "surplus", "Surplus: it came too late to count"


CURRENT_OUTCOMES = (JudgmentOutcomeKind.COUNTS, JudgmentOutcomeKind.SURPLUS)


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    """Judgments by their state."""

    def in_force(self) -> "JudgmentQuerySet":
        """Judgments neither undone nor withdrawn, or restored afterwards; superseded ones too."""
        return self.filter(standing__is_in_force=True)

    def current(self) -> "JudgmentQuerySet":
        """Judgments in force and not superseded: they count, or came too late to count."""
        return self.filter(standing__outcome__in=CURRENT_OUTCOMES)


class Judgment(models.Model):
    """One annotator's answer to one seat; never updated, a change is a row that supersedes it.

    It counts while a seat points to it. One that no seat points to and that nothing supersedes
    was undone or withdrawn (see its events) or came late: a surplus, kept and shown to the lead.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="judgments")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="judgments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="judgments")
    hand_out = models.ForeignKey(
        HandOut,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="judgments",
        help_text="Empty for imported judgments and adjudications.",
    )
    purpose = models.CharField(max_length=12, choices=Seat.Purpose)
    level = models.ForeignKey(Level, models.PROTECT, related_name="judgments")
    guidelines = models.ForeignKey(
        Guidelines, models.PROTECT, null=True, blank=True, related_name="judgments"
    )
    submission_id = models.UUIDField()
    supersedes = models.OneToOneField(
        "self", models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    restores = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="restorations",
        db_index=False,
        help_text="The answer that counts again in this row, since what had taken its place was "
        "taken back.",
    )
    reasons = models.JSONField(default=list)
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    grouped = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether it was handed out within one query's run of pairs, or mixed.",
    )
    played_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="How much of its clips was played."
    )
    n_replays = models.PositiveSmallIntegerField(null=True, blank=True)
    n_changes = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Changes of mind on the card before the answer."
    )
    shown_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField(db_default=ClockTimestamp())

    objects = JudgmentQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["annotator", "at"], name="annotate_judgment_by_day"),
            models.Index(
                fields=["restores"],
                condition=Q(restores__isnull=False),
                name="annotate_judgment_restored",
            ),
            # The few labels that name reasons, newest first.
            models.Index(
                fields=["collection", "id"],
                condition=~Q(reasons=[]),
                name="annotate_judgment_with_reasons",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "submission_id"], name="annotate_judgment_unique_submission"
            ),
            # One first answer a person and pair: later answers form a chain from it.
            models.UniqueConstraint(
                fields=["annotator", "pair"],
                condition=Q(supersedes__isnull=True, purpose__in=Seat.FOR_LABELS),
                name="annotate_judgment_one_chain",
            ),
            models.CheckConstraint(
                condition=_within_limits("active_ms"),
                name="annotate_judgment_active_range",
            ),
            models.CheckConstraint(
                condition=_within_limits(
                    *(name for name in Telemetry._fields if name != "active_ms")
                ),
                name="annotate_judgment_handling_range",
            ),
            models.CheckConstraint(
                condition=Q(hand_out__isnull=False) | Q(purpose__in=DIRECT_PURPOSES),
                name="annotate_judgment_handed_out",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator_id} gave {self.level_id} to pair {self.pair_id}"


class JudgmentComment(models.Model):
    """Free text of an annotator; apart from the judgment, so that erasing a person can cut it."""

    judgment = models.OneToOneField(Judgment, models.PROTECT, related_name="comment")
    text = models.CharField(max_length=2000)

    def __str__(self) -> str:
        return self.text


class JudgmentEventKind(models.TextChoices):
    """Events that change whether a judgment counts."""

    UNDONE = "undone", "Undone"
    WITHDRAWN = "withdrawn", "Withdrawn"
    RESTORED = "restored", "Restored"


class JudgmentEvent(models.Model):
    """Undo, withdrawal or restoration of a judgment: who, when, why; append-only."""

    Kind: TypeAlias = JudgmentEventKind

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=9, choices=Kind)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True)
    submission_id = models.UUIDField(
        null=True,
        blank=True,
        help_text="Of an undo, made by the browser: the same one again does nothing.",
    )
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=JudgmentEventKind.values),
                name="annotate_judgmentevent_known_kind",
            ),
            models.UniqueConstraint(
                fields=["judgment", "submission_id"], name="annotate_judgmentevent_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"


class Resolution(models.Model):
    """A pair's grade and how it came about; derived from its counting judgments, rebuildable."""

    Status: TypeAlias = ResolutionStatus

    pair = models.OneToOneField(Pair, models.PROTECT, primary_key=True, related_name="resolution")
    collection = models.ForeignKey(Collection, models.PROTECT, related_name="resolutions")
    status = models.CharField(max_length=11, choices=Status)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    n_labels = models.PositiveSmallIntegerField()
    is_complete = models.BooleanField(
        default=False, help_text="It has the labels that open rounds want, or else closed ones did."
    )
    policy = models.ForeignKey(Policy, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(
        db_default=ClockTimestamp(),
        help_text="Since then it is what it is; the database writes it.",
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["collection", "pair"],
                condition=Q(status=ResolutionStatus.DISPUTED),
                name="annotate_resolution_disputed",
            ),
            models.Index(fields=["collection", "changed_at"], name="annotate_resolution_changed"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=UNGRADED_STATUSES, grade__isnull=True)
                | Q(
                    status__in=GRADED_STATUSES,
                    grade__isnull=False,
                ),
                name="annotate_resolution_grade_by_status",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.grade}"

    @property
    def content(self) -> tuple[str, int | None, int, bool, int]:
        """The content of the resolution, for comparing two of them."""
        return str(self.status), self.grade, self.n_labels, self.is_complete, self.policy_id


class Change(models.Model):
    """Notice that a pair's labels changed, for metrics; one insert a judgment: no hot row."""

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="changes")
    pair = models.ForeignKey(Pair, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        indexes = [models.Index(fields=["collection", "id"], name="annotate_change_queue")]

    def __str__(self) -> str:
        return f"change {self.pk}"
