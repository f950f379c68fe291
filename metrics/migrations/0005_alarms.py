"""Alarms that a lead sets, and the log of when they rose and fell, which only grows."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0002_walls"),
        ("metrics", "0004_board_views"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Alarm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("alpha", "Alpha"), ("gold", "Golds right"), ("speed", "Active time a label")],
                        max_length=5,
                    ),
                ),
                ("below", models.FloatField(help_text="Alpha, a share in per cent, or seconds.")),
                (
                    "n_at_least",
                    models.PositiveIntegerField(
                        help_text="Pairs with two labels, golds or labels that it must rest on."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="alarms", to="annotate.collection"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("ended_at__isnull", True)),
                        fields=("collection", "kind", "below", "n_at_least"),
                        name="metrics_alarm_unique",
                    ),
                    models.CheckConstraint(
                        condition=Q(("kind__in", ["alpha", "gold", "speed"])), name="metrics_alarm_known_kind"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="AlarmEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("rose", "Rose"), ("fell", "Fell")], max_length=4)),
                (
                    "value",
                    models.FloatField(blank=True, help_text="Empty where it was no longer defined.", null=True),
                ),
                ("n", models.PositiveIntegerField()),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "alarm",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="metrics.alarm"
                    ),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+",
                        to="annotate.annotator",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["alarm", "annotator", "-id"], name="metrics_alarmevent_last")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(("kind__in", ["rose", "fell"])), name="metrics_alarmevent_known_kind"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER metrics_alarmevent_append_only BEFORE UPDATE OR DELETE ON metrics_alarmevent "
            "FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()",
            "DROP TRIGGER metrics_alarmevent_append_only ON metrics_alarmevent",
        ),
    ]
