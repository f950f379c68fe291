"""Numbers of a collection: the current ones, those of its history, and refreshes that failed."""

from django.db import models
from django.db.models.functions import Now

from annotate.models import Collection


class Snapshot(models.Model):
    """The current numbers of one kind; a pure function of its inputs, rebuildable byte for byte."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="snapshots")
    kind = models.CharField(max_length=30)
    value = models.JSONField()
    n_judgments = models.PositiveIntegerField()
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind"], name="metrics_snapshot_unique_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection}"


class RefreshTries(models.Model):
    """Refreshes of a collection that failed since the last success; no row if the last succeeded.

    n : their number, including one under way; since : when the first began; is_slow : whether one
        took too long
    """

    collection = models.OneToOneField(
        Collection, models.CASCADE, primary_key=True, related_name="refresh_tries"
    )
    n = models.PositiveIntegerField()
    since = models.DateTimeField()
    next_at = models.DateTimeField(help_text="Before this moment none is begun.")
    is_slow = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "refresh tries"

    def __str__(self) -> str:
        return f"{self.n} tries to refresh {self.collection}"


class Observation(models.Model):
    """A number at a moment, stored for history charts and never rebuilt."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="observations")
    kind = models.CharField(max_length=30)
    n_judgments = models.PositiveIntegerField()
    value = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "n_judgments"],
                name="metrics_observation_unique_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.n_judgments} judgments"
