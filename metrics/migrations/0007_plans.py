"""Plans that leads fix, and what each look at the labels decided; what is fixed stays."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

FIXED = """
CREATE TRIGGER metrics_planlook_append_only BEFORE UPDATE OR DELETE ON metrics_planlook
    FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change();
CREATE TRIGGER metrics_plan_append_only BEFORE UPDATE ON metrics_plan FOR EACH ROW
    WHEN (to_jsonb(NEW) - '{ended_at,fixed_by_id}'::text[] <> to_jsonb(OLD) - '{ended_at,fixed_by_id}'::text[])
    EXECUTE FUNCTION annotate_refuse_change();
"""
LOOSE = """
DROP TRIGGER metrics_plan_append_only ON metrics_plan;
DROP TRIGGER metrics_planlook_append_only ON metrics_planlook;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0010_query_groups"),
        ("metrics", "0006_planned_labels"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Plan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("measure", models.CharField(max_length=60)),
                ("threshold", models.PositiveSmallIntegerField()),
                (
                    "label_source",
                    models.TextField(help_text="Its key; see metrics.core.labels.label_sources."),
                ),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("randomized-tukey", "randomized-tukey"),
                            ("tukey", "tukey"),
                            ("randomization", "randomization"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "alpha",
                    models.FloatField(
                        help_text="The chance that any look decides anything false is this at most."
                    ),
                ),
                (
                    "looks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(),
                        help_text="Numbers of judged pairs, ascending.",
                        size=None,
                    ),
                ),
                (
                    "runs",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        help_text="Keys of the runs that were in use when it was fixed.",
                        size=None,
                    ),
                ),
                (
                    "n_judged",
                    models.PositiveIntegerField(
                        help_text="Pairs that were judged when it was fixed."
                    ),
                ),
                (
                    "fixed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plans",
                        to="annotate.collection",
                    ),
                ),
                (
                    "fixed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "query_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plans",
                        to="annotate.queryset",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("collection",),
                        name="metrics_plan_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("method__in", ("randomized-tukey", "tukey", "randomization"))
                        ),
                        name="metrics_plan_known_method",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("alpha__gt", 0), ("alpha__lt", 1)),
                        name="metrics_plan_alpha_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("looks__len__gte", 1)), name="metrics_plan_has_looks"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanLook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.PositiveSmallIntegerField(
                        help_text="From 1; those passed over are missing."
                    ),
                ),
                (
                    "n_judged",
                    models.PositiveIntegerField(help_text="Pairs that were judged by then."),
                ),
                ("level", models.FloatField(help_text="At which it decided.")),
                (
                    "value",
                    models.JSONField(
                        help_text="As metrics.services.leaderboard.decisions.decision_facts gives it."
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taken",
                        to="metrics.plan",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("plan", "number"), name="metrics_planlook_unique_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("level__gt", 0), ("number__gte", 1)),
                        name="metrics_planlook_from_1",
                    ),
                ],
            },
        ),
        migrations.RunSQL(FIXED, LOOSE),
    ]
