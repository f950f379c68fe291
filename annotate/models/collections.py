"""What is judged and how: the collection, its levels, guidelines and policy versions."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from .people import User


class Collection(models.Model):
    """A test collection in the making: items on two sides, a scheme, guidelines, policy, members."""

    class Measurement(models.TextChoices):
        NOMINAL = "nominal", "Nominal"
        ORDINAL = "ordinal", "Ordinal"
        INTERVAL = "interval", "Interval"
        RATIO = "ratio", "Ratio"

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    measurement = models.CharField(
        max_length=8, choices=Measurement, default=Measurement.ORDINAL,
        help_text="The level of measurement agreement is computed at.",
    )
    positive_from = models.PositiveSmallIntegerField(
        default=1, help_text="A pair is relevant when its grade is at least this."
    )
    key = models.BinaryField(
        max_length=32, help_text="Secret of the keyed hashes that choose doubles and pseudonyms."
    )
    scheme_frozen_at = models.DateTimeField(null=True, blank=True)
    is_rehearsal = models.BooleanField(default=False)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="annotate_collection_unique_slug"),
            models.CheckConstraint(
                condition=Q(measurement__in=["nominal", "ordinal", "interval", "ratio"]),
                name="annotate_collection_known_measurement",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Level(models.Model):
    """One grade somebody can give; the set of levels freezes at the first judgment, wording does not."""

    class Colour(models.TextChoices):
        SLATE = "slate"
        AMBER = "amber"
        GREEN = "green"
        BLUE = "blue"
        VIOLET = "violet"
        RED = "red"
        TEAL = "teal"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="levels")
    grade = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=1)
    name = models.CharField(max_length=60)
    sentence = models.CharField(max_length=200, blank=True)
    colour = models.CharField(max_length=6, choices=Colour, default=Colour.SLATE)
    reasons = models.JSONField(default=list, blank=True, help_text="Names of the reasons offered.")

    class Meta:
        ordering = ["-grade"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "grade"], name="annotate_level_unique_grade"),
            models.UniqueConstraint(fields=["collection", "key"], name="annotate_level_unique_key"),
            models.CheckConstraint(condition=Q(grade__lte=100), name="annotate_level_grade_range"),
        ]

    def __str__(self) -> str:
        return f"{self.grade} {self.name}"


class Guidelines(models.Model):
    """One version of what annotators are told: the text and the wording of the levels; insert-only."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    markdown = models.TextField(blank=True)
    wording = models.JSONField(default=list, help_text="Name and sentence of each level, as shown.")
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "guidelines"
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="annotate_guidelines_unique_version"
            ),
        ]

    def __str__(self) -> str:
        return f"guidelines v{self.version} of {self.collection}"


class Policy(models.Model):
    """One version of how pairs are assigned and resolved; a round names the version it runs under."""

    class Rule(models.TextChoices):
        MAJORITY = "majority", "Majority"
        MEDIAN = "median", "Median"

    class Tie(models.TextChoices):
        DISPUTE = "dispute", "Dispute"
        UP = "up", "Larger grade"
        DOWN = "down", "Smaller grade"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="policies")
    version = models.PositiveIntegerField()
    labels_per_pair = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    double_share = models.DecimalField(
        max_digits=5, decimal_places=4, default=Decimal("0.1"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Exact share of a round's new pairs that get one label more.",
    )
    ceiling = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(7)],
        help_text="Labels a pair may get when people disagree; then it is disputed.",
    )
    tolerance = models.PositiveSmallIntegerField(
        default=0, help_text="Largest distance of grades that still counts as agreement."
    )
    rule = models.CharField(max_length=8, choices=Rule, default=Rule.MAJORITY)
    tie = models.CharField(max_length=7, choices=Tie, default=Tie.DISPUTE)
    batch_candidates = models.PositiveSmallIntegerField(
        default=18, validators=[MinValueValidator(1), MaxValueValidator(200)]
    )
    gold_positives = models.PositiveSmallIntegerField(default=1, validators=[MaxValueValidator(20)])
    gold_negatives = models.PositiveSmallIntegerField(default=1, validators=[MaxValueValidator(20)])
    lease_minutes = models.PositiveSmallIntegerField(
        default=30, validators=[MinValueValidator(1), MaxValueValidator(1440)]
    )
    grouped = models.BooleanField(
        default=True, help_text="One query's pairs come together instead of mixed."
    )
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "policies"
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="annotate_policy_unique_version"
            ),
            models.CheckConstraint(
                condition=Q(labels_per_pair__gte=1, labels_per_pair__lte=5),
                name="annotate_policy_labels_range",
            ),
            models.CheckConstraint(
                condition=Q(double_share__gte=0, double_share__lte=1),
                name="annotate_policy_share_range",
            ),
            models.CheckConstraint(
                condition=Q(ceiling__gte=F("labels_per_pair"), ceiling__lte=7),
                name="annotate_policy_ceiling_range",
            ),
            models.CheckConstraint(
                condition=Q(rule__in=["majority", "median"], tie__in=["dispute", "up", "down"]),
                name="annotate_policy_known_rule",
            ),
            models.CheckConstraint(
                condition=Q(batch_candidates__gte=1, lease_minutes__gte=1),
                name="annotate_policy_batch_range",
            ),
        ]

    def __str__(self) -> str:
        return f"policy v{self.version} of {self.collection}"

    @property
    def double_percent(self) -> Decimal:
        """The share of doubles as people say it: 10, not 0.1000."""
        return Decimal(f"{(self.double_share * 100).normalize():f}")
