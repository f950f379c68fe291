"""Collections, their levels, guidelines and policy versions."""

from decimal import Decimal
from typing import TypeAlias

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Now

from annotate.core.labels.alpha_marks import KRIPPENDORFF, AlphaMarks
from annotate.core.publication import licences

from .people import User
from .resolving import PolicyRule, PolicyTie


class CollectionMeasurement(models.TextChoices):
    """The levels of measurement at which agreement is computed."""

    NOMINAL = "nominal", "Nominal"
    ORDINAL = "ordinal", "Ordinal"
    INTERVAL = "interval", "Interval"
    RATIO = "ratio", "Ratio"


class QueryGrouping(models.TextChoices):
    """The source of the groups of queries that intervals and tests are computed by."""

    REFERENCE = "reference", "The item its reference labels link it to"
    COLUMN = "column", 'The column "group" of the upload'
    NONE = "none", "None: each query by itself"


class Collection(models.Model):
    """A test collection in the making: items, a scheme, guidelines, policies, members."""

    Measurement: TypeAlias = CollectionMeasurement
    Grouping: TypeAlias = QueryGrouping

    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    measurement = models.CharField(
        max_length=8,
        choices=Measurement,
        default=Measurement.ORDINAL,
        help_text="The level of measurement agreement is computed at.",
    )
    positive_from = models.PositiveSmallIntegerField(
        default=1, help_text="A pair is relevant when its grade is at least this."
    )
    unknown_limit = models.FloatField(
        default=0.05, help_text="A run with a larger share of unknown rows asks before it is used."
    )
    query_groups = models.CharField(
        max_length=9,
        choices=Grouping,
        default=Grouping.REFERENCE,
        db_default=Grouping.REFERENCE,
        help_text="What belongs together when intervals and tests are computed.",
    )
    tentative_alpha = models.FloatField(
        default=KRIPPENDORFF.tentative,
        db_default=KRIPPENDORFF.tentative,
        help_text="Conclusions are tentative from this alpha on.",
    )
    firm_alpha = models.FloatField(
        default=KRIPPENDORFF.firm,
        db_default=KRIPPENDORFF.firm,
        help_text="Conclusions are firm from this alpha on.",
    )
    key = models.BinaryField(
        max_length=32, help_text="Secret of the keyed hashes that choose doubles and pseudonyms."
    )
    hourly_pay = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="What an hour of judging costs; empty where no money is shown.",
    )
    currency = models.CharField(
        max_length=12, default="EUR", help_text="The name of the money, as people read it."
    )
    licence = models.CharField(
        max_length=licences.MAX_LENGTH,
        default=licences.DEFAULT_LICENCE,
        db_default=licences.DEFAULT_LICENCE,
        help_text="SPDX identifier of the licence of its releases.",
    )
    creators = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        blank=True,
        help_text="Those to cite, in their order: name, affiliation and ORCID.",
    )
    cite_as = models.TextField(
        blank=True, default="", db_default="", help_text="How to cite it, in plain text."
    )
    texts_may_leave = models.BooleanField(
        default=False, db_default=False, help_text="Texts of its items are in a release."
    )
    media_may_leave = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Names and addresses of its media are in a release.",
    )
    scheme_frozen_at = models.DateTimeField(null=True, blank=True)
    is_rehearsal = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)
    archived_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="annotate_collection_unique_slug"),
            models.CheckConstraint(
                condition=Q(measurement__in=CollectionMeasurement.values),
                name="annotate_collection_known_measurement",
            ),
            models.CheckConstraint(
                condition=Q(unknown_limit__gte=0, unknown_limit__lte=1),
                name="annotate_collection_limit_range",
            ),
            models.CheckConstraint(
                condition=Q(query_groups__in=QueryGrouping.values),
                name="annotate_collection_known_grouping",
            ),
            models.CheckConstraint(
                condition=Q(
                    tentative_alpha__gt=0,
                    firm_alpha__gt=F("tentative_alpha"),
                    firm_alpha__lte=1,
                ),
                name="annotate_collection_alpha_marks",
            ),
            models.CheckConstraint(
                condition=Q(licence__regex=licences.IDENTIFIER),
                name="annotate_collection_licence_identifier",
            ),
            models.CheckConstraint(
                condition=Q(archived_at__isnull=True, archived_by__isnull=True)
                | Q(archived_at__isnull=False, archived_by__isnull=False),
                name="annotate_collection_archived_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_being_set_up(self) -> bool:
        """True until the first judgment, which freezes the scheme."""
        return self.scheme_frozen_at is None

    @property
    def alpha_marks(self) -> AlphaMarks:
        """The marks that alpha of its labels is held to."""
        return AlphaMarks(self.tentative_alpha, self.firm_alpha)


class Level(models.Model):
    """One grade of the scheme; the set freezes at the first judgment, the wording does not."""

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
            models.UniqueConstraint(
                fields=["collection", "grade"], name="annotate_level_unique_grade"
            ),
            models.UniqueConstraint(fields=["collection", "key"], name="annotate_level_unique_key"),
            models.CheckConstraint(condition=Q(grade__lte=100), name="annotate_level_grade_range"),
        ]

    def __str__(self) -> str:
        return f"{self.grade} {self.name}"


