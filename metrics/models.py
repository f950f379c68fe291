"""What the judgments say: numbers at a moment, written in the background, read by pages."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, QuerySet, ReferenceSet
from pooling.models import Run


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
            models.UniqueConstraint(fields=["collection", "kind"], name="metrics_snapshot_unique_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection}"


class Observation(models.Model):
    """A number as it stood at a moment, for history charts; a kept observation, never rebuilt."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="observations")
    kind = models.CharField(max_length=30)
    n_judgments = models.PositiveIntegerField()
    value = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "n_judgments"], name="metrics_observation_unique_moment"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.n_judgments} judgments"


class LabelSource(models.TextChoices):
    PEOPLE_OVER_REFERENCE = "people_over_reference", "People over reference"
    UNION = "union", "Union, larger grade"
    PEOPLE = "people", "People only"
    REFERENCE = "reference", "Reference only"


class Score(models.Model):
    """One measure of one run on one query set under one label source; the mean and each query's value."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="scores")
    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="scores")
    reference_set = models.ForeignKey(ReferenceSet, models.CASCADE, null=True, blank=True)
    label_source = models.CharField(max_length=21, choices=LabelSource)
    measure = models.CharField(max_length=30)
    threshold = models.PositiveSmallIntegerField()
    mean = models.FloatField(null=True)
    mean_with_positive = models.FloatField(
        null=True, help_text="Over the queries that have a positive; empty when none has."
    )
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    n_queries = models.PositiveIntegerField()
    n_missing = models.PositiveIntegerField(help_text="Queries of the set that the run does not hold.")
    n_with_positive = models.PositiveIntegerField()
    per_query = models.BinaryField(help_text="float64, little endian, in the order of the query set.")
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "query_set", "reference_set", "label_source", "measure", "threshold"],
                nulls_distinct=False,
                name="metrics_score_unique",
            ),
            models.CheckConstraint(
                condition=Q(label_source__in=LabelSource.values), name="metrics_score_known_source"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.run}: {self.mean}"
