"""Posters of clips: previews with the second that they show. Clips that are here wait for theirs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0036_lengths"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="part",
            name="annotate_part_preview_of_image",
        ),
        migrations.RemoveConstraint(
            model_name="preview",
            name="annotate_preview_unique_checksum",
        ),
        migrations.RemoveConstraint(
            model_name="preview",
            name="annotate_preview_content_or_reason",
        ),
        migrations.AddField(
            model_name="preview",
            name="start",
            field=models.FloatField(
                blank=True,
                help_text="Second of the clip that is shown; NULL for images.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="preview",
            name="checksum",
            field=models.CharField(help_text="Of the file, as its parts have it.", max_length=80),
        ),
        migrations.AlterField(
            model_name="preview",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("damaged", "The file is damaged"),
                    (
                        "no-image",
                        "The file is no JPEG, PNG, GIF, WebP or AVIF, whatever its name says",
                    ),
                    ("no-clip", "The file is no MP4, QuickTime, WebM, Matroska or Ogg"),
                    (
                        "too-large",
                        "It has more pixels, or the file more bytes, than previews are made of",
                    ),
                    ("too-costly", "It takes too much memory or time to read"),
                    ("missing", "The file is not there, or cannot be read"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="part",
            index=models.Index(
                condition=models.Q(("checksum__gt", ""), ("kind", "video"), ("previewed_at", None)),
                fields=["id"],
                name="annotate_part_without_poster",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("preview", None),
                    models.Q(
                        ("checksum__gt", ""),
                        ("kind__in", ("image", "video")),
                        ("previewed_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="annotate_part_preview_of_seen",
            ),
        ),
        migrations.AddConstraint(
            model_name="preview",
            constraint=models.UniqueConstraint(
                fields=("collection", "checksum", "start"),
                name="annotate_preview_unique_content",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="preview",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("height__gt", 0),
                        ("reason", ""),
                        ("width__gt", 0),
                        models.Q(("content", b""), _negated=True),
                    ),
                    models.Q(
                        ("content", b""),
                        ("height", 0),
                        (
                            "reason__in",
                            [
                                "damaged",
                                "no-image",
                                "no-clip",
                                "too-large",
                                "too-costly",
                                "missing",
                            ],
                        ),
                        ("width", 0),
                    ),
                    _connector="OR",
                ),
                name="annotate_preview_content_or_reason",
            ),
        ),
    ]
