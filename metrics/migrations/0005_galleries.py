"""Scores say what was ranked, and when the last of it joined."""

from django.db import migrations, models

REFRESH = (
    "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM pooling_run"
)


class Migration(migrations.Migration):
    dependencies = [("metrics", "0004_pair_states"), ("annotate", "0007_items_joined")]

    operations = [
        migrations.AddField(
            "score",
            "n_gallery",
            models.PositiveIntegerField(
                null=True, help_text="Targets that were ranked; empty before a refresh."
            ),
        ),
        migrations.AddField(
            "score",
            "gallery_at",
            models.DateTimeField(
                blank=True,
                help_text="When the last of them joined; empty where nobody wrote it down.",
                null=True,
            ),
        ),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
