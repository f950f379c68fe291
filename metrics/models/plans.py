"""Plans of confirmatory decisions, and what was decided at their looks."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotate.models import Collection, QuerySet, User
from metrics.core.comparisons.run_comparison import PLAN_METHODS


class Plan(models.Model):
    """A plan that a lead fixed beforehand, so that its decisions are confirmatory.

    One at a time a collection, never changed but for its end. Its rules and its looks:
    metrics.services.plans.plans.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="plans")
    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="plans")
    measure = models.CharField(max_length=60)
    threshold = models.PositiveSmallIntegerField()
    label_source = models.TextField(help_text="Its key; see metrics.core.labels.label_sources.")
    method = models.CharField(max_length=20, choices=[(name, name) for name in PLAN_METHODS])
    alpha = models.FloatField(
        help_text="The chance that any look decides anything false is this at most."
    )
    looks = ArrayField(
        models.PositiveIntegerField(), help_text="Numbers of judged pairs, ascending."
    )
    runs = ArrayField(
        models.BigIntegerField(), help_text="Keys of the runs that were in use when it was fixed."
    )
    n_judged = models.PositiveIntegerField(help_text="Pairs that were judged when it was fixed.")
    fixed_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    fixed_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection"],
                condition=Q(ended_at__isnull=True),
                name="metrics_plan_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(method__in=PLAN_METHODS), name="metrics_plan_known_method"
            ),
            models.CheckConstraint(
                condition=Q(alpha__gt=0, alpha__lt=1), name="metrics_plan_alpha_range"
            ),
            models.CheckConstraint(condition=Q(looks__len__gte=1), name="metrics_plan_has_looks"),
        ]

    def __str__(self) -> str:
        return f"{self.measure} at {', '.join(map(str, self.looks))} pairs"


class PlanLook(models.Model):
    """The decision of a plan at one of its looks; append-only."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="taken")
    number = models.PositiveSmallIntegerField(help_text="From 1; those passed over are missing.")
    n_judged = models.PositiveIntegerField(help_text="Pairs that were judged by then.")
    level = models.FloatField(help_text="At which it decided.")
    value = models.JSONField(
        help_text="As metrics.services.leaderboard.decisions.decision_facts gives it."
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["plan", "number"], name="metrics_planlook_unique_number"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, level__gt=0), name="metrics_planlook_from_1"
            ),
        ]

    def __str__(self) -> str:
        return f"look {self.number} of {self.plan}"
