"""Background work that somebody asked for and waits for."""

from typing import Self, TypeAlias

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .collections import Collection
from .people import User


class WorkQuerySet(models.QuerySet["Work"]):
    """Works, with the filter for unfinished ones."""

    def unfinished(self) -> Self:
        """Works that are asked for, or begun and not ended."""
        return self.filter(state__in=Work.UNFINISHED)


class WorkState(models.TextChoices):
    """The states of a work."""

    ASKED = "asked", "Asked for"
    RUNNING = "running", "Under way"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


UNFINISHED_STATES = (WorkState.ASKED, WorkState.RUNNING)
FINISHED_STATES = (WorkState.DONE, WorkState.FAILED, WorkState.CANCELLED)


class Work(models.Model):
    """Work for a worker that somebody asked for: an import, a download, the opening of a pool.

    Its kind defines the task and the subject: see annotate.services.background.works. A killed
    worker leaves it running; the sweep hands it to the next one.
    """

    State: TypeAlias = WorkState

    UNFINISHED = UNFINISHED_STATES

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="works")
    kind = models.CharField(max_length=20)
    subject = models.PositiveBigIntegerField(help_text="The key of the row that it is about.")
    state = models.CharField(max_length=9, choices=State, default=State.ASKED)
    attempts = models.PositiveSmallIntegerField(
        default=0,
        help_text="How often it was begun without coming to an end; what an outage ended does not "
        "count.",
    )
    n_outages = models.PositiveSmallIntegerField(
        default=0, help_text="How often an outage ended it."
    )
    error_code = models.CharField(max_length=20, blank=True)
    error_data = models.JSONField(
        default=dict, blank=True, help_text="What people are told of the error."
    )
    by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())
    begun_at = models.DateTimeField(null=True, blank=True, help_text="Begun for the last time.")
    cancel_asked_at = models.DateTimeField(null=True, blank=True)
    cancelled_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = WorkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=Q(state__in=UNFINISHED_STATES),
                name="annotate_work_one_unfinished",
            ),
            models.CheckConstraint(
                condition=Q(state=WorkState.ASKED, finished_at__isnull=True)
                | Q(state=WorkState.RUNNING, begun_at__isnull=False, finished_at__isnull=True)
                | Q(state__in=FINISHED_STATES, finished_at__isnull=False),
                name="annotate_work_finished_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=WorkState.FAILED) | ~Q(error_code=""),
                name="annotate_work_failed_has_code",
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"], condition=Q(finished_at=None), name="annotate_work_unfinished"
            ),
            models.Index(fields=["kind", "subject"], name="annotate_work_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    @property
    def is_unfinished(self) -> bool:
        """True if it is asked for, or begun and not ended."""
        return self.state in self.UNFINISHED

    @property
    def error(self) -> str:
        """The reason of a failure, for people; empty without one."""
        return str(self.error_data.get("message", ""))
