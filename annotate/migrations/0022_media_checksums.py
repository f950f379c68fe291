"""Media have checksums: NULL for those that are here, which a worker then reads in the background.

One index holds all that workers have yet to read.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0021_duplicates"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="part",
            name="annotate_part_not_looked_into",
        ),
        migrations.AddField(
            model_name="part",
            name="checksum",
            field=models.CharField(
                blank=True,
                help_text="Of the file at its path, with the method: sha256:..., or of a file in a bucket etag:...-size. Blank where there is none to be had, NULL where none was computed yet.",
                max_length=80,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="part",
            index=models.Index(
                condition=models.Q(
                    models.Q(("kind__in", ("video", "audio")), ("looked_at", None)),
                    models.Q(("checksum", None), ("kind__in", ("image", "video", "audio"))),
                    _connector="OR",
                ),
                fields=["id"],
                name="annotate_part_unread",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("checksum", None),
                    models.Q(
                        ("kind__in", ("image", "video", "audio")),
                        models.Q(
                            ("checksum", ""),
                            models.Q(("path__contains", "://"), _negated=True),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="annotate_part_checksum_of_file",
            ),
        ),
    ]
