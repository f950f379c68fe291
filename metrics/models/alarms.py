"""Alarms on a collection's numbers, and the log of when they rose and fell."""

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection


class AlarmKind(models.TextChoices):
    """The number that an alarm watches."""

    ALPHA = "alpha", "Alpha"
    GOLD = "gold", "Golds right"
    SPEED = "speed", "Active time a label"


class Alarm(models.Model):
    """An alarm of a lead: a number below a threshold, once it rests on enough observations."""

    Kind: TypeAlias = AlarmKind

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="alarms")
    kind = models.CharField(max_length=5, choices=Kind)
    below = models.FloatField(help_text="Alpha, a share in per cent, or seconds.")
    n_at_least = models.PositiveIntegerField(
        help_text="Pairs with two labels, golds or labels that it must rest on."
    )
    by = models.ForeignKey(
        "annotate.User", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "below", "n_at_least"],
                condition=Q(ended_at__isnull=True),
                name="metrics_alarm_unique",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=AlarmKind.values), name="metrics_alarm_known_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} below {self.below:g}"


class AlarmEventKind(models.TextChoices):
    """The start or the end of an alarm."""

    ROSE = "rose", "Rose"
    FELL = "fell", "Fell"


class AlarmEvent(models.Model):
    """The rise or fall of an alarm, with the number behind it; append-only."""

    Kind: TypeAlias = AlarmEventKind

    alarm = models.ForeignKey(Alarm, models.CASCADE, related_name="events")
    annotator = models.ForeignKey(
        "annotate.Annotator", models.CASCADE, null=True, blank=True, related_name="+"
    )
    kind = models.CharField(max_length=4, choices=Kind)
    value = models.FloatField(
        null=True, blank=True, help_text="Empty where it was no longer defined."
    )
    n = models.PositiveIntegerField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=AlarmEventKind.values), name="metrics_alarmevent_known_kind"
            ),
        ]
        indexes = [
            models.Index(fields=["alarm", "annotator", "-id"], name="metrics_alarmevent_last")
        ]

    def __str__(self) -> str:
        return f"{self.alarm} {self.kind}"


class AlarmMail(models.Model):
    """The mail to the leads about the rise of an alarm: when it was tried, and sent."""

    event = models.OneToOneField(AlarmEvent, models.CASCADE, primary_key=True, related_name="mail")
    mailed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the leads were sent a mail; empty: they were not."
    )
    mail_attempts = models.PositiveSmallIntegerField(default=0)
    mail_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="When a mail was last tried; empty: never."
    )

    def __str__(self) -> str:
        return f"mail: {self.event}"
