"""The marks of guards: each change is a row, and the newest row of a guard holds."""

from django.db import models
from django.db.models import Q

from ..collections import Collection
from ..judgments import ClockTimestamp
from ..people import User
from .concerns import Guard


class GuardMark(models.Model):
    """A lead's mark of a guard, which switches it off where it is empty; append-only.

    A guard without a row has the mark that the product gives it.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="guard_marks")
    guard = models.CharField(max_length=5, choices=Guard)
    mark = models.FloatField(
        null=True, blank=True, help_text="Seconds, or per cent. Empty: the guard is off."
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=ClockTimestamp())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(guard__in=Guard.values), name="annotate_guardmark_known_guard"
            ),
            models.CheckConstraint(
                condition=Q(mark__isnull=True) | Q(mark__gt=0), name="annotate_guardmark_above_0"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.guard}: {'off' if self.mark is None else f'{self.mark:g}'}"
