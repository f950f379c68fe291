"""Receipts: a program that sends a request once more gets the first answer again."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0024_publication"),
    ]

    operations = [
        migrations.CreateModel(
            name="Receipt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(help_text="As the program chose it.", max_length=255)),
                (
                    "request_sha256",
                    models.CharField(
                        help_text="Of the method, the address and the body.", max_length=64
                    ),
                ),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("location", models.CharField(blank=True, max_length=255)),
                ("answer", models.JSONField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        help_text="Of the address.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotate.collection",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "key"), name="annotate_receipt_unique_key"
                    )
                ],
            },
        ),
    ]
