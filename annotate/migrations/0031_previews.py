"""Previews of images, drawn by a worker. A new table; images that are here wait for theirs."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0030_doors_of_walls"),
    ]

    operations = [
        migrations.AddField(
            model_name="part",
            name="previewed_at",
            field=models.DateTimeField(
                blank=True, help_text="When its preview was made, or could not be.", null=True
            ),
        ),
        migrations.CreateModel(
            name="Preview",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "checksum",
                    models.CharField(
                        help_text="Of the image, as its parts have it.", max_length=80
                    ),
                ),
                (
                    "content",
                    models.BinaryField(
                        blank=True, help_text="WebP, drawn anew and without metadata."
                    ),
                ),
                (
                    "width",
                    models.PositiveSmallIntegerField(help_text="Pixels; 0 where there is none."),
                ),
                ("height", models.PositiveSmallIntegerField()),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("damaged", "The file is damaged"),
                            (
                                "no-image",
                                "The file is no JPEG, PNG, GIF, WebP or AVIF, whatever its name says",
                            ),
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
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="previews",
                        to="annotate.collection",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="part",
            name="preview",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="parts",
                to="annotate.preview",
            ),
        ),
        migrations.AddIndex(
            model_name="part",
            index=models.Index(
                condition=models.Q(("checksum__gt", ""), ("kind", "image"), ("previewed_at", None)),
                fields=["id"],
                name="annotate_part_without_preview",
            ),
        ),
        migrations.AddConstraint(
            model_name="part",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("preview", None),
                    models.Q(
                        ("checksum__gt", ""), ("kind", "image"), ("previewed_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="annotate_part_preview_of_image",
            ),
        ),
        migrations.AddConstraint(
            model_name="preview",
            constraint=models.UniqueConstraint(
                fields=("collection", "checksum"), name="annotate_preview_unique_checksum"
            ),
        ),
        migrations.AddConstraint(
            model_name="preview",
            constraint=models.CheckConstraint(
                condition=models.Q(("checksum", ""), _negated=True),
                name="annotate_preview_checksum_not_blank",
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
                            ["damaged", "no-image", "too-large", "too-costly", "missing"],
                        ),
                        ("width", 0),
                    ),
                    _connector="OR",
                ),
                name="annotate_preview_content_or_reason",
            ),
        ),
    ]
