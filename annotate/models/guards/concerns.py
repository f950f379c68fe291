"""Concerns: people whose answers a guard names, until a lead settles it."""

from typing import Self, TypeAlias

from django.db import models
from django.db.models import Q

from annotate.core.labels import concerns

from ..collections import Collection
from ..judgments import ClockTimestamp
from ..people import Annotator, User


class Guard(models.TextChoices):
    """The rules that watch each person's answers."""

    SPEED = "speed", "Speed"
    CLIP = "clip", "Clips"
    RUN = "run", "One level in a row"
    GOLD = "gold", "Golds"


class ConcernState(models.TextChoices):
    """The states of a concern, which waits for a lead while it is open."""

    OPEN = "open", "Open"
    SETTLED = "settled", "It is fine"


class ConcernQuerySet(models.QuerySet["Concern"]):
    """Concerns by their state."""

    def open(self) -> Self:
        """Concerns that wait for a lead."""
        return self.filter(state=ConcernState.OPEN)


class Concern(models.Model):
    """A guard names a person: a lead is to look at the answers. It accuses nobody.

    Once settled it comes back, as another row, by answers given since then alone.
    """

    Guard: TypeAlias = Guard

    State: TypeAlias = ConcernState

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="concerns")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="concerns")
    guard = models.CharField(max_length=5, choices=Guard)
    evidence = models.JSONField(
        help_text="The numbers as of the last look that saw some, and the mark they were held to."
    )
    state = models.CharField(
        max_length=7,
        choices=State,
        default=State.OPEN,
        help_text="What its last event says; open without one.",
    )
    at = models.DateTimeField(db_default=ClockTimestamp())
    faded_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when looks see no evidence any more; empty: the last one saw some.",
    )
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the leads were sent a mail; empty: they were not."
    )
    mail_attempts = models.PositiveSmallIntegerField(default=0)
    mail_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="When a mail was last tried; empty: never."
    )

    objects = ConcernQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["collection"],
                condition=Q(state=ConcernState.OPEN),
                name="annotate_concern_open",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "guard"],
                condition=Q(state=ConcernState.OPEN),
                name="annotate_concern_one_open",
            ),
            models.CheckConstraint(
                condition=Q(guard__in=Guard.values), name="annotate_concern_known_guard"
            ),
            models.CheckConstraint(
                condition=Q(state__in=ConcernState.values), name="annotate_concern_known_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.short}"

    @property
    def short(self) -> str:
        """The guard's name for it in two or three words."""
        return concerns.SHORT_WORDS[self.guard]

    @property
    def sentence(self) -> str:
        """The evidence in words and figures."""
        return concerns.sentence(self.guard, self.evidence)


class ConcernEventKind(models.TextChoices):
    """Events of a concern."""

    SETTLED = "settled", "It is fine"
    REOPENED = "reopened", "Opened again"


class ConcernEvent(models.Model):
    """Settling or reopening of a concern: who, when; append-only."""

    Kind: TypeAlias = ConcernEventKind

    concern = models.ForeignKey(Concern, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=8, choices=Kind)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=ConcernEventKind.values),
                name="annotate_concernevent_known_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"
