"""Webhooks: addresses that are told of a collection's events, and their messages."""

from typing import Self, TypeAlias
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.core.webhooks.receiver_urls import MAX_LENGTH

from ..collections import Collection
from ..judgments import ClockTimestamp
from ..people import User


class HookEvent(models.TextChoices):
    """The events that a webhook can be told of; a test is sent on request alone."""

    ROUND_FINISHED = "round.finished", "No pair of a pool waits for labels any more"
    ALARM_ROSE = "alarm.rose", "An alarm rises"
    ALARM_FELL = "alarm.fell", "An alarm falls"
    CONCERN_ROSE = "concern.rose", "A guard names a person to look at"
    RELEASE_MADE = "release.made", "A release is made"
    RELEASE_PUBLISHED = "release.published", "A release becomes public"
    RELEASE_UNPUBLISHED = "release.unpublished", "A release is no longer public"
    RELEASE_WITHDRAWN = "release.withdrawn", "A release is withdrawn"
    JOB_ENDED = "job.ended", "A job is done, failed or cancelled"
    TEST = "test", "A test"


EVENT_CHOICES = [choice for choice in HookEvent.choices if choice[0] != HookEvent.TEST]
EVENT_NAMES = [name for name, _ in EVENT_CHOICES]


class HookOff(models.TextChoices):
    """The reason why nothing is sent to a webhook."""

    LEAD = "lead", "Switched off by a lead"
    FAILING = "failing", "Switched off: it failed for days"
    GONE = "gone", "Switched off: its receiver answered 410, gone for good"


class Hook(models.Model):
    """An address that a lead wants to be told of events, and the secret that signs messages.

    Once the receiver has failed it rests for a while: a dead one takes no worker's time.
    """

    Off: TypeAlias = HookOff

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="hooks")
    url = models.CharField(max_length=MAX_LENGTH)
    events = ArrayField(models.CharField(max_length=24))
    secret = models.TextField(help_text="Encrypted under SECRET_KEY.")
    earlier_secret = models.TextField(
        blank=True, help_text="Those before, which sign too for a day."
    )
    secret_changed_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    n_failures = models.PositiveIntegerField(
        default=0, help_text="Attempts that failed since the last that did not."
    )
    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    off_at = models.DateTimeField(null=True, blank=True)
    off_why = models.CharField(max_length=7, choices=HookOff, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "url"], name="annotate_hook_unique_url"),
            models.CheckConstraint(
                condition=~Q(events=[]) & Q(events__contained_by=EVENT_NAMES),
                name="annotate_hook_known_events",
            ),
            models.CheckConstraint(
                condition=Q(off_at=None, off_why="")
                | Q(off_at__isnull=False, off_why__in=HookOff.values),
                name="annotate_hook_off_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return self.url


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Deliveries, with the filter for those to be sent now."""

    def due(self) -> Self:
        """Deliveries whose moment has come, to webhooks that are on and do not rest."""
        now = ClockTimestamp()
        is_rested = Q(hook__rests_until=None) | Q(hook__rests_until__lte=now)
        return self.filter(
            is_rested, state=DeliveryState.WAITING, next_at__lte=now, hook__off_at=None
        )


class DeliveryState(models.TextChoices):
    """The states of a delivery."""

    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    FAILED = "failed", "Failed"


ENDED_STATES = (DeliveryState.DELIVERED, DeliveryState.FAILED)


class Delivery(models.Model):
    """One event for one webhook, stored with its cause, and the attempts to send it.

    All attempts carry the same `message_id`, by which the receiver knows what it has already.
    """

    State: TypeAlias = DeliveryState

    hook = models.ForeignKey(Hook, models.CASCADE, related_name="deliveries")
    message_id = models.UUIDField(default=uuid4, editable=False)
    event = models.CharField(max_length=24, choices=HookEvent)
    data = models.JSONField(help_text="The ids and addresses of its subject.")
    at = models.DateTimeField(db_default=Now(), help_text="When it happened.")
    state = models.CharField(max_length=9, choices=DeliveryState, default=DeliveryState.WAITING)
    n_attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Since it was requested, by the event or by a lead."
    )
    attempts = models.JSONField(default=list, blank=True, help_text="The newest, oldest first.")
    next_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["message_id"], name="annotate_delivery_unique_message"),
            models.CheckConstraint(
                condition=Q(event__in=HookEvent.values), name="annotate_delivery_known_event"
            ),
            models.CheckConstraint(
                condition=Q(state=DeliveryState.WAITING, next_at__isnull=False, ended_at=None)
                | Q(state__in=ENDED_STATES, next_at=None, ended_at__isnull=False),
                name="annotate_delivery_ended_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_at"],
                condition=Q(state=DeliveryState.WAITING),
                name="annotate_delivery_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.hook_id}"
