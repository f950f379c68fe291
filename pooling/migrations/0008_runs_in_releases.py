"""Whether a release may show a run's name and hold its file: its uploader decides; so far, no."""

from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("renamed", "Renamed"),
    ("described", "Described"),
    ("hidden", "Hidden"),
    ("published", "Published"),
    ("retired", "Retired"),
    ("restored", "Brought back"),
    ("reread", "Read again"),
    ("accepted", "Used with its unknown rows"),
    ("releasable", "May be published in releases"),
    ("unreleasable", "May not be published in releases"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("pooling", "0007_repeats_due"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="may_be_published",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A release may show its name and hold its file; its uploader decides.",
            ),
        ),
        migrations.RemoveConstraint(
            model_name="runevent",
            name="pooling_runevent_known_kind",
        ),
        migrations.AlterField(
            model_name="runevent",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=12),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.CheckConstraint(
                condition=Q(kind__in=[kind for kind, _ in KINDS]),
                name="pooling_runevent_known_kind",
            ),
        ),
    ]
