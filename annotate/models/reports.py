"""Reports, which annotators make instead of a judgment, and their events."""

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

from django.db import models
from django.db.models import Q

from .batches import HandOut
from .collections import Collection
from .judgments import ClockTimestamp
from .pairs import Pair
from .people import Annotator, User


class ReportQuerySet(models.QuerySet["Report"]):
    """Reports by their state."""

    def open(self) -> "ReportQuerySet":
        """Reports that wait for a lead."""
        return self.filter(state=Report.State.OPEN)

    def with_settled_at(self) -> "ReportQuerySet":
        """Annotate each report with settled_at; None if it is open or was taken back."""
        return self.annotate(settled_at=_settled_at())

    def settled_at_one_of(self, moments: Iterable[datetime]) -> "ReportQuerySet":
        """Reports that were settled at one of these moments."""
        return self.annotate(settled_at=_settled_at()).filter(settled_at__in=moments)


def _settled_at() -> models.Case:
    """The moment a report was settled; None if it is open or was taken back."""
    events = ReportEvent.objects.filter(report=models.OuterRef("pk")).order_by("-pk")
    return models.Case(
        models.When(state=Report.State.SETTLED, then=models.Subquery(events.values("at")[:1])),
        default=None,
    )


class ReportKind(models.TextChoices):
    """The content of a report on a pair."""

    CANNOT_JUDGE = "cannot_judge", "Cannot judge"
    ESCALATED = "escalated", "Escalated"
    UNPLAYABLE = "unplayable", "Does not play in the browser"


class ReportState(models.TextChoices):
    """The states of a report, which waits for a lead while it is open."""

    OPEN = "open", "Open"
    SETTLED = "settled", "Settled"
    UNDONE = "undone", "Taken back"


class ReportReason(models.TextChoices):
    """The reasons for which an annotator could not judge a pair."""

    DOES_NOT_PLAY = "does_not_play", "It does not load or play"
    WRONG_LANGUAGE = "wrong_language", "I do not know the language"
    AMBIGUOUS = "ambiguous", "The query can mean several things"
    NOT_ENOUGH = "not_enough", "Not enough is shown to tell"
    UPSETTING = "upsetting", "I would rather not look at it"
    OTHER = "other", "Something else"


class Report(models.Model):
    """An annotator's report that she cannot judge a pair, or its escalation; never a label.

    A lead settles it, or its annotator takes it back. A clip that does not play in her browser may
    play in another: such a pair goes to others, without a lead.
    """

    Kind: TypeAlias = ReportKind

    Reason: TypeAlias = ReportReason

    State: TypeAlias = ReportState

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="reports")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="reports")
    hand_out = models.ForeignKey(HandOut, models.PROTECT, related_name="reports")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="reports")
    submission_id = models.UUIDField()
    kind = models.CharField(max_length=12, choices=Kind)
    reason = models.CharField(max_length=60, blank=True)
    note = models.CharField(max_length=1000, blank=True)
    at = models.DateTimeField(db_default=ClockTimestamp())
    state = models.CharField(
        max_length=7,
        choices=State,
        default=State.OPEN,
        help_text="What its last event says; open without one.",
    )

    objects = ReportQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["collection", "kind", "pair"],
                condition=Q(state=ReportState.OPEN),
                name="annotate_report_open",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "submission_id"], name="annotate_report_unique_submission"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=ReportKind.values),
                name="annotate_report_known_kind",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ReportState.values),
                name="annotate_report_known_state",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: pair {self.pair_id}"

    @property
    def why(self) -> str:
        """The reason as its annotator read it; an unknown one, of a program, stays as it is."""
        return dict(self.Reason.choices).get(self.reason, self.reason)

    @property
    def words(self) -> str:
        """The reason and the note; empty without both."""
        return ": ".join(filter(None, (self.why, self.note)))


class ReportEventKind(models.TextChoices):
    """Events of a report."""

    UNDONE = "undone", "Taken back"
    SETTLED = "settled", "Settled"
    REOPENED = "reopened", "Opened again"


class ReportEvent(models.Model):
    """Taking back, settling or reopening of a report: who, when; append-only."""

    Kind: TypeAlias = ReportEventKind

    report = models.ForeignKey(Report, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=8, choices=Kind)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    submission_id = models.UUIDField(
        null=True,
        blank=True,
        help_text="Of what the browser sent: the same one again does nothing.",
    )
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ReportEventKind.values),
                name="annotate_reportevent_known_kind",
            ),
            models.UniqueConstraint(
                fields=["report", "submission_id"], name="annotate_reportevent_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"
