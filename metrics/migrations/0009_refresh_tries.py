"""Refreshes that came to no end are counted, so that one which takes too long is not begun for ever."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0015_no_cancellations"), ("metrics", "0008_download_works")]

    operations = [
        migrations.CreateModel(
            name="RefreshTries",
            fields=[
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="refresh_tries",
                        serialize=False,
                        to="annotate.collection",
                    ),
                ),
                ("n", models.PositiveIntegerField()),
                ("since", models.DateTimeField()),
                ("next_at", models.DateTimeField(help_text="Before this moment none is begun.")),
                ("is_slow", models.BooleanField(default=False)),
            ],
            options={"verbose_name_plural": "refresh tries"},
        ),
    ]