class Guidelines(models.Model):
    """One version of the guidelines: their text and the wording of the levels; insert-only."""

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

    @property
    def version_text(self) -> str:
        """The version and its day: "Version 2, changed on 5 March 2026"."""
        day = f"{self.at.day} {self.at:%B %Y}"
        return f"Version {self.version}, {'changed on' if self.version > 1 else 'of'} {day}"


class PolicyGoldAction(models.TextChoices):
    """The consequence of a batch with too few right golds."""

    NONE = "none", "Count them only"
    WARN = "warn", "Warn the person"
    HOLD = "hold", "Hold the batch for a lead"
    REJECT = "reject", "Reject the batch and ask for its labels again"
    PAUSE = "pause", "Hold the batch and pause the person"


class Policy(models.Model):
    """One version of the rules that assign and resolve pairs; a round names its own."""

    Rule: TypeAlias = PolicyRule
    Tie: TypeAlias = PolicyTie
    GoldAction: TypeAlias = PolicyGoldAction

    # fields that resolve labels; rounds may follow them later
    RESOLVING = ("rule", "tie", "tolerance")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="policies")
    version = models.PositiveIntegerField()
    labels_per_pair = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    double_share = models.DecimalField(
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.1"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Exact share of a round's new pairs that get one label more.",
    )
    ceiling = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(7)],
        help_text="Labels a pair may get when people disagree; then it is disputed.",
    )
    tolerance = models.PositiveSmallIntegerField(
        default=0, help_text="Largest distance of grades that still counts as agreement."
    )
    stop_early = models.BooleanField(
        default=False,
        help_text="Of several labels a pair, ask for no more once two agree and the rule decides.",
    )
    rule = models.CharField(max_length=24, choices=Rule, default=Rule.MAJORITY)
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
    gold_action = models.CharField(
        max_length=6,
        choices=GoldAction,
        default=GoldAction.NONE,
        help_text="What happens when too few of a finished batch's golds are right.",
    )
    gold_pass = models.DecimalField(
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.75"),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Smallest share of a batch's golds that must be right.",
    )
    repeat_share = models.DecimalField(
        max_digits=5,
        decimal_places=4,
        default=Decimal(0),
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Share of a person's own pairs that come back to the same person.",
    )
    repeat_after_days = models.PositiveSmallIntegerField(
        default=7,
        validators=[MaxValueValidator(365)],
        help_text="Days before a pair may come back.",
    )
    max_share = models.DecimalField(
        max_digits=5,
        decimal_places=4,
        default=Decimal(1),
        validators=[MinValueValidator(Decimal("0.0001")), MaxValueValidator(1)],
        help_text="Largest share of a round's pairs that one person may judge; 1 = no limit.",
    )
    ask_reasons = models.BooleanField(default=True, help_text="Levels ask for their reasons.")
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
                condition=Q(
                    rule__in=PolicyRule.values,
                    tie__in=PolicyTie.values,
                ),
                name="annotate_policy_known_rule",
            ),
            # A policy that wants unanimity leaves every other pair to a lead.
            models.CheckConstraint(
                condition=~Q(rule=PolicyRule.UNANIMOUS) | Q(tie=PolicyTie.DISPUTE),
                name="annotate_policy_unanimous_disputes",
            ),
            models.CheckConstraint(
                condition=Q(gold_action__in=PolicyGoldAction.values),
                name="annotate_policy_known_gold_action",
            ),
            models.CheckConstraint(
                condition=Q(gold_pass__gte=0, gold_pass__lte=1),
                name="annotate_policy_gold_pass_range",
            ),
            models.CheckConstraint(
                condition=Q(repeat_share__gte=0, repeat_share__lte=1, repeat_after_days__lte=365),
                name="annotate_policy_repeat_range",
            ),
            models.CheckConstraint(
                condition=Q(max_share__gt=0, max_share__lte=1),
                name="annotate_policy_max_share_range",
            ),
            models.CheckConstraint(
                condition=Q(batch_candidates__gte=1, lease_minutes__gte=1),
                name="annotate_policy_batch_range",
            ),
        ]

    def __str__(self) -> str:
        return f"policy v{self.version} of {self.collection}"

    def percent(self, share: str) -> Decimal:
        """Return one of the shares in per cent as people write it: 10, not 0.1000."""
        return Decimal(f"{(getattr(self, share) * 100).normalize():f}")

    @property
    def double_percent(self) -> Decimal:
        """The share of doubles in per cent."""
        return self.percent("double_share")

    @property
    def gold_percent(self) -> Decimal:
        """The share of a batch's golds that must be right, in per cent."""
        return self.percent("gold_pass")

    @property
    def repeat_percent(self) -> Decimal:
        """The share of a person's own pairs that come back, in per cent."""
        return self.percent("repeat_share")

    @property
    def max_percent(self) -> Decimal:
        """The largest share of a round that one person may judge, in per cent."""
        return self.percent("max_share")
