"""Leads are sent a mail about alarms that rise from now on; those that are up already are told of by none."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0014_doors_of_releases"),
    ]

    operations = [
        migrations.CreateModel(
            name="AlarmMail",
            fields=[
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="mail",
                        serialize=False,
                        to="metrics.alarmevent",
                    ),
                ),
                (
                    "mailed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the leads were sent a mail; empty: they were not.",
                        null=True,
                    ),
                ),
                ("mail_attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "mail_attempt_at",
                    models.DateTimeField(
                        blank=True, help_text="When a mail was last tried; empty: never.", null=True
                    ),
                ),
            ],
        ),
    ]
