"""Wrong passwords are counted in the database."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0011_work"),
    ]

    operations = [
        migrations.CreateModel(
            name="SignInTry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "person",
                    models.CharField(
                        help_text="The account, or the name where there is none.", max_length=64
                    ),
                ),
                ("address", models.CharField(max_length=64)),
                (
                    "browser",
                    models.CharField(
                        blank=True,
                        help_text="Blank where the person never signed in before.",
                        max_length=64,
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name_plural": "sign-in tries",
                "indexes": [
                    models.Index(fields=["person", "at"], name="annotate_signintry_person"),
                    models.Index(fields=["address", "at"], name="annotate_signintry_address"),
                ],
            },
        ),
    ]
