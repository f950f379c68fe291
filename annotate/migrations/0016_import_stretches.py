"""Judgments that an import stored are resolved stretch by stretch after that."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0015_no_cancellations"),
    ]

    operations = [
        migrations.AddField(
            model_name="import",
            name="unresolved",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(),
                blank=True,
                help_text="Keys of the first and the last judgment it stored, and of the pair up to which they are resolved.",
                null=True,
                size=3,
            ),
        ),
    ]
