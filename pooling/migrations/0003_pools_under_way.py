"""Pools that are being closed or opened again."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("pooling", "0002_run_visibility"), ("annotate", "0006_rounds_under_way")]

    operations = [
        migrations.RemoveConstraint("pool", "pooling_pool_open_has_round"),
        migrations.AlterField(
            "pool",
            "state",
            models.CharField(
                choices=[
                    ("draft", "Draft"),
                    ("opening", "Opening"),
                    ("open", "Open"),
                    ("closing", "Closing"),
                    ("closed", "Closed"),
                    ("reopening", "Opening again"),
                    ("failed", "Failed"),
                ],
                default="draft",
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            "pool",
            models.CheckConstraint(
                condition=Q(state__in=["draft", "opening", "failed"], opened_at__isnull=True)
                | Q(
                    state__in=["open", "closing", "closed", "reopening"],
                    opened_at__isnull=False,
                    round__isnull=False,
                ),
                name="pooling_pool_open_has_round",
            ),
        ),
    ]
