"""Parts keep the length of their file; a worker reads it of those that were inspected before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0035_rasters")]

    operations = [
        migrations.AddField(
            "part",
            "seconds",
            models.FloatField(
                blank=True,
                help_text="How long the file of a clip or recording plays, from its first to its last moment. NULL where its head does not say it, or nobody looked.",
                null=True,
            ),
        ),
        migrations.AlterField(
            "part",
            "looked_at",
            models.DateTimeField(
                blank=True,
                help_text="When the files of a clip or recording were looked into for types and length.",
                null=True,
            ),
        ),
        migrations.RunSQL(
            """
            UPDATE annotate_part SET looked_at = NULL
            WHERE kind IN ('video', 'audio') AND "end" IS NULL AND position('://' in path) = 0
            """,
            migrations.RunSQL.noop,
        ),
    ]
