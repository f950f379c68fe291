"""Which pairs are worth judging: runs, their rankings, pools."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, Direction, Item, Pair, QuerySet, Round, User


class Run(models.Model):
    """One system's results in one direction; the kept upload is the raw text."""

    class State(models.TextChoices):
        RECEIVED = "received", "Received"
        READY = "ready", "Ready"
        REJECTED = "rejected", "Rejected"

    class ScoreType(models.TextChoices):
        FLOAT32 = "float32", "float32, as trec_eval 9"
        FLOAT64 = "float64", "float64, as trec_eval 10"
        RANK = "rank", "The rank column"

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="runs")
    name = models.CharField(max_length=80)
    direction = models.CharField(max_length=7, choices=Direction)
    system = models.CharField(max_length=80, blank=True)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.RECEIVED)
    file = models.FileField(upload_to="runs/", max_length=255)
    file_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    score_type = models.CharField(max_length=7, choices=ScoreType, default=ScoreType.FLOAT32)
    report = models.JSONField(default=dict, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    uploaded_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="pooling_run_unique_name"),
            models.CheckConstraint(
                condition=Q(direction__in=Direction.values), name="pooling_run_known_direction"
            ),
            models.CheckConstraint(
                condition=Q(state="received", finished_at__isnull=True)
                | Q(state__in=["ready", "rejected"], finished_at__isnull=False),
                name="pooling_run_finished_has_time",
            ),
            models.CheckConstraint(
                condition=Q(score_type__in=["float32", "float64", "rank"]),
                name="pooling_run_known_score_type",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Ranking(models.Model):
    """One source item's targets, best first in the canonical order, with their scores."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="rankings")
    source = models.ForeignKey(Item, models.PROTECT, related_name="+")
    targets = ArrayField(models.BigIntegerField())
    scores = ArrayField(models.FloatField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "source"], name="pooling_ranking_unique_source"),
            models.CheckConstraint(
                condition=Q(targets__len=models.F("scores__len")) | Q(targets=[]),
                name="pooling_ranking_as_many_scores",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} on {self.source_id}"


class Pool(models.Model):
    """Which pairs to judge: strategy, parameters, runs, seed; its round lives in annotate."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPENING = "opening", "Opening"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"
        FAILED = "failed", "Failed"

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="pools")
    name = models.CharField(max_length=80)
    strategy = models.CharField(max_length=30)
    parameters = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField(default=0)
    runs = models.ManyToManyField(Run, related_name="pools")
    query_set = models.ForeignKey(
        QuerySet, models.PROTECT, null=True, blank=True, related_name="pools",
        help_text="Only these source items; empty means all of them.",
    )
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    round = models.OneToOneField(Round, models.PROTECT, null=True, blank=True, related_name="pool")
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="pooling_pool_unique_name"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "opening", "failed"], opened_at__isnull=True)
                | Q(state__in=["open", "closed"], opened_at__isnull=False, round__isnull=False),
                name="pooling_pool_open_has_round",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PoolPair(models.Model):
    """A pair of a pool with what the strategy knew of it, frozen at opening."""

    pool = models.ForeignKey(Pool, models.PROTECT, related_name="pool_pairs")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="pool_pairs")
    best_rank = models.PositiveIntegerField()
    stratum = models.PositiveSmallIntegerField(default=0)
    inclusion_probability = models.FloatField(default=1.0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "pair"], name="pooling_poolpair_unique"),
            models.CheckConstraint(
                condition=Q(inclusion_probability__gt=0, inclusion_probability__lte=1),
                name="pooling_poolpair_probability_range",
            ),
            models.CheckConstraint(condition=Q(best_rank__gte=1), name="pooling_poolpair_rank_from_1"),
        ]

    def __str__(self) -> str:
        return f"pair {self.pair_id} in {self.pool}"
