"""Clips and recordings have types and further sources, and pairs are passed on by people whose browsers do not play them."""

from django.db import migrations, models
from django.db.models import Q, Value


class Migration(migrations.Migration):
    dependencies = [("annotate", "0008_items_left_out")]

    operations = [
        migrations.AddField(
            "part",
            "type",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Container and codecs of a clip or recording as a MIME type; blank where nobody knows.",
                max_length=120,
            ),
        ),
        migrations.AddField(
            "part",
            "also",
            models.JSONField(
                blank=True,
                db_default=Value([], models.JSONField()),
                default=list,
                help_text="Further files or URLs of the same medium, in the order they are tried, each with its path and type.",
            ),
        ),
        # Blank for the parts of before: a worker looks into their files (see annotate.services.imports.media_inspection).
        migrations.AddField(
            "part",
            "looked_at",
            models.DateTimeField(
                blank=True,
                help_text="When the files of a clip or recording were looked into for their types.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            "part",
            models.Index(
                condition=Q(kind__in=["video", "audio"], looked_at=None),
                fields=["item"],
                name="annotate_part_not_looked_into",
            ),
        ),
        migrations.AddConstraint(
            "part",
            models.CheckConstraint(
                condition=Q(kind__in=["video", "audio"]) | Q(also=[], type=""),
                name="annotate_part_sources_of_media",
            ),
        ),
        migrations.AlterField(
            "report",
            "kind",
            models.CharField(
                choices=[
                    ("cannot_judge", "Cannot judge"),
                    ("escalated", "Escalated"),
                    ("unplayable", "Does not play in the browser"),
                ],
                max_length=12,
            ),
        ),
        migrations.RemoveConstraint("report", "annotate_report_known_kind"),
        migrations.AddConstraint(
            "report",
            models.CheckConstraint(
                condition=Q(kind__in=["cannot_judge", "escalated", "unplayable"]),
                name="annotate_report_known_kind",
            ),
        ),
    ]
