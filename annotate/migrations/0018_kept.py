"""Values that are computed when somebody looks have one table."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0017_truncate_refused"),
    ]

    operations = [
        migrations.CreateModel(
            name="Kept",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                (
                    "key",
                    models.CharField(
                        blank=True,
                        help_text="Which of its kind; blank for a collection's only one.",
                        max_length=64,
                    ),
                ),
                (
                    "parameters",
                    models.JSONField(blank=True, default=dict, help_text="What somebody chose."),
                ),
                (
                    "version",
                    models.CharField(
                        blank=True,
                        help_text="The version of the rows that it was computed from.",
                        max_length=64,
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        blank=True,
                        help_text="A hash of those rows, where the kind has one.",
                        max_length=64,
                    ),
                ),
                ("value", models.JSONField()),
                (
                    "computed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "fresh_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="Blank for a value that only another version makes old.",
                        null=True,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="kept_values",
                        to="annotate.collection",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "kept values",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("collection", "kind", "key"), name="annotate_kept_unique_key"
                    )
                ],
            },
        ),
    ]
