"""Values computed for somebody who looked, kept until their inputs change or they are too old."""

from django.db import models
from django.db.models.functions import Now

from .collections import Collection


class Kept(models.Model):
    """A computed value: a leaderboard, the details of a dashboard, the preview of a pool.

    Its kind defines the function: see annotate.services.background.kept. Any row may be deleted at
    any time: whoever looks next has it computed again.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="kept_values")
    kind = models.CharField(max_length=20)
    key = models.CharField(
        max_length=64, blank=True, help_text="Which of its kind; blank for a collection's only one."
    )
    parameters = models.JSONField(default=dict, blank=True, help_text="What somebody chose.")
    version = models.CharField(
        max_length=64, blank=True, help_text="The version of the rows that it was computed from."
    )
    digest = models.CharField(
        max_length=64, blank=True, help_text="A hash of those rows, where the kind has one."
    )
    value = models.JSONField()
    computed_at = models.DateTimeField(db_default=Now())
    fresh_until = models.DateTimeField(
        null=True, blank=True, help_text="Blank for a value that only another version makes old."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "key"], name="annotate_kept_unique_key"
            ),
        ]
        verbose_name_plural = "kept values"

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection}"
