"""Rounds that are being opened or closed."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0005_roundpair_dropped")]

    operations = [
        migrations.RemoveConstraint("round", "annotate_round_closed_has_time"),
        migrations.AlterField(
            "round",
            "state",
            models.CharField(
                choices=[("opening", "Opening"), ("open", "Open"), ("closing", "Closing"), ("closed", "Closed")],
                default="open",
                max_length=7,
            ),
        ),
        migrations.AddConstraint(
            "round",
            models.CheckConstraint(
                condition=Q(state__in=["opening", "open"], closed_at__isnull=True)
                | Q(state__in=["closing", "closed"], closed_at__isnull=False),
                name="annotate_round_closed_has_time",
            ),
        ),
    ]
