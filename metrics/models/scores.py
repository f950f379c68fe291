"""Scores of runs, and the leaderboards that were computed on request."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import QuerySet, ReferenceSet
from metrics.core.labels.label_sources import LabelSource, People
from pooling.models import Run

TRUTH_SOURCE = LabelSource.of(People.NONE, [ReferenceSet.TRUTH]).key


class ScoreQuerySet(models.QuerySet["Score"]):
    """Scores, those by the known truth of a rehearsal apart from the others."""

    def usual(self) -> Self:
        """All but those by the known truth."""
        return self.exclude(label_source=TRUTH_SOURCE, run__collection__is_rehearsal=True)

    def by_known_truth(self) -> Self:
        """Those by the known truth, which pages show beside the others."""
        return self.filter(label_source=TRUTH_SOURCE, run__collection__is_rehearsal=True)


class Score(models.Model):
    """A run's measure on one query set under one label source: the mean and each query's value."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="scores")
    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="scores")
    label_source = models.TextField(help_text="Its key; see metrics.core.labels.label_sources.")
    measure = models.CharField(max_length=30)
    threshold = models.PositiveSmallIntegerField()
    mean = models.FloatField(null=True)
    mean_with_positive = models.FloatField(
        null=True, help_text="Over the queries that have a positive; empty when none has."
    )
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    n_queries = models.PositiveIntegerField()
    n_missing = models.PositiveIntegerField(
        help_text="Queries of the set that the run does not hold."
    )
    n_with_positive = models.PositiveIntegerField()
    n_gallery = models.PositiveIntegerField(
        null=True, help_text="Targets that were ranked; empty before a refresh."
    )
    gallery_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the last of them joined; empty where nobody wrote it down.",
    )
    best = models.FloatField(
        null=True, help_text="The mean as if every unjudged target were positive."
    )
    per_query = models.BinaryField(
        help_text="float64, little endian, in the order of the query set."
    )
    per_query_best = models.BinaryField(
        null=True, help_text="The same as if every unjudged target were positive."
    )
    inputs_sha256 = models.CharField(max_length=64)
    computed_at = models.DateTimeField(db_default=Now())

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "query_set", "label_source", "measure", "threshold"],
                name="metrics_score_unique",
            ),
            models.CheckConstraint(
                condition=Q(label_source="only") | Q(label_source__regex="^(over|union|none):."),
                name="metrics_score_known_source",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.run}: {self.mean}"
