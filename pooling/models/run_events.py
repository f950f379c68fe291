"""Events of runs: what was done to a run after its upload."""

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import User

from .runs import Run


class RunEventKind(models.TextChoices):
    """Events of a run."""

    RENAMED = "renamed", "Renamed"
    DESCRIBED = "described", "Described"
    HIDDEN = "hidden", "Hidden"
    PUBLISHED = "published", "Published"
    RETIRED = "retired", "Retired"
    RESTORED = "restored", "Brought back"
    REREAD = "reread", "Read again"
    ACCEPTED = "accepted", "Used with its unknown rows"
    RELEASABLE = "releasable", "May be published in releases"
    UNRELEASABLE = "unreleasable", "May not be published in releases"


class RunEvent(models.Model):
    """An action on a run after its upload; never changed, never deleted."""

    Kind: TypeAlias = RunEventKind

    run = models.ForeignKey(Run, models.PROTECT, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind)
    note = models.CharField(max_length=400, blank=True, help_text="What it was before, or why.")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=RunEventKind.values),
                name="pooling_runevent_known_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.kind}"
