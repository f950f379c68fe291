"""Background work that somebody asked for gets a table of its own."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0010_query_groups"),
    ]

    operations = [
        migrations.CreateModel(
            name="Work",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                (
                    "subject",
                    models.PositiveBigIntegerField(
                        help_text="The key of the row that it is about."
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "Asked for"),
                            ("running", "Under way"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="asked",
                        max_length=9,
                    ),
                ),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="How often it was begun without coming to an end; what an outage ended does not count.",
                    ),
                ),
                (
                    "n_outages",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="How often an outage ended it."
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=20)),
                (
                    "error_data",
                    models.JSONField(
                        blank=True, default=dict, help_text="What people are told of the error."
                    ),
                ),
                (
                    "asked_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "begun_at",
                    models.DateTimeField(
                        blank=True, help_text="Begun for the last time.", null=True
                    ),
                ),
                ("cancel_asked_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "cancelled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="works",
                        to="annotate.collection",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("finished_at", None)),
                        fields=["asked_at"],
                        name="annotate_work_unfinished",
                    ),
                    models.Index(fields=["kind", "subject"], name="annotate_work_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["asked", "running"])),
                        fields=("kind", "subject"),
                        name="annotate_work_one_unfinished",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", True), ("state", "asked")),
                            models.Q(
                                ("begun_at__isnull", False),
                                ("finished_at__isnull", True),
                                ("state", "running"),
                            ),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("state__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="annotate_work_finished_has_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("error_code", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="annotate_work_failed_has_code",
                    ),
                ],
            },
        ),
    ]
