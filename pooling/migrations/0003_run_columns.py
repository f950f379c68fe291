"""Runs that are tables without a header: their columns by number."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0002_whole_runs")]

    operations = [
        migrations.AddField(
            "run",
            "columns",
            models.JSONField(
                blank=True,
                default=dict,
                help_text="Of a table without a header: the numbers of its columns by their names.",
            ),
        ),
    ]
