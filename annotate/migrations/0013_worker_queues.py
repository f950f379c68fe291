"""A worker shows which queues it takes from."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0012_sign_in_tries"),
    ]

    operations = [
        migrations.AddField(
            model_name="workerheartbeat",
            name="queues",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20),
                default=list,
                help_text="What it takes from: short, long.",
                size=None,
            ),
        ),
    ]
